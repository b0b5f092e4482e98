#pragma once

#include "runtime/stream_order.h"
#include "trace/checks/clock.h"
#include "trace/checks/concurrent_launches.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace cuda_simulator {

// A launch, and the epochs in which it ran: [begin, end).
struct LaunchWork {
  Work work;
  int device;
  std::string kernel;
  Epoch begin, end;
};

// A memory range that a copy, a fill or an NCCL call used.
struct RuntimeAccess {
  Work work;
  int device;  // the device of its stream
  const char* function;
  std::uintptr_t caller;  // a return address
  std::uintptr_t begin, end;
  bool writes;

  bool overlaps(std::uintptr_t from, std::uintptr_t to) const { return begin < to && from < end; }
};

// Disjoint memory ranges in ascending order, for a fast search by address.
class AddressRanges {
 public:
  void clear() { ranges_.clear(); }
  // Adds ranges in any order; finish() sorts them.
  void add(std::uintptr_t begin, std::uintptr_t end) { ranges_.push_back({begin, end}); }
  void finish();
  bool overlap(std::uintptr_t from, std::uintptr_t to) const {
    const auto after = std::upper_bound(
        ranges_.begin(), ranges_.end(), from,
        [](std::uintptr_t address, const ByteRange& range) { return address < range.end; });
    return after != ranges_.end() && after->begin < to;
  }

 private:
  struct ByteRange {
    std::uintptr_t begin, end;
  };
  std::vector<ByteRange> ranges_;
};

// The works that later works may still overlap, because the host has not waited for them. If there
// are very many, only the last ones.
class RecentWorks {
 public:
  // All events from here on belong to this work, on this device.
  void begin(const StreamOrder::Given& given, int device);
  // The events that follow are those of host code.
  void begin_host();
  void begin_launch(const char* kernel, Epoch begin);
  void end_launch(Epoch end);
  void add(const RuntimeAccess& access);
  void forget(std::uintptr_t begin, std::uintptr_t end);
  // Epochs start again.
  void forget_launches();

  Work current() const { return current_.work; }
  int device() const { return device_; }
  // The launches for which the current work does not wait.
  const ConcurrentLaunches& launches() const { return concurrent_launches_; }
  const std::vector<RuntimeAccess>& accesses() const { return concurrent_accesses_; }
  // The memory ranges in which those accesses may race with a launch's stores or loads.
  const AddressRanges& rivals_of_stores() const { return used_; }
  const AddressRanges& rivals_of_loads() const { return written_; }

 private:
  static constexpr std::size_t kMostLaunches = 1000, kMostAccesses = 4000;

  StreamOrder::Given current_;
  std::uint64_t host_since_ = 0;  // StreamOrder::changes(), when the host's events began
  int device_ = 0;
  std::deque<LaunchWork> launches_;  // other objects point to its elements
  std::deque<RuntimeAccess> accesses_;
  ConcurrentLaunches concurrent_launches_;
  std::vector<RuntimeAccess> concurrent_accesses_;
  AddressRanges used_, written_;
};

}  // namespace cuda_simulator
