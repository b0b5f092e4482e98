#include "harness/program.h"
#include "reduction.h"
#include "harness/reference.h"

int main(int argc, char** argv) {
  return run_program(
      {log_likelihood, log_likelihood_output,
       [](std::size_t size) { return sum_tolerance(sum_order(size).longest_chain); }},
      argc, argv);
}
