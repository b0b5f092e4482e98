#pragma once

#include "transpose.h"

#include "common/harness/launch_limits.h"
#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <memory>
#include <vector>

// What the operations of this chapter on one matrix have in common: data, sizes and the ceiling.

struct MatrixFunction {
  void (*run)(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream);
  std::vector<float> (*on_cpu)(const std::vector<float>& in, std::size_t rows, std::size_t cols);
  bool is_turned = false;  // `out` has as many columns as `in` has rows
  double max_error = 0;    // of an element; 0: it must have the same bits
};

struct MatrixComputation final : Computation {
  MatrixComputation(const MatrixFunction& function, const Shape& shape)
      : function(function), rows(shape[0]), cols(shape[1]) {}

  void fill(std::uint64_t seed) override { in.host = random_floats(rows * cols, seed); }
  void expect() override {
    const std::vector<float> right = function.on_cpu(in.host, rows, cols);
    function.max_error > 0 ? out.expect(right, function.max_error) : out.expect(right);
  }
  void run(cudaStream_t stream) override {
    const int height = static_cast<int>(rows), width = static_cast<int>(cols);
    launch_for_rows(height, "ch3_transpose_swizzled",
                    [&] { function.run(in, out, height, width, stream); });
  }

  std::string text() const override { return format("%zu x %zu floats", rows, cols); }
  std::string report() const override {
    const char* const how =
        function.max_error > 0 ? "all equal within rounding to" : "all equal to";
    return format("%s, %s the CPU's result", text().c_str(), how);
  }
  double work() const override { return in.bytes() + out.bytes(); }  // each is read or written once

  MatrixFunction function;
  std::size_t rows, cols;
  Input<float> in{this, "in", rows * cols, cols};
  Output<float> out{this, "out", rows * cols, function.is_turned ? rows : cols};
};

inline Operation matrix_operation(const MatrixFunction& function) {
  Operation operation;
  operation.make = [=](const Shape& shape) {
    return std::make_unique<MatrixComputation>(function, shape);
  };
  // To check: no tile divides these, and exchanged extents are found. To time: each matrix has 9
  // times the L2 cache of an H200.
  operation.extents = {
      {"--rows R", "rows of the matrix", kMaxExtent, 1000, 16384},
      {"--cols C", "columns; one of the two alone: a square matrix", kMaxExtent, 777, 8192}};
  operation.one_for_all = true;
  // One element; one row; one column; tiles of 32, 64 and 128, one less and one more; primes; wide;
  // tall; blocks of 1024 in a row or a column; tiles that start up to 7 elements early.
  operation.shapes = {{1, 1},     {1, 1000}, {1000, 1},  {2, 3},    {31, 33},   {32, 32},
                      {63, 65},   {64, 128}, {127, 129}, {128, 64}, {257, 131}, {100, 333},
                      {333, 100}, {3, 2100}, {2100, 3},  {57, 129}, {58, 129}};
  operation.ceiling = plain_copy;
  return operation;
}
