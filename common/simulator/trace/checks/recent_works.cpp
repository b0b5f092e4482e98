#include "trace/checks/recent_works.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace cuda_simulator {

void AddressRanges::finish() {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  std::size_t count = 0;
  for (const ByteRange& range : ranges_) {
    if (count > 0 && range.begin <= ranges_[count - 1].end) {
      ranges_[count - 1].end = std::max(ranges_[count - 1].end, range.end);
    } else {
      ranges_[count++] = range;
    }
  }
  ranges_.resize(count);
}

void RecentWorks::begin(const StreamOrder::Given& given, int device) {
  current_ = given;
  device_ = device;
  const auto is_over = [](const auto& earlier) {
    return StreamOrder::get().is_behind_all(earlier.work);
  };
  launches_.erase(std::remove_if(launches_.begin(), launches_.end(), is_over), launches_.end());
  accesses_.erase(std::remove_if(accesses_.begin(), accesses_.end(), is_over), accesses_.end());
  concurrent_launches_.clear();
  for (const LaunchWork& launch : launches_) {
    if (!given.clock.includes(launch.work))
      concurrent_launches_.add(launch.begin, launch.end, &launch);
  }
  concurrent_accesses_.clear();
  std::copy_if(accesses_.begin(), accesses_.end(), std::back_inserter(concurrent_accesses_),
               [&](const RuntimeAccess& earlier) { return !given.clock.includes(earlier.work); });
}

void RecentWorks::begin_host() {
  const StreamOrder& order = StreamOrder::get();
  if (std::exchange(host_since_, order.changes()) != order.changes()) begin(order.of_host(), 0);
}

// The list grows only at its end, so pointers into it stay valid until the next work.
void RecentWorks::begin_launch(const char* kernel, Epoch begin) {
  launches_.push_back({current_.work, device_, kernel, begin, begin});
  used_.clear();
  written_.clear();
  for (const RuntimeAccess& access : concurrent_accesses_) {
    used_.add(access.begin, access.end);
    if (access.writes) written_.add(access.begin, access.end);
  }
  used_.finish();
  written_.finish();
}

void RecentWorks::end_launch(Epoch end) {
  launches_.back().end = end;
  if (launches_.size() > kMostLaunches) launches_.pop_front();
}

void RecentWorks::add(const RuntimeAccess& access) {
  if (StreamOrder::get().is_behind_all(access.work)) return;
  accesses_.push_back(access);
  if (accesses_.size() > kMostAccesses) accesses_.pop_front();
}

void RecentWorks::forget(std::uintptr_t begin, std::uintptr_t end) {
  const auto lies_there = [=](const RuntimeAccess& access) { return access.overlaps(begin, end); };
  accesses_.erase(std::remove_if(accesses_.begin(), accesses_.end(), lies_there), accesses_.end());
  concurrent_accesses_.clear();
}

void RecentWorks::forget_launches() {
  launches_.clear();
  concurrent_launches_.clear();
}

}  // namespace cuda_simulator
