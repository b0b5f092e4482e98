#include "trace/race_detector.h"

#include <algorithm>

namespace cuda_simulator {

void RaceDetector::begin_block() {
  ++phase_;
  for (WarpOrder& warp : warps_) {
    if (warp.time == 0) continue;
    if (warp.some_lanes_met) warp.lanes_met = {};
    warp.time = warp.all_lanes_met = 0;
    warp.some_lanes_met = false;
  }
}

void RaceDetector::barrier() { ++phase_; }

void RaceDetector::warp_synchronised(int warp_number, std::uint32_t lanes, bool all_live_lanes) {
  WarpOrder& warp = warps_[warp_number];
  ++warp.time;
  if (all_live_lanes) {
    warp.all_lanes_met = warp.time;
    return;
  }
  warp.some_lanes_met = true;
  for (int a = 0; a < kWarpSize; ++a) {
    for (int b = 0; b < kWarpSize; ++b) {
      if (lanes >> a & lanes >> b & 1) warp.lanes_met[a][b] = warp.time;
    }
  }
}

bool RaceDetector::unordered(const Access& earlier, const Access& later) const {
  if (earlier.phase != phase_ || earlier.thread == later.thread) return false;
  if (earlier.kind == AccessKind::atomic && later.kind == AccessKind::atomic) return false;
  const int warp = later.thread / kWarpSize;
  if (earlier.thread / kWarpSize != warp) return true;
  const WarpOrder& order = warps_[warp];
  const std::uint32_t met = std::max(
      order.all_lanes_met, order.lanes_met[earlier.thread % kWarpSize][later.thread % kWarpSize]);
  return met <= earlier.warp_time;
}

const RaceDetector::Access* RaceDetector::conflict(const Word& word, const Access& access) const {
  if (word.writer.bytes_mask & access.bytes_mask && unordered(word.writer, access))
    return &word.writer;
  for (const Access& reader : word.readers) {
    if (reader.kind == AccessKind::load && access.kind == AccessKind::load) continue;
    if (reader.bytes_mask & access.bytes_mask && unordered(reader, access)) return &reader;
  }
  return nullptr;
}

void RaceDetector::remember(Word& word, const Access& access) {
  const auto is_same = [&](const Access& other) {
    return other.thread == access.thread && other.phase == access.phase &&
           other.kind == access.kind && other.warp_time == access.warp_time;
  };
  const auto put = [&](Access& place) {
    const std::uint8_t before = is_same(place) ? place.bytes_mask : 0;
    place = access;
    place.bytes_mask |= before;
  };
  if (access.kind != AccessKind::load) put(word.writer);
  if (access.kind == AccessKind::store) return;
  auto& [first, second] = word.readers;
  if (first.phase != access.phase || is_same(first)) {
    put(first);
  } else if (second.phase != access.phase || is_same(second) ||
             second.thread / kWarpSize == first.thread / kWarpSize) {
    put(second);
  }
}

std::optional<RaceDetector::Race> RaceDetector::check(std::size_t offset, std::size_t bytes,
                                                      AccessKind kind, int thread,
                                                      std::uintptr_t code) {
  Access access;
  access.code = static_cast<std::uint32_t>(code);
  access.phase = phase_;
  access.warp_time = warps_[thread / kWarpSize].time;
  access.thread = static_cast<std::uint16_t>(thread);
  access.kind = kind;
  std::optional<Race> race;
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t first = (offset + done) % 4, count = std::min(4 - first, bytes - done);
    Word& word = words_[(offset + done) / 4];
    access.bytes_mask = static_cast<std::uint8_t>(((1u << count) - 1) << first);
    if (!race) {
      if (const Access* const earlier = conflict(word, access)) race = Race{*earlier, access};
    }
    remember(word, access);
    done += count;
  }
  return race;
}

}  // namespace cuda_simulator
