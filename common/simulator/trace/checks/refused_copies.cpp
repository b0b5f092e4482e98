#include "trace/checks/refused_copies.h"

#include "runtime/error_state.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_reporter.h"

#include <utility>

namespace cuda_simulator {

void RefusedCopies::add(CopyRefusal refusal, const char* function, std::uintptr_t caller) {
  if (ErrorState::get().last() == cudaSuccess) unchecked_.clear();
  Finding finding{finding_kind::kRefusedCopy,
                  "",
                  std::string(function) + " failed and copied nothing. " + refusal.reason,
                  {}};
  finding.facts = "call=" + std::string(function) + " why=" + refusal.why;
  const Finding::Place place = host_place(caller, "copy");
  if (!place.file.empty()) finding.places.push_back(place);
  unchecked_.push_back(std::move(finding));
}

void RefusedCopies::report_unchecked(int status) const {
  if (ErrorState::get().last() != cudaErrorInvalidValue) return;
  for (Finding finding : unchecked_) {
    // A program that ends with another code may have checked the error that the call returned.
    if (status == 0)
      finding.message += " The program did not check this error: it ended as if there were none.";
    FindingLog::get().add(std::move(finding));
  }
}

}  // namespace cuda_simulator
