#pragma once

#include "execution/async_copies.h"
#include "execution/fiber.h"
#include "execution/grid.h"
#include "execution/lanes.h"

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
constexpr std::size_t kMaxDynamicSharedBytes = 227 << 10;  // compute capability 9.0, opted in

// What a lane brings to a warp function. A group is complete when every live lane of the mask waits
// with the same mask. Those that ask for the active mask are a group when no lane of the warp can
// go on.
struct WarpCall {
  enum class Operation : std::uint8_t { synchronise, shuffle, ballot, match, reduce, active_mask };
  Operation operation;
  Reduction reduction{};
  std::uint32_t mask;
  std::int32_t source_lane = 0;
  std::uint64_t value = 0;
};

// Runs the blocks of a grid, one after another, on the calling OS thread. A CUDA thread that never
// waits costs one call; one that waits gets a fiber of its own until it ends.
class Block {
 public:
  enum class ThreadState : std::uint8_t {
    running,
    ready,
    gave_way,
    at_barrier,
    at_warp_call,
    ended
  };

  explicit Block(Tracer* tracer);

  // The OS thread's own; it lives as long as the OS thread.
  static Block& of_this_thread(Tracer* tracer);

  void begin_grid(Grid& grid);
  void run(std::uint64_t index) {
    begin(index);
    run_until_grid_waits();
    end();
  }
  void end_grid();

  // The steps of run(), for blocks that take turns: CooperativeBlocks. A block that waits for the
  // grid is suspended, and resumed when all others wait too; each needs stacks of its own.

  // A block all of whose threads wait for the grid, or have ended.
  struct Suspended {
    std::uint64_t index;
    std::unique_ptr<FiberStacks> stacks;
    std::vector<Fiber> fibers;
    std::vector<int> free_fibers, fiber_of;
    std::vector<ThreadState> states;
    std::vector<const void*> waits_at;
    std::vector<AsyncCopies> async_copies;  // empty if it has started none
  };
  void begin(std::uint64_t index);
  // True if the block waits for the grid then; else it is to be ended.
  bool run_until_grid_waits();
  void end();
  Suspended suspend();
  void resume(Suspended suspended);
  // Of a block that has been resumed: reports what the first thread that waits does, and ends the
  // grid with it.
  void fail_where_grid_waits(const KernelFailure& failure);
  static std::unique_ptr<FiberStacks> make_stacks(int count, bool guarded);
  // Returns those that were in use; no thread may be running.
  std::unique_ptr<FiberStacks> exchange_stacks(std::unique_ptr<FiberStacks> stacks) {
    forget_fibers();
    stacks_.swap(stacks);
    return stacks;
  }

  // For the functions that kernels call, on the fiber of the thread that calls them.

  struct BarrierVotes {
    int count;  // threads whose predicate was not 0
    int arrived;
  };
  BarrierVotes wait_at_barrier(bool predicate, const void* caller);
  // Of a cooperative launch: for all threads of all blocks.
  void wait_for_grid(const void* caller);
  std::uint64_t wait_at_warp_call(const WarpCall& call, const void* caller);
  void fence(FenceScope scope);
  AsyncCopies& async_copies() {
    has_copies_ = true;
    return async_copies_[thread_];
  }
  void async_copies_arrived(const std::vector<AsyncCopy>& copies, const void* caller);
  // Goes on when the others cannot: first those of the same warp and, now and then, those that have
  // not begun.
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
  // What a thread that waits at a warp function, or has just met others there, has brought to it.
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
  void set_current(int thread);
  void suspend_current();
  void resume_another(Fiber& from);
  void make_ready(int thread);
  bool should_start_a_thread();
  void ready_those_that_gave_way();
  void thread_ended();
  void barrier_is_complete();
  void release_barrier();
  void release_complete_groups(int warp);
  void release_group(int warp, std::uint32_t lanes);
  bool can_go_on(int warp) const;
  void forget_fibers();

  // What the hook of every traced access reads comes first.
  bool in_kernel_ = false;
  int thread_ = 0;
  Grid* grid_ = nullptr;
  Tracer* const tracer_;

  std::uint64_t index_ = 0;
  int threads_ = 0, next_unstarted_ = 0, live_ = 0;
  int at_barrier_ = 0;
  bool waits_for_grid_ = false;  // some of those at the barrier
  BarrierVotes arriving_{0, 0}, released_{0, 0};

  std::unique_ptr<FiberStacks> stacks_;
  Fiber main_;
  std::array<Fiber, kMaxBlockThreads> fibers_;
  std::array<int, kMaxBlockThreads> free_fibers_;
  int fiber_count_ = 0, free_count_ = 0, current_fiber_ = 0;

  // A ring: threads that can go on, first come first served.
  std::array<int, kMaxBlockThreads> ready_;
  unsigned ready_first_ = 0, ready_count_ = 0;
  std::array<int, kMaxBlockThreads> gave_way_;
  int gave_way_count_ = 0, gave_way_rounds_ = 0;

  std::array<uint3, kMaxBlockThreads> thread_index_;
  std::array<ThreadState, kMaxBlockThreads> state_;
  std::array<int, kMaxBlockThreads> fiber_of_;
  std::array<const void*, kMaxBlockThreads> waits_at_;
  std::array<Warp, kMaxWarps> warps_;
  std::array<AsyncCopies, kMaxBlockThreads> async_copies_;
  bool has_copies_ = false;  // that the block has started
};

// The block whose thread is running on this OS thread, or nullptr.
extern __thread Block* current_block;

}  // namespace cuda_simulator
