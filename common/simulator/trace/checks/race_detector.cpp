#include "trace/checks/race_detector.h"

#include <utility>

namespace cuda_simulator {

void RaceDetector::forget(std::size_t offset, std::size_t bytes) {
  const std::size_t first = offset / 4, end = (offset + bytes + 3) / 4;
  common_.clear(first, end - first);
  rare_.clear(first, end - first);
}

void RaceDetector::forget_all() {
  common_.clear();
  rare_.clear();
  postponed_.clear();
  last_change_ = 0;
}

namespace {

// The words of a range: the first, and the one after the last.
std::pair<std::size_t, std::size_t> words_in(const SharedRange& range) {
  return {range.offset / 4, (range.offset + range.bytes + 3) / 4};
}

}  // namespace

RaceDetector::OfBlock RaceDetector::block_interrupted(const std::vector<SharedRange>& ranges) {
  record_postponed();
  OfBlock of_block;
  for (const SharedRange& range : ranges) {
    const auto [first, end] = words_in(range);
    of_block.common.insert(of_block.common.end(), &common_[first], &common_[end]);
    of_block.rare.insert(of_block.rare.end(), &rare_[first], &rare_[end]);
  }
  return of_block;
}

void RaceDetector::block_continues(const std::vector<SharedRange>& ranges,
                                   const OfBlock& of_block) {
  auto common = of_block.common.begin();
  auto rare = of_block.rare.begin();
  for (const SharedRange& range : ranges) {
    const auto [first, end] = words_in(range);
    const auto words = static_cast<std::ptrdiff_t>(end - first);
    std::copy_n(common, words, &common_[first]);
    std::copy_n(rare, words, &rare_[first]);
    common += words;
    rare += words;
  }
  postponed_.clear();
  last_change_ = clock_.now();  // nothing is postponed until the next barrier
}

void RaceDetector::record_postponed() {
  for (const PostponedLoads& loads : postponed_) {
    const AddressedArray memory{Region::shared, false, loads.region_begin, loads.region_begin, 0};
    std::array<std::uintptr_t, kWarpSize> addresses;
    for (int lane = 0; lane < kWarpSize; ++lane)
      addresses[lane] = loads.region_begin + loads.offsets[lane];
    const WarpRequest request(loads.step, memory, loads.warp, ~0u, ~0u, addresses.data(), false);
    check_at(loads.epoch, AccessKind::load, request, ~0u, [](int, const Race&) {});
  }
  postponed_.clear();
}

RaceDetector::LastStore RaceDetector::last_store(std::size_t offset) const {
  using By = LastStore::By;
  const ShadowCell store = common_[offset / 4].store;
  Epoch atomic = 0;
  if (store.marked()) {
    const RareCells& rare = rare_[offset / 4];
    for (const ShadowCell& cell : {rare.atomics[0], rare.atomics[1], rare.compare_and_swap})
      atomic = std::max(atomic, cell.epoch());
  }
  const Epoch last = std::max(store.epoch(), atomic);
  if (last == 0) return {By::no_thread};
  if (!clock_.is_of_this_launch(last)) return {By::earlier_launch, last};
  if (atomic > store.epoch()) return {By::atomic_function, last};
  if ((store.own_bytes() >> offset % 4 & 1) == 0)
    return {By::unknown, last};  // a different byte of the word
  return {By::thread, last, store.thread(), clock_.block_at(last)};
}

bool RaceDetector::unordered(const ShadowCell& earlier, const Current& current) const {
  if (earlier.epoch() < lifetime_begin()) return false;
  if (earlier.epoch() < clock_.launch_begin())
    return (earlier.block_bytes() & current.bytes) != 0 && concurrent_.at(earlier.epoch());
  if (!clock_.is_of_block(earlier.epoch())) {
    return (earlier.block_bytes() & current.bytes) != 0 &&
           !release_acquire_.acquired(earlier, current.thread);
  }
  return (earlier.own_bytes() & current.bytes) != 0 && earlier.thread() != current.thread &&
         earlier.epoch() >= clock_.epoch_seen(earlier.thread(), current.thread) &&
         !release_acquire_.acquired(earlier, current.thread);
}

bool RaceDetector::races_with_load(const ShadowCell& load, const Current& current) const {
  const bool both_atomic = is_atomic(current.kind) && codes_.is_volatile(load.code_number());
  return !both_atomic && unordered(load, current);
}

std::uint32_t RaceDetector::fenced_lanes(const WarpRequest& request) const {
  std::uint32_t fenced = 0;
  for_each_lane(request.unchecked_lanes, [&](int lane) {
    fenced |= std::uint32_t{release_acquire_.has_fence(request.thread(lane))} << lane;
  });
  return fenced;
}

// Atomic accesses to one word have a single order, with or without fences: an access after the
// block's own atomic access comes after the atomic accesses of the earlier blocks.
bool RaceDetector::comes_after_own_atomic(const RareCells& rare, Epoch earlier,
                                          const Current& current) const {
  for (const ShadowCell& own : rare.atomics) {
    if (own.epoch() <= earlier || !clock_.is_of_block(own.epoch()) ||
        (own.own_bytes() & current.bytes) == 0)
      continue;
    if (own.thread() == current.thread ||
        own.epoch() < clock_.epoch_seen(own.thread(), current.thread)) {
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
  const CommonCells& common = common_[word];
  const bool is_load = current.kind == AccessKind::load;
  const bool may_meet_loads = is_load || current.kind == AccessKind::atomic_compare_and_swap;
  if (unordered(common.store, current)) return race_with(common.store, AccessKind::store, current);
  if (!may_meet_loads && races_with_load(common.load, current))
    return race_with(common.load, AccessKind::load, current);
  if (!may_meet_loads && common.load.marked() && races_with_load(rare_[word].load, current))
    return race_with(rare_[word].load, AccessKind::load, current);
  if (!common.store.marked() || is_atomic(current.kind)) return std::nullopt;
  const RareCells& rare = rare_[word];
  if (is_load && codes_.is_volatile(current.code_number)) return std::nullopt;
  if (!is_load && unordered(rare.compare_and_swap, current) &&
      !comes_after_own_atomic(rare, rare.compare_and_swap.epoch(), current)) {
    return race_with(rare.compare_and_swap, AccessKind::atomic_compare_and_swap, current);
  }
  for (const ShadowCell& atomic : rare.atomics) {
    if (!unordered(atomic, current)) continue;
    const bool other_block = !clock_.is_of_block(atomic.epoch());
    if (other_block && comes_after_own_atomic(rare, atomic.epoch(), current)) continue;
    return race_with(atomic, AccessKind::atomic, current);
  }
  return std::nullopt;
}

RaceDetector::Access RaceDetector::access(unsigned code, int thread, Epoch epoch,
                                          AccessKind as) const {
  if (is_atomic(as) && codes_.is_volatile(code)) as = AccessKind::store;
  if (as == AccessKind::store && codes_.is_async_copy(code)) as = AccessKind::async_copy;
  const std::uint64_t block = epoch < clock_.launch_begin() ? 0 : clock_.block_at(epoch);
  return {codes_.code_of(code), thread, block, as, epoch};
}

RaceDetector::Race RaceDetector::race_with(const ShadowCell& earlier, AccessKind kind,
                                           const Current& current) const {
  return {access(earlier.code_number(), earlier.thread(), earlier.epoch(), kind),
          access(current.code_number, current.thread, current.epoch, current.kind)};
}

void RaceDetector::remember(std::size_t word, const Current& current) {
  CommonCells& common = common_[word];
  switch (current.kind) {
    case AccessKind::store:
    case AccessKind::volatile_store:
    case AccessKind::async_copy:
    case AccessKind::async_copy_arrival:
      common.store.replace(cell_of(current, common.store));
      return;
    case AccessKind::load:
    case AccessKind::volatile_load:
      remember_load(word, current);
      return;
    case AccessKind::atomic_compare_and_swap: {
      ShadowCell& last = rare_[word].compare_and_swap;
      last = cell_of(current, last);
      break;
    }
    case AccessKind::atomic:
    case AccessKind::atomic_exchange: {
      RareCells& rare = rare_[word];
      if (!put_first(rare.atomics[0], current))
        put_second(rare.atomics[0], rare.atomics[1], current);
      break;
    }
  }
  common.store.mark();
}

}  // namespace cuda_simulator
