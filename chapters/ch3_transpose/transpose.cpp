#include "transpose.h"

#include "matrix_operation.h"

#include <algorithm>

// out(c, r) = in(r, c), both row-major. It goes through `in` in strips that are as wide as a cache
// line: column after column takes minutes.
std::vector<float> transpose_on_cpu(const std::vector<float>& in, std::size_t rows,
                                    std::size_t cols) {
  constexpr std::size_t kStrip = 16;
  std::vector<float> out(in.size());
  for (std::size_t first = 0; first < cols; first += kStrip) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = first; c < std::min(first + kStrip, cols); ++c) {
        out[c * rows + r] = in[r * cols + c];
      }
    }
  }
  return out;
}

Operation describe_operation() {
  return matrix_operation({transpose, transpose_on_cpu, /*is_turned=*/true});
}
