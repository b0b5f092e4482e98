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

// Release and acquire in one scope: the threads of the block, or the blocks of the launch. What a
// block's threads do for each other counts until the next barrier, which orders everything anyway.
class ScopedReleaseAcquire {
 public:
  ScopedReleaseAcquire(FenceScope scope, const Clock& clock) : scope_(scope), clock_(clock) {}

  void begin_grid();
  void begin_block();
  void before_barrier(int threads);
  // `epoch` is the clock's, which the fence has moved on.
  void fence(int thread, Epoch epoch);
  void plain_store(int thread) { last_store_[thread] = clock_.now(); }
  // Accesses to an address that other threads may see: acquire() where it is read, release() where
  // it is written. Any number that is the address's own will do for it.
  void acquire(std::uint64_t address, int thread);
  void release(std::uint64_t address, int thread);

  bool has_fence(int thread) const { return has_any_fence_ && fence_epoch_[thread] >= begin(); }
  bool none() const { return sync_variables_.empty(); }

  struct Event {
    Epoch epoch;
    int thread;  // of the block that was running
  };
  // Whether `thread` has acquired the event, by itself or through another thread whose acquisition
  // it knows of: knows_of(Event).
  template <typename KnowsOf>
  bool acquired(Event event, int thread, KnowsOf knows_of) const {
    for (const Acquisition& acquisition : acquired_) {
      const Event at{acquisition.epoch, acquisition.thread};
      const bool reaches_thread =
          at.thread == thread || at.epoch < clock_.epoch_seen(at.thread, thread) || knows_of(at);
      if (reaches_thread && contains(acquisition, event)) return true;
    }
    return false;
  }

 private:
  // What one block did from `begin` on: all of it before `end`, and what `thread` did before
  // `thread_end`.
  struct Release {
    Epoch begin, end, thread_end;
    int thread;
    bool operator==(const Release& other) const;
  };
  // An address through which threads synchronise. A vector clock here would have an entry for each
  // thread of each block; the few stretches of time that were released say the same.
  struct SyncVariable {
    std::vector<Release> releases;  // in the order of their begin
    Epoch everything_before = 0;    // what its releasers had acquired elsewhere
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
  std::vector<Acquisition> acquired_;  // of this block
  bool has_any_fence_ = false, phase_has_fence_ = false;
  Epoch covered_by_barrier_ = 0;  // what fences and a barrier after them cover, for every thread
  std::array<Epoch, kMaxBlockThreads> fence_epoch_{}, covered_by_fence_{}, last_store_{};
};

// Happens-before without a barrier: how a thread hands data to another, as the "last block" of a
// reduction gets the others' sums. A store, then a fence, then an atomic function on some address
// releases the store there. A later atomic function on the same address acquires what was released,
// for its own thread and, after a barrier, for its block. A volatile store releases too, and a
// volatile load acquires. __threadfence_block() does so for the threads of its own block alone.
//
// A fence covers what its thread did and, as fences are cumulative, what a barrier or a warp
// function had ordered before it. A barrier after the fence hands it on: any thread may make the
// atomic access.
class ReleaseAcquire {
 public:
  explicit ReleaseAcquire(const Clock& clock) : clock_(clock) {}

  void begin_grid();
  void begin_block();
  void before_barrier(int threads);
  void fence(int thread, FenceScope scope, Epoch epoch);
  void plain_store(int thread) { in_launch_.plain_store(thread); }
  // `reach`: who can see the address. That is the block for shared memory.
  void acquire(std::uint64_t address, FenceScope reach, int thread);
  void release(std::uint64_t address, FenceScope reach, int thread);

  bool has_fence(int thread) const {
    return in_launch_.has_fence(thread) || in_block_.has_fence(thread);
  }
  // Whether the running block's `thread` has acquired what this access, of the same launch, did.
  bool acquired(const ShadowCell& earlier, int thread) const;
  // No block has released anything to others.
  bool none() const { return in_launch_.none(); }

 private:
  const Clock& clock_;
  ScopedReleaseAcquire in_launch_{FenceScope::device, clock_};
  ScopedReleaseAcquire in_block_{FenceScope::block, clock_};
};

}  // namespace cuda_simulator
