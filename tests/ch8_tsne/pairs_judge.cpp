#include "chapters/ch8_tsne/pairs.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::pairs_at) pairs_at;
}

void pairs_at(const long long* d_numbers, int* d_i, int* d_j, int size, int count,
              cudaStream_t stream) {
  transcribed([&] { submission::pairs_at(d_numbers, d_i, d_j, size, count, stream); });
}
