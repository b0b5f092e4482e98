#include "execution/block.h"

#include "execution/kernel_failure.h"
#include "execution/lanes.h"
#include "trace/tracer.h"

#include "simulator/keywords.h"
#include "simulator/warp_functions.h"

#include <algorithm>

namespace cuda_simulator {

namespace {

// While threads give way to each other, a thread that has not begun starts once per this many
// rounds.
constexpr int kRoundsPerTurn = 16;
// A block can also wait in a loop in which its threads meet. It pauses after so many meetings, many
// for a kernel that computes, and then each time after fewer: at warp functions, or at barriers.
constexpr int kMeetingsToFirstPause = 1 << 16, kMeetingsToPause = 1 << 10, kMeetingsOfBarrier = 16;
// When a thread is resumed, the stack of the ready thread at this distance is prefetched.
constexpr unsigned kFibersAhead = 3;

}  // namespace

// builtin_variables.h declares threadIdx and the others const, for the kernels; the block sets
// them.
extern __thread uint3 thread_index __asm__("threadIdx"), block_index __asm__("blockIdx");
extern __thread uint3 block_dim __asm__("blockDim"), grid_dim __asm__("gridDim");

__thread Block* current_block = nullptr;

Block::Block(Tracer* tracer)
    : tracer_(tracer),
      is_veiled_(tracer && tracer->is_veiled()),
      stacks_(make_stacks(kMaxBlockThreads, true)) {}

std::unique_ptr<FiberStacks> Block::make_stacks(int count, bool guarded) {
  return std::make_unique<FiberStacks>(count, &Block::fiber_main, guarded);
}

Block& Block::of_this_thread(Tracer* tracer) {
  static thread_local const std::unique_ptr<Block> block = std::make_unique<Block>(tracer);
  return *block;
}

void Block::begin_grid(Grid& grid) {
  grid_ = &grid;
  threads_ = grid.threads_per_block();
  uint3* next = thread_index_.data();
  for (unsigned z = 0; z < grid.block.z; ++z)
    for (unsigned y = 0; y < grid.block.y; ++y)
      for (unsigned x = 0; x < grid.block.x; ++x) *next++ = {x, y, z};
  block_dim = grid.block;
  grid_dim = grid.blocks;
  current_block = this;
  if (tracer_) tracer_->begin_grid(grid, *this);
}

void Block::end_grid() {
  if (tracer_) tracer_->end_grid();
  current_block = nullptr;
}

void Block::begin(std::uint64_t index) {
  index_ = index;
  block_index = grid_->block_index(index);
  next_unstarted_ = at_barrier_ = ready_first_ = ready_count_ = 0;
  gave_way_count_ = gave_way_rounds_ = 0;
  idle_rounds_ = 0;
  meetings_to_pause_ = kMeetingsToFirstPause;
  waits_for_grid_ = has_waited_ = false;
  live_ = threads_;
  arriving_ = {0, 0};
  std::fill_n(state_.begin(), threads_, ThreadState::running);
  barrier_copies_.clear();
  for (auto& of_size : tile_barriers_) of_size.fill({});
  if (has_copies_) {
    for (AsyncCopies& copies : async_copies_) copies.forget();
    has_copies_ = false;
  }
  for (int first = 0; first < threads_; first += kWarpSize) {
    const int lanes = std::min(kWarpSize, threads_ - first);
    Warp& warp = warps_[first / kWarpSize];
    warp.live = lanes == kWarpSize ? ~0u : (1u << lanes) - 1;
    warp.waiting = 0;
  }
  if (tracer_) tracer_->begin_block(index);
}

Block::Pause Block::run_until_pause() {
  pause_ = Pause::none;
  in_kernel_ = true;
  // At a pause, all threads wait for the grid, or for memory, or some are ready.
  if (waits_for_grid_ && live_ > 0 && at_barrier_ == live_) {
    release_barrier();
  } else if (ready_count_ == 0 && gave_way_count_ > 0) {
    ready_those_that_gave_way(/*have_paused=*/true);
  }
  resume_another(main_);  // returns when no thread can continue, or at an interruption
  in_kernel_ = false;
  if (grid_->error.load(std::memory_order_relaxed) != cudaSuccess) return Pause::none;
  if (waits_for_grid_ && at_barrier_ == live_) return Pause::for_grid;
  return pause_;
}

void Block::end() {
  if (grid_->error.load(std::memory_order_relaxed) != cudaSuccess) {
    forget_fibers();
  } else if (live_ > 0) {
    if (tracer_) tracer_->deadlock();
    grid_->error = cudaErrorLaunchTimeout;
    forget_fibers();
  }
  if (tracer_) tracer_->end_block();
  if (tracer_ && tracer_->has_seen_enough() && grid_->error == cudaSuccess) {
    grid_->error = cudaErrorLaunchFailure;
  }
}

void Block::abandon_grid(cudaError_t error) {
  cudaError_t none = cudaSuccess;
  grid_->error.compare_exchange_strong(none, error);
  Fiber abandoned;
  switch_fiber(abandoned, main_);
  __builtin_unreachable();
}

void Block::fiber_main() {
  for (;;) current_block->run_threads();
}

// Starts a thread on this fiber, and more after it until one waits or none should be started. Then
// it releases the fiber.
void Block::run_threads() {
  const int fiber = current_fiber_;
  void (*const thread_body)(void*) = grid_->thread_body;
  void* const arguments = grid_->arguments;
  do {
    const int thread = grid_->order.thread_at(next_unstarted_++, threads_);
    set_current(thread);
    thread_body(arguments);
    thread_ended();
  } while (should_start_a_thread());
  free_fibers_[free_count_++] = fiber;
  resume_another(fibers_[fiber]);
}

void Block::set_current(int thread) {
  thread_ = thread;
  thread_index = thread_index_[thread];
  if (tracer_) tracer_->thread_resumed(thread);
}

// Threads that can continue come first: a warp's lanes stay together, and few fibers are in use.
bool Block::should_start_a_thread() {
  if (ready_count_ > 0 || next_unstarted_ == threads_) return false;
  if (gave_way_count_ == 0 || has_waited_) return true;
  const auto warp_at = [this](int position) {
    return grid_->order.thread_at(position, threads_) / kWarpSize;
  };
  const bool within_warp =
      next_unstarted_ > 0 && warp_at(next_unstarted_) == warp_at(next_unstarted_ - 1);
  return within_warp || ++gave_way_rounds_ % kRoundsPerTurn == 0;
}

void Block::resume_another(Fiber& from, bool waits) {
  if (__builtin_expect(pause_ != Pause::none, 0)) return switch_fiber(from, main_);
  if (should_start_a_thread()) {
    if (free_count_ == 0) {
      fibers_[fiber_count_] = stacks_->fresh(fiber_count_);
      free_fibers_[free_count_++] = fiber_count_++;
    }
    current_fiber_ = free_fibers_[--free_count_];
    // A fiber whose thread has just ended can be used again: it continues without a switch.
    if (&from != &fibers_[current_fiber_]) switch_fiber(from, fibers_[current_fiber_]);
    return;
  }
  if (ready_count_ == 0 && gave_way_count_ > 0) no_thread_goes_on();
  if (ready_count_ == 0) return switch_fiber(from, main_);
  const int thread = ready_[ready_first_++ % kMaxBlockThreads];
  --ready_count_;
  if (ready_count_ > kFibersAhead) {  // the stacks are far apart, so their data takes long to load
    const int later = ready_[(ready_first_ + kFibersAhead) % kMaxBlockThreads];
    const char* const stack = static_cast<const char*>(fibers_[fiber_of_[later]].stack_pointer);
    __builtin_prefetch(stack);
    __builtin_prefetch(stack + kCacheLineBytes);
    __builtin_prefetch(stack + 2 * kCacheLineBytes);
  }
  state_[thread] = ThreadState::running;
  current_fiber_ = fiber_of_[thread];
  if (&from == &fibers_[current_fiber_]) return;
  if (waits) return switch_alike(from, fibers_[current_fiber_]);
  switch_fiber(from, fibers_[current_fiber_]);
}

void Block::give_way() {
  state_[thread_] = ThreadState::gave_way;
  gave_way_[gave_way_count_++] = thread_;
  suspend_current();
}

// Some threads gave way, and the others wait. They may all wait for another block.
__attribute__((noinline)) void Block::no_thread_goes_on() {
  if (wait_for_memory() && may_wait_ && next_unstarted_ == threads_) {
    pause_ = Pause::for_memory;
  } else {
    ready_those_that_gave_way();
  }
}

// A thread that waits loads the same element again and again. A thread that computes for long does
// not, so this is looked at more and more rarely.
bool Block::wait_for_memory() {
  ++idle_rounds_;
  if (!tracer_ || (!has_waited_ && (idle_rounds_ & (idle_rounds_ - 1)) != 0)) return false;
  has_waited_ = tracer_->wait_for_memory(gave_way_.data(), gave_way_count_);
  return has_waited_;
}

// Another block runs now, and continues before this thread does.
void Block::interrupt() {
  --pauses_;
  make_ready(thread_);
  pause_ = Pause::at_any_time;
  suspend_current();
}

void Block::ready_those_that_gave_way(bool have_paused) {
  if (tracer_) tracer_->threads_gave_way(have_paused);
  for (int i = 0; i < gave_way_count_; ++i) make_ready(gave_way_[i]);
  gave_way_count_ = 0;
}

void Block::suspend_current() {
  if (is_veiled_) return suspend_veiled();
  const int thread = thread_;
  fiber_of_[thread] = current_fiber_;
  resume_another(fibers_[current_fiber_], /*waits=*/true);
  set_current(thread);
}

// The same for a thread whose stack is veiled meanwhile: the frames of the callers. Not inlined, so
// that its own frame ends where theirs begin.
__attribute__((noinline)) void Block::suspend_veiled() {
  const int thread = thread_, fiber = current_fiber_;
  const auto frames = reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa());
  fiber_of_[thread] = fiber;
  tracer_->toggle_stack(frames, stacks_->top(fiber));
  resume_another(fibers_[fiber], /*waits=*/true);
  tracer_->toggle_stack(frames, stacks_->top(fiber));
  set_current(thread);
}

