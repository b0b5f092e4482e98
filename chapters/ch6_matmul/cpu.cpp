#include "baselines/cpu.h"

#include "product_operation.h"

namespace {

template <typename T>
struct ProductOnCpu final : ProductComputation<T> {
  explicit ProductOnCpu(const Shape& shape) : ProductComputation<T>(shape) {}

  void run(cudaStream_t) override {
    const int rows = static_cast<int>(m), cols = static_cast<int>(n), depth = static_cast<int>(k);
    product_on_cpu(Matrix<const T>{a, rows, depth}, Matrix<const T>{b, depth, cols},
                   Matrix<T>{c, rows, cols});
  }
  std::string report() const override {
    return ProductComputation<T>::report() + "\n  on the CPU, by " + cpu_library();
  }

  using ProductComputation<T>::m, ProductComputation<T>::n, ProductComputation<T>::k;
  using ProductComputation<T>::a, ProductComputation<T>::b, ProductComputation<T>::c;
};

}  // namespace

Operation describe_operation() {
  Operation operation = product_of_either_type<ProductOnCpu>();
  // m, n, k. No element; one; tiles of 4 x 8 and 4 x 4 and the sizes around them; a depth of 256
  // and those around it; long and thin; the shape of the lesson.
  operation.shapes = {{0, 3, 2},     {3, 0, 2},     {3, 2, 0},   {1, 1, 1},     {2, 3, 4},
                      {4, 8, 5},     {5, 9, 3},     {3, 7, 255}, {7, 5, 256},   {6, 11, 257},
                      {1, 100, 600}, {100, 1, 600}, {33, 17, 9}, {256, 45, 123}};
  operation.in_host_memory = true;
  operation.runs_on_cpu = 3;  // of several seconds each
  return operation;
}
