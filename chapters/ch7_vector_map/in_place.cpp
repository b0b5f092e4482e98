#include "in_place.h"

#include "map_operation.h"

namespace {

struct FloatsInPlace final : MapInPlace<float> {
  explicit FloatsInPlace(const Shape& shape) : MapInPlace(accuracy(), kWideFirst, shape) {}
  void run(cudaStream_t stream) override { map_in_place(x, n, stream); }
};

}  // namespace

Operation describe_operation() {
  Operation operation = map_operation<FloatsInPlace>(kWideFirst);
  operation.at_any_address = true;
  return operation;
}
