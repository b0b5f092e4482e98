#include "trace/kernel_tracer.h"

#include "program/learners_code.h"
#include "runtime/copies.h"
#include "runtime/error_state.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_texts.h"
#include "trace/report/report.h"
#include "trace/watchdog.h"

#include "simulator/findings.h"
#include "simulator/launches.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostWaitingBlocks = 3;  // in a finding

}  // namespace

KernelTracer::KernelTracer() {
  on_exit([](int status, void*) { get().at_exit(status); }, nullptr);
  made_ = this;
  is_veiled_ = veil_.is_on();
  Step::hide_from_inlined_code(is_veiled_);
}

void KernelTracer::at_exit(int status) const {
  failed_calls_.report_unread(status);
  const bool ends_well =
      status == 0 && FindingLog::get().all().empty() && ErrorState::get().last() == cudaSuccess;
  const Unfreed unfreed = ends_well ? unfreed_memory_.places() : Unfreed{};
  UnfreedMemory::print(unfreed);
  finish_report(kernels(), links(), unfreed, library_computed_ || counts_.library_launched());
}

void count_from_here() { KernelTracer::get().count_from_here(); }

std::vector<Finding> take_refused_copies() { return KernelTracer::get().take_refused_copies(); }

void KernelTracer::begin_grid(const Grid& grid, const Block& block) {
  start_watchdog();
  block_ = &block;
  interrupted_.clear();  // of a grid that has failed
  reporter_.begin_grid(block, grid.of_library ? innermost_learners_code() : 0);
  memory_.begin_grid(block);
  accesses_.begin_grid(grid);
  barriers_.begin_grid(block);
  shuffled_.begin_grid(block);
  local_arrays_.begin_grid();
  KernelCounts& counts = counts_.begin_grid(block);
  steps_.begin_grid(block, counts);
  recorder_.begin_grid(block, counts.control_flow);
  veil_.begin_grid(grid);
}

void KernelTracer::begin_block(std::uint64_t index) {
  veil_.hide_shared();
  counts_.begin_block();
  steps_.begin_block();
  recorder_.begin_block();
  stacks_changed();
  releasing_warp_ = kNoWarp;
  shuffled_.begin_block();
  accesses_.begin_block(index);
}

void KernelTracer::thread_resumed(int thread) {
  veil_.next_thread();
  // The next thread can see data that the last one has released.
  if (releasing_warp_ != kNoWarp) {
    running_lane.end();
    check_now(releasing_warp_);
  }
  releasing_warp_ = accesses_.has_fence(thread) ? thread / kWarpSize : kNoWarp;
  recorder_.thread_resumed(thread);
}

void KernelTracer::thread_paused(int thread) {
  running_lane.end();
  check_missed_barriers(thread);
  if (recorder_.is_last_of_its_warp(thread)) {
    recorder_.for_each_ended(thread / kWarpSize, [this](int ended, const auto& last_steps) {
      barriers_.thread_ended(ended, last_steps);
    });
  }
  recorder_.thread_paused(thread);
}

void KernelTracer::check_missed_barriers(int thread) {
  if (barriers_.has_missed())
    recorder_.for_each_step_of(thread, [this](Step step) { barriers_.check_step(step); });
}

void KernelTracer::threads_gave_way(bool have_paused) {
  const RecordingPause pause;
  recorder_.threads_gave_way(have_paused);
  if (accesses_.has_too_many_races()) current_block->abandon_grid(cudaErrorLaunchFailure);
}

void KernelTracer::thread_fenced(int thread, FenceScope scope) {
  const RecordingPause pause;
  releasing_warp_ = thread / kWarpSize;
  check_now(releasing_warp_);
  accesses_.fence(thread, scope);
}

