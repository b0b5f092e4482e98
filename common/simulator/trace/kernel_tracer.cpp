#include "trace/kernel_tracer.h"

#include "program/environment.h"
#include "program/line_table.h"
#include "trace/report/report.h"
#include "trace/silence_watch.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

extern "C" {
extern __thread char cuda_simulator_dynamic_shared[];
}

namespace cuda_simulator {
namespace {

constexpr std::size_t kMaxSharedBytes = std::size_t{2} << 30;  // what the linker can address
constexpr std::uintptr_t kNoCode = 1;  // in place of a basic block's address

// Of a path, in steps: what a lane records before the others have their turn, and what it records
// at most before it is counted as far as it is.
constexpr std::uint32_t kSliceSteps = 256, kMaxSteps = 1 << 14;
constexpr std::uint64_t kDefaultStepLimit = 200'000'000;

std::uint64_t environment_number(const char* name, std::uint64_t usual) {
  const auto value = environment(name);
  if (!value) return usual;
  const auto number = whole_number(*value);
  if (!number || *number == 0) refuse_environment(name, *value, "a whole number of 1 or more");
  return *number;
}

}  // namespace

__thread RunningLane running_lane;

KernelTracer::KernelTracer()
    : memory_(DeviceMemory::get()),
      executable_(Executable::get()),
      step_limit_(environment_number("CUDA_SIMULATOR_STEP_LIMIT", kDefaultStepLimit)),
      checks_(kMaxSharedBytes, DeviceMemory::kReservedBytes, executable_.writable_data_bytes()) {
  std::atexit([] { finish_report(KernelTracer::get()); });
}

void KernelTracer::begin_grid(const Grid& grid, const Block& block) {
  watch_for_silence();
  block_ = &block;
  locate_shared_memory();
  running_lane = {nullptr, 0, block.stacks().begin(), block.stacks().bytes()};
  checks_.begin_grid();
  dynamic_bytes_ = grid.dynamic_shared_bytes;
  const auto known = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const auto& kernel) { return kernel->is_for(grid); });
  if (known != kernels_.end()) {
    counts_ = known->get();
  } else {
    kernels_.push_back(std::make_unique<KernelCounts>());
    counts_ = kernels_.back().get();
    counts_->name = grid.kernel_name;
    counts_->blocks = grid.blocks;
    counts_->block = grid.block;
    counts_->static_shared_bytes = grid.static_shared_bytes;
    counts_->dynamic_shared_bytes = grid.dynamic_shared_bytes;
  }
  ++counts_->launches;
  follows_elements_ = counts_->launches == 1 && elements_wanted();
}

void KernelTracer::locate_shared_memory() {
  struct Range {
    std::uintptr_t begin;
    std::size_t bytes;
  } range{0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
          *static_cast<Range*>(data) = {reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data),
                                        info->dlpi_phdr[i].p_memsz};
        }
        return 1;  // the program itself comes first
      },
      &range);
  shared_begin_ = range.begin;
  shared_bytes_ = std::min(range.bytes, kMaxSharedBytes);
  dynamic_offset_ = reinterpret_cast<std::uintptr_t>(cuda_simulator_dynamic_shared) - shared_begin_;
}

void KernelTracer::begin_block(std::uint64_t) {
  ++counts_->blocks_run;
  const int threads = block_->grid().threads_per_block();
  counts_->threads_run += static_cast<unsigned>(threads);
  for (int first = 0; first < threads; first += kWarpSize) {
    warps_[first / kWarpSize] = {std::min(kWarpSize, threads - first), kSliceSteps, kNoCode};
  }
  steps_ = 0;
  releasing_warp_ = kNoWarp;
  checks_.begin_block();
}

