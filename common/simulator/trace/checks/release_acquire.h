#pragma once

#include "trace/checks/clock.h"
#include "trace/checks/shadow_cell.h"
#include "trace/tracer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {

// Release and acquire in one scope: the threads of the block, or the blocks of the launch. The
// order between threads of one block matters only until the next barrier, which orders everything.
class ScopedReleaseAcquire {
 public:
  ScopedReleaseAcquire(FenceScope scope, const Clock& clock) : scope_(scope), clock_(clock) {}

  void begin_grid();
  void begin_block();
  void before_barrier(int threads);
  // `epoch` is the clock's epoch after the fence.
  void fence(int thread, Epoch epoch);
  void plain_store(int thread) { last_store_[thread] = clock_.now(); }
  // Accesses to an address that other threads can see: acquire() for reads, release() for writes.
  // `address` can be any number that is unique to the address.
  void acquire(std::uint64_t address, int thread);
  void release(std::uint64_t address, int thread);

  bool has_fence(int thread) const { return has_any_fence_ && fence_epoch_[thread] >= begin(); }
  bool none() const { return sync_variables_.empty(); }

  struct Event {
    Epoch epoch;
    int thread;  // in the block that was running
  };
  // Returns whether `thread` has acquired the event itself, or through another thread whose
  // acquisition it comes after: comes_after(Event).
  template <typename ComesAfter>
  bool acquired(Event event, int thread, ComesAfter comes_after) const {
    for (const Acquisition& acquisition : acquired_) {
      const Event at{acquisition.epoch, acquisition.thread};
      const bool reaches_thread =
          at.thread == thread || at.epoch < clock_.epoch_seen(at.thread, thread) || comes_after(at);
      if (reaches_thread && contains(acquisition, event)) return true;
    }
    return false;
  }

 private:
  // The actions of one block from `begin` on: all of them before `end`, and those of `thread`
  // before `thread_end`.
  struct Release {
    Epoch begin, end, thread_end;
    int thread;
    bool operator==(const Release& other) const;
  };
  // An address through which threads synchronise. A vector clock would have an entry for each
  // thread of each block; a few released time ranges hold the same information.
  struct SyncVariable {
    std::vector<Release> releases;  // in ascending order of `begin`
    // the time up to which its releasers had acquired accesses elsewhere
    Epoch everything_before = 0;
  };
  struct Acquisition {
    const SyncVariable* variable;
    std::size_t releases;
    int thread;
    Epoch epoch;
  };

  Epoch begin() const {
    return scope_ == FenceScope::block ? clock_.last_barrier() : clock_.block_begin();
  }
  void forget();
  void hand_on_acquired(SyncVariable& variable, int thread) const;
  static bool contains(const Acquisition& acquisition, Event event);

  const FenceScope scope_;
  const Clock& clock_;
  std::unordered_map<std::uint64_t, SyncVariable> sync_variables_;
  std::vector<Acquisition> acquired_;  // acquisitions in this block
  bool has_any_fence_ = false, phase_has_fence_ = false;
  // accesses that fences and a later barrier cover, for every thread
  Epoch covered_by_barrier_ = 0;
  std::array<Epoch, kMaxBlockThreads> fence_epoch_{}, covered_by_fence_{}, last_store_{};
};

// Happens-before without a barrier: the way in which a thread passes data to another thread, such
// as the partial sums for the "last block" of a reduction. A store, then a fence, then an atomic
// function on some address releases the store. A later atomic function on the same address acquires
// it for its own thread and, after a barrier, for its block. A volatile store also releases, and a
// volatile load also acquires. __threadfence_block() does this only for threads of its own block.
// A fence covers the accesses of its own thread and, because fences are cumulative, the accesses
// that a barrier or a warp function had ordered before it. After a barrier that follows the fence,
// any thread can execute the atomic access.
class ReleaseAcquire {
 public:
  explicit ReleaseAcquire(const Clock& clock) : clock_(clock) {}

  void begin_grid();
  void begin_block();
  void before_barrier(int threads);
  void fence(int thread, FenceScope scope, Epoch epoch);
  void plain_store(int thread) { in_launch_.plain_store(thread); }
  // `reach`: the threads that can see the address. For shared memory that is the block.
  void acquire(std::uint64_t address, FenceScope reach, int thread);
  void release(std::uint64_t address, FenceScope reach, int thread);

  bool has_fence(int thread) const {
    return in_launch_.has_fence(thread) || in_block_.has_fence(thread);
  }
  // Returns whether the running block's `thread` has acquired this access of the same launch.
  bool acquired(const ShadowCell& earlier, int thread) const;
  // Returns whether no block has released anything to other blocks.
  bool none() const { return in_launch_.none(); }

 private:
  const Clock& clock_;
  ScopedReleaseAcquire in_launch_{FenceScope::device, clock_};
  ScopedReleaseAcquire in_block_{FenceScope::block, clock_};
};

}  // namespace cuda_simulator
