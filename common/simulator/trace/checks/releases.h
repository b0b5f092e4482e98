#pragma once

#include "trace/checks/access_record.h"
#include "trace/checks/execution_order.h"
#include "trace/tracer.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {

// Releases to one scope: the threads of the block, or the blocks of the launch. What a block's
// threads do for each other counts until the next barrier, which orders everything anyway.
class ScopedReleases {
 public:
  ScopedReleases(FenceScope scope, const ExecutionOrder& order) : scope_(scope), order_(order) {}

  void begin_grid();
  void begin_block();
  void before_barrier(int threads);
  // `time` is the clock's, which the fence has moved on.
  void fence(int thread, std::uint32_t time);
  void plain_store(int thread) { last_store_[thread] = order_.now(); }
  // Accesses to a place that other threads may see: acquire() where it is read, release() where it
  // is written.
  void acquire(std::uint64_t place, int thread);
  void release(std::uint64_t place, int thread);

  bool has_fence(int thread) const { return fence_time_[thread] >= begin(); }
  bool none() const { return places_.empty(); }

  struct Event {
    std::uint32_t time;
    int thread;  // of the block that was running
  };
  // Whether `thread` has acquired the event, by itself or through another thread whose acquisition
  // it knows of: knows_of(Event).
  template <typename KnowsOf>
  bool acquired(Event event, int thread, KnowsOf knows_of) const {
    for (const Acquisition& acquisition : acquired_) {
      const Event at{acquisition.time, acquisition.thread};
      const bool reaches_thread =
          at.thread == thread || at.time < order_.ordered_before(at.thread, thread) || knows_of(at);
      if (reaches_thread && contains(acquisition, event)) return true;
    }
    return false;
  }

 private:
  // What one block did from `begin` on: all of it before `end`, and what `thread` did before
  // `thread_end`.
  struct Release {
    std::uint32_t begin, end, thread_end;
    int thread;
    bool operator==(const Release& other) const;
  };
  struct Place {
    std::vector<Release> releases;        // in the order of their begin
    std::uint32_t everything_before = 0;  // what its releasers had acquired elsewhere
  };
  struct Acquisition {
    const Place* place;
    std::size_t releases;
    int thread;
    std::uint32_t time;
  };

  std::uint32_t begin() const {
    return scope_ == FenceScope::block ? order_.last_barrier() : order_.block_begin();
  }
  void forget();
  void hand_on_acquired(Place& place, int thread) const;
  static bool contains(const Acquisition& acquisition, Event event);

  const FenceScope scope_;
  const ExecutionOrder& order_;
  std::unordered_map<std::uint64_t, Place> places_;
  std::vector<Acquisition> acquired_;  // of this block
  bool has_any_fence_ = false, phase_has_fence_ = false;
  std::uint32_t handed_on_ = 0;  // what fences and a barrier after them cover, for every thread
  std::array<std::uint32_t, kMaxBlockThreads> fence_time_{}, covered_by_fence_{}, last_store_{};
};

// How a thread hands data to another without a barrier, as the "last block" of a reduction gets the
// others' sums: a store, then a fence, then an atomic function on some address releases the store
// there. A later atomic function on the same address acquires what was released, for its own thread
// and, after a barrier, for its block. A volatile store releases too, and a volatile load acquires.
// __threadfence_block() does so for the threads of its own block alone.
//
// A fence covers what its thread did and, as fences are cumulative, what a barrier or a warp
// function had ordered before it. A barrier after the fence hands it on: any thread may make the
// atomic access.
class Releases {
 public:
  explicit Releases(const ExecutionOrder& order) : order_(order) {}

  void begin_grid();
  void begin_block();
  void before_barrier(int threads);
  void fence(int thread, FenceScope scope, std::uint32_t time);
  void plain_store(int thread) { to_launch_.plain_store(thread); }
  // `reach`: who can see the place. That is the block for shared memory.
  void acquire(std::uint64_t place, FenceScope reach, int thread);
  void release(std::uint64_t place, FenceScope reach, int thread);

  bool has_fence(int thread) const {
    return to_launch_.has_fence(thread) || to_block_.has_fence(thread);
  }
  // Whether the running block's `thread` has acquired what this access, of the same launch, did.
  bool acquired(const AccessRecord& earlier, int thread) const;
  // No block has released anything to others.
  bool none() const { return to_launch_.none(); }

 private:
  const ExecutionOrder& order_;
  ScopedReleases to_launch_{FenceScope::device, order_}, to_block_{FenceScope::block, order_};
};

}  // namespace cuda_simulator
