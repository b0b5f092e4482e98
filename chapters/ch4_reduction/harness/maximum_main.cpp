#include "harness/maximum_reference.h"
#include "harness/problem.h"
#include "maximum.h"

namespace {

struct Maximum final : ReductionProblem {
  Maximum(std::size_t size, std::uint64_t seed)
      : ReductionProblem({maximum, maximum_reference, exact}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Maximum>(argc, argv); }