void KernelTracer::async_copies_arrived(int thread, const std::vector<AsyncCopy>& copies,
                                        const void* caller) {
  const RecordingPause pause;
  check_now(thread / kWarpSize);  // the beginnings of the copies must be checked too
  for (const AsyncCopy& copy : copies) {
    const Step step(reinterpret_cast<std::uintptr_t>(caller), copy.bytes,
                    AccessKind::async_copy_arrival);
    const auto address = reinterpret_cast<std::uintptr_t>(copy.to);
    if (const auto array = memory_.array_of(step, address)) {
      WarpRecorder::with_one_lane({step, address, *array}, thread,
                                  [this](const WarpRequest& one) { accesses_.check(one); });
    }
  }
}

// Arriving and waiting count as volatile loads: a race with init(), but not with each other.
void KernelTracer::barrier_object_used(int thread, const void* object, bool initialises,
                                       const void* caller) {
  const RecordingPause pause;
  const Step step(reinterpret_cast<std::uintptr_t>(caller), sizeof(std::uint64_t),
                  initialises ? AccessKind::store : AccessKind::volatile_load);
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  if (const auto array = memory_.array_of(step, address)) {
    WarpRecorder::with_one_lane({step, address, *array}, thread,
                                [this](const WarpRequest& one) { accesses_.check(one); });
  }
}

void KernelTracer::released(int thread, const void* object) {
  const RecordingPause pause;
  check_now(thread / kWarpSize);
  accesses_.fence(thread, FenceScope::block);
  accesses_.release(thread, object);
  if (thread == block_->thread()) releasing_warp_ = thread / kWarpSize;
}

void KernelTracer::acquired(int thread, const void* object) {
  const RecordingPause pause;
  check_now(thread / kWarpSize);
  accesses_.acquire(thread, object);
}

void KernelTracer::block_met_at_object() {
  const RecordingPause pause;
  const int threads = block_->grid().threads_per_block();
  for (int thread = 0; thread < threads; ++thread) recorder_.thread_paused(thread);
  counts_.barrier();
  steps_.barrier();
  accesses_.barrier(threads);
  recorder_.barrier_released();
}

void KernelTracer::lanes_met(int warp, std::uint32_t lanes) {
  const RecordingPause pause;
  barriers_.check_warp_call(warp, lanes);
  for_each_lane(lanes, [&](int lane) { check_missed_barriers(warp * kWarpSize + lane); });
  const bool all = lanes == block_->live_lanes_of(warp);
  if (recorder_.met(warp, lanes)) {
    recorder_.drain(warp);
    steps_.warp_call(warp, lanes);
  } else {
    check_now(warp);
  }
  // Shuffles and votes exchange values, and order no accesses to memory.
  const int first = warp * kWarpSize + __builtin_ctz(lanes);
  if (block_->warp_call_of(first).operation == WarpCall::Operation::synchronise)
    accesses_.warp_synchronised(warp, lanes, all);
}

void KernelTracer::left_out_of_mask(int thread, std::uint32_t mask) {
  const RecordingPause pause;
  barriers_.report_left_out(thread, mask);
}

void KernelTracer::barrier_released() {
  const RecordingPause pause;
  all_have_arrived(/*at_grid=*/false);
  recorder_.barrier_released();
}

void KernelTracer::all_have_arrived(bool at_grid) {
  counts_.barrier();
  steps_.barrier();
  accesses_.barrier(block_->grid().threads_per_block());
  barriers_.check_barrier(at_grid);
}

void KernelTracer::end_block() {
  veil_.close();
  recorder_.end_block([this](const WarpRequest& request) { accesses_.check(request); });
  barriers_.end_block();
  counts_.end_block();
  accesses_.end_block();
  steps_.end_block();
}

void KernelTracer::block_suspended(const std::vector<SharedRange>& ranges) {
  running_lane.end();
  all_have_arrived(/*at_grid=*/true);
  veil_.show_shared();
  barriers_.end_block();
  accesses_.block_suspended(block_->index(), ranges);
  counts_.block_suspended();
  steps_.block_suspended();
}

void KernelTracer::block_resumed(std::uint64_t index, const std::vector<SharedRange>& ranges) {
  veil_.shared_restored();
  releasing_warp_ = kNoWarp;
  shuffled_.begin_block();
  recorder_.block_resumed();
  stacks_changed();
  accesses_.block_resumed(index, ranges);
  counts_.block_resumed();
  steps_.block_resumed();
}

