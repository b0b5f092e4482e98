#include "matrix_vector.h"

#include "common/harness/operation.h"
#include "common/harness/random.h"

#include <cmath>

// y = A x, for x.size() columns.
std::vector<double> matrix_vector_on_cpu(const std::vector<double>& a, const std::vector<double>& x,
                                         std::size_t rows) {
  std::vector<double> y(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < x.size(); ++col) y[row] += a[row * x.size() + col] * x[col];
  }
  return y;
}

namespace {

// The longest row whose sum is exact: 2^13 products of 2^38 are 2^51.
constexpr std::size_t kMostExactCols = 8192;

// Doubles that are integers of 20 bits. A sum of kMostExactCols products of two such doubles is
// exact, in any order; in floats it is not.
std::vector<double> random_integers(std::size_t count, std::uint64_t seed) {
  std::vector<double> values(count);
  RandomBits bits(seed);
  for (double& value : values) value = static_cast<double>(bits() >> 44) - 0x1p19;
  return values;
}

struct MatrixVector final : Computation {
  explicit MatrixVector(const Shape& shape) : rows(shape[0]), cols(shape[1]) {}

  void fill(std::uint64_t seed) override {
    a.host = random_integers(rows * cols, seed);
    x.host = random_integers(cols, seed + 1);
  }
  void run(cudaStream_t stream) override { matrix_vector(a, x, y, rows, cols, stream); }
  void expect() override { y.expect(matrix_vector_on_cpu(a.host, x.host, rows), /*bound=*/0); }
  double work() const override { return a.bytes(); }  // x and y are small

  std::string text() const override { return format("%zu x %zu doubles", rows, cols); }
  std::string report() const override { return text() + " times a vector, all right"; }
  std::string facts_of_wrong(std::size_t, double right, double got) const override {
    return std::abs(got / right - 1) < 1e-6 ? "given=float_digits" : "";
  }

  std::size_t rows, cols;
  Input<double> a{this, "a", rows * cols, cols};
  Input<double> x{this, "x", cols};
  Output<double> y{this, "y", rows};
};

}  // namespace

Operation describe_operation() {
  Operation operation;
  operation.make = computes<MatrixVector>;
  // To check: a row is three times a warp. To time: the matrix has 13 times an H200's L2 cache.
  operation.extents = {
      {"--size N", "rows of the matrix", kMaxExtent, 1003, 100'003},
      {"--columns M", "columns of the matrix", kMostExactCols, 96, 1000, 1, /*is_column=*/false}};
  // One element; one row; one column; a warp and a block and the sizes around them, in both
  // directions; primes; wide; tall; no rows; no columns, where each sum is 0.
  operation.shapes = {{1, 1},    {1, 1000}, {1000, 1}, {2, 3},    {7, 31},  {8, 32},
                      {9, 33},   {33, 64},  {31, 255}, {32, 257}, {255, 7}, {257, 131},
                      {57, 129}, {3, 2100}, {2100, 3}, {0, 5},    {33, 0}};
  operation.ceiling = input_read;
  return operation;
}
