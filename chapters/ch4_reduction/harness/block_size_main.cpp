#include "block_size.h"
#include "harness/problem.h"
#include "harness/reference.h"

#include "common/ceil_div.h"

namespace {

constexpr int kThreads = 200;  // 200, 100, 50, 25: the fourth half is not a whole number

void sum_by_blocks(const double* d_in, double* d_sum, std::size_t size, void*,
                   cudaStream_t stream) {
  log_likelihood_by_blocks(d_in, d_sum, size, kThreads, stream);
}

double tolerance(std::size_t size) {
  return sum_tolerance(10 + ceil_div(size, std::size_t{kThreads}));
}

struct BlockSize final : ReductionProblem {
  BlockSize(std::size_t size, std::uint64_t seed)
      : ReductionProblem({sum_by_blocks, log_likelihood_output, tolerance}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<BlockSize>(argc, argv); }
