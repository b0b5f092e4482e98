#include "chapters/ch4_reduction/block_size.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::log_likelihood_by_blocks) log_likelihood_by_blocks;
}

void log_likelihood_by_blocks(const double* d_in, double* d_sum, std::size_t size, int threads,
                              cudaStream_t stream) {
  transcribed([&] { submission::log_likelihood_by_blocks(d_in, d_sum, size, threads, stream); });
}
