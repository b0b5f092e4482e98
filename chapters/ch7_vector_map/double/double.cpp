#include "double/double_map.h"

#include "map_operation.h"

namespace {

struct DoubleMap final : MapOfArray<double> {
  explicit DoubleMap(const Shape& shape) : MapOfArray(accuracy(), kWideFirst, shape) {}
  void run(cudaStream_t stream) override { double_map(x, y, n, stream); }
};

}  // namespace

Operation describe_operation() { return map_operation<DoubleMap>(kWideFirst); }
