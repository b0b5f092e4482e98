#pragma once

#include "trace/race_detector.h"
#include "trace/unwritten_reads.h"
#include "trace/written_bytes.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace cuda_simulator {

// What of an access depends on the accesses before it: races, and reads of what nothing wrote.
// Memory is in regions, each counted from its own first byte.
class AccessChecks {
 public:
  enum class Region : std::uint8_t { shared, device, variables };
  struct Access {
    Region region;
    bool may_be_unwritten;  // false where the host can write, and for variables: they begin as 0
    AccessKind kind;
    unsigned bytes;
    std::size_t offset;  // a multiple of `bytes`
    std::uintptr_t code;
  };

  // The environment can switch off what costs time and memory: CUDA_SIMULATOR_GLOBAL_RACES=0 and
  // CUDA_SIMULATOR_UNINITIALISED=0.
  AccessChecks(std::size_t shared_bytes, std::size_t device_bytes, std::size_t variable_bytes);

  void begin_grid();
  void begin_block();
  void barrier(int threads);
  void warp_synchronised(int warp, std::uint32_t lanes, bool all_live_lanes) {
    order_.warp_synchronised(warp, lanes, all_live_lanes);
  }
  void fence(int thread) { releases_.fence(thread, order_.tick()); }

  // Looks for a race of an access that `thread` of the running block makes. report(race, access) is
  // called now or before the next settle() ends.
  template <typename Report>
  void check_race(const Access& access, int thread, Report report) {
    if (access.region == Region::shared) {
      report_if_race(shared_races_, access, thread, report);
    } else if (device_races_) {
      if (waiting_count_ == waiting_.size()) settle(report);
      waiting_[waiting_count_++] = {access, thread};
      races_in(access.region).prefetch(access.offset);
    }
  }
  // Checks the accesses that wait. To be called before anything is ordered: the clock's time must
  // still be theirs.
  template <typename Report>
  void settle(Report report) {
    for (std::size_t i = 0; i < waiting_count_; ++i) {
      const auto& [access, thread] = waiting_[i];
      report_if_race(races_in(access.region), access, thread, report);
      if (access.kind == AccessKind::store) releases_.plain_store(thread);
      if (is_atomic(access.kind)) {
        // One number for a place in either region.
        releases_.atomic(access.offset * 2 + (access.region == Region::device), thread);
      }
    }
    waiting_count_ = 0;
  }

  // Notes a read of what nothing wrote. From then on the bytes count as written: once is enough.
  void check_written(const Access& access, int thread) {
    if (!access.may_be_unwritten || !device_written_) return;
    if (access.region == Region::shared) {
      check_written(*shared_written_, shared_unwritten_, access, thread);
    } else {
      check_written(*device_written_, device_unwritten_, access, thread);
    }
  }
  struct UnwrittenRead {
    Access access;
    RaceDetector::Access by;
  };
  // Calls report(const UnwrittenRead&) for the reads of shared memory since the last barrier, or of
  // device memory in this launch.
  template <typename Report>
  void report_unwritten(Region region, Report report) {
    (region == Region::shared ? shared_unwritten_ : device_unwritten_).report_all(report);
  }

  void device_written(std::size_t offset, std::size_t bytes);
  void device_freed(std::size_t offset, std::size_t bytes);

 private:
  template <typename Written>
  void check_written(Written& written, UnwrittenReads<UnwrittenRead>& reads, const Access& access,
                     int thread) {
    const bool is_read =
        access.kind != AccessKind::store && access.kind != AccessKind::atomic_exchange;
    const bool found = is_read && !written.can_read(access.offset, access.bytes);
    if (found || access.kind != AccessKind::load) written.write(access.offset, access.bytes);
    if (found) {
      const std::uint64_t block = order_.block_at(order_.now());
      reads.add(access.offset / 4, {access, {access.code, thread, block, access.kind}});
    }
  }
  template <typename Report>
  void report_if_race(RaceDetector& races, const Access& access, int thread, Report report) {
    const auto race = races.check(access.offset, access.bytes, access.kind, thread, access.code);
    if (__builtin_expect(!race, 1)) return;
    not_unwritten_but_race(access);
    report(*race, access);
  }
  RaceDetector& races_in(Region region) {
    return region == Region::device ? *device_races_ : *variable_races_;
  }
  void not_unwritten_but_race(const Access& access);

  // Accesses to global memory wait a moment until what is remembered of their words has come to
  // the processor's cache.
  struct Waiting {
    Access access;
    int thread;
  };
  std::array<Waiting, 16> waiting_;
  std::size_t waiting_count_ = 0;

  ExecutionOrder order_;
  Releases releases_{order_};
  CodeTable codes_;
  RaceDetector shared_races_;
  std::unique_ptr<RaceDetector> device_races_, variable_races_;  // both or none
  std::unique_ptr<WrittenBytes> device_written_;                 // these too
  std::unique_ptr<WrittenShared> shared_written_;
  UnwrittenReads<UnwrittenRead> device_unwritten_, shared_unwritten_;
};

}  // namespace cuda_simulator
