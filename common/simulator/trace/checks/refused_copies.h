#pragma once

#include "simulator/findings.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

// Copies that the runtime has refused. A program that checks errors finds them itself, so they
// become findings only if the error is still unchecked when the program ends.
class RefusedCopies {
 public:
  // Must be called before the copy's error is reported. `caller` is a return address.
  void add(std::string reason, const char* function, std::uintptr_t caller);
  void report_unchecked() const;

 private:
  std::vector<Finding> unchecked_;
};

}  // namespace cuda_simulator
