#include "chapters/ch3_transpose/transpose.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::transpose) transpose;
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  transcribed([&] { submission::transpose(d_in, d_out, rows, cols, stream); });
}