void KernelTracer::thread_resumed(int thread) {
  // The next thread may see what the last one has released.
  if (releasing_warp_ != kNoWarp) {
    running_lane.log = nullptr;
    check_now(releasing_warp_);
  }
  releasing_warp_ = checks_.has_fence(thread) ? thread / kWarpSize : kNoWarp;
  running_lane.log = &logs_[static_cast<unsigned>(thread) / kWarpSize];
  running_lane.lane = static_cast<int>(static_cast<unsigned>(thread) % kWarpSize);
}

void KernelTracer::thread_paused(int thread) {
  const RecordingPause pause;
  const int warp = thread / kWarpSize;
  if (--warps_[warp].running_lanes == 0) drain(warp);
  if (block_->state(thread) == Block::ThreadState::ended) steps_ = 0;
}

void KernelTracer::thread_fenced(int thread, FenceScope scope) {
  const RecordingPause pause;
  releasing_warp_ = thread / kWarpSize;
  check_now(releasing_warp_);
  checks_.fence(thread, scope);
}

void KernelTracer::async_copies_arrived(int thread, const std::vector<AsyncCopy>& copies,
                                        const void* caller) {
  const RecordingPause pause;
  const int warp = thread / kWarpSize, lane = thread % kWarpSize;
  check_now(warp);  // their beginnings are among what is to be checked
  for (const AsyncCopy& copy : copies) {
    const Step step(reinterpret_cast<std::uintptr_t>(caller), copy.bytes,
                    AccessKind::async_copy_arrival);
    const auto address = reinterpret_cast<std::uintptr_t>(copy.to);
    if (const auto array = array_of(step, address)) check_one({step, address, *array}, lane, warp);
  }
}

void KernelTracer::warp_synchronised(int warp, std::uint32_t lanes) {
  const RecordingPause pause;
  report_different_functions(warp, lanes);
  const bool all = lanes == block_->live_lanes_of(warp);
  if (all) {
    drain(warp);
  } else {
    check_now(warp);
  }
  checks_.warp_synchronised(warp, lanes, all);
}

void KernelTracer::add_to_log(Step access, std::uintptr_t address) {
  get().add_access(access, address);
}

void KernelTracer::add_to_log(Step basic_block) { get().add_basic_block(basic_block); }

void KernelTracer::add_access(Step step, std::uintptr_t address) {
  const auto [log, lane, stacks_begin, stacks_bytes] = running_lane;
  const RecordingPause pause;
  const std::optional<AddressedArray> array = array_of(step, address);
  if (!array) return;
  if (address % step.bytes() != 0) {
    const std::string bytes = std::to_string(step.bytes());
    refuse("misaligned",
           "an access of " + bytes + " bytes must be at a multiple of " + bytes +
               "; this address is " + std::to_string(address % step.bytes()) + " past one.",
           cudaErrorMisalignedAddress, step);
  }
  log->add(lane, step, address, *array);
}

// A thread that runs for long is interrupted now and then: what it waits for may be up to another
// thread, and short paths of all lanes take less memory than long ones of a few.
void KernelTracer::add_basic_block(Step step) {
  const auto [log, lane, stacks_begin, stacks_bytes] = running_lane;
  const RecordingPause pause;
  if (log->length(lane) >= warps_[log - logs_.data()].slice) {
    current_block->give_way();
    if (log->follow(lane, step)) return;
  }
  log->add(lane, step);
}

void KernelTracer::threads_gave_way() {
  const RecordingPause pause;
  const int threads = block_->grid().threads_per_block();
  for (int warp = 0; warp * kWarpSize < threads; ++warp) {
    const WarpLog& log = logs_[warp];
    if (log.empty()) continue;
    WarpState& state = warps_[warp];
    const bool is_one_path = log.all_at_end(block_->live_lanes_of(warp));
    if (is_one_path || state.slice >= kMaxSteps) {
      drain(warp, !is_one_path);
      state.slice = kSliceSteps;
    } else {
      state.slice *= 2;
    }
  }
}

