#include "baselines/copy.h"
#include "harness/copy_reference.h"
#include "harness/problem.h"

namespace {

struct Copy final : MatrixProblem {
  Copy(const Shape& shape, std::uint64_t seed)
      : MatrixProblem({copy, copy_reference}, shape, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Copy>(argc, argv); }
