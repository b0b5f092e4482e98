#pragma once

#include "trace/checks/clock.h"
#include "trace/checks/shadow_cell.h"
#include "trace/tracer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cuda_simulator {

// Release and acquire in one scope: the threads of the block, or the blocks of the launch. The
// order between threads of one block matters only until the next barrier, which orders everything.
class ScopedReleaseAcquire {
 public:
  ScopedReleaseAcquire(FenceScope scope, const Clock& clock) : scope_(scope), clock_(clock) {}

  void begin_grid();
  void begin_block();
  // What belongs to a block while others run.
  struct OfBlock;
  OfBlock block_interrupted();
  void block_continues(OfBlock of_block);
  void before_barrier(int threads);
  // `epoch` is the clock's epoch after the fence.
  void fence(int thread, Epoch epoch);
  void plain_store(int thread) { of_block_.last_store[thread] = clock_.now(); }
  // Accesses to an address that other threads can see: acquire() for reads, release() for writes.
  // `address` can be any number that is unique to the address.
  void acquire(std::uint64_t address, int thread);
  void release(std::uint64_t address, int thread);

  bool has_fence(int thread) const {
    return of_block_.has_any_fence && of_block_.fence_epoch[thread] >= begin();
  }
  bool none() const { return sync_variables_.empty(); }

  struct Event {
    Epoch epoch;
    int thread;  // in the block that was running
  };
  // Returns whether `thread` has acquired the event itself, or through another thread whose
  // acquisition it comes after: comes_after(Event).
  template <typename ComesAfter>
  bool acquired(Event event, int thread, ComesAfter comes_after) const {
    for (const Acquisition& acquisition : of_block_.acquired) {
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
    std::vector<Release> releases;
    bool is_sorted = true;  // in ascending order of `begin`: unless blocks interrupt each other
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
    return scope_ == FenceScope::block ? clock_.last_barrier() : clock_.first_begin();
  }
  void forget();
  static void add(SyncVariable& variable, const Release& release);
  void hand_on_acquired(SyncVariable& variable, int thread) const;
  Epoch acquired_elsewhere(const Acquisition& acquisition) const;
  bool contains(const Acquisition& acquisition, Event event) const;

  const FenceScope scope_;
  const Clock& clock_;

 public:
  struct OfBlock {
    std::vector<Acquisition> acquired;
    bool has_any_fence = false, phase_has_fence = false;
    // accesses that fences and a later barrier cover, for every thread
    Epoch covered_by_barrier = 0;
    std::array<Epoch, kMaxBlockThreads> fence_epoch{}, covered_by_fence{}, last_store{};
    std::unordered_map<std::uint64_t, SyncVariable> sync_variables;  // those of the block alone
  };

 private:
  std::unordered_map<std::uint64_t, SyncVariable> sync_variables_;
  OfBlock of_block_;
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
  struct OfBlock {
    ScopedReleaseAcquire::OfBlock in_launch, in_block;
  };
  OfBlock block_interrupted() {
    return {in_launch_.block_interrupted(), in_block_.block_interrupted()};
  }
  void block_continues(OfBlock of_block) {
    in_launch_.block_continues(std::move(of_block.in_launch));
    in_block_.block_continues(std::move(of_block.in_block));
  }
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
