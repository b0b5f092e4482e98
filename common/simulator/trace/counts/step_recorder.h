#pragma once

#include "execution/block.h"
#include "trace/counts/access_counts.h"
#include "trace/counts/block_steps.h"
#include "trace/memory_map.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {

// Records whole blocks, step by step, for a page on which a reader can step through them. Only if
// CUDA_SIMULATOR_STEPS requests it. For each kernel it keeps the first block, the block with the
// most sectors and wavefronts above the ideal, and the first blocks with an error. To limit memory,
// only the first few kernels are recorded.
class StepRecorder {
 public:
  explicit StepRecorder(MemoryMap& memory) : memory_(memory) {}

  void begin_grid(const Block& block, KernelCounts& kernel);
  void begin_block();
  void request(const WarpRequest& request, RequestUnits units) {
    if (wanted_) add_request(request, units);
  }
  void barrier() {
    if (wanted_) add_barrier();
  }
  // The lanes of each path that the warp's lanes take from here on.
  void divergence(std::uintptr_t code, int warp, const std::vector<std::uint32_t>& ways) {
    if (wanted_) add_divergence(code, warp, ways);
  }
  // The warp's live lanes have met at a warp function.
  void warp_call(int warp, std::uint32_t lanes) {
    if (wanted_) add_warp_call(warp, lanes);
  }
  void end_block();
  // For a cooperative launch, whose blocks alternate.
  void block_suspended();
  void block_resumed();

 private:
  void add_request(const WarpRequest& request, RequestUnits units);
  void add_barrier();
  void add_divergence(std::uintptr_t code, int warp, const std::vector<std::uint32_t>& ways);
  void add_warp_call(int warp, std::uint32_t lanes);
  bool has_finding() const;
  // Returns false if the block has reached the maximum number of steps.
  bool has_room();
  std::uint16_t array_number(const WarpRequest& request);
  void keep(BlockSteps::Reason reason);

  MemoryMap& memory_;
  const Block* block_ = nullptr;
  KernelCounts* kernel_ = nullptr;
  BlockSteps current_;
  std::size_t findings_before_ = 0;
  bool has_finding_ = false;  // from before the block was suspended
  struct Suspended {
    BlockSteps steps;
    bool has_finding;
  };
  std::unordered_map<std::uint64_t, Suspended> suspended_;  // by block number
  std::size_t kernels_kept_ = 0;
  bool wanted_ = false;  // in the running grid
};

}  // namespace cuda_simulator
