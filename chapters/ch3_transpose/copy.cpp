#include "baselines/copy.h"

#include "matrix_operation.h"

static std::vector<float> copy_on_cpu(const std::vector<float>& in, std::size_t, std::size_t) {
  return in;
}

Operation describe_operation() { return matrix_operation({copy, copy_on_cpu}); }
