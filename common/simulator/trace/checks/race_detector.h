#pragma once

#include "execution/lanes.h"
#include "trace/checks/access_record.h"
#include "trace/checks/execution_order.h"
#include "trace/checks/lazy_array.h"
#include "trace/checks/releases.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuda_simulator {

// Finds two accesses to one byte, at least one of them a store, that nothing orders: which comes
// first is chance. Two atomic accesses do not race. Within a block a barrier orders, within a warp
// also a __syncwarp() or another warp function; between blocks of a launch, only Releases.
//
// A volatile access is an atomic one to other volatile and atomic accesses, as in PTX; a store only
// after a fence of its thread, for without one it is no flag but data.
//
// A load that does not wait for a compare-and-swap of another thread is no race either: it is the
// usual first guess, which the thread's own compare-and-swap then checks.
//
// For each word of 4 bytes it remembers the last store and compare-and-swap, two loads and two
// atomic accesses: of those that may still race, one each, and one more by another thread, or it
// would be nobody's rival.
class RaceDetector {
 public:
  // Shared memory is forgotten when the block ends, global memory when the launch ends.
  enum class Lifetime { block, launch };
  struct Access {
    std::uintptr_t code;
    int thread;
    std::uint64_t block;
    AccessKind kind;
  };
  struct Race {
    Access earlier, later;
  };

  RaceDetector(std::size_t bytes, Lifetime lifetime, const ExecutionOrder& order,
               const Releases& releases, CodeTable& codes)
      : hot_(place_of(bytes / 4) + 1),
        cold_(place_of(bytes / 4) + 1),
        lifetime_(lifetime),
        order_(order),
        releases_(releases),
        codes_(codes) {}

  // Looks for races of the accesses that `lanes` of a warp, whose first thread is `first_thread`,
  // make with earlier ones. Calls on_race(lane, const Race&), at most once for each lane.
  template <typename OnRace>
  void check(const WarpRequest& request, std::uint32_t lanes, int first_thread, OnRace on_race) {
    const AccessKind kind = request.step.kind();
    std::uint32_t flags = 0;
    if (__builtin_expect(is_volatile(kind), 0)) {
      codes_.mark_volatile(codes_.number_of(request.step.code()));
      if (kind == AccessKind::volatile_store) flags = fenced_lanes(lanes, first_thread);
    }
    if (__builtin_expect(is_async_copy(kind), 0)) {
      codes_.mark_copy(codes_.number_of(request.step.code()));
    }
    if (flags != 0) check_as(AccessKind::atomic_exchange, request, flags, first_thread, on_race);
    if (flags != lanes)
      check_as(without_volatile(kind), request, lanes & ~flags, first_thread, on_race);
  }

  void forget(std::size_t offset, std::size_t bytes);
  void forget_all();

 private:
  struct Current {
    std::uint32_t time;
    unsigned code_number;
    int thread;
    AccessKind kind;
    unsigned bytes;  // of the word, as a mask
  };
  struct Hot {  // what most words have; load.marked() says that Cold holds something, or once did
    AccessRecord store, load;
  };
  struct Cold {
    AccessRecord load, atomics[2], compare_and_swap;
  };

  template <typename OnRace>
  void check_as(AccessKind kind, const WarpRequest& request, std::uint32_t lanes, int first_thread,
                OnRace on_race) {
    Current current{order_.now(), codes_.number_of(request.step.code()), 0, kind, 0xf};
    const unsigned bytes = request.bytes(), words = bytes <= 4 ? 1 : bytes / 4;
    if (lifetime_ == Lifetime::launch) {  // what is remembered of shared memory is near
      for_each_lane(lanes, [&](int lane) {
        __builtin_prefetch(&hot_[place_of(request.offset(lane) / 4)], /*for writing*/ 1);
      });
    }
    for_each_lane(lanes, [&](int lane) {
      const std::size_t offset = request.offset(lane);
      current.thread = first_thread + lane;
      if (bytes < 4) current.bytes = ((1u << bytes) - 1) << offset % 4;
      std::optional<Race> first;
      for (unsigned i = 0; i < words; ++i) {
        const std::size_t word = place_of(offset / 4 + i);
        if (__builtin_expect(note_in_free_word(word, current), 1)) continue;
        const std::optional<Race> race = check_busy_word(word, current);
        if (!first) first = race;
      }
      if (__builtin_expect(first.has_value(), 0)) on_race(lane, *first);
    });
  }

  // Where a word is remembered. A cache line is left out now and then: the words of a column would
  // otherwise all compete for a few places of the processor's cache.
  static std::size_t place_of(std::size_t word) { return word + (word >> 8) * 4; }
  std::uint32_t lifetime_begin() const {
    return lifetime_ == Lifetime::block ? order_.block_begin() : order_.launch_begin();
  }
  // Whether nothing that the running block does from now on can race with it, in this block.
  bool is_settled(const AccessRecord& record) const {
    const std::uint32_t time = record.time();
    return time < lifetime_begin() ||
           (time >= order_.block_begin() && time < order_.last_barrier());
  }
  // Remembers the access if nothing that could race with it is remembered; else returns false.
  bool note_in_free_word(std::size_t word, const Current& current) {
    Hot& hot = hot_[word];
    const bool is_free = is_settled(hot.store) && is_settled(hot.load) && !hot.load.marked();
    if (!is_free || is_atomic(current.kind)) return false;
    AccessRecord& place = current.kind == AccessKind::load ? hot.load : hot.store;
    place = record_of(current, place);
    return true;
  }
  AccessRecord record_of(const Current& current, const AccessRecord& before) const {
    unsigned own = current.bytes, block = current.bytes;
    if (own != 0xf && before.time() >= order_.block_begin()) {
      block |= before.block_bytes();
      if (before.thread() == current.thread && before.time() == current.time)
        own |= before.own_bytes();
    }
    return {current.time, current.code_number, current.thread, own, block};
  }

  std::uint32_t fenced_lanes(std::uint32_t lanes, int first_thread) const;
  std::optional<Race> check_busy_word(std::size_t word, const Current& current);
  std::optional<Race> find_race(std::size_t word, const Current& current) const;
  bool unordered(const AccessRecord& earlier, const Current& current) const;
  bool races_with_load(const AccessRecord& load, const Current& current) const;
  bool comes_after_own_atomic(const Cold& cold, const Current& current) const;
  Race race_with(const AccessRecord& earlier, AccessKind kind, const Current& current) const;
  void remember(std::size_t word, const Current& current);
  // Puts an access among two of its kind; false if it has to go into the second place.
  bool put_first(AccessRecord& first, const Current& current) const;
  void put_second(const AccessRecord& first, AccessRecord& second, const Current& current) const;

  LazyArray<Hot> hot_;
  LazyArray<Cold> cold_;
  const Lifetime lifetime_;
  const ExecutionOrder& order_;
  const Releases& releases_;
  CodeTable& codes_;
};

}  // namespace cuda_simulator
