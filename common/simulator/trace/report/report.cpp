#include "trace/report/report.h"

#include "program/branch_position.h"
#include "program/learners_code.h"
#include "program/line_table.h"
#include "runtime/devices.h"
#include "runtime/kernel_limits.h"
#include "trace/report/finding_log.h"
#include "trace/report/json_text.h"
#include "trace/report/report_pictures.h"
#include "trace/report/report_steps.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <sstream>
#include <tuple>
#include <vector>

namespace cuda_simulator {
namespace {

// The limit for the steps of all kernels together, so that they fit on a page of 2 MB.
constexpr std::size_t kMostStepsBytes = 1'300'000;

// Copies of one source access that the compiler created are one row.
using SourceAccess = std::tuple<SourcePosition, MemorySpace, AccessKind, unsigned>;

std::map<SourceAccess, AccessCounts> by_source(const KernelCounts& kernel) {
  std::map<SourceAccess, AccessCounts> rows;
  kernel.for_each_access([&](Step step, MemorySpace space, const AccessCounts& counts) {
    rows[{learners_position(step.code()), space, step.kind(), step.bytes()}].add(counts);
  });
  return rows;
}

void write_access(std::ostream& out, const SourceAccess& access, const AccessCounts& counts,
                  const KernelCounts& kernel) {
  const auto& [position, space, kind, bytes] = access;
  const bool usual_stride = counts.stride_votes > 0;
  out << "{\"file\":" << quoted(position.file) << ",\"line\":" << position.line
      << ",\"column\":" << position.column << ",\"memory\":\"" << name_of(space)
      << "\",\"operation\":\"" << name_of(kind) << "\",\"bytes_per_lane\":" << bytes
      << ",\"requests\":" << counts.requests << ",\"lanes\":" << counts.lanes
      << ",\"sectors\":" << counts.sectors << ",\"ideal_sectors\":" << counts.ideal_sectors
      << ",\"max_sectors\":" << counts.max_sectors << ",\"wavefronts\":" << counts.wavefronts
      << ",\"ideal_wavefronts\":" << counts.ideal_wavefronts
      << ",\"max_conflict_ways\":" << counts.max_conflict_ways
      << ",\"different_addresses\":" << counts.different_addresses
      << ",\"stride_bytes\":" << (usual_stride ? std::to_string(counts.stride_bytes) : "null")
      << ",\"approximate\":" << (counts.approximate ? "true" : "false")
      << ",\"order\":" << counts.order << ",\"example\":";
  write_example(out, *counts.example, kernel);
  out << '}';
}

// Basic blocks after which lanes of a warp diverged, by the branch's position.
std::map<SourcePosition, BasicBlockCounts> branches(const KernelCounts& kernel) {
  std::map<SourcePosition, BasicBlockCounts> found;
  kernel.for_each_basic_block([&](std::uintptr_t code, const BasicBlockCounts& counts) {
    if (counts.divergences == 0) return;
    BasicBlockCounts& branch = found[branch_position(code, counts.next_code)];
    branch.executions += counts.executions;
    branch.lanes += counts.lanes;
    branch.divergences += counts.divergences;
  });
  return found;
}

void write_branch(std::ostream& out, const SourcePosition& position,
                  const BasicBlockCounts& counts) {
  out << "{\"file\":" << quoted(position.file) << ",\"line\":" << position.line
      << ",\"column\":" << position.column << ",\"executions\":" << counts.executions
      << ",\"diverged\":" << counts.divergences << ",\"lanes\":" << counts.lanes << '}';
}

std::map<SourcePosition, LocalAccesses> local_accesses(const KernelCounts& kernel) {
  std::map<SourcePosition, LocalAccesses> found;
  for (const auto& [code, accesses] : kernel.local_accesses) {
    LocalAccesses& here = found[learners_position(code)];
    here.array = accesses.array;
    here.count += accesses.count;
  }
  return found;
}

void write_local(std::ostream& out, const SourcePosition& position, const LocalAccesses& accesses) {
  out << "{\"file\":" << quoted(position.file) << ",\"line\":" << position.line
      << ",\"column\":" << position.column << ",\"array\":" << quoted(accesses.array)
      << ",\"accesses\":" << accesses.count << '}';
}

void write_kernel(std::ostream& out, const KernelCounts& kernel, std::size_t most_steps_bytes) {
  const std::map<SourceAccess, AccessCounts> accesses = by_source(kernel);
  out << "{\"name\":" << quoted(kernel.name) << ",\"launches\":" << kernel.launches
      << ",\"grid\":" << triple(kernel.blocks.x, kernel.blocks.y, kernel.blocks.z)
      << ",\"block\":" << triple(kernel.block.x, kernel.block.y, kernel.block.z)
      << ",\"static_shared_bytes\":"
      << std::max(kernel.static_shared_bytes, kernel.accessed_shared_bytes)
      << ",\"dynamic_shared_bytes\":" << kernel.dynamic_shared_bytes
      << ",\"blocks\":" << kernel.blocks_run << ",\"threads\":" << kernel.threads_run
      << ",\"barriers\":" << kernel.barriers
      << ",\"busiest_warp_requests\":" << kernel.busiest_warp_requests << ",\"accesses\":";
  write_list(out, accesses,
             [&](const auto& row) { write_access(out, row.first, row.second, kernel); });
  out << ",\"branches\":";
  write_list(out, branches(kernel),
             [&](const auto& branch) { write_branch(out, branch.first, branch.second); });
  out << ",\"local_accesses\":";
  write_list(out, local_accesses(kernel),
             [&](const auto& row) { write_local(out, row.first, row.second); });
  if (!kernel.elements.empty()) {
    out << ",\"elements\":";
    write_list(out, kernel.elements,
               [&](const ElementMap& elements) { write_elements(out, elements, kernel); });
  }
  if (!kernel.steps.empty()) {
    const auto number = [&](Step made, MemorySpace space) {
      const Step step = KernelCounts::as_counted(made);
      const auto found =
          accesses.find({learners_position(step.code()), space, step.kind(), step.bytes()});
      return static_cast<int>(std::distance(accesses.begin(), found));
    };
    out << ",\"steps\":";
    write_steps(out, kernel, number, most_steps_bytes);
  }
  out << '}';
}

void write_place(std::ostream& out, const Finding::Place& place) {
  out << "{\"file\":" << quoted(place.file) << ",\"line\":" << place.line
      << ",\"column\":" << place.column << ",\"operation\":" << quoted(place.operation);
  if (place.in_kernel) {
    out << ",\"thread\":" << triple(place.thread[0], place.thread[1], place.thread[2])
        << ",\"block\":" << triple(place.block[0], place.block[1], place.block[2]);
  }
  out << '}';
}

void write_finding(std::ostream& out, const Finding& finding) {
  out << "{\"kind\":" << quoted(finding.kind) << ",\"kernel\":" << quoted(finding.kernel)
      << ",\"message\":" << quoted(finding.message) << ",\"count\":" << finding.count
      << ",\"facts\":" << quoted(facts_of(finding)) << ",\"places\":";
  write_list(out, finding.places, [&](const Finding::Place& place) { write_place(out, place); });
  out << '}';
}

struct Link {
  int from, to;
  const LinkBytes* bytes;
};

// The links over which data was transferred.
std::vector<Link> used_links(const LinkCounts& links) {
  std::vector<Link> used;
  for (int from = 0; from < device_count(); ++from) {
    for (int to = 0; to < device_count(); ++to) {
      const LinkBytes& bytes = links.bytes(from, to);
      if (bytes.all() > 0) used.push_back({from, to, &bytes});
    }
  }
  return used;
}

void write_link(std::ostream& out, const Link& link) {
  out << "{\"from\":" << link.from << ",\"to\":" << link.to << ",\"bytes\":" << link.bytes->all()
      << ",\"by_kernels\":" << link.bytes->by_kernels << ",\"by_copies\":" << link.bytes->by_copies
      << ",\"by_nccl\":" << link.bytes->by_nccl << '}';
}

void write_unfreed(std::ostream& out, const UnfreedMemory::Place& place) {
  out << "{\"file\":" << quoted(place.position.file) << ",\"line\":" << place.position.line
      << ",\"column\":" << place.position.column << ",\"function\":" << quoted(place.function)
      << ",\"allocations\":" << place.count << ",\"bytes\":" << place.bytes << '}';
}

// Read before main(), because the program can change its environment. Never destroyed.
const std::string& report_path = *[] {
  const char* const path = std::getenv("CUDA_SIMULATOR_REPORT");
  return new std::string(path ? path : "");
}();

}  // namespace

void write_report(const TracedKernels& kernels, const LinkCounts& links, const Unfreed& unfreed,
                  bool library_computed, std::ostream& out) {
  out << "{\"schema\":1,\"device\":" << quoted(device_properties().name)
      << ",\"devices\":" << device_count() << ",\"kernels\":";
  const std::size_t most_steps_bytes = kMostStepsBytes / std::max<std::size_t>(1, kernels.size());
  write_list(out, kernels,
             [&](const auto& kernel) { write_kernel(out, *kernel, most_steps_bytes); });
  out << ",\"links\":";
  write_list(out, used_links(links), [&](const Link& link) { write_link(out, link); });
  out << ",\"unfreed\":";
  write_list(out, unfreed, [&](const UnfreedMemory::Place& place) { write_unfreed(out, place); });
  out << ",\"library_computed\":" << (library_computed ? "true" : "false") << ",\"findings\":";
  write_list(out, FindingLog::get().all(),
             [&](const Finding& finding) { write_finding(out, finding); });
  out << "}\n";
}

std::string as_json(const Finding& finding) {
  std::ostringstream text;
  write_finding(text, finding);
  return text.str();
}

void finish_report(const TracedKernels& kernels, const LinkCounts& links, const Unfreed& unfreed,
                   bool library_computed) {
  if (!report_path.empty()) {
    std::ofstream file(report_path);
    write_report(kernels, links, unfreed, library_computed, file);
    file.close();
    if (!file)
      std::fprintf(stderr, "CUDA simulator: cannot write the report to %s\n", report_path.c_str());
  }
  if (FindingLog::get().all().empty()) return;
  std::fflush(nullptr);
  _exit(1);
}

}  // namespace cuda_simulator
