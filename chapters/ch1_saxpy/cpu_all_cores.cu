// CPU: all cores
//
// A thread for each core that the system gives this program, each with one piece of the arrays. A
// core likes neighbouring elements one after another; a GPU's threads like them side by side. No
// kernel.
//
// Cost: starting the threads is part of it, some 10 microseconds each.

#include "cpu.h"

#include "common/ceil_div.h"

#include <algorithm>
#include <thread>
#include <vector>

static void saxpy_piece(float a, const float* __restrict__ h_x, float* __restrict__ h_y, int n) {
  for (int i = 0; i < n; ++i) {
    h_y[i] = a * h_x[i] + h_y[i];
  }
}

void saxpy_on_cpu(float a, const float* h_x, float* h_y, int n) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int piece = ceil_div(n, cores);
  std::vector<std::thread> threads;
  for (int first = 0; first < n; first += piece) {
    threads.emplace_back(saxpy_piece, a, h_x + first, h_y + first, std::min(piece, n - first));
  }
  for (std::thread& thread : threads) thread.join();
}
