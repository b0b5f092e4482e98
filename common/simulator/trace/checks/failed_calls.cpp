#include "trace/checks/failed_calls.h"

#include "program/learners_code.h"
#include "program/statement.h"
#include "runtime/error_state.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_reporter.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostUnread = 100;

bool tells_of_a_failure(const Finding& finding) {
  return finding.kind == finding_kind::kWrongDevice ||
         finding.facts.find("launch=refused") != std::string::npos;
}

}  // namespace

bool FailedCalls::takes_more() {
  const std::uint64_t reads = ErrorState::get().reads();
  if (std::exchange(reads_before_, reads) != reads) unread_.clear();
  return unread_.size() < kMostUnread;
}

void FailedCalls::add(Finding finding, const Finding::Place& place) {
  if (!place.file.empty()) finding.places.push_back(place);
  unread_.push_back(std::move(finding));
}

void FailedCalls::copy_refused(CopyRefusal refusal, const char* function, std::uintptr_t caller) {
  is_recorded_ = true;
  if (!takes_more()) return;
  const std::string call = function;
  add({finding_kind::kRefusedCopy,
       "",
       call + " failed and copied nothing. " + refusal.reason,
       {},
       1,
       "call=" + call + " why=" + refusal.why},
      host_place(caller, "copy"));
}

void FailedCalls::launch_refused(const std::string& reason, const std::string& why,
                                 std::uintptr_t caller) {
  is_recorded_ = true;
  if (!takes_more()) return;
  const Finding::Place place = host_place(caller, "launch");
  const Statement statement = statement_at(place);
  const bool returns_it = statement.function.rfind("cudaLaunch", 0) == 0;  // not k<<<...>>>(...)
  if (returns_it && !statement.is_call) return;
  add({finding_kind::kRefusedLaunch, "", reason, {}, 1, "launch=refused why=" + why}, place);
}

void FailedCalls::error_reported(cudaError_t error) {
  if (std::exchange(is_recorded_, false)) return;
  // A program may leave this to be; and what the simulator lacks is not the program's mistake.
  if (error == cudaErrorPeerAccessAlreadyEnabled || error == cudaErrorNotSupported) return;
  const std::uintptr_t caller = takes_more() ? innermost_learners_code() : 0;
  if (caller == 0) return;
  const Finding::Place place = host_place(caller, "call");
  const Statement statement = statement_at(place);
  if (!statement.is_call) return;
  // Destructors free what cudaDeviceReset() has freed already.
  if (ErrorState::get().was_reset() && statement.function.rfind("cudaFree", 0) == 0) return;
  const std::string name = cudaGetErrorName(error);
  add({finding_kind::kFailedCall,
       "",
       statement.function + " failed with " + name + " (" + cudaGetErrorString(error) + ").",
       {},
       1,
       "call=" + statement.function + " error=" + name},
      place);
}

void FailedCalls::report_unread(int status) const {
  if (ErrorState::get().reads() != reads_before_) return;
  const std::vector<Finding>& reported = FindingLog::get().all();
  const bool is_told = std::any_of(reported.begin(), reported.end(), tells_of_a_failure);
  for (Finding finding : unread_) {
    if (is_told && finding.kind != finding_kind::kRefusedCopy) continue;
    // A program that ends with another code may have checked the error that the call returned.
    if (status == 0)
      finding.message += " The program did not check this error: it ended as if there were none.";
    FindingLog::get().add(std::move(finding));
  }
}

std::vector<Finding> FailedCalls::take_copies() {
  std::vector<Finding> copies;
  for (Finding& finding : unread_) {
    if (finding.kind == finding_kind::kRefusedCopy) copies.push_back(std::move(finding));
  }
  unread_.clear();
  return copies;
}

}  // namespace cuda_simulator
