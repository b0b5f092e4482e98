#include "trace/checks/access_checks.h"

#include <cstdlib>
#include <string>

namespace cuda_simulator {
namespace {

bool is_switched_off(const char* name) {
  const char* const value = std::getenv(name);
  return value && std::string(value) == "0";
}

}  // namespace

AccessChecks::AccessChecks(std::size_t shared_bytes, std::size_t device_bytes,
                           std::size_t variable_bytes)
    : shared_races_(shared_bytes, RaceDetector::Lifetime::block, order_, releases_, codes_) {
  if (!is_switched_off("CUDA_SIMULATOR_GLOBAL_RACES")) {
    const auto lifetime = RaceDetector::Lifetime::launch;
    device_races_ =
        std::make_unique<RaceDetector>(device_bytes, lifetime, order_, releases_, codes_);
    variable_races_ =
        std::make_unique<RaceDetector>(variable_bytes, lifetime, order_, releases_, codes_);
  }
  if (!is_switched_off("CUDA_SIMULATOR_UNINITIALISED")) {
    device_written_ = std::make_unique<WrittenBytes>(device_bytes);
    shared_written_ = std::make_unique<WrittenShared>(shared_bytes);
  }
}

void AccessChecks::begin_grid() {
  releases_.begin_grid();
  if (!order_.begin_grid()) return;
  shared_races_.forget_all();
  if (!device_races_) return;
  device_races_->forget_all();
  variable_races_->forget_all();
}

void AccessChecks::begin_block() {
  order_.begin_block();
  releases_.begin_block();
  if (shared_written_) shared_written_->begin_block();
}

void AccessChecks::barrier(int threads) {
  releases_.before_barrier(threads);
  order_.barrier();
}

void AccessChecks::not_unwritten_but_race(const Access& access) {
  auto& reads = access.region == Region::shared ? shared_unwritten_ : device_unwritten_;
  const std::size_t first = access.offset / 4, words = access.bytes < 4 ? 1 : access.bytes / 4;
  for (std::size_t word = first; word < first + words; ++word) reads.forget(word);
}

// Accesses through which threads may hand data to each other.
void AccessChecks::note_flags(const WarpRequest& request, std::uint32_t lanes, int first_thread) {
  const AccessKind kind = request.step.kind();
  const Region region = request.array.region;
  const FenceScope reach = region == Region::shared ? FenceScope::block : FenceScope::device;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t place = request.offset(lane) * 4 + static_cast<unsigned>(region);
    const int thread = first_thread + lane;
    if (kind != AccessKind::volatile_store) releases_.acquire(place, reach, thread);
    if (kind != AccessKind::volatile_load) releases_.release(place, reach, thread);
    if (kind == AccessKind::volatile_store && region != Region::shared)
      releases_.plain_store(thread);
  });
}

void AccessChecks::device_written(std::size_t offset, std::size_t bytes) {
  if (device_written_) device_written_->write_range(offset, bytes);
}

void AccessChecks::device_copied(std::size_t to, std::size_t from, std::size_t bytes) {
  if (device_written_) device_written_->copy_range(to, from, bytes);
}

std::optional<WrittenBytes::Stretch> AccessChecks::read_by_host(std::size_t offset,
                                                                std::size_t bytes) {
  if (!device_written_) return std::nullopt;
  const auto unwritten = device_written_->unwritten_stretch(offset, bytes);
  if (unwritten) device_written_->write_range(offset, bytes);
  return unwritten;
}

void AccessChecks::device_freed(std::size_t offset, std::size_t bytes) {
  if (device_written_) device_written_->forget(offset, bytes);
  if (device_races_) device_races_->forget(offset, bytes);
}

}  // namespace cuda_simulator
