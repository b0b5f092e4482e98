#include "baselines/cpu.h"

#include "map_operation.h"

#include "common/harness/cpu_baseline.h"

namespace {

struct MapOnCpu final : MapOfArray<float> {
  explicit MapOnCpu(const Shape& shape) : MapOfArray(kCpuAccuracy, kWideFirst, shape) {}
  void run(cudaStream_t) override { map_on_cpu(x, y, n, cpu_threads()); }
  std::vector<std::string> notes() const override {
    return {format("%u thread(s) of the CPU", cpu_threads())};
  }
};

}  // namespace

Operation describe_operation() {
  Operation operation = map_operation<MapOnCpu>(kWideFirst);
  // None; fewer elements than there are cores; lengths that neither cores nor vectors divide.
  operation.shapes = shapes_of({0, 1, 2, 3, 7, 64, 1003, 30011});
  operation.in_host_memory = true;
  operation.runs_on_cpu = 21;
  return operation;
}
