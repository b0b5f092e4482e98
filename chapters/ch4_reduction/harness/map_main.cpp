#include "baselines/map.h"
#include "harness/map_reference.h"
#include "harness/problem.h"

namespace {

void run_map(const double* d_in, double* d_out, std::size_t size, void*, cudaStream_t stream) {
  map_log_density(d_in, d_out, size, stream);
}

struct Map final : ReductionProblem {
  static MemoryNeed memory_need(std::size_t size, bool) { return arrays_of(size, /*arrays=*/2); }
  Map(std::size_t size, std::uint64_t seed)
      : ReductionProblem({run_map, map_reference, exact}, size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<Map>(argc, argv); }
