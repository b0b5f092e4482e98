#pragma once

#include "execution/async_copies.h"
#include "execution/fiber.h"
#include "execution/grid.h"
#include "execution/lanes.h"

#include "simulator/barrier_objects.h"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace cuda_simulator {

class Tracer;
struct KernelFailure;
enum class FenceScope;
enum class Reduction;

constexpr int kMaxBlockThreads = 1024;
constexpr int kMaxWarps = kMaxBlockThreads / kWarpSize;
constexpr std::size_t kMaxDynamicSharedBytes = 227 << 10;  // compute capability 9.0, with opt-in

// The arguments of a lane's call of a warp function. A group is complete when every live lane of
// the mask waits with the same mask. Lanes that request the active mask are a group when no lane of
// the warp can continue.
struct WarpCall {
  enum class Operation : std::uint8_t { synchronise, shuffle, ballot, match, reduce, active_mask };
  Operation operation;
  Reduction reduction{};
  std::uint32_t mask;
  std::int32_t source_lane = 0;
  std::uint64_t value = 0;
};

// Runs the blocks of a grid one at a time on the calling OS thread. A CUDA thread that never waits
// costs one call; one that waits gets its own fiber until it ends.
class Block {
 public:
  enum class ThreadState : std::uint8_t {
    running,
    ready,
    gave_way,
    at_barrier,
    at_warp_call,
    at_object,  // a cuda::barrier
    ended
  };
  static bool is_waiting(ThreadState state) {
    return state == ThreadState::at_barrier || state == ThreadState::at_warp_call ||
           state == ThreadState::at_object;
  }

  explicit Block(Tracer* tracer);

  // The block object of this OS thread, which lives as long as the OS thread.
  static Block& of_this_thread(Tracer* tracer);

  void begin_grid(Grid& grid);
  void run(std::uint64_t index) {
    begin(index);
    run_until_pause();
    end();
  }
  void end_grid();

  // The steps of run(), for blocks that alternate (ResidentBlocks). A block that pauses is
  // suspended, and resumed later; each needs its own stacks.

  enum class Pause : std::uint8_t { none, for_grid, for_memory, at_any_time };
  struct Suspended;
  void begin(std::uint64_t index);
  // Returns why the block pauses; if it does not, the caller must end it.
  Pause run_until_pause();
  void end();
  Suspended suspend();
  void resume(Suspended suspended);
  // Until the block pauses: whether it pauses when its threads wait for other blocks, and before up
  // to this number of fences and atomic functions.
  void may_pause(bool waiting, int pauses) {
    may_wait_ = waiting;
    pauses_ = pauses;
  }
  int pauses() const { return pauses_; }
  // For a resumed block: reports the failure of the first thread that waits, and ends the grid with
  // it.
  void fail_where_grid_waits(const KernelFailure& failure);
  void end_grid_with(cudaError_t error) { grid_->error = error; }
  static std::unique_ptr<FiberStacks> make_stacks(int count, bool guarded);
  bool has_stacks() const { return stacks_ != nullptr; }
  // Stacks for kMaxBlockThreads threads that later launches use again.
  std::vector<std::unique_ptr<FiberStacks>>& unused_stacks() { return unused_stacks_; }
  // Returns the stacks that were in use; no thread may be running.
  std::unique_ptr<FiberStacks> exchange_stacks(std::unique_ptr<FiberStacks> stacks) {
    forget_fibers();
    stacks_.swap(stacks);
    return stacks;
  }

  // The functions that kernels call, on the fiber of the calling thread.

  struct BarrierVotes {
    int count;  // threads whose predicate was not 0
    int arrived;
  };
  CUDA_SIMULATOR_KERNEL_RETURN BarrierVotes wait_at_barrier(bool predicate, const void* caller);
  // For a cooperative launch: waits for all threads of all blocks.
  void wait_for_grid(const void* caller);
  std::uint64_t wait_at_warp_call(const WarpCall& call, const void* caller);
  void fence(FenceScope scope);
  // Before the running thread does what other blocks can notice.
  void may_pause_here() {
    if (__builtin_expect(pauses_ > 0, 0)) interrupt();
  }
  AsyncCopies& async_copies() {
    has_copies_ = true;
    return async_copies_[thread_];
  }
  void async_copies_arrived(const std::vector<AsyncCopy>& copies, const void* caller);
  // A cuda::barrier, known by its address. The phases are counted elsewhere: barrier_objects.cpp.

  void barrier_object_used(const void* object, bool initialises, const void* caller);
  // The thread's accesses up to here come before those of threads that pass the object later.
  void arrive_at_object(const void* object);
  void pass_object(const void* object);
  // Waits for release_object(). `arrives`: the thread also arrives, as its last action before.
  void wait_at_object(const void* object, bool arrives, const void* caller);
  void release_object(const void* object);
  // For a thread that arrives as the last one and waits.
  void release_object_and_go_on(const void* object, const void* caller);
  // The barrier of the running thread's tile of `size` threads, more than 32.
  BarrierState& tile_barrier(unsigned size);
  std::array<std::uint64_t, 4>& exchanged_value(int thread) { return exchanged_values_[thread]; }
  void start_copy(const BarrierCopy& copy) { barrier_copies_.push_back(copy); }

