#pragma once

#include "execution/lanes.h"
#include "execution/shared_memory.h"
#include "trace/checks/initialised_bytes.h"
#include "trace/checks/race_detector.h"
#include "trace/checks/uninitialised_reads.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {

// The checks of an access that depend on earlier accesses: races, and reads of unwritten memory.
// Memory is divided into regions. Each region has a shadow that is indexed from its first byte.
class AccessChecks {
 public:
  // The environment can switch off the checks that cost time and memory:
  // CUDA_SIMULATOR_GLOBAL_RACES=0 and CUDA_SIMULATOR_UNINITIALISED=0.
  AccessChecks(std::size_t shared_bytes, std::size_t device_bytes, std::size_t variable_bytes,
               const ConcurrentLaunches& concurrent);

  // Returns true if epochs start again, so that every stored epoch must be forgotten.
  bool begin_grid();
  void begin_block(std::uint64_t index);
  // For the blocks of a cooperative launch, which alternate; see Tracer.
  void block_suspended(std::uint64_t index, const std::vector<SharedRange>& ranges);
  void block_resumed(std::uint64_t index, const std::vector<SharedRange>& ranges);
  // The same for a block that is interrupted between two of its steps.
  struct OfBlock;
  OfBlock block_interrupted(int threads, const std::vector<SharedRange>& ranges);
  void block_continues(OfBlock of_block, const std::vector<SharedRange>& ranges);
  void grid_synchronised();
  void barrier(int threads);
  void warp_synchronised(int warp, std::uint32_t lanes, bool all_live_lanes) {
    clock_.warp_synchronised(warp, lanes, all_live_lanes);
  }
  void fence(int thread, FenceScope scope) { release_acquire_.fence(thread, scope, clock_.tick()); }
  // At a cuda::barrier.
  void release(int thread, const void* object) {
    release_acquire_.release(number_of(object), FenceScope::block, thread);
  }
  void acquire(int thread, const void* object) {
    release_acquire_.acquire(number_of(object), FenceScope::block, thread);
  }
  // Returns whether the thread's next store or atomic function can be a release.
  bool has_fence(int thread) const { return release_acquire_.has_fence(thread); }

  // Checks the accesses of a request's unchecked lanes. Calls on_race(const Race&, const
  // AccessedBytes&). It must be called before any later event is ordered: the clock must still have
  // the epoch of these accesses.
  template <typename OnRace>
  void check(const WarpRequest& request, OnRace on_race) {
    const Region region = request.array.region;
    if (region == Region::constant) return;
    if (device_initialised_) {
      if (request.array.may_be_uninitialised) {
        check_initialised(request);
      } else if (region == Region::device &&
                 without_volatile(request.step.kind()) != AccessKind::load) {
        // Some lanes' addresses may be in memory that the host can write, which is not checked, and
        // others in checked memory.
        for_each_lane(request.unchecked_lanes, [&](int lane) {
          device_initialised_->write(request.offset(lane), request.bytes());
        });
      }
    }
    if (RaceDetector* const races = races_in(region)) {
      races->check(request, [&](int lane, const RaceDetector::Race& race) {
        const AccessedBytes accessed{region, request.offset(lane), request.bytes()};
        not_uninitialised_but_race(accessed);
        on_race(race, accessed);
      });
      const AccessKind kind = request.step.kind();
      if (is_atomic(kind) || is_volatile(kind)) {
        note_synchronisation(request);
      } else if (kind == AccessKind::store && region != Region::shared) {
        for_each_lane(request.unchecked_lanes,
                      [&](int lane) { release_acquire_.plain_store(request.thread(lane)); });
      }
    }
  }

  // See RaceDetector; for device memory.
  template <typename OnRival>
  void for_each_rival(std::size_t offset, std::size_t bytes, bool writes, OnRival on_rival) const {
    if (device_races_) device_races_->for_each_rival(offset, bytes, writes, on_rival);
  }
  RaceDetector::LastStore last_store(std::size_t offset) const {
    return device_races_ ? device_races_->last_store(offset) : RaceDetector::LastStore{};
  }
  Epoch now() const { return clock_.now(); }
  Epoch launch_begin() const { return clock_.launch_begin(); }

  struct UninitialisedRead {
    AccessedBytes accessed;
    RaceDetector::Access by;
    bool is_copied;  // an asynchronous copy into it was in flight
  };
  // Calls report(const UninitialisedRead&) for the reads of shared memory since the last barrier,
  // or of device memory in this launch.
  template <typename Report>
  void report_uninitialised(Region region, Report report) {
    uninitialised_reads(region).report_all(report);
  }

