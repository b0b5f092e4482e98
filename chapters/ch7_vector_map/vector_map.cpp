#include "vector_map.h"

#include "map_operation.h"

namespace {

struct VectorMap final : MapOfArray<float> {
  explicit VectorMap(const Shape& shape) : MapOfArray(accuracy(), kWideFirst, shape) {}
  void run(cudaStream_t stream) override { vector_map(x, y, n, stream); }
};

}  // namespace

Operation describe_operation() { return map_operation<VectorMap>(kWideFirst); }
