#include "host/host_map.h"

#include "map_operation.h"

namespace {

// x and y are in host memory. All memory is allocated before: to pin it takes longer than to copy
// it.
struct HostMap final : MapOfArray<float> {
  explicit HostMap(const Shape& shape)
      : MapOfArray(accuracy(), kWideFirst, shape),
        x_on_device(this, n * sizeof(float)),
        y_on_device(this, n * sizeof(float)) {
    x.memory = y.memory = needs_pinned_memory() ? Memory::kPinned : Memory::kHost;
  }

  void run(cudaStream_t) override {
    host_map(x, y, reinterpret_cast<float*>(x_on_device.data()),
             reinterpret_cast<float*>(y_on_device.data()), n);
  }

  Workspace x_on_device, y_on_device;
};

}  // namespace

Operation describe_operation() {
  Operation operation = map_operation<HostMap>(kWideFirst);
  // None; one; a vector, tiles of 1024 and 2048, and the sizes around them; a prime.
  operation.shapes = shapes_of({0, 1, 2, 3, 4, 5, 1023, 2049, 10007});
  operation.runs_on_cpu = 21;  // the copies are part of the work; the plain copy stays on the GPU
  return operation;
}
