#include "chapters/ch1_saxpy/saxpy.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::saxpy) saxpy;
}

void saxpy(float a, const float* d_x, float* d_y, int n, int threads, cudaStream_t stream) {
  transcribed([&] { submission::saxpy(a, d_x, d_y, n, threads, stream); });
}
