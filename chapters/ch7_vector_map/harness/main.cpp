#include "harness/problem.h"
#include "vector_map.h"

namespace {

struct VectorMap final : MapProblem<float> {
  VectorMap(const MapSize& size, std::uint64_t seed)
      : MapProblem(vector_map, accuracy(), size, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<VectorMap>(argc, argv); }
