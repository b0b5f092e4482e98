#include "chapters/ch0_machine/difference.h"

#include "common/grading/transcripts/transcript.h"

#include <cstddef>

namespace submission {
[[gnu::weak]] decltype(::absolute_difference) absolute_difference;
}

// The result is in host memory: d.
void absolute_difference(const int* h_a, const int* h_b, int* h_d, int n, int threads) {
  transcribe([&] { submission::absolute_difference(h_a, h_b, h_d, n, threads); }, h_d,
             static_cast<std::size_t>(n) * sizeof(int));
}