void Block::make_ready(int thread) {
  state_[thread] = ThreadState::ready;
  ready_[(ready_first_ + ready_count_++) % kMaxBlockThreads] = thread;
}

void Block::thread_ended() {
  const unsigned thread = static_cast<unsigned>(thread_), warp = thread / kWarpSize;
  state_[thread] = ThreadState::ended;
  idle_rounds_ = 0;
  --live_;
  warps_[warp].live &= ~(1u << thread % kWarpSize);
  if (tracer_) tracer_->thread_paused(thread);
  if (warps_[warp].waiting) release_complete_groups(warp);
  if (at_barrier_ > 0 && at_barrier_ == live_) barrier_is_complete();
}

Block::BarrierVotes Block::wait_at_barrier(bool predicate, const void* caller) {
  state_[thread_] = ThreadState::at_barrier;
  waits_at_[thread_] = caller;
  arriving_.count += predicate;
  ++at_barrier_;
  if (tracer_) tracer_->thread_paused(thread_);
  if (warps_[thread_ / kWarpSize].waiting) release_complete_groups(thread_ / kWarpSize);
  if (at_barrier_ == live_) barrier_is_complete();
  suspend_current();
  return released_;
}

void Block::wait_for_grid(const void* caller) {
  waits_for_grid_ = true;
  wait_at_barrier(false, caller);
}

