#include "harness/problem.h"
#include "vector_map.h"

namespace {

struct VectorMap final : MapProblem<float> {
  VectorMap(std::size_t n, std::uint64_t seed) : MapProblem(vector_map, accuracy(), n, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<VectorMap>(argc, argv); }
