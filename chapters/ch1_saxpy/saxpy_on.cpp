#include "baselines/saxpy_on.h"

#include "saxpy_operation.h"

#include "common/harness/launch_limits.h"

namespace {

const char* name_of(Backend backend) { return backend == Backend::cpu ? "cpu" : "gpu"; }

template <typename T>
struct SaxpyOn final : SaxpyComputation<T> {
  explicit SaxpyOn(const Shape& shape)
      : SaxpyComputation<T>(shape), backend(shape[3] == 0 ? Backend::gpu : Backend::cpu) {
    if (backend == Backend::cpu) this->x.memory = this->y.memory = Memory::kHost;
  }

  void run(cudaStream_t stream) override {
    const int n = static_cast<int>(this->n), threads = this->threads;
    launch_in_blocks_of(threads,
                        [&] { saxpy_on(backend, this->a, this->x, this->y, n, threads, stream); });
  }
  void before_run() override { this->y.write(); }  // its old values
  std::string facts_of_wrong(std::size_t, double, double) const override {
    return std::string("on=") + name_of(backend);
  }

  std::string text() const override {
    return format("%zu elements of %zu bits per array, on the %s", this->n, 8 * sizeof(T),
                  name_of(backend));
  }
  std::string report() const override {
    return format("%zu elements of %zu bits on the %s, all right", this->n, 8 * sizeof(T),
                  name_of(backend));
  }

  Backend backend;
};

}  // namespace

Operation describe_operation() {
  Operation operation = array_operation();
  operation.make = [](const Shape& shape) -> std::unique_ptr<Computation> {
    if (shape[2] == 0) return std::make_unique<SaxpyOn<float>>(shape);
    return std::make_unique<SaxpyOn<double>>(shape);
  };
  operation.choices = {
      {"--bits", {{"--bits 32", "floats, the default"}, {"--bits 64", "doubles"}}},
      {"--backend", {{"--backend gpu", "the default"}, {"--backend cpu", "one core of the CPU"}}}};
  operation.extents[1].is_column = true;
  // Each size on both processors, in doubles and in floats. Tests of one size use the last.
  std::vector<Shape> shapes;
  for (const Shape& size : operation.shapes) {
    for (const std::size_t backend : {1, 0}) {
      for (const std::size_t bits : {1, 0}) shapes.push_back({size[0], size[1], bits, backend});
    }
  }
  operation.shapes = shapes;
  operation.case_name = [](const Shape& shape) {
    return format("n%zu_threads%zu_%s_on_%s", shape[0], shape[1],
                  shape[2] == 0 ? "floats" : "doubles", shape[3] == 0 ? "gpu" : "cpu");
  };
  operation.ceiling = plain_copy;
  return operation;
}
