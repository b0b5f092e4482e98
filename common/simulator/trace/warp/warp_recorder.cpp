#include "trace/warp/warp_recorder.h"

#include "execution/lanes.h"
#include "program/environment.h"

#include "simulator/findings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace cuda_simulator {
namespace {

// The maximum length of a path, in steps. Then its requests are counted, even if the lanes are at
// different places.
constexpr std::uint32_t kMaxSteps = 1 << 14;
// About 20 seconds for a kernel that computes; a correct kernel may need three.
constexpr std::uint64_t kDefaultStepLimit = 2'000'000'000;

std::uint64_t environment_number(const char* name, std::uint64_t usual) {
  const auto value = environment(name);
  if (!value) return usual;
  const auto number = whole_number(*value);
  if (!number || *number == 0) refuse_environment(name, *value, "an integer of 1 or more");
  return *number;
}

}  // namespace

__thread RunningLane running_lane{&kNoStep, nullptr, 0, 0, 0, 0};

WarpRecorder::WarpRecorder(MemoryMap& memory, const FindingReporter& reporter,
                           WarpListener& listener)
    : memory_(memory),
      reporter_(reporter),
      listener_(listener),
      step_limit_(environment_number("CUDA_SIMULATOR_STEP_LIMIT", kDefaultStepLimit)) {}

void WarpRecorder::begin_grid(const Block& block, ControlFlow& flow) {
  block_ = &block;
  flow_ = &flow;
  running_lane.forget();
  recent_arrays_ = {};
  for (WarpLog& log : of_block_->logs) log.forget_paths();
  unused_.clear();
}

void WarpRecorder::begin_block() {
  const int threads = block_->grid().threads_per_block();
  for (int first = 0; first < threads; first += kWarpSize) {
    of_block_->warps[first / kWarpSize] = {std::min(kWarpSize, threads - first), WarpLog::kNoCode,
                                           0};
    of_block_->logs[first / kWarpSize].set_slice_steps(WarpLog::kSliceSteps);
    of_block_->logs[first / kWarpSize].begin_at(WarpLog::kNoCode);
  }
  of_block_->loaded = {};
  steps_ = 0;
  follow_stacks();
}

void WarpRecorder::block_resumed() {
  const int threads = block_->grid().threads_per_block();
  for (int warp = 0; warp * kWarpSize < threads; ++warp) {
    const std::uint32_t live = block_->live_lanes_of(warp);
    WarpState& state = of_block_->warps[warp];
    state = {__builtin_popcount(live), WarpLog::kNoCode, 0};
    of_block_->logs[warp].set_slice_steps(WarpLog::kSliceSteps);
    if (live == 0) continue;
    const int first = warp * kWarpSize + __builtin_ctz(live);
    state.stands_at = reinterpret_cast<std::uintptr_t>(block_->waits_at(first));
    of_block_->logs[warp].begin_at(state.stands_at);
  }
  steps_ = 0;
  follow_stacks();
}

std::unique_ptr<WarpRecorder::OfBlock> WarpRecorder::block_interrupted() {
  running_lane.end();
  std::unique_ptr<OfBlock> other;
  if (unused_.empty()) {
    other = std::make_unique<OfBlock>();
  } else {
    other = std::move(unused_.back());
    unused_.pop_back();
  }
  of_block_.swap(other);
  return other;
}

void WarpRecorder::block_continues(std::unique_ptr<OfBlock> of_block) {
  of_block_.swap(of_block);
  unused_.push_back(std::move(of_block));
  follow_stacks();
}

// Adds the thread's load of global memory to `awaited` if it is the one that it was before.
bool WarpRecorder::loads_the_same(int thread) {
  const auto last = of_block_->logs[thread / kWarpSize].last_access_of(thread % kWarpSize);
  const bool may_wait = last && last->array.region != Region::shared &&
                        without_volatile(last->step.kind()) != AccessKind::store;
  const std::uintptr_t address = may_wait ? last->address : 0;
  if (std::exchange(of_block_->loaded[thread], address) != address || address == 0) return false;
  of_block_->awaited.push_back({thread, *last, {}});
  return true;
}

bool WarpRecorder::does_nothing_but_wait(const OfBlock& of_block) {
  return of_block.all_wait &&
         std::all_of(of_block.awaited.begin(), of_block.awaited.end(), [&](const Awaited& a) {
           const WarpLog& log = of_block.logs[a.thread / kWarpSize];
           return log.accesses_only(a.load.address, a.thread % kWarpSize);
         });
}

void WarpRecorder::follow_stacks() {
  running_lane.stacks_begin = block_->stacks().begin();
  running_lane.stacks_bytes = block_->stacks().bytes();
}

void WarpRecorder::barrier_released() {
  const int threads = block_->grid().threads_per_block();
  for (int thread = 0; thread < threads; ++thread) {
    if (block_->state(thread) != Block::ThreadState::ended)
      ++of_block_->warps[thread / kWarpSize].running_lanes;
  }
}

void WarpRecorder::add_access(Step step, std::uintptr_t address) {
  for (const AddressedArray& array : recent_arrays_) {
    if (!array.holds(address, step.bytes()) || address % step.bytes() != 0) continue;
    WarpLog& log = *running_lane.log;
    if (log.extend(running_lane.next, running_lane.lane, step, address, array) ||
        log.extend_own(running_lane.lane, step, address, array)) {
      return;
    }
    break;
  }
  add_new_access(step, address);
}