void KernelTracer::block_interrupted(const std::vector<SharedRange>& ranges) {
  running_lane.end();
  for (int warp = 0; warp * kWarpSize < block_->grid().threads_per_block(); ++warp) check_now(warp);
  veil_.show_shared();
  interrupted_[block_->index()] = {recorder_.block_interrupted(),
                                   accesses_.block_interrupted(ranges),
                                   barriers_.block_interrupted(), shuffled_.block_interrupted()};
  counts_.block_suspended();
  steps_.block_suspended();
}

void KernelTracer::block_continues(std::uint64_t index, const std::vector<SharedRange>& ranges) {
  veil_.shared_restored();
  releasing_warp_ = kNoWarp;
  OfBlock& of_block = interrupted_[index];
  recorder_.block_continues(std::move(of_block.paths));
  accesses_.block_continues(std::move(of_block.accesses), ranges);
  barriers_.block_continues(std::move(of_block.barriers));
  shuffled_.block_continues(std::move(of_block.shuffled));
  interrupted_.erase(index);
  stacks_changed();
  counts_.block_resumed();
  steps_.block_resumed();
}

bool KernelTracer::wait_for_memory(const int* threads, int count) {
  const RecordingPause pause;
  return recorder_.wait_for_memory(threads, count, [this](std::uintptr_t address, unsigned bytes) {
    return value_at(address, bytes);
  });
}

bool KernelTracer::has_changed(std::uint64_t index) const {
  const auto& awaited = interrupted_.at(index).paths->awaited;
  return std::any_of(awaited.begin(), awaited.end(), [this](const WarpRecorder::Awaited& a) {
    const unsigned bytes = a.load.step.bytes();
    return std::memcmp(a.value.data(), value_at(a.load.address, bytes), bytes) != 0;
  });
}

bool KernelTracer::refuse_endless_wait(std::uint64_t unstarted) {
  const Grid& grid = block_->grid();
  std::map<std::uint64_t, std::uint64_t> in_order;  // by the block's number, not by when it began
  for (const auto& [index, of_block] : interrupted_) {
    if (!WarpRecorder::does_nothing_but_wait(*of_block.paths)) return false;
    in_order[grid.order.block_at(index, grid.block_count())] = index;
  }
  std::string message = "no block can continue: " + count_of(interrupted_.size(), "block") +
                        " wait for what no block writes.";
  std::vector<Finding::Place> places;
  for (const auto& [number, index] : in_order) {
    if (places.size() == kMostWaitingBlocks) break;
    const auto& [thread, load, value] = interrupted_[index].paths->awaited.front();
    places.push_back(reporter_.place(load.step.code(), "wait", thread, index));
    message +=
        " Block " + coordinates(places.back().block) + " waits for " + accesses_.awaited_text(load);
  }
  if (unstarted > 0) {
    message +=
        " " + count_of(unstarted, "more block") +
        " cannot start before one of these ends, as on a GPU that is full. A block may wait only "
        "for blocks that have started: let an atomicAdd() number them as they start.";
  }
  reporter_.report(finding_kind::kDeadlock, message, std::move(places), "of=grid");
  return true;
}

void KernelTracer::end_grid() {
  if (veil_.end_grid()) {
    reporter_.report(finding_kind::kUnrecorded,
                     "the kernel changes memory, and no store of it is recorded.", {});
  }
  running_lane.skipped_bytes = 0;
  accesses_.end_grid();
  counts_.end_grid(memory_.accessed_shared_bytes());
}

bool KernelTracer::has_seen_enough() {
  if (!accesses_.has_too_many_races()) return false;
  std::fprintf(stderr, "CUDA simulator: %s was stopped after %llu races.\n",
               block_->grid().kernel_name, static_cast<unsigned long long>(accesses_.race_count()));
  return true;
}

void KernelTracer::deadlock() {
  const RecordingPause pause;
  barriers_.report_deadlock();
}

