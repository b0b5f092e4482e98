#include "double_map.h"
#include "harness/problem.h"

namespace {

struct DoubleMap final : MapProblem<double> {
  DoubleMap(std::size_t n, std::uint64_t seed) : MapProblem(double_map, accuracy(), n, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<DoubleMap>(argc, argv); }
