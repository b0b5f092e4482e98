#include "trace/checks/stream_races.h"

#include "program/learners_code.h"
#include "runtime/device_memory.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_texts.h"

#include "simulator/findings.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {
namespace {

Finding::Place kernel_place(std::uintptr_t code, AccessKind kind) {
  const SourcePosition position = learners_position(code);
  return {position.file, position.line, position.column, name_of(kind), {}, {}, false};
}

}  // namespace

StreamRaces::Party StreamRaces::party(const LaunchWork& launch,
                                      const RaceDetector::Access& access) {
  return {launch.kernel, launch.device, kernel_place(access.code, access.kind), true,
          launch.work.in_default_stream};
}

StreamRaces::Party StreamRaces::party(const RuntimeAccess& access) {
  return {access.function, access.device,
          host_place(access.caller, access.writes ? "store" : "load"), false,
          access.work.in_default_stream};
}

StreamRaces::Party StreamRaces::party(const Grid& grid, std::uintptr_t code,
                                      AccessKind kind) const {
  return {grid.kernel_name, grid.device, kernel_place(code, kind), true,
          works_.current().in_default_stream};
}

const StreamRaces::Party* StreamRaces::without_stream(const Party& earlier, const Party& later) {
  if (earlier.device != later.device || earlier.in_default_stream == later.in_default_stream)
    return nullptr;
  return earlier.in_default_stream ? &earlier : &later;
}

void StreamRaces::report(const Grid& grid, const RaceDetector::Race& race,
                         const AccessedBytes& accessed) const {
  const LaunchWork* const launch = works_.launches().at(race.earlier.epoch);
  if (!launch) return;
  const FindingLog::Key key{finding_kind::kStreamRace, grid.kernel_name, race.earlier.code,
                            race.later.code};
  if (FindingLog::get().add_repeat(key)) return;
  const Party later = party(grid, race.later.code, race.later.kind);
  add(key, party(*launch, race.earlier), later, DeviceMemory::get().begin() + accessed.offset);
}

void StreamRaces::check(const Grid& grid, const WarpRequest& request) const {
  const bool writes = without_volatile(request.step.kind()) != AccessKind::load;
  const AddressRanges& rivals = writes ? works_.rivals_of_stores() : works_.rivals_of_loads();
  std::uint32_t lanes = 0;
  for_each_lane(request.unchecked_lanes, [&](int lane) {
    const std::uintptr_t address = request.addresses[lane];
    if (rivals.overlap(address, address + request.bytes())) lanes |= 1u << lane;
  });
  if (lanes == 0) return;
  for (const RuntimeAccess& rival : works_.accesses()) {
    if (!writes && !rival.writes) continue;
    for_each_lane(lanes, [&](int lane) {
      const std::uintptr_t address = request.addresses[lane];
      if (!rival.overlaps(address, address + request.bytes())) return;
      const std::uintptr_t code = request.step.code();
      const FindingLog::Key key{finding_kind::kStreamRace, grid.kernel_name, rival.caller, code};
      if (FindingLog::get().add_repeat(key)) return;
      add(key, party(rival), party(grid, code, request.step.kind()), address);
    });
  }
}

// Calls meet(its work, its code, the first byte of both, a function that returns it as a Party) for
// each earlier work that the host or the current work has not waited for.
template <typename Meet>
void StreamRaces::for_each_rival(const AccessChecks& checks, std::uintptr_t begin,
                                 std::size_t bytes, bool writes, Meet meet) const {
  for (const RuntimeAccess& rival : works_.accesses()) {
    if (!rival.overlaps(begin, begin + bytes) || (!writes && !rival.writes)) continue;
    meet(rival.work, rival.caller, std::max(rival.begin, begin), [&] { return party(rival); });
  }
  if (works_.launches().empty()) return;
  const std::uintptr_t device = DeviceMemory::get().begin();
  const auto meet_launch = [&](const RaceDetector::Access& access, std::size_t offset) {
    const LaunchWork& launch = *works_.launches().at(access.epoch);  // no others are met
    meet(launch.work, access.code, device + offset, [&] { return party(launch, access); });
  };
  checks.for_each_rival(begin - device, bytes, writes, meet_launch);
}

void StreamRaces::runtime_uses(const AccessChecks& checks, std::uintptr_t address,
                               std::size_t bytes, bool writes, const char* function,
                               std::uintptr_t caller) const {
  const RuntimeAccess own{works_.current(), works_.device(), function, caller,
                          address,          address + bytes, writes};
  const auto meet = [&](Work, std::uintptr_t code, std::uintptr_t at, const auto& rival) {
    const FindingLog::Key key{finding_kind::kStreamRace, function, code, caller};
    if (!FindingLog::get().add_repeat(key)) add(key, rival(), party(own), at);
  };
  for_each_rival(checks, address, bytes, writes, meet);
  works_.add(own);
}

