#include "trace/releases.h"

#include <algorithm>

namespace cuda_simulator {

bool Releases::Release::operator==(const Release& other) const {
  return begin == other.begin && end == other.end && thread_end == other.thread_end &&
         thread == other.thread;
}

void Releases::begin_grid() {
  places_.clear();
  acquired_.clear();
  fence_time_ = covered_by_fence_ = last_store_ = {};  // the clock may start again
}

void Releases::begin_block() {
  acquired_.clear();
  block_has_fence_ = phase_has_fence_ = false;
  handed_on_ = 0;
}

void Releases::fence(int thread, std::uint32_t time) {
  block_has_fence_ = phase_has_fence_ = true;
  fence_time_[thread] = time;
  covered_by_fence_[thread] = order_.last_barrier();
}

// Any fence since the last barrier covers what came before that. What came after it is covered if
// every thread that has stored something made a fence of its own.
void Releases::before_barrier(int threads) {
  if (!phase_has_fence_) return;
  phase_has_fence_ = false;
  const std::uint32_t phase_begin = order_.last_barrier();
  bool all_covered = true;
  for (int t = 0; t < threads; ++t) {
    all_covered &= last_store_[t] < phase_begin || fence_time_[t] > last_store_[t];
  }
  handed_on_ = all_covered ? order_.now() + 1 : phase_begin;
}

void Releases::acquire_and_release(std::uintptr_t address, int thread) {
  const auto found = places_.find(address);
  if (found != places_.end()) {
    const Place& place = found->second;
    const std::size_t count = place.releases.size();
    const bool known = std::any_of(acquired_.begin(), acquired_.end(), [&](const Acquisition& a) {
      return a.place == &place && a.releases == count && a.thread == thread;
    });
    if (!known) acquired_.push_back({&place, count, thread, order_.now()});
  }
  if (block_has_fence_)
    release_by(found != places_.end() ? found->second : places_[address], thread);
}

void Releases::release_by(Place& place, int thread) {
  const std::uint32_t end = std::max(handed_on_, has_fence(thread) ? covered_by_fence_[thread] : 0);
  const auto add = [&](int of_thread, std::uint32_t thread_end) {
    const Release release{order_.block_begin(), end, thread_end, of_thread};
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
  // Exact enough: whatever came before this block, if it was handed to the block elsewhere.
  for (const Acquisition& acquisition : acquired_) {
    if (acquisition.place != &place) place.everything_before = order_.block_begin();
  }
}

bool Releases::contains(const Acquisition& acquisition, const AccessRecord& access) {
  if (access.time() < acquisition.place->everything_before) return true;
  const auto first = acquisition.place->releases.begin();
  auto after = std::upper_bound(
      first, first + static_cast<std::ptrdiff_t>(acquisition.releases), access.time(),
      [](std::uint32_t time, const Release& release) { return time < release.begin; });
  const std::uint32_t begin = after != first ? (after - 1)->begin : 0;
  for (; after != first && (after - 1)->begin == begin; --after) {
    const Release& release = *(after - 1);
    if (access.time() < release.end) return true;
    if (access.thread() == release.thread && access.time() < release.thread_end) return true;
  }
  return false;
}

bool Releases::acquired(const AccessRecord& earlier, int thread) const {
  return std::any_of(acquired_.begin(), acquired_.end(), [&](const Acquisition& acquisition) {
    const bool reaches_thread =
        acquisition.thread == thread ||
        acquisition.time < order_.ordered_before(acquisition.thread, thread);
    return reaches_thread && contains(acquisition, earlier);
  });
}

}  // namespace cuda_simulator
