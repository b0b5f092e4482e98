#pragma once

#include "simulator/findings.h"

#include <string>

namespace cuda_simulator {

// The statement of the learner's source at a place on the host.
struct Statement {
  bool is_known = false;   // the source can be read
  bool is_launch = false;  // it contains <<<...>>>
  bool is_call = false;    // it is one call of a function of CUDA, whose result it does not use
  std::string function;    // that function
};

Statement statement_at(const Finding::Place& place);

}  // namespace cuda_simulator
