#include "trace/checks/releases.h"

#include <algorithm>

namespace cuda_simulator {

bool ScopedReleases::Release::operator==(const Release& other) const {
  return begin == other.begin && end == other.end && thread_end == other.thread_end &&
         thread == other.thread;
}

void ScopedReleases::forget() {
  places_.clear();
  acquired_.clear();
}

void ScopedReleases::begin_grid() {
  forget();
  fence_time_ = covered_by_fence_ = last_store_ = {};  // the clock may start again
}

void ScopedReleases::begin_block() {
  if (scope_ == FenceScope::block) forget();
  acquired_.clear();
  has_any_fence_ = phase_has_fence_ = false;
  handed_on_ = 0;
}

void ScopedReleases::fence(int thread, std::uint32_t time) {
  has_any_fence_ = phase_has_fence_ = true;
  fence_time_[thread] = time;
  covered_by_fence_[thread] = order_.last_barrier();
}

// Any fence since the last barrier covers what came before that. What came after it is covered if
// every thread that has stored something made a fence of its own.
void ScopedReleases::before_barrier(int threads) {
  if (!phase_has_fence_) return;
  phase_has_fence_ = false;
  if (scope_ == FenceScope::block) {
    forget();
    return;
  }
  const std::uint32_t phase_begin = order_.last_barrier();
  bool all_covered = true;
  for (int t = 0; t < threads; ++t) {
    all_covered &= last_store_[t] < phase_begin || fence_time_[t] > last_store_[t];
  }
  handed_on_ = all_covered ? order_.now() + 1 : phase_begin;
}

void ScopedReleases::acquire(std::uint64_t place, int thread) {
  if (places_.empty()) return;
  const auto found = places_.find(place);
  if (found == places_.end()) return;
  const std::size_t count = found->second.releases.size();
  const bool known = std::any_of(acquired_.begin(), acquired_.end(), [&](const Acquisition& a) {
    return a.place == &found->second && a.releases == count && a.thread == thread;
  });
  if (!known) acquired_.push_back({&found->second, count, thread, order_.now()});
}

void ScopedReleases::release(std::uint64_t place_number, int thread) {
  if (!has_any_fence_) return;
  Place& place = places_[place_number];
  const std::uint32_t end = std::max(handed_on_, has_fence(thread) ? covered_by_fence_[thread] : 0);
  const auto add = [&](int of_thread, std::uint32_t thread_end) {
    const Release release{begin(), end, thread_end, of_thread};
    if (release.end <= release.begin && release.thread_end <= release.begin) return;
    if (place.releases.empty() || !(place.releases.back() == release))
      place.releases.push_back(release);
  };
  const int first_lane = thread / kWarpSize * kWarpSize;
  for (int other = first_lane; other < first_lane + kWarpSize; ++other) {
    if (other == thread) continue;
    const std::uint32_t met = order_.ordered_before(other, thread);
    std::uint32_t covered = 0;
    if (has_fence(other) && fence_time_[other] < met) covered = fence_time_[other];
    if (has_fence(thread)) covered = std::max(covered, std::min(met, fence_time_[thread]));
    if (covered > end) add(other, covered);
  }
  add(thread, has_fence(thread) ? fence_time_[thread] : 0);
  hand_on_acquired(place, thread);
}

// What others released to this thread elsewhere is released here with its own.
void ScopedReleases::hand_on_acquired(Place& place, int thread) const {
  for (const Acquisition& acquisition : acquired_) {
    if (acquisition.place == &place) continue;
    place.everything_before = begin();  // exact enough for what came before this block
    if (acquisition.thread != thread || !has_fence(thread)) continue;
    for (std::size_t i = acquisition.releases; i > 0; --i) {
      const Release& release = acquisition.place->releases[i - 1];
      if (release.begin != begin()) break;
      const auto last = place.releases.rbegin(), end = place.releases.rend();
      const auto known = std::find_if(
          last, end, [&](const Release& r) { return r == release || r.begin != release.begin; });
      if (known == end || !(*known == release)) place.releases.push_back(release);
    }
  }
}

bool ScopedReleases::contains(const Acquisition& acquisition, Event event) {
  if (event.time < acquisition.place->everything_before) return true;
  const auto first = acquisition.place->releases.begin();
  auto after = std::upper_bound(
      first, first + static_cast<std::ptrdiff_t>(acquisition.releases), event.time,
      [](std::uint32_t time, const Release& release) { return time < release.begin; });
  const std::uint32_t begin = after != first ? (after - 1)->begin : 0;
  for (; after != first && (after - 1)->begin == begin; --after) {
    const Release& release = *(after - 1);
    if (event.time < release.end) return true;
    if (event.thread == release.thread && event.time < release.thread_end) return true;
  }
  return false;
}

void Releases::begin_grid() {
  to_launch_.begin_grid();
  to_block_.begin_grid();
}

void Releases::begin_block() {
  to_launch_.begin_block();
  to_block_.begin_block();
}

void Releases::before_barrier(int threads) {
  to_launch_.before_barrier(threads);
  to_block_.before_barrier(threads);
}

void Releases::fence(int thread, FenceScope scope, std::uint32_t time) {
  to_block_.fence(thread, time);
  if (scope == FenceScope::device) to_launch_.fence(thread, time);
}

void Releases::acquire(std::uint64_t place, FenceScope reach, int thread) {
  if (reach == FenceScope::device) to_launch_.acquire(place, thread);
  to_block_.acquire(place, thread);
}

void Releases::release(std::uint64_t place, FenceScope reach, int thread) {
  if (reach == FenceScope::device) to_launch_.release(place, thread);
  to_block_.release(place, thread);
}

bool Releases::acquired(const AccessRecord& earlier, int thread) const {
  const ScopedReleases::Event event{earlier.time(), earlier.thread()};
  const auto in_block = [&](ScopedReleases::Event at) {
    return to_block_.acquired(at, thread, [](ScopedReleases::Event) { return false; });
  };
  const bool is_of_this_block = event.time >= order_.block_begin();
  return (is_of_this_block && in_block(event)) || to_launch_.acquired(event, thread, in_block);
}

}  // namespace cuda_simulator
