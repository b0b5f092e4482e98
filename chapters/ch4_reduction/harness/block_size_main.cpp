#include "block_size.h"
#include "harness/program.h"
#include "harness/reference.h"

#include "common/ceil_div.h"

int main(int argc, char** argv) {
  constexpr int kThreads = 200;  // 200, 100, 50, 25: the fourth half is not a whole number
  return run_program(
      {[](const double* d_in, double* d_sum, std::size_t size, void*, cudaStream_t stream) {
         log_likelihood_by_blocks(d_in, d_sum, size, kThreads, stream);
       },
       log_likelihood_output,
       [](std::size_t size) { return sum_tolerance(10 + ceil_div(size, std::size_t{kThreads})); }},
      argc, argv);
}
