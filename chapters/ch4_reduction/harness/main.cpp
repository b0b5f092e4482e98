#include "harness/problem.h"
#include "harness/reference.h"
#include "reduction.h"

namespace {

double tolerance(std::size_t size) { return sum_tolerance(sum_order(size).longest_chain); }

struct LogLikelihood final : ReductionProblem {
  LogLikelihood(std::size_t size, std::uint64_t seed)
      : ReductionProblem({log_likelihood, log_likelihood_output, tolerance}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<LogLikelihood>(argc, argv); }
