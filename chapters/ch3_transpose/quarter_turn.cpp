#include "quarter_turn.h"

#include "matrix_operation.h"

// `in`, rotated by a quarter turn to the right: its row r becomes column rows - 1 - r of `out`.
std::vector<float> quarter_turn_on_cpu(const std::vector<float>& in, std::size_t rows,
                                       std::size_t cols) {
  std::vector<float> out(in.size());
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) out[c * rows + (rows - 1 - r)] = in[r * cols + c];
  }
  return out;
}

Operation describe_operation() {
  return matrix_operation({quarter_turn, quarter_turn_on_cpu, /*is_turned=*/true});
}
