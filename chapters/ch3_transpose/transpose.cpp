#include "transpose.h"

#include "matrix_operation.h"

#include "common/harness/cpu_baseline.h"

#include <algorithm>

// out(c, r) = in(r, c), both row-major. Each core goes through its columns in strips that are as
// wide as a cache line: column after column takes minutes.
std::vector<float> transpose_on_cpu(const std::vector<float>& in, std::size_t rows,
                                    std::size_t cols) {
  constexpr std::size_t kStrip = 16;
  std::vector<float> out(in.size());
  const unsigned threads = in.size() > 1'000'000 ? cpu_cores() : 1;
  for_each_chunk(cols, threads, [&](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t first = begin; first < end; first += kStrip) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = first; c < std::min(first + kStrip, end); ++c) {
          out[c * rows + r] = in[r * cols + c];
        }
      }
    }
  });
  return out;
}

Operation describe_operation() {
  return matrix_operation({transpose, transpose_on_cpu, /*is_turned=*/true});
}
