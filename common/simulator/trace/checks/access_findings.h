#pragma once

#include "execution/block.h"
#include "runtime/device_memory.h"
#include "trace/checks/access_checks.h"
#include "trace/checks/copied_elements.h"
#include "trace/checks/recent_works.h"
#include "trace/checks/stream_races.h"
#include "trace/memory_map.h"
#include "trace/report/finding_reporter.h"
#include "trace/tracer.h"
#include "trace/warp/access.h"
#include "trace/warp/warp_log.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cuda_simulator {

// Runs the AccessChecks and reports their results: races, and reads of unwritten memory.
class AccessFindings {
 public:
  AccessFindings(const MemoryMap& memory, const FindingReporter& reporter);

  // Work of a stream of this device begins.
  void work_begins(const StreamOrder::Given& given, int device) { works_.begin(given, device); }
  void begin_grid(const Grid& grid);
  void begin_block(std::uint64_t index) { checks_.begin_block(index); }
  void barrier(int threads);
  void end_block() { report_uninitialised(Region::shared); }
  void block_suspended(std::uint64_t index, const std::vector<SharedRange>& ranges) {
    checks_.block_suspended(index, ranges);
  }
  void block_resumed(std::uint64_t index, const std::vector<SharedRange>& ranges) {
    checks_.block_resumed(index, ranges);
  }
  AccessChecks::OfBlock block_interrupted(const std::vector<SharedRange>& ranges) {
    return checks_.block_interrupted(grid_->threads_per_block(), ranges);
  }
  void block_continues(AccessChecks::OfBlock of_block, const std::vector<SharedRange>& ranges) {
    checks_.block_continues(std::move(of_block), ranges);
  }
  // How the element that the load of a waiting thread needs is to be described.
  std::string awaited_text(const WarpLog::LaneStep& load) const;
  void grid_synchronised() { checks_.grid_synchronised(); }
  void end_grid() {
    report_uninitialised(Region::device);
    works_.end_launch(checks_.now() + 1);
  }
  // Returns whether the launch has had so many races that more are of no use.
  bool has_too_many_races() const { return race_count_ > kMostRaces; }
  std::uint64_t race_count() const { return race_count_; }
  void warp_synchronised(int warp, std::uint32_t lanes, bool all_live_lanes) {
    checks_.warp_synchronised(warp, lanes, all_live_lanes);
  }
  void fence(int thread, FenceScope scope) {
    has_signals_ = true;
    checks_.fence(thread, scope);
  }
  void release(int thread, const void* object) { checks_.release(thread, object); }
  void acquire(int thread, const void* object) { checks_.acquire(thread, object); }
  // Returns whether the thread's next store or atomic function can be a release.
  bool has_fence(int thread) const { return checks_.has_fence(thread); }

  // Checks the accesses of the request's unchecked lanes, before any later event is ordered.
  void check(const WarpRequest& request) {
    if (stream_races_.has_rivals() && request.array.region == Region::device)
      stream_races_.check(*grid_, request);
    has_signals_ |= is_atomic(request.step.kind()) || is_volatile(request.step.kind());
    checks_.check(request, [&](const RaceDetector::Race& race, const AccessedBytes& accessed) {
      report_race(race, accessed, request);
    });
  }

  // Actions of the runtime; see Tracer.
  void launch_refused(const std::string& reason, const std::string& why, cudaError_t error,
                      std::uintptr_t caller);
  void device_memory_allocated(std::uintptr_t address) { launches_before_[address] = launches_; }
  void device_memory_written(std::uintptr_t address, std::size_t bytes);
  void memory_written(std::uintptr_t address, std::size_t bytes, const char* function,
                      std::uintptr_t caller);
  void memory_read(std::uintptr_t address, std::size_t bytes, const char* function,
                   std::uintptr_t caller);
  void memory_copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes,
                     const char* function, std::uintptr_t caller);
  void device_memory_freed(std::uintptr_t address, std::size_t bytes);
  // Host code accesses managed or pinned memory.
  void host_uses(Step access, std::uintptr_t address) {
    stream_races_.host_uses(checks_, access, address);
  }
  std::vector<std::string> writers_of(const HostElements& elements) const {
    return copied_.writers_of(elements, checks_);
  }

 private:
  struct RefusedLaunch {
    std::uint64_t number = 0;  // 0: there is none
    std::string text, facts;
    Finding::Place place;
  };

  Finding::Place place(const RaceDetector::Access& access) const;
  // `request` has the later access.
  void report_race(const RaceDetector::Race& race, const AccessedBytes& accessed,
                   const WarpRequest& request);
  void report_uninitialised(Region region);
  void report_uninitialised_copy(std::uintptr_t from, std::size_t bytes, const char* function,
                                 std::uintptr_t caller);
  void add_missing_launch(const Allocation& allocation, Finding& finding) const;

  static constexpr std::uint64_t kMostRaces = 1 << 22;

  const MemoryMap& memory_;
  const FindingReporter& reporter_;
  const DeviceMemory& device_;
  const Grid* grid_ = nullptr;
  std::uint64_t race_count_ = 0;  // in this launch
  // Whether this launch has executed a fence, or an access that can signal to another block.
  bool has_signals_ = false;
  RecentWorks works_;
  AccessChecks checks_;
  CopiedElements copied_;
  // The number of launches so far, also of those that were refused; and when memory was allocated.
  std::uint64_t launches_ = 0;
  std::map<std::uintptr_t, std::uint64_t> launches_before_;
  RefusedLaunch last_refused_;
  StreamRaces stream_races_{works_};
};

}  // namespace cuda_simulator