// When the block waits for other blocks, no thread is made ready: its OS thread has nothing left to
// do.
void Block::barrier_is_complete() {
  if (waits_for_grid_) return;
  release_barrier();
  has_met(kMeetingsOfBarrier);
}

// Threads that have ended count as arrived, as on a GPU; the tracer reports them.
void Block::release_barrier() {
  if (tracer_ && !waits_for_grid_) tracer_->barrier_released();
  waits_for_grid_ = has_waited_ = false;
  idle_rounds_ = 0;
  arriving_.arrived = at_barrier_;
  released_ = arriving_;
  arriving_ = {0, 0};
  at_barrier_ = 0;
  for (int position = 0; position < threads_; ++position) {
    const int t = grid_->order.thread_at(position, threads_);
    if (state_[t] == ThreadState::at_barrier) make_ready(t);
  }
}

std::uint64_t Block::wait_at_warp_call(const WarpCall& call, const void* caller) {
  const int lane = thread_ % kWarpSize, warp_number = thread_ / kWarpSize;
  Warp& warp = warps_[warp_number];
  state_[thread_] = ThreadState::at_warp_call;
  waits_at_[thread_] = caller;
  const bool is_named = call.operation == WarpCall::Operation::active_mask || call.mask >> lane & 1;
  if (tracer_ && !is_named) tracer_->left_out_of_mask(thread_, call.mask);
  warp.call[lane] = call;
  warp.call[lane].mask |= 1u << lane;
  warp.waiting |= 1u << lane;
  // Only this lane's group can be complete now, and usually a lane is still missing.
  if ((warp.call[lane].mask & warp.live & ~warp.waiting) == 0) release_complete_groups(warp_number);
  suspend_current();
  return warp.result[lane];
}

