#pragma once

#include "simulator/findings.h"

#include <string>

namespace cuda_simulator {

// The statement of the learner's source at a place on the host.
struct Statement {
  std::string function;  // the first function of CUDA that it calls; empty if the source is unknown
  bool is_call = false;  // it is this call alone, and does not use the result
};

Statement statement_at(const Finding::Place& place);

}  // namespace cuda_simulator