void WarpRecorder::add_new_access(Step step, std::uintptr_t address) {
  WarpLog* const log = running_lane.log;
  const int lane = static_cast<int>(running_lane.lane);
  const RecordingPause pause;
  const std::optional<AddressedArray> array = memory_.array_of(step, address);
  if (!array) return;
  if (address % step.bytes() != 0) {
    const std::string bytes = std::to_string(step.bytes());
    reporter_.refuse(finding_kind::kMisaligned,
                     "an access of " + bytes + " bytes needs an address that is a multiple of " +
                         bytes + ", but this address is " + std::to_string(address % step.bytes()) +
                         " bytes past a multiple.",
                     cudaErrorMisalignedAddress, step);
  }
  log->add(lane, step, address, *array);
  // Constants are not remembered, because their check depends on the kind of access.
  if (array->region == Region::constant) return;
  recent_arrays_[next_recent_array_++ % recent_arrays_.size()] = *array;
}

void WarpRecorder::add_basic_block(Step step) {
  WarpLog& log = *running_lane.log;
  if (log.extend(running_lane.next, step)) return;
  if (!log.extend_own(running_lane.lane, step)) add_new_basic_block(step);
}

// A thread that runs for long is interrupted now and then: it may wait for another thread, and
// short paths of all lanes need less memory than long paths of a few lanes.
void WarpRecorder::add_new_basic_block(Step step) {
  WarpLog* const log = running_lane.log;
  const int lane = static_cast<int>(running_lane.lane);
  const RecordingPause pause;
  if (log->length(lane) >= log->slice_steps()) {
    current_block->give_way();
    running_lane.end();  // give_way() has resumed the recording
    if (log->follow(lane, step)) return;
  }
  log->add(lane, step);
}

// A block that has paused only looks whether it can go on.
void WarpRecorder::threads_gave_way(bool have_paused) {
  const int threads = block_->grid().threads_per_block();
  for (int warp = 0; warp * kWarpSize < threads; ++warp) {
    WarpLog& log = of_block_->logs[warp];
    if (log.empty()) continue;
    const bool is_one_path = log.all_at_end(block_->live_lanes_of(warp));
    if (is_one_path || log.slice_steps() >= kMaxSteps) {
      drain(warp, !is_one_path);
      log.set_slice_steps(WarpLog::kSliceSteps);
    } else {
      const std::uint32_t more = have_paused ? WarpLog::kSliceSteps : log.slice_steps();
      log.set_slice_steps(log.slice_steps() + more);
    }
  }
}

bool WarpRecorder::met(int warp, std::uint32_t lanes) {
  const std::uint32_t live = block_->live_lanes_of(warp);
  std::uint32_t& met_apart = of_block_->warps[warp].met_apart;
  const bool all = lanes == live && (met_apart & ~live) == 0;
  if (!all) met_apart |= lanes;
  return all;
}

void WarpRecorder::drain(int warp, bool approximate) {
  WarpLog& log = of_block_->logs[warp];
  if (log.empty()) return;
  const std::uint32_t live = block_->live_lanes_of(warp);
  std::uintptr_t& start = of_block_->warps[warp].stands_at;
  if (log.has_diverged() || approximate) {
    DivergedWarp(log, warp, *flow_, start, listener_, diverged_)
        .replay(~live | waiting_lanes(warp), approximate);
  } else {
    listener_.on_basic_block(start, live, nullptr);
    log.for_each_step(
        warp, [this](const WarpRequest& request) { listener_.on_request(request); },
        [this](std::uintptr_t code, std::uint32_t lanes, StepNotes* notes) {
          if (notes->block) return notes->block->add(lanes);
          listener_.on_basic_block(code, lanes, notes);
        });
  }
  if (live != 0) {
    const int lane = __builtin_ctz(live), thread = warp * kWarpSize + lane;
    if (waits(thread)) {
      start = reinterpret_cast<std::uintptr_t>(block_->waits_at(thread));
    } else {
      log.find_last_block(lane, &start);
    }
  }
  const std::uint64_t steps = log.steps();
  log.clear(start);
  of_block_->warps[warp].met_apart = 0;
  count_steps(steps, start);
}

void WarpRecorder::count_steps(std::uint64_t steps, std::uintptr_t code) {
  steps_ += steps;
  if (steps_ <= step_limit_) return;
  reporter_.refuse(
      finding_kind::kEndless,
      "no thread of the block has ended for " + std::to_string(step_limit_) +
          " steps. Is this an endless loop, or does it wait for a value that no thread writes? "
          "(If the kernel only needs more time, set CUDA_SIMULATOR_STEP_LIMIT to a higher number.)",
      cudaErrorLaunchTimeout, Step::basic_block(code));
}

bool WarpRecorder::waits(int thread) const { return Block::is_waiting(block_->state(thread)); }

std::uint32_t WarpRecorder::waiting_lanes(int warp) const {
  std::uint32_t waiting = 0;
  for_each_lane(block_->live_lanes_of(warp), [&](int lane) {
    waiting |= static_cast<std::uint32_t>(waits(warp * kWarpSize + lane)) << lane;
  });
  return waiting;
}

}  // namespace cuda_simulator
