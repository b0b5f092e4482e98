#include "chapters/ch6_matmul/matmul.h"

#include "common/error_bound.h"
#include "common/grading/transcripts/transcript.h"

namespace submission {
[[gnu::weak]] void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c,
                          cudaStream_t stream);
}  // namespace submission

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  transcribed([&] { submission::matmul(a, b, c, stream); });
}

// The answer's own bound could accept any result, and no exercise needs a different one.
double float_error_bound(int k) { return float_sum_error_bound(k); }
