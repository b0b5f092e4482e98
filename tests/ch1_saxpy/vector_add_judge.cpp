#include "chapters/ch1_saxpy/vector_add.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::vector_add) vector_add;
}

void vector_add(const float* d_x, const float* d_y, float* d_z, int n, int threads,
                cudaStream_t stream) {
  transcribed([&] { submission::vector_add(d_x, d_y, d_z, n, threads, stream); });
}
