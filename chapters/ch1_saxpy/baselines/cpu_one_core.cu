// CPU: one core
//
// The loop that the stages share out. No kernel.

#include "baselines/cpu.h"

void saxpy_on_cpu(float a, const float* __restrict__ h_x, float* __restrict__ h_y, int n) {
  for (int i = 0; i < n; ++i) {
    h_y[i] = a * h_x[i] + h_y[i];
  }
}
