#include "harness/problem.h"

#include "common/harness/read_probe.h"

namespace {

void run_probe(const double* d_in, double*, std::size_t size, void* d_workspace,
               cudaStream_t stream) {
  read_probe(d_in, size, d_workspace, stream);
}

// The probe has no output; its counts (claims.csv) show that it reads everything.
std::vector<double> nothing(const std::vector<double>&) { return {}; }

struct Probe final : ReductionProblem {
  Probe(std::size_t size, std::uint64_t seed)
      : ReductionProblem({run_probe, nothing, exact}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Probe>(argc, argv); }