  void device_written(std::size_t offset, std::size_t bytes);
  // Bytes that are unwritten in the source become unwritten in the target.
  void device_copied(std::size_t to, std::size_t from, std::size_t bytes);
  // Returns a range of unwritten bytes in a part of device memory that the host reads, if there is
  // one. The whole part counts as written from then on.
  std::optional<InitialisedBytes::ByteRange> read_by_host(std::size_t offset, std::size_t bytes);
  void device_freed(std::size_t offset, std::size_t bytes);

 private:
  void check_initialised(const WarpRequest& request) {
    if (request.step.kind() == AccessKind::async_copy) {
      for_each_lane(request.unchecked_lanes, [&](int lane) {
        shared_initialised_->expect_copy(request.offset(lane), request.bytes());
      });
    } else if (request.array.region == Region::shared) {
      check_initialised(*shared_initialised_, request);
    } else {
      check_initialised(*device_initialised_, request);
    }
  }
  // Records the reads of unwritten bytes. From then on the bytes count as written, so each is
  // reported once.
  template <typename Initialised>
  void check_initialised(Initialised& initialised, const WarpRequest& request) {
    const AccessKind kind = without_volatile(request.step.kind());
    const bool is_read = kind != AccessKind::store && kind != AccessKind::async_copy_arrival &&
                         kind != AccessKind::atomic_exchange;
    const bool writes = kind != AccessKind::load;
    const unsigned bytes = request.bytes();
    const std::uint32_t lanes = request.unchecked_lanes;
    if (!is_read) {
      for_each_lane(lanes, [&](int lane) { initialised.write(request.offset(lane), bytes); });
      return;
    }
    bool all_written = true;
    for_each_lane(
        lanes, [&](int lane) { all_written &= initialised.can_read(request.offset(lane), bytes); });
    if (all_written && !writes) return;
    for_each_lane(lanes, [&](int lane) {
      const std::size_t offset = request.offset(lane);
      const bool found = !initialised.can_read(offset, bytes);
      const bool is_copied = found && initialised.expects_copy(offset);
      if (found || writes) initialised.write(offset, bytes);
      if (__builtin_expect(found, 0)) {
        const Region region = request.array.region;
        const std::uint64_t block = clock_.block_at(clock_.now());
        uninitialised_reads(region).add(offset / 4,
                                        {{region, offset, bytes},
                                         {request.step.code(), request.thread(lane), block, kind},
                                         is_copied});
      }
    });
  }
  // Differs from the numbers of note_synchronisation(): nothing is written to constant memory.
  static std::uint64_t number_of(const void* object) {
    return reinterpret_cast<std::uintptr_t>(object) * 4 + static_cast<unsigned>(Region::constant);
  }
  RaceDetector* races_in(Region region) {
    return region == Region::shared   ? &shared_races_
           : region == Region::device ? device_races_.get()
                                      : variable_races_.get();
  }
  UninitialisedReads<UninitialisedRead>& uninitialised_reads(Region region) {
    return region == Region::shared ? uninitialised_shared_reads_ : uninitialised_device_reads_;
  }
  void not_uninitialised_but_race(const AccessedBytes& accessed);
  void note_synchronisation(const WarpRequest& request);

  Clock clock_;
  ReleaseAcquire release_acquire_{clock_};
  CodeTable codes_;
  RaceDetector shared_races_;
  std::unique_ptr<RaceDetector> device_races_, variable_races_;  // both or neither
  std::unique_ptr<InitialisedBytes> device_initialised_;         // present if device_races_ is
  std::unique_ptr<InitialisedShared> shared_initialised_;
  // The shared memory of blocks that wait for the grid, by block number.
  std::unordered_map<std::uint64_t, InitialisedShared::Contents> shared_of_waiting_;
  UninitialisedReads<UninitialisedRead> uninitialised_device_reads_, uninitialised_shared_reads_;
};

struct AccessChecks::OfBlock {
  Clock::OfBlock clock;
  ReleaseAcquire::OfBlock release_acquire;
  RaceDetector::OfBlock shared_races;
  InitialisedShared::Contents shared_initialised;
  UninitialisedReads<UninitialisedRead> uninitialised_reads;
};

}  // namespace cuda_simulator