// Makes the warp's paths into requests. `approximate` says that its lanes have not met.
void KernelTracer::drain(int warp, bool approximate) {
  WarpLog& log = logs_[warp];
  if (log.empty()) return;
  const std::uint32_t live = block_->live_lanes_of(warp);
  std::uintptr_t& start = warps_[warp].stands_at;
  draining_warp_ = warp;
  if (log.has_strayed() || approximate) {
    DivergedWarp(log, counts_->control_flow, start, *this)
        .replay(~live | waiting_lanes(warp), approximate);
  } else {
    on_block(start, live);
    log.for_each_step([this](const WarpRequest& request) { on_request(request); },
                      [this](std::uintptr_t code, std::uint32_t lanes) { on_block(code, lanes); });
  }
  if (live != 0) {
    const int lane = __builtin_ctz(live), thread = warp * kWarpSize + lane;
    if (waiting_lanes(warp) >> lane & 1) {
      start = reinterpret_cast<std::uintptr_t>(block_->waits_at(thread));
    } else {
      log.find_last_block(lane, &start);
    }
  }
  const std::uint64_t steps = log.steps();
  log.clear();
  count_steps(steps, start);
}

void KernelTracer::count_steps(std::uint64_t steps, std::uintptr_t code) {
  steps_ += steps;
  if (steps_ <= step_limit_) return;
  refuse("endless",
         "the block has made " + std::to_string(step_limit_) +
             " steps since one of its threads last ended. Is this a loop that never ends, or does "
             "it wait for what no thread will do? (If it only takes long: "
             "CUDA_SIMULATOR_STEP_LIMIT sets another limit.)",
         cudaErrorLaunchTimeout, Step::basic_block(code));
}

void KernelTracer::on_silence(std::uintptr_t code) {
  const RecordingPause pause;
  refuse("endless", "the thread is in a loop with nothing in it, which never ends.",
         cudaErrorLaunchTimeout, Step::basic_block(code + 1));
}

std::uint32_t KernelTracer::waiting_lanes(int warp) const {
  std::uint32_t waiting = 0;
  for_each_lane(block_->live_lanes_of(warp), [&](int lane) {
    const Block::ThreadState state = block_->state(warp * kWarpSize + lane);
    const bool waits =
        state == Block::ThreadState::at_barrier || state == Block::ThreadState::at_warp_call;
    waiting |= static_cast<std::uint32_t>(waits) << lane;
  });
  return waiting;
}

void KernelTracer::on_request(const WarpRequest& request) {
  AccessCounts& counts = counts_->access(request.step, request.space());
  if (counts.add(request)) keep_example(counts, request);
  if (follows_elements_) follow_elements(request);
  if (request.unchecked_lanes != 0) check(request, draining_warp_);
}

void KernelTracer::on_block(std::uintptr_t code, std::uint32_t lanes) {
  BlockCounts& counts = counts_->block_at(code);
  ++counts.executions;
  counts.lanes += static_cast<unsigned>(__builtin_popcount(lanes));
}

void KernelTracer::on_parting(std::uintptr_t code, std::uintptr_t next) {
  BlockCounts& counts = counts_->block_at(code);
  ++counts.partings;
  if (counts.next_code == 0 || next < counts.next_code) counts.next_code = next;
}

void KernelTracer::check(const WarpRequest& request, int warp) {
  checks_.check(
      request, request.unchecked_lanes, warp * kWarpSize,
      [this](const auto& race, const AccessChecks::Access& access) { report_race(race, access); });
}

// Something is about to be ordered for some lanes of a warp: what came before must be checked.
void KernelTracer::check_now(int warp) {
  logs_[warp].check_now(
      [&](int lane, const WarpLog::LaneStep& access) { check_one(access, lane, warp); });
}

void KernelTracer::check_one(const WarpLog::LaneStep& access, int lane, int warp) {
  std::array<std::uintptr_t, kWarpSize> addresses;
  addresses[lane] = access.address;
  const std::uint32_t lanes = 1u << lane;
  check({access.step, access.array, lanes, lanes, addresses.data(), false}, warp);
}

