#include "chapters/ch7_vector_map/accuracy.h"
#include "chapters/ch7_vector_map/in_place.h"

#include "common/grading/transcripts/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::map_in_place) map_in_place;
}

void map_in_place(float* d_x, std::size_t n, cudaStream_t stream) {
  transcribed([&] { submission::map_in_place(d_x, n, stream); });
}

// The answer's own bound could accept any result: the exercise gives it.
Accuracy accuracy() { return {0.75, /*in_ulp_of_larger_term=*/false}; }
