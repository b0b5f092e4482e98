#include "chapters/ch7_vector_map/vector_map.h"

#include "common/grading/transcripts/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::vector_map) vector_map;
}

void vector_map(const float* d_x, float* d_y, std::size_t n, cudaStream_t stream) {
  transcribed([&] { submission::vector_map(d_x, d_y, n, stream); });
}

// The answer's own bound could accept any result: the exercises give it.
Accuracy accuracy() { return {8.5, /*in_ulp_of_larger_term=*/true}; }
