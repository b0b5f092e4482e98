#pragma once

#include "execution/block.h"
#include "trace/counts/access_counts.h"
#include "trace/counts/busiest_warp.h"
#include "trace/counts/picture_recorder.h"
#include "trace/memory_map.h"
#include "trace/warp/access.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuda_simulator {

// In the order of their first launches.
using TracedKernels = std::vector<std::unique_ptr<KernelCounts>>;

// Sums the counts of each kernel's launches.
class LaunchCounts {
 public:
  explicit LaunchCounts(MemoryMap& memory) : pictures_(memory) {}

  // Returns the counts to which this launch is added: those of its kernel and configuration.
  KernelCounts& begin_grid(const Block& block);
  void end_grid(std::size_t accessed_shared_bytes) {
    kernel_->accessed_shared_bytes =
        std::max(kernel_->accessed_shared_bytes, accessed_shared_bytes);
  }
  // Leaves the launches so far out of kernels().
  void forget();
  void begin_block();
  void end_block() { kernel_->busiest_warp_requests += busiest_warp_.end_block(); }
  // For a cooperative launch, whose blocks alternate.
  void block_suspended() { busiest_warp_.block_suspended(block_->index()); }
  void block_resumed() { busiest_warp_.block_resumed(block_->index()); }
  void barrier() { ++kernel_->barriers; }

  RequestUnits count(const WarpRequest& request) {
    AccessCounts& counts = counts_of(request);
    const auto [is_costliest, units] = counts.add(request);
    busiest_warp_.request(request.warp);
    if (is_costliest) pictures_.keep_example(counts, request);
    pictures_.follow_elements(request);
    return units;
  }
  void count_basic_block(std::uintptr_t code, std::uint32_t lanes, StepNotes* notes) {
    BasicBlockCounts& counts = kernel_->basic_block(code);
    if (notes) notes->block = &counts;
    counts.add(lanes);
  }
  // A thread accesses an array in its local memory.
  void count_local(Step step, const char* array) {
    LocalAccesses& accesses = kernel_->local_accesses[step.code()];
    accesses.array = array;
    ++accesses.count;
  }
  // `next` is the smallest code address after the basic block.
  void count_divergence(std::uintptr_t code, std::uintptr_t next);

  // The number of threads that have begun in the running kernel's launches.
  std::uint64_t threads_run() const { return kernel_->threads_run; }
  const TracedKernels& kernels() const { return kernels_; }
  bool library_launched() const { return !library_kernels_.empty(); }

 private:
  KernelCounts& counts_of(const Grid& grid);
  AccessCounts& counts_of(const WarpRequest& request) {
    if (request.notes && request.notes->access) return *request.notes->access;
    AccessCounts& counts = kernel_->access(request.step, request.space());
    if (request.notes) *request.notes = {&counts, nullptr, &counts.shapes(request.space())};
    return counts;
  }

  const Block* block_ = nullptr;
  KernelCounts* kernel_ = nullptr;
  TracedKernels kernels_;
  TracedKernels library_kernels_, forgotten_;  // nothing shows their counts
  BusiestWarp busiest_warp_;
  PictureRecorder pictures_;
};

}  // namespace cuda_simulator
