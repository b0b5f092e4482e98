#include "chapters/ch7_vector_map/kernel_time.h"

#include "common/grading/transcript.h"

namespace submission {
[[gnu::weak]] decltype(::kernel_time_ms) kernel_time_ms;
}

double kernel_time_ms(const Device& device) {
  return transcribed([&] { return submission::kernel_time_ms(device); });
}
