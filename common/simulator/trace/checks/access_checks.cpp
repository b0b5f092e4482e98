#include "trace/checks/access_checks.h"

#include "program/environment.h"

#include <utility>

namespace cuda_simulator {

AccessChecks::AccessChecks(std::size_t shared_bytes, std::size_t device_bytes,
                           std::size_t variable_bytes, const ConcurrentLaunches& concurrent)
    : shared_races_(shared_bytes, RaceDetector::Lifetime::block, clock_, release_acquire_,
                    concurrent, codes_) {
  if (environment_switch("CUDA_SIMULATOR_GLOBAL_RACES", /*usual=*/true)) {
    device_races_ = std::make_unique<RaceDetector>(device_bytes, RaceDetector::Lifetime::streams,
                                                   clock_, release_acquire_, concurrent, codes_);
    variable_races_ = std::make_unique<RaceDetector>(variable_bytes, RaceDetector::Lifetime::launch,
                                                     clock_, release_acquire_, concurrent, codes_);
  }
  if (environment_switch("CUDA_SIMULATOR_UNINITIALISED", /*usual=*/true)) {
    device_initialised_ = std::make_unique<InitialisedBytes>(device_bytes);
    shared_initialised_ = std::make_unique<InitialisedShared>(shared_bytes);
  }
}

bool AccessChecks::begin_grid() {
  shared_of_waiting_.clear();
  release_acquire_.begin_grid();
  if (!clock_.begin_grid()) return false;
  shared_races_.forget_all();
  if (device_races_) {
    device_races_->forget_all();
    variable_races_->forget_all();
  }
  return true;
}

void AccessChecks::begin_block(std::uint64_t index) {
  clock_.begin_block(index);
  release_acquire_.begin_block();
  if (shared_initialised_) shared_initialised_->begin_block();
}

void AccessChecks::block_suspended(std::uint64_t index, const std::vector<SharedRange>& ranges) {
  if (shared_initialised_) shared_of_waiting_[index] = shared_initialised_->contents(ranges);
}

// Its shared memory is unchanged. Otherwise the block starts like a new one, after everything that
// came before.
void AccessChecks::block_resumed(std::uint64_t index, const std::vector<SharedRange>& ranges) {
  begin_block(index);
  if (shared_initialised_) shared_initialised_->restore(ranges, shared_of_waiting_[index]);
}

AccessChecks::OfBlock AccessChecks::block_interrupted(int threads,
                                                      const std::vector<SharedRange>& ranges) {
  OfBlock of_block{clock_.block_interrupted((threads + kWarpSize - 1) / kWarpSize),
                   release_acquire_.block_interrupted(),
                   shared_races_.block_interrupted(ranges),
                   {},
                   std::exchange(uninitialised_shared_reads_, {})};
  if (shared_initialised_) of_block.shared_initialised = shared_initialised_->contents(ranges);
  return of_block;
}

void AccessChecks::block_continues(OfBlock of_block, const std::vector<SharedRange>& ranges) {
  clock_.block_continues(of_block.clock);
  release_acquire_.block_continues(std::move(of_block.release_acquire));
  shared_races_.block_continues(ranges, of_block.shared_races);
  uninitialised_shared_reads_ = std::move(of_block.uninitialised_reads);
  if (!shared_initialised_) return;
  shared_initialised_->begin_block();
  shared_initialised_->restore(ranges, of_block.shared_initialised);
}

// Orders all accesses of the launch, like the end of one launch and the beginning of the next.
void AccessChecks::grid_synchronised() {
  release_acquire_.begin_grid();
  clock_.grid_synchronised();
}

void AccessChecks::barrier(int threads) {
  release_acquire_.before_barrier(threads);
  clock_.barrier();
}

void AccessChecks::not_uninitialised_but_race(const AccessedBytes& accessed) {
  if (accessed.region == Region::variables) return;  // their initial value is 0
  auto& reads = uninitialised_reads(accessed.region);
  const std::size_t first = accessed.offset / 4,
                    words = accessed.bytes < 4 ? 1 : accessed.bytes / 4;
  for (std::size_t word = first; word < first + words; ++word) reads.forget(word);
}

// Records the accesses through which threads can synchronise.
void AccessChecks::note_synchronisation(const WarpRequest& request) {
  const AccessKind kind = request.step.kind();
  const Region region = request.array.region;
  const FenceScope reach = region == Region::shared ? FenceScope::block : FenceScope::device;
  for_each_lane(request.unchecked_lanes, [&](int lane) {
    const std::uint64_t address = request.offset(lane) * 4 + static_cast<unsigned>(region);
    const int thread = request.thread(lane);
    if (kind != AccessKind::volatile_store) release_acquire_.acquire(address, reach, thread);
    if (kind != AccessKind::volatile_load) release_acquire_.release(address, reach, thread);
    if (kind == AccessKind::volatile_store && region != Region::shared)
      release_acquire_.plain_store(thread);
  });
}

void AccessChecks::device_written(std::size_t offset, std::size_t bytes) {
  if (device_initialised_) device_initialised_->write_range(offset, bytes);
}

void AccessChecks::device_copied(std::size_t to, std::size_t from, std::size_t bytes) {
  if (device_initialised_) device_initialised_->copy_range(to, from, bytes);
}

std::optional<InitialisedBytes::ByteRange> AccessChecks::read_by_host(std::size_t offset,
                                                                      std::size_t bytes) {
  if (!device_initialised_) return std::nullopt;
  const auto unwritten = device_initialised_->uninitialised_range(offset, bytes);
  if (unwritten) device_initialised_->write_range(offset, bytes);
  return unwritten;
}

void AccessChecks::device_freed(std::size_t offset, std::size_t bytes) {
  if (device_initialised_) device_initialised_->forget(offset, bytes);
  if (device_races_) device_races_->forget(offset, bytes);
}

}  // namespace cuda_simulator