void KernelTracer::kernel_failed(const KernelFailure& failure, const void* code) {
  memory_.exception_reported();
  reporter_.report_failure(failure, code);
  veil_.end_grid();  // the program may end now, and it needs its variables
}

void KernelTracer::wrong_device(const std::string& message) {
  Finding finding{finding_kind::kWrongDevice, "", message, {}};
  const Finding::Place place = host_place(innermost_learners_code(), "call");
  if (!place.file.empty()) finding.places.push_back(place);
  FindingLog::get().add(std::move(finding));
}

void KernelTracer::call_failed(const char* kind, const std::string& message,
                               std::uintptr_t caller) {
  Finding finding{kind, "", message, {}};
  const Finding::Place place = host_place(caller, "call");
  if (!place.file.empty()) finding.places.push_back(place);
  FindingLog::get().add(std::move(finding));
}

std::string KernelTracer::place_text(std::uintptr_t caller) {
  const SourcePosition position = LineTable::get().find(caller - 1);
  return position.file.empty() ? "" : position.text();
}

void KernelTracer::on_watchdog(std::uintptr_t code) {
  const RecordingPause pause;
  reporter_.refuse(finding_kind::kEndless, "the thread is in an empty loop that never ends.",
                   cudaErrorLaunchTimeout, Step::basic_block(code + 1));
}

void KernelTracer::on_request(const WarpRequest& request) {
  shuffled_.check(request);
  const RequestUnits units = counts_.count(request);
  steps_.request(request, units);
  links_.count(request, block_->grid().device);
  if (request.unchecked_lanes != 0) accesses_.check(request);
}

void KernelTracer::on_basic_block(std::uintptr_t code, std::uint32_t lanes, StepNotes* notes) {
  counts_.count_basic_block(code, lanes, notes);
}

void KernelTracer::on_divergence(std::uintptr_t code, std::uintptr_t next, int warp,
                                 const std::vector<std::uint32_t>& ways) {
  counts_.count_divergence(code, next);
  steps_.divergence(code, warp, ways);
}

void KernelTracer::on_veiled_entry(std::uintptr_t code) {
  if (running_lane.log) made_->veil_.close();
  follow_entry(code);
}

void KernelTracer::on_other_access(Step access, std::uintptr_t address) {
  const RunningLane& running = running_lane;
  if (!running.log) {
    if (made_ && made_->memory_.check_host_access(address, access.kind(), access.code())) {
      count_host_access(access.bytes());
      made_->accesses_.host_uses(access, address);
    }
  } else if (address - running.stacks_begin >= running.stacks_bytes) {
    made_->recorder_.add_access(access, address);
  } else if (!made_->local_arrays_.is_empty()) {
    const RecordingPause pause;
    if (const char* const array = made_->local_arrays_.access(access, address))
      made_->counts_.count_local(access, array);
  }
}

void KernelTracer::on_other_basic_block(Step block) {
  if (running_lane.log) made_->recorder_.add_basic_block(block);
}

void KernelTracer::before_atomic(std::uintptr_t address) {
  if (running_lane.log && DeviceMemory::get().contains(address)) current_block->may_pause_here();
}

void KernelTracer::check_now(int warp) {
  recorder_.check_now(warp, [this](const WarpRequest& request) { accesses_.check(request); });
}

std::vector<std::string> writers_of(const HostElements& elements) {
  return KernelTracer::get().writers_of(elements);
}

Tracer* program_tracer() { return &KernelTracer::get(); }

void trace_access(const volatile void* address, std::size_t bytes, AccessKind kind,
                  const void* caller) {
  if (is_atomic(kind)) KernelTracer::before_atomic(reinterpret_cast<std::uintptr_t>(address));
  KernelTracer::on_access(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes),
                          kind, reinterpret_cast<std::uintptr_t>(caller));
  KernelTracer::access_follows(reinterpret_cast<std::uintptr_t>(address), bytes, kind);
}

void unveil(const volatile void* address, std::size_t bytes) {
  KernelTracer::get().veil().access_follows(reinterpret_cast<std::uintptr_t>(address), bytes,
                                            /*stores=*/true);
}

}  // namespace cuda_simulator