void Block::release_complete_groups(int warp_number) {
  Warp& warp = warps_[warp_number];
  for (std::uint32_t unchecked = warp.waiting; unchecked != 0;) {
    const int first = __builtin_ctz(unchecked);
    std::uint32_t group = 0;
    if (warp.call[first].operation == WarpCall::Operation::active_mask) {
      const void* const caller = waits_at_[warp_number * kWarpSize + first];
      for_each_lane(unchecked, [&](int lane) {
        if (waits_at_[warp_number * kWarpSize + lane] == caller) group |= 1u << lane;
      });
      unchecked &= ~group;
      if (!can_go_on(warp_number)) release_group(warp_number, group);
      continue;
    }
    const std::uint32_t mask = warp.call[first].mask;
    for (std::uint32_t lanes = unchecked & mask; lanes != 0; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(lanes);
      if (warp.call[lane].mask == mask) group |= 1u << lane;
    }
    unchecked &= ~group;
    if ((mask & warp.live & ~group) == 0) release_group(warp_number, group);
  }
}

namespace {

std::uint32_t reduced(Reduction reduction, std::uint32_t a, std::uint32_t b) {
  const auto signed_a = static_cast<std::int32_t>(a), signed_b = static_cast<std::int32_t>(b);
  switch (reduction) {
    case Reduction::add:
      return a + b;
    case Reduction::min:
      return static_cast<std::uint32_t>(std::min(signed_a, signed_b));
    case Reduction::max:
      return static_cast<std::uint32_t>(std::max(signed_a, signed_b));
    case Reduction::min_unsigned:
      return std::min(a, b);
    case Reduction::max_unsigned:
      return std::max(a, b);
    case Reduction::bit_and:
      return a & b;
    case Reduction::bit_or:
      return a | b;
    case Reduction::bit_xor:
      return a ^ b;
  }
  return 0;
}

}  // namespace

void Block::release_group(int warp_number, std::uint32_t lanes) {
  Warp& warp = warps_[warp_number];
  for_each_lane(lanes, [&](int lane) {
    const WarpCall& call = warp.call[lane];
    std::uint64_t result = 0;
    switch (call.operation) {
      case WarpCall::Operation::synchronise:
        break;
      case WarpCall::Operation::active_mask:
        result = lanes;
        break;
      case WarpCall::Operation::shuffle:  // a lane that does not take part has no value
        result = warp.call[lanes >> call.source_lane & 1 ? call.source_lane : lane].value;
        break;
      case WarpCall::Operation::ballot:
        for_each_lane(lanes, [&](int l) { result |= std::uint64_t{warp.call[l].value != 0} << l; });
        break;
      case WarpCall::Operation::match:
        for_each_lane(
            lanes, [&](int l) { result |= std::uint64_t{warp.call[l].value == call.value} << l; });
        break;
      case WarpCall::Operation::reduce: {
        bool first = true;
        for_each_lane(lanes, [&](int l) {
          const auto value = static_cast<std::uint32_t>(warp.call[l].value);
          result =
              first ? value : reduced(call.reduction, static_cast<std::uint32_t>(result), value);
          first = false;
        });
        break;
      }
    }
    warp.result[lane] = result;
  });
  warp.waiting &= ~lanes;
  const WarpCall::Operation operation = warp.call[__builtin_ctz(lanes)].operation;
  if (tracer_ && operation != WarpCall::Operation::active_mask)
    tracer_->lanes_met(warp_number, lanes);
  if (tracer_ && operation == WarpCall::Operation::shuffle)
    tracer_->shuffled(warp_number, lanes, warp.result);
  for_each_lane(lanes, [&](int lane) { make_ready(warp_number * kWarpSize + lane); });
  has_met(1);
}

