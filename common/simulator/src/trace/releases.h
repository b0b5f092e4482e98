#pragma once

#include "trace/access_record.h"
#include "trace/execution_order.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {

// How one block hands data to another within a launch, as the "last block" of a reduction gets the
// others' sums: a store, then __threadfence(), then an atomic function on some address releases the
// store there. A later atomic function on the same address acquires what was released, for its own
// thread and, after a barrier, for its block.
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
  // `time` is the clock's, which the fence has moved on.
  void fence(int thread, std::uint32_t time);
  void plain_store(int thread) { last_store_[thread] = order_.now(); }
  void atomic(std::uintptr_t address, int thread) {
    if (places_.empty() && !block_has_fence_) return;
    acquire_and_release(address, thread);
  }

  // Whether the running block's `thread` has acquired what this access, of the same launch, did.
  bool acquired(const AccessRecord& earlier, int thread) const;
  bool none() const { return places_.empty(); }

 private:
  // The accesses of one block from `begin` on: all before `end`, and those of `thread` before
  // `thread_end`.
  struct Release {
    std::uint32_t begin, end, thread_end;
    int thread;
    bool operator==(const Release& other) const;
  };
  struct Place {
    std::vector<Release> releases;        // in the order of the blocks
    std::uint32_t everything_before = 0;  // what its releasers had acquired elsewhere
  };
  struct Acquisition {
    const Place* place;
    std::size_t releases;
    int thread;
    std::uint32_t time;
  };

  void acquire_and_release(std::uintptr_t address, int thread);
  void release_by(Place& place, int thread);
  bool has_fence(int thread) const { return fence_time_[thread] >= order_.block_begin(); }
  static bool contains(const Acquisition& acquisition, const AccessRecord& access);

  const ExecutionOrder& order_;
  std::unordered_map<std::uintptr_t, Place> places_;  // of this launch
  std::vector<Acquisition> acquired_;                 // of this block
  bool block_has_fence_ = false, phase_has_fence_ = false;
  std::uint32_t handed_on_ = 0;  // what fences and a barrier after them cover, for every thread
  std::array<std::uint32_t, kMaxBlockThreads> fence_time_{}, covered_by_fence_{}, last_store_{};
};

}  // namespace cuda_simulator
