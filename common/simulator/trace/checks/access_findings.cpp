#include "trace/checks/access_findings.h"

#include "program/executable.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_texts.h"

#include "simulator/findings.h"

#include <tuple>
#include <utility>
#include <vector>

namespace cuda_simulator {

AccessFindings::AccessFindings(const MemoryMap& memory, const FindingReporter& reporter)
    : memory_(memory),
      reporter_(reporter),
      device_(DeviceMemory::get()),
      checks_(MemoryMap::kMaxSharedBytes, DeviceMemory::kReservedBytes,
              Executable::get().writable_data_bytes(), works_.launches()) {}

void AccessFindings::begin_grid(const Grid& grid) {
  grid_ = &grid;
  ++launches_;
  copied_.begin_grid(grid);
  if (checks_.begin_grid()) works_.forget_launches();
  works_.begin_launch(grid.kernel_name, checks_.launch_begin());
  race_count_ = 0;
  has_signals_ = false;
}

void AccessFindings::barrier(int threads) {
  report_uninitialised(Region::shared);
  checks_.barrier(threads);
}

Finding::Place AccessFindings::place(const RaceDetector::Access& access) const {
  return reporter_.place(access.code, name_of(access.kind), access.thread, access.block);
}

void AccessFindings::report_race(const RaceDetector::Race& race, const AccessedBytes& accessed,
                                 const WarpRequest& request) {
  ++race_count_;
  if (race.earlier.epoch < checks_.launch_begin())
    return stream_races_.report(*grid_, race, accessed);
  reporter_.report_repeated(finding_kind::kRace, race.earlier.code, race.later.code, [&] {
    Finding::Place first = place(race.earlier), second = place(race.later);
    const RaceContext context{update_of(race, request, accessed.offset, first, second),
                              has_signals_};
    // Puts the two accesses into the order of the source. Their order here is arbitrary: the same
    // two accesses in the other order are the same race.
    if (std::tie(second.file, second.line, second.column) <
        std::tie(first.file, first.line, first.column)) {
      std::swap(first, second);
    }
    const AccessedMemory memory = memory_.described(accessed);
    return std::tuple(race_text(race, memory, context),
                      std::vector{std::move(first), std::move(second)},
                      race_facts(race, memory, context));
  });
}

std::string AccessFindings::awaited_text(const WarpLog::LaneStep& load) const {
  using By = RaceDetector::LastStore::By;
  const Region region = load.array.region;
  const std::size_t offset = load.address - load.array.region_begin;
  const std::string text = memory_.described({region, offset, load.step.bytes()}).text();
  if (region != Region::device || checks_.last_store(offset).by != By::no_thread) return text + ".";
  return text + ", which no thread has written.";
}

void AccessFindings::report_uninitialised(Region region) {
  checks_.report_uninitialised(region, [&](const AccessChecks::UninitialisedRead& read) {
    reporter_.report_repeated(finding_kind::kUninitialised, read.by.code, 0, [&] {
      const AccessedMemory memory = memory_.described(read.accessed);
      return std::tuple(read.is_copied ? early_read_text(memory) : uninitialised_text(memory),
                        std::vector{place(read.by)},
                        memory.facts() + (read.is_copied ? " why=pending_copy" : ""));
    });
  });
}

void AccessFindings::device_memory_written(std::uintptr_t address, std::size_t bytes) {
  if (!device_.contains(address)) return;
  checks_.device_written(address - device_.begin(), bytes);
  copied_.written_by_host(address, bytes, checks_.now());
}

void AccessFindings::memory_written(std::uintptr_t address, std::size_t bytes, const char* function,
                                    std::uintptr_t caller) {
  if (!device_.contains(address)) return;
  stream_races_.runtime_uses(checks_, address, bytes, /*writes=*/true, function, caller);
  device_memory_written(address, bytes);
}

void AccessFindings::memory_read(std::uintptr_t address, std::size_t bytes, const char* function,
                                 std::uintptr_t caller) {
  if (!device_.contains(address)) return;
  stream_races_.runtime_uses(checks_, address, bytes, /*writes=*/false, function, caller);
  if (device_.on_page_of(address).kind == MemoryKind::device)
    report_uninitialised_copy(address, bytes, function, caller);
}

void AccessFindings::memory_copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes,
                                   const char* function, std::uintptr_t caller) {
  if (device_.contains(from))
    stream_races_.runtime_uses(checks_, from, bytes, /*writes=*/false, function, caller);
  if (device_.contains(to)) {
    stream_races_.runtime_uses(checks_, to, bytes, /*writes=*/true, function, caller);
    copied_.written_by_host(to, bytes, checks_.now());
  } else if (device_.contains(from)) {
    copied_.copied_to_host(to, from, bytes);
  }
  const auto may_be_uninitialised = [&](std::uintptr_t address) {
    return device_.contains(address) && device_.on_page_of(address).kind == MemoryKind::device;
  };
  if (!may_be_uninitialised(from)) {
    device_memory_written(to, bytes);
  } else if (may_be_uninitialised(to)) {
    checks_.device_copied(to - device_.begin(), from - device_.begin(), bytes);
  } else {
    report_uninitialised_copy(from, bytes, function, caller);
  }
}

void AccessFindings::device_memory_freed(std::uintptr_t address, std::size_t bytes) {
  launches_before_.erase(address);
  works_.forget(address, address + bytes);
  checks_.device_freed(address - device_.begin(), bytes);
}

void AccessFindings::report_uninitialised_copy(std::uintptr_t from, std::size_t bytes,
                                               const char* function, std::uintptr_t caller) {
  const auto found = checks_.read_by_host(from - device_.begin(), bytes);
  if (!found) return;
  const Allocation& allocation = device_.on_page_of(from);
  const std::uintptr_t begin = device_.begin() + found->offset;
  Finding finding{
      finding_kind::kUninitialised,
      "",
      uninitialised_copy_text(function, allocation, begin - allocation.begin, found->bytes),
      {},
      1,
      std::string("memory=global call=") + function};
  const Finding::Place place = host_place(caller, "copy");
  if (!place.file.empty()) finding.places.push_back(place);
  add_missing_launch(allocation, finding);
  FindingLog::get().add(std::move(finding));
}

// Adds why no kernel has written the memory, as far as that is known.
void AccessFindings::add_missing_launch(const Allocation& allocation, Finding& finding) const {
  const auto before = launches_before_.find(allocation.begin);
  if (before != launches_before_.end() && before->second == launches_) {
    finding.message += " No kernel ran between the allocation and this copy.";
    finding.facts += " launch=not_yet";
  } else if (before != launches_before_.end() && last_refused_.number > before->second) {
    finding.message += " " + last_refused_.text;
    finding.facts += " " + last_refused_.facts;
    if (!last_refused_.place.file.empty()) finding.places.push_back(last_refused_.place);
  } else {
    finding.message +=
        " Look in the kernel that should write them for an if or a loop bound that skips them.";
  }
}

void AccessFindings::launch_refused(const std::string& reason, const std::string& why,
                                    cudaError_t error, std::uintptr_t caller) {
  last_refused_ = {++launches_,
                   reason + " The launch returned " + cudaGetErrorName(error) +
                       "; call cudaGetLastError() in the line after each launch.",
                   "launch=refused why=" + why, host_place(caller, "launch")};
}

}  // namespace cuda_simulator
