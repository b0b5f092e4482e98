#include "trace/report/finding_reporter.h"

#include "program/learners_code.h"
#include "program/line_table.h"
#include "simulator/say_once.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {

Finding::Place host_place(std::uintptr_t code, const char* operation) {
  const SourcePosition position = LineTable::get().find(code - 1);
  return {position.file, position.line, position.column, operation, {}, {}, false};
}

Finding::Place FindingReporter::place(std::uintptr_t code, const char* operation, int thread,
                                      std::uint64_t block) const {
  const bool is_call = caller_ != 0 && in_learners_code(code) == 0;
  const SourcePosition position = learners_position(is_call ? caller_ : code);
  const uint3 t = block_->grid().thread_index(thread), b = block_->grid().block_index(block);
  return {position.file,   position.line, position.column, operation, {t.x, t.y, t.z},
          {b.x, b.y, b.z}, true};
}

Finding::Place FindingReporter::wait_place(int thread) const {
  return place(reinterpret_cast<std::uintptr_t>(block_->waits_at(thread)), "wait", thread);
}

void FindingReporter::report(const char* kind, std::string message,
                             std::vector<Finding::Place> places, std::string facts) const {
  FindingLog::get().add({kind, block_->grid().kernel_name, std::move(message), std::move(places), 1,
                         std::move(facts)});
}

void FindingReporter::warn(std::string message, Finding::Place place) const {
  const std::string key = SourcePosition{place.file, place.line, place.column}.text();
  std::string text =
      describe({"", block_->grid().kernel_name, std::move(message), {std::move(place)}});
  text.pop_back();  // say_once() ends the line
  say_once("Warning: " + text, key);
}

void FindingReporter::refuse(const char* kind, const std::string& message, cudaError_t error,
                             Step step, const std::string& facts) const {
  const char* const operation = step.is_access() ? name_of(step.kind()) : "loop";
  std::uintptr_t code = in_learners_code(step.code());
  if (code == 0) code = innermost_learners_code();
  FindingLog::get().add({kind,
                         block_->grid().kernel_name,
                         message,
                         {place(code ? code : step.code(), operation, block_->thread())},
                         1,
                         facts});
  current_block->abandon_grid(error);
}

void FindingReporter::report_failure(const KernelFailure& failure, const void* code) const {
  const std::uintptr_t at =
      code ? reinterpret_cast<std::uintptr_t>(code) : innermost_learners_code();
  const Finding::Place where = place(at, failure.operation, block_->thread());
  std::string message = "a thread " + failure.message + ".";
  const std::string line = source_line(where);
  if (failure.kind == finding_kind::kBadAccess && line.find("printf") != std::string::npos &&
      line.find("%s") != std::string::npos) {
    message += " The printf in this line has a %s: its argument must be a string, not a number.";
  }
  report(failure.kind, std::move(message), {where});
}

void FindingReporter::report_array_index(Finding finding) const {
  const bool in_kernel = current_block && current_block->in_kernel();
  Finding::Place& where = finding.places.front();
  where.in_kernel = in_kernel;
  if (in_kernel) {
    finding.kernel = block_->grid().kernel_name;
    const Finding::Place here = place(1, "index", block_->thread());
    std::copy_n(here.thread, 3, where.thread);
    std::copy_n(here.block, 3, where.block);
  }
  FindingLog::get().add(std::move(finding));
  if (in_kernel) current_block->abandon_grid(cudaErrorIllegalAddress);
}

}  // namespace cuda_simulator
