#pragma once

#include "execution/block.h"
#include "execution/lanes.h"
#include "trace/memory_map.h"
#include "trace/report/finding_reporter.h"
#include "trace/warp/control_flow.h"
#include "trace/warp/diverged_warp.h"
#include "trace/warp/running_lane.h"
#include "trace/warp/warp_listener.h"
#include "trace/warp/warp_log.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace cuda_simulator {

// Records the steps of a block's threads, and turns them into the steps of its warps: requests,
// basic blocks and divergences. It passes them to a listener when a warp's lanes have met.
class WarpRecorder {
  struct WarpState {
    int running_lanes;
    // The code where the lanes were when the log was last drained: the beginning of a basic block,
    // or the code after a barrier in the middle of a block.
    std::uintptr_t stands_at;
    std::uint32_t met_apart;  // lanes that have met some others, but not all, since the last drain
  };

 public:
  // Reads CUDA_SIMULATOR_STEP_LIMIT, the number of steps after which a block counts as endless.
  WarpRecorder(MemoryMap& memory, const FindingReporter& reporter, WarpListener& listener);

  // `flow` belongs to the kernel; it is extended by the paths of the warps.
  void begin_grid(const Block& block, ControlFlow& flow);
  void begin_block();
  // The running block continues from where its threads waited for the grid.
  void block_resumed();
  // The load of a thread that waits for another block, and the value that it found.
  struct Awaited {
    int thread;
    WarpLog::LaneStep load;
    std::array<unsigned char, 16> value;
  };
  // What the recorder keeps of a block between two of its steps.
  struct OfBlock {
    std::array<WarpLog, kMaxWarps> logs;
    std::array<WarpState, kMaxWarps> warps{};
    std::array<std::uintptr_t, kMaxBlockThreads> loaded{};  // see wait_for_memory()
    std::vector<Awaited> awaited;
    bool all_wait = false;  // all threads that gave way
  };
  // Another block is about to run, or an interrupted one to continue.
  std::unique_ptr<OfBlock> block_interrupted();
  void block_continues(std::unique_ptr<OfBlock> of_block);
  // These threads have given way. Returns whether some of them wait for another block: their last
  // access is to the same element as when this was asked before. `value_at(address, bytes)` is
  // where the value of these bytes is.
  template <typename ValueAt>
  bool wait_for_memory(const int* threads, int count, ValueAt value_at) {
    of_block_->awaited.clear();
    for (const int* thread = threads; thread < threads + count; ++thread) {
      if (!loads_the_same(*thread)) continue;
      Awaited& awaited = of_block_->awaited.back();
      const unsigned bytes = awaited.load.step.bytes();
      std::memcpy(awaited.value.data(), value_at(awaited.load.address, bytes), bytes);
    }
    of_block_->all_wait = of_block_->awaited.size() == static_cast<std::size_t>(count);
    return !of_block_->awaited.empty();
  }
  // Whether all threads wait for other blocks, or for those threads, and access nothing else.
  static bool does_nothing_but_wait(const OfBlock& of_block);
  // Calls check(const WarpRequest&) for the remaining log entries of an abandoned block.
  template <typename Check>
  void end_block(Check check) {
    running_lane.end();
    for (int warp = 0; warp < kMaxWarps; ++warp) {
      if (of_block_->logs[warp].empty()) continue;
      check_now(warp, check);
      of_block_->logs[warp].clear(WarpLog::kNoCode);
    }
  }
  void thread_resumed(int thread) {
    const auto number = static_cast<unsigned>(thread);
    running_lane.begin(of_block_->logs[number / kWarpSize], number % kWarpSize);
  }
  // Whether all other threads of the warp have paused.
  bool is_last_of_its_warp(int thread) const {
    return of_block_->warps[thread / kWarpSize].running_lanes == 1;
  }
  // Calls function(thread, its last steps: see WarpLog) for the lanes of a warp that have ended
  // since its lanes last met. No thread runs.
  template <typename Function>
  void for_each_ended(int warp, Function function) const {
    const WarpLog& log = of_block_->logs[warp];
    std::array<Step, 2> last_steps;
    std::uint32_t of_length = 0;  // of lanes on the common path
    for_each_lane(~block_->live_lanes_of(warp), [&](int lane) {
      const std::uint32_t length = log.length(lane);
      if (length == 0) return;
      if (length != of_length || log.is_diverged(lane)) last_steps = log.last_steps_of(lane);
      of_length = log.is_diverged(lane) ? 0 : length;
      function(warp * kWarpSize + lane, last_steps);
    });
  }
  // Calls function(Step) for the steps of a thread since its warp's lanes last met.
  template <typename Function>
  void for_each_step_of(int thread, Function function) const {
    const WarpLog& log = of_block_->logs[thread / kWarpSize];
    const int lane = thread % kWarpSize;
    for (std::uint32_t n = 0; n < log.length(lane); ++n) function(log.step_of(lane, n));
  }
  void thread_paused(int thread) {
    running_lane.end();
    const int warp = static_cast<int>(static_cast<unsigned>(thread) / kWarpSize);
    if (--of_block_->warps[warp].running_lanes == 0) drain(warp);
    if (block_->state(thread) == Block::ThreadState::ended) steps_ = 0;
  }
  void threads_gave_way(bool have_paused);
  void barrier_released();

