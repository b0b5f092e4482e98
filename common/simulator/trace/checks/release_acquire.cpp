#include "trace/checks/release_acquire.h"

#include <algorithm>

namespace cuda_simulator {

bool ScopedReleaseAcquire::Release::operator==(const Release& other) const {
  return begin == other.begin && end == other.end && thread_end == other.thread_end &&
         thread == other.thread;
}

void ScopedReleaseAcquire::forget() {
  sync_variables_.clear();
  acquired_.clear();
}

void ScopedReleaseAcquire::begin_grid() {
  forget();
  fence_epoch_ = covered_by_fence_ = last_store_ = {};  // the clock may have started again
}

void ScopedReleaseAcquire::begin_block() {
  if (scope_ == FenceScope::block) forget();
  acquired_.clear();
  has_any_fence_ = phase_has_fence_ = false;
  covered_by_barrier_ = 0;
}

void ScopedReleaseAcquire::fence(int thread, Epoch epoch) {
  has_any_fence_ = phase_has_fence_ = true;
  fence_epoch_[thread] = epoch;
  covered_by_fence_[thread] = clock_.last_barrier();
}

// Any fence since the last barrier covers all accesses before that barrier. Later accesses are
// covered if every thread that has stored something executed a fence.
void ScopedReleaseAcquire::before_barrier(int threads) {
  if (!phase_has_fence_) return;
  phase_has_fence_ = false;
  if (scope_ == FenceScope::block) {
    forget();
    return;
  }
  const Epoch phase_begin = clock_.last_barrier();
  bool all_covered = true;
  for (int t = 0; t < threads; ++t) {
    all_covered &= last_store_[t] < phase_begin || fence_epoch_[t] > last_store_[t];
  }
  covered_by_barrier_ = all_covered ? clock_.now() + 1 : phase_begin;
}

void ScopedReleaseAcquire::acquire(std::uint64_t address, int thread) {
  const auto found = sync_variables_.find(address);
  if (found == sync_variables_.end()) return;
  const std::size_t count = found->second.releases.size();
  const bool known = std::any_of(acquired_.begin(), acquired_.end(), [&](const Acquisition& a) {
    return a.variable == &found->second && a.releases == count && a.thread == thread;
  });
  if (!known) acquired_.push_back({&found->second, count, thread, clock_.now()});
}

void ScopedReleaseAcquire::release(std::uint64_t address, int thread) {
  if (!has_any_fence_) return;
  SyncVariable& variable = sync_variables_[address];
  const Epoch end =
      std::max(covered_by_barrier_, has_fence(thread) ? covered_by_fence_[thread] : 0);
  const auto add = [&](int of_thread, Epoch thread_end) {
    const Release release{begin(), end, thread_end, of_thread};
    if (release.end <= release.begin && release.thread_end <= release.begin) return;
    if (variable.releases.empty() || !(variable.releases.back() == release))
      variable.releases.push_back(release);
  };
  const int first_lane = thread / kWarpSize * kWarpSize;
  for (int other = first_lane; other < first_lane + kWarpSize; ++other) {
    if (other == thread) continue;
    const Epoch met = clock_.epoch_seen(other, thread);
    Epoch covered = 0;
    if (has_fence(other) && fence_epoch_[other] < met) covered = fence_epoch_[other];
    if (has_fence(thread)) covered = std::max(covered, std::min(met, fence_epoch_[thread]));
    if (covered > end) add(other, covered);
  }
  add(thread, has_fence(thread) ? fence_epoch_[thread] : 0);
  hand_on_acquired(variable, thread);
}

// Accesses that this thread acquired elsewhere are released here together with its own.
void ScopedReleaseAcquire::hand_on_acquired(SyncVariable& variable, int thread) const {
  for (const Acquisition& acquisition : acquired_) {
    if (acquisition.variable == &variable) continue;
    variable.everything_before = begin();  // exact enough for everything before this block
    if (acquisition.thread != thread || !has_fence(thread)) continue;
    for (std::size_t i = acquisition.releases; i > 0; --i) {
      const Release& release = acquisition.variable->releases[i - 1];
      if (release.begin != begin()) break;
      const auto last = variable.releases.rbegin(), end = variable.releases.rend();
      const auto known = std::find_if(
          last, end, [&](const Release& r) { return r == release || r.begin != release.begin; });
      if (known == end || !(*known == release)) variable.releases.push_back(release);
    }
  }
}

bool ScopedReleaseAcquire::contains(const Acquisition& acquisition, Event event) {
  if (event.epoch < acquisition.variable->everything_before) return true;
  const auto first = acquisition.variable->releases.begin();
  auto after = std::upper_bound(
      first, first + static_cast<std::ptrdiff_t>(acquisition.releases), event.epoch,
      [](Epoch epoch, const Release& release) { return epoch < release.begin; });
  const Epoch begin = after != first ? (after - 1)->begin : 0;
  for (; after != first && (after - 1)->begin == begin; --after) {
    const Release& release = *(after - 1);
    if (event.epoch < release.end) return true;
    if (event.thread == release.thread && event.epoch < release.thread_end) return true;
  }
  return false;
}

void ReleaseAcquire::begin_grid() {
  in_launch_.begin_grid();
  in_block_.begin_grid();
}

void ReleaseAcquire::begin_block() {
  in_launch_.begin_block();
  in_block_.begin_block();
}

void ReleaseAcquire::before_barrier(int threads) {
  in_launch_.before_barrier(threads);
  in_block_.before_barrier(threads);
}

void ReleaseAcquire::fence(int thread, FenceScope scope, Epoch epoch) {
  in_block_.fence(thread, epoch);
  if (scope == FenceScope::device) in_launch_.fence(thread, epoch);
}

void ReleaseAcquire::acquire(std::uint64_t address, FenceScope reach, int thread) {
  if (reach == FenceScope::device) in_launch_.acquire(address, thread);
  in_block_.acquire(address, thread);
}

void ReleaseAcquire::release(std::uint64_t address, FenceScope reach, int thread) {
  if (reach == FenceScope::device) in_launch_.release(address, thread);
  in_block_.release(address, thread);
}

bool ReleaseAcquire::acquired(const ShadowCell& earlier, int thread) const {
  const ScopedReleaseAcquire::Event event{earlier.epoch(), earlier.thread()};
  const auto in_block = [&](ScopedReleaseAcquire::Event at) {
    return in_block_.acquired(at, thread, [](ScopedReleaseAcquire::Event) { return false; });
  };
  const bool is_of_this_block = event.epoch >= clock_.block_begin();
  return (is_of_this_block && in_block(event)) || in_launch_.acquired(event, thread, in_block);
}

}  // namespace cuda_simulator
