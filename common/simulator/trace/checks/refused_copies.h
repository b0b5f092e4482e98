#pragma once

#include "trace/tracer.h"

#include "simulator/findings.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace cuda_simulator {

// Copies that the runtime has refused. They become findings if the program ends and has not called
// cudaGetLastError since.
class RefusedCopies {
 public:
  // Must be called before the copy's error is reported. `caller` is a return address.
  void add(CopyRefusal refusal, const char* function, std::uintptr_t caller);
  // `status` is the program's exit code.
  void report_unchecked(int status) const;
  std::vector<Finding> take() { return std::exchange(unchecked_, {}); }

 private:
  std::vector<Finding> unchecked_;
};

}  // namespace cuda_simulator