  // Steps of the running thread that are not the usual case for its log. A forbidden access does
  // not return.
  void add_access(Step step, std::uintptr_t address);
  void add_basic_block(Step step);

  // These lanes have met at a warp function. Returns true if all lanes of the warp that can arrive
  // have arrived: then the paths up to here belong together. Lanes that met others there and have
  // ended since have continued on the same path.
  bool met(int warp, std::uint32_t lanes);
  // Turns the warp's paths into requests. `approximate` means that its lanes have not met.
  void drain(int warp, bool approximate = false);
  // Calls check(const WarpRequest&) for each access of a warp that was not checked before, as a
  // request of one lane.
  template <typename Check>
  void check_now(int warp, Check check) {
    of_block_->logs[warp].check_now([&](int lane, const WarpLog::LaneStep& access) {
      with_one_lane(access, warp * kWarpSize + lane, check);
    });
  }
  // Calls check(const WarpRequest&) for an access that is in no log.
  template <typename Check>
  static void with_one_lane(const WarpLog::LaneStep& access, int thread, Check check) {
    std::array<std::uintptr_t, kWarpSize> addresses;
    const int lane = thread % kWarpSize;
    addresses[lane] = access.address;
    const std::uint32_t lanes = 1u << lane;
    check(WarpRequest(access.step, access.array, thread / kWarpSize, lanes, lanes, addresses.data(),
                      false));
  }

 private:
  // The cases that need more work than the functions without `new`, which do not have to pause the
  // recording.
  void add_new_access(Step step, std::uintptr_t address);
  void add_new_basic_block(Step step);
  bool loads_the_same(int thread);
  void follow_stacks();
  bool waits(int thread) const;
  std::uint32_t waiting_lanes(int warp) const;
  void count_steps(std::uint64_t steps, std::uintptr_t code);

  MemoryMap& memory_;
  const FindingReporter& reporter_;
  WarpListener& listener_;
  const std::uint64_t step_limit_;

  const Block* block_ = nullptr;
  ControlFlow* flow_ = nullptr;
  // The last few arrays of this grid: a search among them is usually enough to find the array of an
  // address.
  std::array<AddressedArray, 4> recent_arrays_{};
  unsigned next_recent_array_ = 0;
  std::unique_ptr<OfBlock> of_block_ = std::make_unique<OfBlock>();
  std::vector<std::unique_ptr<OfBlock>> unused_;
  DivergedWarp::Memory diverged_;
  std::uint64_t steps_ = 0;  // steps of the block since a thread last ended
};

}  // namespace cuda_simulator
