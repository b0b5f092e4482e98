#include "chapters/ch1_saxpy/who_am_i.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::who_am_i) who_am_i;
}

void who_am_i(int* d_block, int* d_thread, int* d_element, int n, int threads,
              cudaStream_t stream) {
  transcribed([&] { submission::who_am_i(d_block, d_thread, d_element, n, threads, stream); });
}