void KernelTracer::barrier_released() {
  const RecordingPause pause;
  ++counts_->barriers;
  const int threads = block_->grid().threads_per_block();
  report_unwritten(Region::shared);
  checks_.barrier(threads);
  int first = -1, elsewhere = -1, waiting = 0;
  for (int t = 0; t < threads; ++t) {
    if (block_->state(t) == Block::ThreadState::ended) continue;
    ++warps_[t / kWarpSize].running_lanes;
    ++waiting;
    if (first < 0) first = t;
    if (block_->waits_at(t) != block_->waits_at(first)) elsewhere = t;
  }
  const auto position = [&](int t) {
    return LineTable::get().find(reinterpret_cast<std::uintptr_t>(block_->waits_at(t)) - 1);
  };
  if (waiting < threads) {
    Finding finding{"barrier",
                    block_->grid().kernel_name,
                    "only " + std::to_string(waiting) + " of " + count_of(threads, "thread") +
                        " of the block reach this __syncthreads(); the others have returned. All "
                        "must reach it: "
                        "put the return or the if around the work, not around the barrier.",
                    {wait_place(first)}};
    FindingLog::get().add(std::move(finding));
  }
  if (elsewhere >= 0 && !(position(first) == position(elsewhere))) {
    FindingLog::get().add(
        {"barrier",
         block_->grid().kernel_name,
         "threads of one block wait at two different __syncthreads(): a barrier inside an if "
         "or a loop must be reached by all threads or by none.",
         {wait_place(first), wait_place(elsewhere)}});
  }
}

void KernelTracer::end_block() {
  running_lane.log = nullptr;
  for (int warp = 0; warp < kMaxWarps; ++warp) {  // logs are left of a grid that was abandoned
    if (logs_[warp].empty()) continue;
    check_now(warp);
    logs_[warp].clear();
  }
  report_unwritten(Region::shared);
}

void KernelTracer::deadlock() {
  const RecordingPause pause;
  Finding finding{
      "deadlock",
      block_->grid().kernel_name,
      "no thread of the block can go on: some wait at a barrier that the others never reach.",
      {}};
  std::vector<SourcePosition> seen;
  for (int t = 0; t < block_->grid().threads_per_block(); ++t) {
    if (block_->state(t) == Block::ThreadState::ended) continue;
    Finding::Place place = wait_place(t);
    const SourcePosition position{place.file, place.line, place.column};
    if (std::find(seen.begin(), seen.end(), position) != seen.end()) continue;
    seen.push_back(position);
    finding.places.push_back(std::move(place));
  }
  FindingLog::get().add(std::move(finding));
}

void KernelTracer::device_memory_written(std::uintptr_t address, std::size_t bytes) {
  if (memory_.contains(address)) checks_.device_written(address - memory_.begin(), bytes);
}

void KernelTracer::memory_copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes,
                                 const char* function, std::uintptr_t caller) {
  const auto may_be_unwritten = [&](std::uintptr_t address) {
    return memory_.contains(address) && memory_.on_page_of(address).kind == MemoryKind::device;
  };
  if (!may_be_unwritten(from)) {
    device_memory_written(to, bytes);
  } else if (may_be_unwritten(to)) {
    checks_.device_copied(to - memory_.begin(), from - memory_.begin(), bytes);
  } else {
    report_unwritten_copy(from, bytes, function, caller);
  }
}

void KernelTracer::device_memory_freed(std::uintptr_t address, std::size_t bytes) {
  checks_.device_freed(address - memory_.begin(), bytes);
}

Tracer* program_tracer() { return &KernelTracer::get(); }

void trace_access(const volatile void* address, std::size_t bytes, AccessKind kind,
                  const void* caller) {
  KernelTracer::on_access(reinterpret_cast<std::uintptr_t>(address), static_cast<unsigned>(bytes),
                          kind, reinterpret_cast<std::uintptr_t>(caller));
}

}  // namespace cuda_simulator
