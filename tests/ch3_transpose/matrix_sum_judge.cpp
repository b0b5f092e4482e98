#include "chapters/ch3_transpose/matrix_sum.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::matrix_sum) matrix_sum;
}

void matrix_sum(const float* d_a, const float* d_b, float* d_sum, int rows, int cols,
                cudaStream_t stream) {
  transcribed([&] { submission::matrix_sum(d_a, d_b, d_sum, rows, cols, stream); });
}
