#pragma once

#include "execution/grid.h"
#include "trace/checks/access_checks.h"
#include "trace/checks/recent_works.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_reporter.h"

#include <cstdint>
#include <string>

namespace cuda_simulator {

// Finds two works of different streams or devices that use the same memory, if at least one of them
// writes it and neither waits for the other. The accesses of kernels are in the cells of the
// RaceDetector; copies, fills and NCCL calls use whole ranges, which are in RecentWorks.
class StreamRaces {
 public:
  explicit StreamRaces(RecentWorks& works) : works_(works) {}

  // Reports a race of a kernel's access with an access of an earlier launch.
  void report(const Grid& grid, const RaceDetector::Race& race,
              const AccessedBytes& accessed) const;
  // Returns whether a kernel's accesses must be compared with copies at all.
  bool has_rivals() const { return !works_.accesses().empty(); }
  void check(const Grid& grid, const WarpRequest& request) const;

  // A copy or a fill uses a memory range: it is compared with earlier works, and recorded.
  void runtime_uses(const AccessChecks& checks, std::uintptr_t address, std::size_t bytes,
                    bool writes, const char* function, std::uintptr_t caller) const;
  // Host code accesses memory: it is compared with the works that the host has not waited for.
  void host_uses(const AccessChecks& checks, Step step, std::uintptr_t address) const;

 private:
  // One of the two works: its name and its place.
  struct Party {
    std::string name;
    int device;
    Finding::Place place;
    bool is_launch;
    bool in_default_stream;
  };
  // Returns the one that is in the default stream if the other is not; otherwise nullptr.
  static const Party* without_stream(const Party& earlier, const Party& later);
  static Party party(const LaunchWork& launch, const RaceDetector::Access& access);
  static Party party(const RuntimeAccess& access);
  template <typename Meet>
  void for_each_rival(const AccessChecks& checks, std::uintptr_t begin, std::size_t bytes,
                      bool writes, Meet meet) const;
  // The running launch.
  Party party(const Grid& grid, std::uintptr_t code, AccessKind kind) const;
  void add(const FindingLog::Key& key, const Party& earlier, const Party& later,
           std::uintptr_t address) const;

  static void add_host(const FindingLog::Key& key, const Party& work, Step step,
                       std::uintptr_t address);

  RecentWorks& works_;
};

}  // namespace cuda_simulator
