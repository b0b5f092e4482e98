#include "trace/checks/refused_copies.h"

#include "runtime/error_state.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_reporter.h"

#include <utility>

namespace cuda_simulator {

void RefusedCopies::add(std::string reason, const char* function, std::uintptr_t caller) {
  if (ErrorState::get().last() == cudaSuccess) unchecked_.clear();
  Finding finding{finding_kind::kRefusedCopy,
                  "",
                  std::string(function) +
                      " failed and copied nothing, and the program did not check its error. " +
                      std::move(reason),
                  {}};
  const Finding::Place place = host_place(caller, "copy");
  if (!place.file.empty()) finding.places.push_back(place);
  unchecked_.push_back(std::move(finding));
}

void RefusedCopies::report_unchecked() const {
  if (ErrorState::get().last() != cudaErrorInvalidValue) return;
  for (const Finding& finding : unchecked_) FindingLog::get().add(finding);
}

}  // namespace cuda_simulator