void StreamRaces::host_uses(const AccessChecks& checks, Step step, std::uintptr_t address) const {
  const RuntimeCall one_at_a_time;
  works_.begin_host();
  const bool writes = without_volatile(step.kind()) != AccessKind::load;
  const bool is_flag = is_volatile(step.kind()) || is_atomic(step.kind());
  VectorClock seen;
  // One finding per work: the host has forgotten to wait once, and then uses many elements.
  const auto meet = [&](Work work, std::uintptr_t, std::uintptr_t at, const auto& rival) {
    if (is_flag) return seen.add(work);
    const FindingLog::Key key{finding_kind::kHostRace, "", work.queue, work.number};
    if (!FindingLog::get().add_repeat(key)) add_host(key, rival(), step, at);
  };
  for_each_rival(checks, address, step.bytes(), writes, meet);
  // The host polls a flag. Once a work has set it, the host can use what the work stored before.
  if (is_flag) StreamOrder::get().host_sees(seen);
}

void StreamRaces::add_host(const FindingLog::Key& key, const Party& work, Step step,
                           std::uintptr_t address) {
  const Allocation& allocation = DeviceMemory::get().on_page_of(address);
  const bool is_managed = allocation.kind == MemoryKind::managed;
  const bool writes = without_volatile(step.kind()) != AccessKind::load;
  Finding finding{finding_kind::kHostRace,
                  "",
                  std::string("the host ") + (writes ? "writes" : "reads") + " byte " +
                      std::to_string(address - allocation.begin) + " of an allocation of " +
                      count_of(allocation.bytes, "byte") + " in " +
                      (is_managed ? "managed" : "pinned") + " memory, but it has not waited for " +
                      work.name + ", which " +
                      (work.place.operation == "load" ? "reads" : "writes") + " it. " +
                      (work.is_launch ? "A launch returns before its kernel has run."
                                      : "The call returns before its work is done.") +
                      " Call cudaDeviceSynchronize() in between.",
                  {},
                  1,
                  "between=host"};
  for (const Finding::Place& place : {work.place, host_place(step.code(), name_of(step.kind()))}) {
    if (!place.file.empty()) finding.places.push_back(place);
  }
  FindingLog::get().add(std::move(finding), key);
}

void StreamRaces::add(const FindingLog::Key& key, const Party& earlier, const Party& later,
                      std::uintptr_t address) const {
  const Allocation& allocation = DeviceMemory::get().on_page_of(address);
  const bool two_devices = earlier.device != later.device;
  const auto who = [&](const Party& party) {
    return party.name + (two_devices ? " on device " + std::to_string(party.device) : "");
  };
  std::string where = allocation.kind == MemoryKind::device
                          ? "memory of device " + std::to_string(allocation.device)
                          : "host memory";
  const Party* const strayed = without_stream(earlier, later);
  std::string remedy =
      "Record an event after the first (cudaEventRecord) and let the other's stream wait for it "
      "(cudaStreamWaitEvent), or let the host wait in between (cudaStreamSynchronize).";
  if (strayed) {
    remedy = strayed->name + " runs in the default stream, the other in a different stream. " +
             (strayed->is_launch
                  ? "Did you forget the stream? It is the fourth argument of a launch: "
                    "<<<blocks, threads, 0, stream>>>."
                  : "Did you forget the stream? Functions with Async in their names take it as "
                    "their last argument. Or let the host wait in between "
                    "(cudaStreamSynchronize): a copy from pageable memory can return before its "
                    "data has arrived.");
  }
  Finding finding{
      finding_kind::kStreamRace,
      "",
      std::string("race between ") + (two_devices ? "devices" : "streams") + " on byte " +
          std::to_string(address - allocation.begin) + " of an allocation of " +
          count_of(allocation.bytes, "byte") + " in " + where + ": " + who(earlier) + " and " +
          who(later) +
          " both access it and at least one of them writes it, but neither waits for the other. "
          "Their order is not defined. " +
          remedy,
      {},
      1,
      std::string(two_devices ? "between=devices " : "between=streams ") +
          (strayed ? (strayed->is_launch ? "stream=default of=launch" : "stream=default of=call")
                   : "stream=other")};
  for (const Party* const party : {&earlier, &later}) {
    if (!party->place.file.empty()) finding.places.push_back(party->place);
  }
  FindingLog::get().add(std::move(finding), key);
}

}  // namespace cuda_simulator
