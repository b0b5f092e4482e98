#include "baselines/cpu_double.h"

#include "map_operation.h"

namespace {

struct DoublesOnCpu final : MapInPlace<double> {
  explicit DoublesOnCpu(const Shape& shape) : MapInPlace(kLibraryAccuracy, kUniformFirst, shape) {}
  void run(cudaStream_t) override { map_doubles_on_cpu(x, n); }
  void before_run() override { x.write(); }
  std::vector<std::string> notes() const override { return {"one thread of the CPU"}; }
};

}  // namespace

Operation describe_operation() {
  Operation operation = map_operation<DoublesOnCpu>(kUniformFirst);
  operation.shapes = shapes_of({0, 1, 2, 1003});  // none; one; more
  operation.in_host_memory = true;
  operation.runs_on_cpu = 3;  // of several seconds each
  return operation;
}