// Threads see each other's stores in program order, so a fence matters only to the tracer.
void Block::fence(FenceScope scope) {
  if (tracer_) tracer_->thread_fenced(thread_, scope);
  if (scope == FenceScope::device) may_pause_here();
}

void Block::async_copies_arrived(const std::vector<AsyncCopy>& copies, const void* caller) {
  if (tracer_) tracer_->async_copies_arrived(thread_, copies, caller);
}

bool Block::can_go_on(int warp_number) const {
  bool can = false;
  for_each_lane(warps_[warp_number].live,
                [&](int lane) { can |= !is_waiting(state_[warp_number * kWarpSize + lane]); });
  return can;
}

Block::Suspended Block::suspend() {
  const auto first = [](const auto& array, int count) {
    return std::vector(array.begin(), array.begin() + count);
  };
  const int warps = (threads_ + kWarpSize - 1) / kWarpSize;
  Suspended suspended{index_,
                      std::move(stacks_),
                      first(fibers_, fiber_count_),
                      first(free_fibers_, free_count_),
                      {},
                      first(gave_way_, gave_way_count_),
                      first(fiber_of_, threads_),
                      first(state_, threads_),
                      first(waits_at_, threads_),
                      first(object_wait_, threads_),
                      first(exchanged_values_, threads_),
                      first(warps_, warps),
                      tile_barriers_,
                      {},
                      std::move(barrier_copies_),
                      next_unstarted_,
                      live_,
                      at_barrier_,
                      pauses_,
                      arriving_,
                      released_,
                      waits_for_grid_,
                      has_waited_};
  for (unsigned i = 0; i < ready_count_; ++i) {
    suspended.ready.push_back(ready_[(ready_first_ + i) % kMaxBlockThreads]);
  }
  if (has_copies_) suspended.async_copies = first(async_copies_, threads_);
  return suspended;
}

void Block::resume(Suspended suspended) {
  index_ = suspended.index;
  block_index = grid_->block_index(index_);
  stacks_ = std::move(suspended.stacks);
  const auto put_back = [](const auto& saved, auto& array) {
    std::copy(saved.begin(), saved.end(), array.begin());
    return static_cast<int>(saved.size());
  };
  fiber_count_ = put_back(suspended.fibers, fibers_);
  free_count_ = put_back(suspended.free_fibers, free_fibers_);
  ready_first_ = 0;
  ready_count_ = static_cast<unsigned>(put_back(suspended.ready, ready_));
  gave_way_count_ = put_back(suspended.gave_way, gave_way_);
  put_back(suspended.fiber_of, fiber_of_);
  put_back(suspended.states, state_);
  put_back(suspended.waits_at, waits_at_);
  put_back(suspended.object_waits, object_wait_);
  put_back(suspended.exchanged_values, exchanged_values_);
  put_back(suspended.warps, warps_);
  tile_barriers_ = suspended.tile_barriers;
  for (AsyncCopies& copies : async_copies_) copies.forget();
  has_copies_ = !suspended.async_copies.empty();
  put_back(suspended.async_copies, async_copies_);
  barrier_copies_ = std::move(suspended.barrier_copies);
  next_unstarted_ = suspended.next_unstarted;
  live_ = suspended.live;
  at_barrier_ = suspended.at_barrier;
  pauses_ = suspended.pauses;
  arriving_ = suspended.arriving;
  released_ = suspended.released;
  waits_for_grid_ = suspended.waits_for_grid;
  has_waited_ = suspended.has_waited;
  gave_way_rounds_ = 0;
  idle_rounds_ = 0;
  meetings_to_pause_ = kMeetingsToPause;
}

void Block::fail_where_grid_waits(const KernelFailure& failure) {
  const auto ended = [](ThreadState state) { return state == ThreadState::ended; };
  thread_ =
      static_cast<int>(std::find_if_not(state_.begin(), state_.end(), ended) - state_.begin());
  report_kernel_failure(failure, waits_at_[thread_]);
  grid_->error = failure.error;
}

void Block::forget_fibers() { fiber_count_ = free_count_ = 0; }

}  // namespace cuda_simulator
