#pragma once

#include "execution/grid.h"
#include "trace/checks/access_checks.h"
#include "trace/checks/recent_works.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_reporter.h"

#include <cstdint>
#include <string>

namespace cuda_simulator {

// Finds two works of different streams, or devices, that use the same memory while nothing makes
// one wait for the other, and one of them writes it. Kernels leave their accesses in the cells of
// the RaceDetector; copies, fills and NCCL's calls, which use whole stretches, in RecentWorks.
class StreamRaces {
 public:
  explicit StreamRaces(RecentWorks& works) : works_(works) {}

  // Of a kernel's access, with what an earlier launch did.
  void report(const Grid& grid, const RaceDetector::Race& race,
              const AccessedBytes& accessed) const;
  // Whether a kernel's accesses have to be compared with copies' at all.
  bool has_rivals() const { return !works_.accesses().empty(); }
  void check(const Grid& grid, const WarpRequest& request) const;

  // A copy or a fill uses a stretch of memory: compared with what was before, and remembered.
  void runtime_uses(AccessChecks& checks, std::uintptr_t address, std::size_t bytes, bool writes,
                    const char* function, std::uintptr_t caller) const;

 private:
  // One of the two works, in words and with its place.
  struct Party {
    std::string name;
    int device;
    Finding::Place place;
    bool is_launch;
    bool in_default_stream;
  };
  // The one of them that has the default stream, while the other has one of its own; or nullptr.
  static const Party* without_stream(const Party& earlier, const Party& later);
  static Party party(const LaunchWork& launch, const RaceDetector::Access& access);
  static Party party(const RuntimeAccess& access);
  // The running launch.
  Party party(const Grid& grid, std::uintptr_t code, AccessKind kind) const;
  void add(const FindingLog::Key& key, const Party& earlier, const Party& later,
           std::uintptr_t address) const;

  RecentWorks& works_;
};

}  // namespace cuda_simulator
