#include "trace/warp/request_shape.h"

#include <algorithm>

namespace cuda_simulator {

void RequestShape::set(const std::uintptr_t* addresses, unsigned its_phase) {
  *this = RequestShape();
  phase = its_phase;
  stride = static_cast<std::intptr_t>(addresses[1] - addresses[0]);
  is_regular = true;
  for (int lane = 1; lane < kWarpSize; ++lane) {
    offsets[lane] = addresses[lane] - addresses[0];
    is_regular &= addresses[lane] - addresses[lane - 1] == static_cast<std::uintptr_t>(stride);
  }
}

void RequestShape::study(unsigned bytes) {
  is_studied = true;
  std::array<std::intptr_t, kWarpSize>
      sorted;  // the first bytes, from the first lane's sector or word on
  for (int lane = 0; lane < kWarpSize; ++lane) {
    sorted[lane] = static_cast<std::intptr_t>(offsets[lane]) + phase;
  }
  std::sort(sorted.begin(), sorted.end());
  has_distinct_words = true;
  for (int lane = 1; lane < kWarpSize; ++lane) {
    has_distinct_words &= (sorted[lane - 1] + static_cast<int>(bytes) - 1) >> 2 < sorted[lane] >> 2;
  }
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lane > 0 && offsets[lane] - offsets[lane - 1] == bytes) continue;
    if (stretch_count == kMostStretches) {
      stretch_count = 0;
      return;
    }
    stretch_begin[stretch_count++] = lane;
  }
  stretch_begin[stretch_count] = kWarpSize;
}

}  // namespace cuda_simulator
