#include "heat_step.h"

#include "matrix_operation.h"

// One step of heat conduction: each element becomes the mean of its four neighbours, computed in
// double and rounded once. The border keeps its values.
std::vector<float> heat_step_on_cpu(const std::vector<float>& in, std::size_t rows,
                                    std::size_t cols) {
  std::vector<float> out(in);
  const auto value = [&](std::size_t r, std::size_t c) -> double { return in[r * cols + c]; };
  for (std::size_t r = 1; r + 1 < rows; ++r) {
    for (std::size_t c = 1; c + 1 < cols; ++c) {
      const double sum = value(r - 1, c) + value(r + 1, c) + value(r, c - 1) + value(r, c + 1);
      out[r * cols + c] = static_cast<float>(sum / 4);
    }
  }
  return out;
}

// Bound of the error for temperatures from -1 to 1, for any order of the four additions. With u =
// 2^-24, three additions of floats are wrong by less than 3.01 u times the sum of the four absolute
// values, which is at most 4. Dividing by 4 is exact. The reference is rounded too, by at most u.
constexpr double kMaxError = 5 * 0x1p-24;

Operation describe_operation() {
  return matrix_operation({heat_step, heat_step_on_cpu, /*is_turned=*/false, kMaxError});
}
