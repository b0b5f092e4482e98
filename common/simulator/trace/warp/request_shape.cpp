#include "trace/warp/request_shape.h"

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

}  // namespace cuda_simulator
