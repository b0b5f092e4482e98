#pragma once

#include "execution/lanes.h"
#include "trace/checks/race_detector.h"
#include "trace/checks/unwritten_reads.h"
#include "trace/checks/written_bytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace cuda_simulator {

// What of an access depends on the accesses before it: races, and reads of what nothing wrote.
// Memory is in regions, each counted from its own first byte.
class AccessChecks {
 public:
  // A part of memory that one lane used.
  struct Access {
    Region region;
    std::size_t offset;
    unsigned bytes;
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
  void fence(int thread, FenceScope scope) { releases_.fence(thread, scope, order_.tick()); }
  // Whether what the thread does now may be a release.
  bool has_fence(int thread) const { return releases_.has_fence(thread); }

  // Checks what `lanes` of a warp do, whose first thread is `first_thread`. Calls
  // on_race(const Race&, const Access&). To be called before anything that follows is ordered: the
  // clock's time must still be that of the accesses.
  template <typename OnRace>
  void check(const WarpRequest& request, std::uint32_t lanes, int first_thread, OnRace on_race) {
    const Region region = request.array.region;
    if (region == Region::constant) return;
    if (request.array.may_be_unwritten && device_written_) {
      check_written(request, lanes, first_thread);
    }
    if (RaceDetector* const races = races_in(region)) {
      races->check(request, lanes, first_thread, [&](int lane, const RaceDetector::Race& race) {
        const Access access{region, request.offset(lane), request.bytes()};
        not_unwritten_but_race(access);
        on_race(race, access);
      });
      const AccessKind kind = request.step.kind();
      if (is_atomic(kind) || is_volatile(kind)) {
        note_flags(request, lanes, first_thread);
      } else if (kind == AccessKind::store && region != Region::shared) {
        for_each_lane(lanes, [&](int lane) { releases_.plain_store(first_thread + lane); });
      }
    }
  }

  struct UnwrittenRead {
    Access access;
    RaceDetector::Access by;
    bool is_copied;  // an asynchronous copy was on its way there
  };
  // Calls report(const UnwrittenRead&) for the reads of shared memory since the last barrier, or of
  // device memory in this launch.
  template <typename Report>
  void report_unwritten(Region region, Report report) {
    (region == Region::shared ? shared_unwritten_ : device_unwritten_).report_all(report);
  }

  void device_written(std::size_t offset, std::size_t bytes);
  // What was not written there is not written here.
  void device_copied(std::size_t to, std::size_t from, std::size_t bytes);
  // What nothing has written of a part of device memory that the host reads, if there is such. All
  // of the part counts as written from then on.
  std::optional<WrittenBytes::Stretch> read_by_host(std::size_t offset, std::size_t bytes);
  void device_freed(std::size_t offset, std::size_t bytes);

 private:
  void check_written(const WarpRequest& request, std::uint32_t lanes, int first_thread) {
    if (request.step.kind() == AccessKind::async_copy) {
      for_each_lane(lanes, [&](int lane) {
        shared_written_->expect_copy(request.offset(lane), request.bytes());
      });
    } else if (request.array.region == Region::shared) {
      check_written(*shared_written_, shared_unwritten_, request, lanes, first_thread);
    } else {
      check_written(*device_written_, device_unwritten_, request, lanes, first_thread);
    }
  }
  // Notes the reads of what nothing wrote. From then on the bytes count as written: once is enough.
  template <typename Written>
  void check_written(Written& written, UnwrittenReads<UnwrittenRead>& reads,
                     const WarpRequest& request, std::uint32_t lanes, int first_thread) {
    const AccessKind kind = without_volatile(request.step.kind());
    const bool is_read = kind != AccessKind::store && kind != AccessKind::async_copy_arrival &&
                         kind != AccessKind::atomic_exchange;
    const bool writes = kind != AccessKind::load;
    const unsigned bytes = request.bytes();
    if (request.is_one_stretch() && lanes == request.lanes && bytes >= 4) {
      const std::size_t begin = request.offset(0), length = std::size_t{kWarpSize} * bytes;
      const bool is_fine = !is_read || written.has_whole_range(begin, length);
      if (is_fine && writes) written.write_range(begin, length);
      if (is_fine) return;
    }
    for_each_lane(lanes, [&](int lane) { written.prefetch(request.offset(lane)); });
    for_each_lane(lanes, [&](int lane) {
      const std::size_t offset = request.offset(lane);
      const bool found = is_read && !written.can_read(offset, bytes);
      const bool is_copied = found && written.expects_copy(offset);
      if (found || writes) written.write(offset, bytes);
      if (__builtin_expect(found, 0)) {
        const std::uint64_t block = order_.block_at(order_.now());
        reads.add(offset / 4, {{request.array.region, offset, bytes},
                               {request.step.code(), first_thread + lane, block, kind},
                               is_copied});
      }
    });
  }
  RaceDetector* races_in(Region region) {
    return region == Region::shared   ? &shared_races_
           : region == Region::device ? device_races_.get()
                                      : variable_races_.get();
  }
  void not_unwritten_but_race(const Access& access);
  void note_flags(const WarpRequest& request, std::uint32_t lanes, int first_thread);

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
