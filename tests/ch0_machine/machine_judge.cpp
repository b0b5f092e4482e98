#include "chapters/ch0_machine/machine.h"

#include "common/grading/transcripts/transcript.h"

#include <cstddef>

namespace submission {
[[gnu::weak]] decltype(::double_on_gpu) double_on_gpu;
}

// The result is in host memory: y.
void double_on_gpu(const int* h_x, int* h_y, int n, int threads) {
  transcribe([&] { submission::double_on_gpu(h_x, h_y, n, threads); }, h_y,
             static_cast<std::size_t>(n) * sizeof(int));
}
