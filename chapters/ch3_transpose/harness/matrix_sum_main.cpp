#include "harness/problem.h"
#include "matrix_sum.h"

namespace {

// A matrix and itself: each byte is read once from memory and written once, as in a transpose.
void double_matrix(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  matrix_sum(d_in, d_in, d_out, rows, cols, stream);
}

std::vector<float> doubled(const std::vector<float>& in, int, int) {
  std::vector<float> sum(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) sum[i] = in[i] + in[i];
  return sum;
}

struct MatrixSum final : MatrixProblem {
  MatrixSum(const Shape& shape, std::uint64_t seed)
      : MatrixProblem({double_matrix, doubled}, shape, seed) {}
};

}  // namespace

int main(int argc, char** argv) { return run_program<MatrixSum>(argc, argv); }
