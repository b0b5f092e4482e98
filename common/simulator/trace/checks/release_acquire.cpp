#include "trace/checks/release_acquire.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {

bool ScopedReleaseAcquire::Release::operator==(const Release& other) const {
  return begin == other.begin && end == other.end && thread_end == other.thread_end &&
         thread == other.thread;
}

void ScopedReleaseAcquire::forget() {
  sync_variables_.clear();
  of_block_.acquired.clear();
}

void ScopedReleaseAcquire::begin_grid() {
  forget();
  of_block_ = {};  // the clock may have started again
}

void ScopedReleaseAcquire::begin_block() {
  if (scope_ == FenceScope::block) forget();
  of_block_.acquired.clear();
  of_block_.has_any_fence = of_block_.phase_has_fence = false;
  of_block_.covered_by_barrier = 0;
}

ScopedReleaseAcquire::OfBlock ScopedReleaseAcquire::block_interrupted() {
  if (scope_ == FenceScope::block) of_block_.sync_variables.swap(sync_variables_);
  return std::exchange(of_block_, {});
}

void ScopedReleaseAcquire::block_continues(OfBlock of_block) {
  of_block_ = std::move(of_block);
  if (scope_ == FenceScope::block) {
    sync_variables_ = std::exchange(of_block_.sync_variables, {});
  }
}

void ScopedReleaseAcquire::fence(int thread, Epoch epoch) {
  of_block_.has_any_fence = of_block_.phase_has_fence = true;
  of_block_.fence_epoch[thread] = epoch;
  of_block_.covered_by_fence[thread] = clock_.last_barrier();
}

// Any fence since the last barrier covers all accesses before that barrier. Later accesses are
// covered if every thread that has stored something executed a fence.
void ScopedReleaseAcquire::before_barrier(int threads) {
  if (!of_block_.phase_has_fence) return;
  of_block_.phase_has_fence = false;
  if (scope_ == FenceScope::block) {
    forget();
    return;
  }
  const Epoch phase_begin = clock_.last_barrier();
  bool all_covered = true;
  for (int t = 0; t < threads; ++t) {
    const Epoch last_store = of_block_.last_store[t];
    all_covered &= last_store < phase_begin || of_block_.fence_epoch[t] > last_store;
  }
  of_block_.covered_by_barrier = all_covered ? clock_.now() + 1 : phase_begin;
}

void ScopedReleaseAcquire::acquire(std::uint64_t address, int thread) {
  const auto found = sync_variables_.find(address);
  if (found == sync_variables_.end()) return;
  const std::size_t count = found->second.releases.size();
  std::vector<Acquisition>& acquired = of_block_.acquired;
  const bool known = std::any_of(acquired.begin(), acquired.end(), [&](const Acquisition& a) {
    return a.variable == &found->second && a.releases == count && a.thread == thread;
  });
  if (!known) acquired.push_back({&found->second, count, thread, clock_.now()});
}

void ScopedReleaseAcquire::release(std::uint64_t address, int thread) {
  if (!of_block_.has_any_fence) return;
  const auto& fence_epoch = of_block_.fence_epoch;
  SyncVariable& variable = sync_variables_[address];
  const Epoch end = std::max(of_block_.covered_by_barrier,
                             has_fence(thread) ? of_block_.covered_by_fence[thread] : Epoch{0});
  const auto add_until = [&](int of_thread, Epoch thread_end) {
    const Release release{begin(), end, thread_end, of_thread};
    if (release.end <= release.begin && release.thread_end <= release.begin) return;
    if (variable.releases.empty() || !(variable.releases.back() == release)) add(variable, release);
  };
  const int first_lane = thread / kWarpSize * kWarpSize;
  for (int other = first_lane; other < first_lane + kWarpSize; ++other) {
    if (other == thread) continue;
    const Epoch met = clock_.epoch_seen(other, thread);
    Epoch covered = 0;
    if (has_fence(other) && fence_epoch[other] < met) covered = fence_epoch[other];
    if (has_fence(thread)) covered = std::max(covered, std::min(met, fence_epoch[thread]));
    if (covered > end) add_until(other, covered);
  }
  add_until(thread, has_fence(thread) ? fence_epoch[thread] : 0);
  hand_on_acquired(variable, thread);
}

void ScopedReleaseAcquire::add(SyncVariable& variable, const Release& release) {
  std::vector<Release>& releases = variable.releases;
  variable.is_sorted &= releases.empty() || releases.back().begin <= release.begin;
  releases.push_back(release);
}

// Accesses that this thread acquired elsewhere are released here together with its own.
void ScopedReleaseAcquire::hand_on_acquired(SyncVariable& variable, int thread) const {
  for (const Acquisition& acquisition : of_block_.acquired) {
    if (acquisition.variable == &variable) continue;
    variable.everything_before =
        std::max(variable.everything_before, acquired_elsewhere(acquisition));
    if (acquisition.thread != thread || !has_fence(thread)) continue;
    for (std::size_t i = acquisition.releases; i > 0; --i) {
      const Release& release = acquisition.variable->releases[i - 1];
      if (release.begin != begin()) break;
      const auto last = variable.releases.rbegin(), end = variable.releases.rend();
      const auto known = std::find_if(
          last, end, [&](const Release& r) { return r == release || r.begin != release.begin; });
      if (known == end || !(*known == release)) add(variable, release);
    }
  }
}

// The time before which everything counts as acquired. Exact enough: usually all earlier blocks
// have ended when this one begins.
Epoch ScopedReleaseAcquire::acquired_elsewhere(const Acquisition& acquisition) const {
  Epoch before = begin();
  if (!clock_.has_interruptions()) return before;
  before = std::max(before, acquisition.variable->everything_before);
  for (std::size_t i = 0; i < acquisition.releases; ++i) {
    const Release& release = acquisition.variable->releases[i];
    if (release.begin != begin()) before = std::max({before, release.end, release.thread_end});
  }
  return before;
}

bool ScopedReleaseAcquire::contains(const Acquisition& acquisition, Event event) const {
  const SyncVariable& variable = *acquisition.variable;
  if (event.epoch < variable.everything_before) return true;
  const Epoch begin =
      scope_ == FenceScope::block ? clock_.last_barrier() : clock_.begin_of(event.epoch);
  auto first = variable.releases.begin();
  auto end = first + static_cast<std::ptrdiff_t>(acquisition.releases);
  if (variable.is_sorted) {
    first = std::lower_bound(first, end, begin,
                             [](const Release& release, Epoch at) { return release.begin < at; });
    end = std::upper_bound(first, end, begin,
                           [](Epoch at, const Release& release) { return at < release.begin; });
  }
  return event.epoch >= begin && std::any_of(first, end, [&](const Release& release) {
           return release.begin == begin &&
                  (event.epoch < release.end ||
                   (event.thread == release.thread && event.epoch < release.thread_end));
         });
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
