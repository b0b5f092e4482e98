#include "trace/checks/race_detector.h"

namespace cuda_simulator {

void RaceDetector::forget(std::size_t offset, std::size_t bytes) {
  const std::size_t first = place_of(offset / 4), end = place_of((offset + bytes + 3) / 4);
  hot_.clear(first, end - first);
  cold_.clear(first, end - first);
}

void RaceDetector::forget_all() {
  hot_.clear();
  cold_.clear();
}

bool RaceDetector::unordered(const AccessRecord& earlier, const Current& current) const {
  if (earlier.time() < lifetime_begin()) return false;
  if (earlier.time() < order_.block_begin()) {
    return (earlier.block_bytes() & current.bytes) != 0 &&
           !releases_.acquired(earlier, current.thread);
  }
  return (earlier.own_bytes() & current.bytes) != 0 && earlier.thread() != current.thread &&
         earlier.time() >= order_.ordered_before(earlier.thread(), current.thread) &&
         !releases_.acquired(earlier, current.thread);
}

bool RaceDetector::races_with_load(const AccessRecord& load, const Current& current) const {
  const bool both_atomic = is_atomic(current.kind) && codes_.is_volatile(load.code_number());
  return !both_atomic && unordered(load, current);
}

std::uint32_t RaceDetector::fenced_lanes(std::uint32_t lanes, int first_thread) const {
  std::uint32_t fenced = 0;
  for_each_lane(lanes, [&](int lane) {
    fenced |= std::uint32_t{releases_.has_fence(first_thread + lane)} << lane;
  });
  return fenced;
}

// Atomic accesses to one word have one order, fences or not: an access that comes after the block's
// own atomic one comes after those of the blocks before.
bool RaceDetector::comes_after_own_atomic(const Cold& cold, const Current& current) const {
  for (const AccessRecord& own : cold.atomics) {
    if (own.time() < order_.block_begin() || (own.own_bytes() & current.bytes) == 0) continue;
    if (own.thread() == current.thread ||
        own.time() < order_.ordered_before(own.thread(), current.thread)) {
      return true;
    }
  }
  return false;
}

std::optional<RaceDetector::Race> RaceDetector::check_busy_word(std::size_t word,
                                                                const Current& current) {
  const std::optional<Race> race = find_race(word, current);
  remember(word, current);
  return race;
}

std::optional<RaceDetector::Race> RaceDetector::find_race(std::size_t word,
                                                          const Current& current) const {
  const Hot& hot = hot_[word];
  const bool is_load = current.kind == AccessKind::load;
  const bool may_meet_loads = is_load || current.kind == AccessKind::atomic_compare_and_swap;
  if (unordered(hot.store, current)) return race_with(hot.store, AccessKind::store, current);
  if (!may_meet_loads && races_with_load(hot.load, current))
    return race_with(hot.load, AccessKind::load, current);
  if (!hot.load.marked()) return std::nullopt;
  const Cold& cold = cold_[word];
  if (!may_meet_loads && races_with_load(cold.load, current))
    return race_with(cold.load, AccessKind::load, current);
  if (is_atomic(current.kind)) return std::nullopt;
  if (is_load && codes_.is_volatile(current.code_number)) return std::nullopt;
  if (!is_load && unordered(cold.compare_and_swap, current) &&
      !comes_after_own_atomic(cold, current)) {
    return race_with(cold.compare_and_swap, AccessKind::atomic_compare_and_swap, current);
  }
  for (const AccessRecord& atomic : cold.atomics) {
    if (!unordered(atomic, current)) continue;
    const bool other_block = atomic.time() < order_.block_begin();
    if (other_block && comes_after_own_atomic(cold, current)) continue;
    return race_with(atomic, AccessKind::atomic, current);
  }
  return std::nullopt;
}

RaceDetector::Race RaceDetector::race_with(const AccessRecord& earlier, AccessKind kind,
                                           const Current& current) const {
  const auto access = [&](unsigned code, int thread, std::uint32_t time, AccessKind as) {
    if (is_atomic(as) && codes_.is_volatile(code)) as = AccessKind::store;
    if (as == AccessKind::store && codes_.is_copy(code)) as = AccessKind::async_copy;
    return Access{codes_.code_of(code), thread, order_.block_at(time), as};
  };
  return {access(earlier.code_number(), earlier.thread(), earlier.time(), kind),
          access(current.code_number, current.thread, current.time, current.kind)};
}

// One of an earlier block stays: it may race with everything that this block does. One of this
// block that a barrier has ordered makes place, as all that follow may race with the new one too.
bool RaceDetector::put_first(AccessRecord& first, const Current& current) const {
  const std::uint32_t time = first.time();
  const bool stays = time >= lifetime_begin() &&
                     (time < order_.block_begin() ||
                      (time >= order_.last_barrier() && first.thread() != current.thread));
  if (!stays) first.replace(record_of(current, first));
  return !stays;
}

// The second place is for another warp than the first's: its own lanes are ordered more easily.
void RaceDetector::put_second(const AccessRecord& first, AccessRecord& second,
                              const Current& current) const {
  const bool is_free = second.time() < order_.last_barrier() || second.thread() == current.thread ||
                       first.time() < order_.block_begin() ||
                       (second.own_bytes() & current.bytes) == 0 ||
                       second.thread() / kWarpSize == first.thread() / kWarpSize;
  if (is_free) second = record_of(current, second);
}

void RaceDetector::remember(std::size_t word, const Current& current) {
  Hot& hot = hot_[word];
  switch (current.kind) {
    case AccessKind::store:
    case AccessKind::volatile_store:
    case AccessKind::async_copy:
    case AccessKind::async_copy_arrival:
      hot.store = record_of(current, hot.store);
      return;
    case AccessKind::load:
    case AccessKind::volatile_load: {
      if (put_first(hot.load, current)) return;
      const bool first_says_all = hot.load.time() < order_.block_begin() && releases_.none() &&
                                  (hot.load.block_bytes() & current.bytes) == current.bytes;
      if (first_says_all) return;
      put_second(hot.load, cold_[word].load, current);
      break;
    }
    case AccessKind::atomic_compare_and_swap: {
      AccessRecord& last = cold_[word].compare_and_swap;
      last = record_of(current, last);
      break;
    }
    case AccessKind::atomic:
    case AccessKind::atomic_exchange: {
      Cold& cold = cold_[word];
      if (!put_first(cold.atomics[0], current))
        put_second(cold.atomics[0], cold.atomics[1], current);
      break;
    }
  }
  hot.load.mark();
}

}  // namespace cuda_simulator