  // Lets other threads run if this one cannot continue: first those of the same warp and, now and
  // then, those that have not begun.
  void give_way();
  std::uint32_t live_lanes_of(int warp) const { return warps_[warp].live; }
  // Ends the whole grid with `error`, as a GPU does after a bad access.
  [[noreturn]] void abandon_grid(cudaError_t error);

  bool in_kernel() const { return in_kernel_; }
  int thread() const { return thread_; }
  int lane() const { return thread_ % kWarpSize; }
  const Grid& grid() const { return *grid_; }
  std::uint64_t index() const { return index_; }
  const FiberStacks& stacks() const { return *stacks_; }
  ThreadState state(int thread) const { return state_[thread]; }
  const void* waits_at(int thread) const { return waits_at_[thread]; }
  // The call of a thread that waits at a warp function, or has just met other lanes there.
  const WarpCall& warp_call_of(int thread) const {
    return warps_[thread / kWarpSize].call[thread % kWarpSize];
  }

 private:
  struct Warp {
    std::uint32_t live, waiting;
    std::array<WarpCall, kWarpSize> call;
    std::array<std::uint64_t, kWarpSize> result;
  };

  static void fiber_main();
  void run_threads();
  void no_thread_goes_on();
  bool wait_for_memory();
  void set_current(int thread);
  void suspend_current();
  void suspend_veiled();
  void interrupt();
  void has_met(int meetings) {
    meetings_to_pause_ -= meetings;
    if (__builtin_expect(meetings_to_pause_ <= 0, 0) && may_wait_) pause_ = Pause::at_any_time;
  }
  void resume_another(Fiber& from, bool waits = false);
  void make_ready(int thread);
  bool should_start_a_thread();
  void ready_those_that_gave_way(bool have_paused = false);
  void thread_ended();
  void barrier_is_complete();
  void release_barrier();
  void release_complete_groups(int warp);
  void release_group(int warp, std::uint32_t lanes);
  bool can_go_on(int warp) const;
  bool all_others_arrive_at(const void* object) const;
  void end_copies_of(const void* object, bool are_ordered);
  void forget_fibers();

  // The members that the hook of every traced access reads come first.
  bool in_kernel_ = false;
  int thread_ = 0;
  Grid* grid_ = nullptr;
  Tracer* const tracer_;
  const bool is_veiled_;

  std::uint64_t index_ = 0;
  int threads_ = 0, next_unstarted_ = 0, live_ = 0;
  int at_barrier_ = 0;
  bool waits_for_grid_ = false;  // some threads wait for the grid at the barrier
  BarrierVotes arriving_{0, 0}, released_{0, 0};

  Pause pause_ = Pause::none;
  bool may_wait_ = false, has_waited_ = false;
  int pauses_ = 0;
  int meetings_to_pause_ = 0;
  unsigned idle_rounds_ = 0;  // of threads that gave way, since one ended or passed a barrier

  std::unique_ptr<FiberStacks> stacks_;
  std::vector<std::unique_ptr<FiberStacks>> unused_stacks_;
  Fiber main_;
  std::array<Fiber, kMaxBlockThreads> fibers_;
  std::array<int, kMaxBlockThreads> free_fibers_;
  int fiber_count_ = 0, free_count_ = 0, current_fiber_ = 0;

  // A ring buffer of the threads that can continue, first come, first served.
  std::array<int, kMaxBlockThreads> ready_;
  unsigned ready_first_ = 0, ready_count_ = 0;
  std::array<int, kMaxBlockThreads> gave_way_;
  int gave_way_count_ = 0, gave_way_rounds_ = 0;

  std::array<uint3, kMaxBlockThreads> thread_index_;
  std::array<ThreadState, kMaxBlockThreads> state_;
  std::array<int, kMaxBlockThreads> fiber_of_;
  std::array<const void*, kMaxBlockThreads> waits_at_;
  struct ObjectWait {
    const void* object;  // nullptr if a barrier of the whole block has ordered everything
    bool arrives;
  };
  std::array<ObjectWait, kMaxBlockThreads> object_wait_;
  // For each size of large tiles, from 64 to 1024 threads, those of all its tiles.
  std::array<std::array<BarrierState, kMaxWarps / 2>, 5> tile_barriers_;
  std::array<std::array<std::uint64_t, 4>, kMaxBlockThreads> exchanged_values_;
  std::array<Warp, kMaxWarps> warps_;
  std::vector<BarrierCopy> barrier_copies_;  // in flight
  std::array<AsyncCopies, kMaxBlockThreads> async_copies_;
  bool has_copies_ = false;  // copies that the block has started
};

// A block that pauses.
struct Block::Suspended {
  std::uint64_t index;
  std::unique_ptr<FiberStacks> stacks;
  std::vector<Fiber> fibers;
  std::vector<int> free_fibers, ready, gave_way, fiber_of;
  std::vector<ThreadState> states;
  std::vector<const void*> waits_at;
  std::vector<ObjectWait> object_waits;
  std::vector<std::array<std::uint64_t, 4>> exchanged_values;
  std::vector<Warp> warps;
  std::array<std::array<BarrierState, kMaxWarps / 2>, 5> tile_barriers;
  std::vector<AsyncCopies> async_copies;  // empty if the block has started no copies
  std::vector<BarrierCopy> barrier_copies;
  int next_unstarted, live, at_barrier, pauses;
  BarrierVotes arriving, released;
  bool waits_for_grid, has_waited;
};

// The block whose thread is running on this OS thread, or nullptr.
extern __thread Block* current_block;

}  // namespace cuda_simulator
