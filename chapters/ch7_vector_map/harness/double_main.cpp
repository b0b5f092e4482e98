#include "double/double_map.h"
#include "harness/problem.h"

namespace {

struct DoubleMap final : MapProblem<double> {
  DoubleMap(const MapSize& size, std::uint64_t seed)
      : MapProblem(double_map, accuracy(), size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<DoubleMap>(argc, argv); }
