#include "chapters/ch4_reduction/maximum.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::maximum) maximum;
}

void maximum(const double* d_in, double* d_maximum, std::size_t size, void* d_workspace,
             cudaStream_t stream) {
  transcribed([&] { submission::maximum(d_in, d_maximum, size, d_workspace, stream); });
}
