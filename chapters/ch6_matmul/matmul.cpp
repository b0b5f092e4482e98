#include "matmul.h"

#include "double_matmul.h"
#include "product_operation.h"

#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/harness/launch_limits.h"
#include "common/harness/once.h"

#include <stdexcept>

// For a stage that does not define it: the products of an element are added one by one, in any
// order.
[[gnu::weak]] double float_error_bound(int k) { return float_sum_error_bound(k); }

// For a stage without a file in doubles/.
[[gnu::weak]] void double_matmul(Matrix<const double>, Matrix<const double>, Matrix<double>,
                                 cudaStream_t) {
  throw std::invalid_argument(
      "This stage multiplies floats. For doubles: ch6_matmul_naive, _tiled, _paired_lanes or "
      "_cublas, and ch11_tensor_cores_tensor_core.");
}

namespace {

template <typename T>
struct Matmul final : ProductComputation<T> {
  explicit Matmul(const Shape& shape) : ProductComputation<T>(shape) {}

  double error_bound() const override {
    if (std::is_same_v<T, double>) return ProductComputation<T>::error_bound();
    return float_error_bound(static_cast<int>(k));
  }
  void run(cudaStream_t stream) override {
    const int rows = static_cast<int>(m), cols = static_cast<int>(n), depth = static_cast<int>(k);
    launch_for_rows(rows, "ch6_matmul_register_tiled", [&] {
      if constexpr (std::is_same_v<T, float>) {
        matmul({a, rows, depth}, {b, depth, cols}, {c, rows, cols}, stream);
      } else {
        double_matmul({a, rows, depth}, {b, depth, cols}, {c, rows, cols}, stream);
      }
    });
  }

  // What a caller pays besides the kernel, by the CPU's clock: calls, allocations and copies.
  void before_timing() override {
    allocation_ms = allocation(a.count);
    allocation(b.count);
    first_ms = once_ms([&] { run(nullptr); });
    second_ms = once_ms([&] { run(nullptr); });
    there_ms = once_ms([&] { a.write(); });
    {
      std::vector<T> host;  // new memory has no pages before its first use
      back_ms = once_ms([&] { host = c.now(); });
      const auto bytes = static_cast<std::size_t>(c.bytes());
      back_again_ms =
          once_ms([&] { CUDA_CHECK(cudaMemcpy(host.data(), c, bytes, cudaMemcpyDeviceToHost)); });
    }
    std::vector<T> unused;
    host_allocation_ms = once_ms([&] { unused.resize(c.count); });
  }
  // Milliseconds to allocate so many elements on the device. Adds what they take there.
  double allocation(std::size_t count) {
    const std::size_t free_before = free_device_bytes();
    DeviceBuffer<T> buffer(0);
    const double ms = once_ms([&] { buffer = DeviceBuffer<T>(count); });
    factors_taken += free_before - free_device_bytes();
    return ms;
  }
  std::vector<std::string> notes() const override {
    std::vector<std::string> notes = ProductComputation<T>::notes();
    for (const std::string& note :
         {format("by the CPU's clock: first call %.3f ms, second %.3f ms", first_ms, second_ms),
          format("copies: a to the device %.3f ms, c back into new memory %.3f ms, again into the "
                 "same memory %.3f ms",
                 there_ms, back_ms, back_again_ms),
          format("allocation: a on the device %.3f ms, c on the host %.3f ms", allocation_ms,
                 host_allocation_ms),
          format("a and b on the device: %.0f bytes by their sizes, %zu taken",
                 a.bytes() + b.bytes(), factors_taken)}) {
      notes.push_back(note);
    }
    return notes;
  }

  using ProductComputation<T>::m, ProductComputation<T>::n, ProductComputation<T>::k;
  using ProductComputation<T>::a, ProductComputation<T>::b, ProductComputation<T>::c;
  double first_ms = 0, second_ms = 0, there_ms = 0, back_ms = 0, back_again_ms = 0;
  double allocation_ms = 0, host_allocation_ms = 0;
  std::size_t factors_taken = 0;
};

// A product without elements only checks its arguments.
void refuse_type(const Shape& shape) {
  if (shape[3] == 0) return;
  try {
    double_matmul({nullptr, 0, 0}, {nullptr, 0, 0}, {nullptr, 0, 0});
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

Operation describe_operation() {
  Operation operation = product_of_either_type<Matmul>();
  operation.refuse = refuse_type;
  // m, n, k. One element; one row, one column, an outer and an inner product; no elements, and
  // empty sums; tiles of 8, 16, 32 and 128 and the sizes around them, with sizes that vectors
  // divide (multiples of 4) and others; primes; 3 x 2 tiles of 128, because 2 x 2 are also 2 + 2;
  // the shape of the lesson.
  operation.shapes = {{1, 1, 1},      {1, 70, 9},    {70, 1, 9},   {40, 50, 1},    {1, 1, 300},
                      {0, 5, 3},      {5, 0, 3},     {5, 3, 0},    {2, 3, 4},      {31, 33, 32},
                      {32, 32, 31},   {33, 31, 33},  {64, 64, 7},  {127, 129, 8},  {128, 128, 16},
                      {129, 127, 17}, {4, 260, 15},  {260, 4, 12}, {132, 136, 36}, {67, 71, 61},
                      {257, 129, 3},  {256, 45, 123}};
  for (const Shape& mnk : {Shape{33, 65, 20}, Shape{100, 70, 5}, Shape{2, 3, 40}}) {
    for (const std::size_t bits : {0, 1})
      operation.in_turn.push_back({mnk[0], mnk[1], mnk[2], bits});
  }
  return operation;
}
