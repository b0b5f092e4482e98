#pragma once

#include "trace/tracer.h"

#include "simulator/error_codes.h"
#include "simulator/findings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// Copies, launches and other calls that failed. They become findings if the program ends and has
// not read the last error since (cudaGetLastError, cudaPeekAtLastError). A call whose result the
// program uses does not: it may try out what the device can do.
class FailedCalls {
 public:
  // These two must be called before the error is reported. `caller` is a return address.
  void copy_refused(CopyRefusal refusal, const char* function, std::uintptr_t caller);
  void launch_refused(const std::string& reason, const std::string& why, std::uintptr_t caller);
  // A call has reported this error.
  void error_reported(cudaError_t error);
  // `status` is the program's exit code.
  void report_unread(int status) const;
  // The refused copies; nothing that has failed is reported any more.
  std::vector<Finding> take_copies();

 private:
  bool takes_more();  // forgets what the program has read the error of
  void add(Finding finding, const Finding::Place& place);

  std::vector<Finding> unread_;
  std::uint64_t reads_before_ = 0;  // how often the last error had been read
  bool is_recorded_ = false;        // the next error that is reported
};

}  // namespace cuda_simulator
