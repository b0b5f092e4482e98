#include "host_doubles/host_double.h"

#include "map_operation.h"

namespace {

// x and y are in host memory; one array is on the device. All memory is allocated before.
struct HostDoubleMap final : MapOfArray<double> {
  explicit HostDoubleMap(const Shape& shape)
      : MapOfArray(accuracy(), kUniformFirst, shape), x_on_device(this, n * sizeof(double)) {
    x.memory = y.memory = needs_pinned_memory() ? Memory::kPinned : Memory::kHost;
  }

  void run(cudaStream_t) override {
    host_double_map(x, y, reinterpret_cast<double*>(x_on_device.data()), n);
  }

  Workspace x_on_device;
};

}  // namespace

Operation describe_operation() {
  Operation operation = map_operation<HostDoubleMap>(kUniformFirst);
  // None; one; a block of 1024, and the sizes around it; a prime. 2 is wide.
  operation.shapes = shapes_of({0});
  for (const std::size_t n : {1, 2, 3, 1023, 1025, 10007}) {
    for (const std::size_t data : {0, 2}) operation.shapes.push_back({n, data});
  }
  operation.runs_on_cpu = 21;  // the copies are part of the work; the plain copy stays on the GPU
  return operation;
}
