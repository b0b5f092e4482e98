// Compares the simulator with serial loops that compute the same: the CPU time for kernels that
// every course has, as a beginner writes them.
// ratios.py runs the plain and the traced build and prints the ratios.
//   build/bin/simulator_benchmark_textbook_traced [N [KERNEL]]

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "common/simulator/benchmark/processor_time.h"
#include "common/simulator/benchmark/serial_loops.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

namespace {

constexpr int kThreads = 256;
constexpr int kTile = 16;

__global__ void naive_product(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

__global__ void tiled_product(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0.0f;
  for (int first = 0; first < n; first += kTile) {
    a_tile[y][x] = a[row * n + first + x];
    b_tile[y][x] = b[(first + y) * n + col];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += a_tile[y][k] * b_tile[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void tree_sums(const float* in, float* out) {
  __shared__ float partial[kThreads];
  const int i = threadIdx.x;
  partial[i] = in[static_cast<std::size_t>(blockIdx.x) * kThreads + i];
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (i < half) partial[i] += partial[i + half];
    __syncthreads();
  }
  if (i == 0) out[blockIdx.x] = partial[0];
}

__global__ void shuffle_sums(const float* in, float* out) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  float sum = in[i];
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
  if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

__global__ void collatz(int* steps, int size) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= size) return;
  unsigned long long n = static_cast<unsigned>(i) + 1;
  int count = 0;
  for (; n != 1; ++count) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  steps[i] = count;
}

// Some clocks tick only every few milliseconds, so short functions are repeated.
template <typename Function>
double best_ms(Function function) {
  constexpr double kEnoughMs = 100.0;
  double best = std::numeric_limits<double>::infinity(), total = 0.0;
  for (int repeats = 1; total < kEnoughMs; repeats *= 2) {
    const double start_ms = processor_ms();
    for (int i = 0; i < repeats; ++i) function();
    const double ms = processor_ms() - start_ms;
    if (ms >= kEnoughMs / 10) best = std::min(best, ms / repeats);
    total += ms;
  }
  return best;
}

const char* only = nullptr;  // the one kernel to measure

template <typename Serial, typename Launch>
void measure(const char* name, std::size_t elements, Serial serial, Launch launch) {
  if (only && std::string(name) != only) return;
  const double serial_ms = best_ms(serial);
  const double launch_ms = best_ms(launch);
  CUDA_CHECK(cudaDeviceSynchronize());
  std::printf("%-16s %9zu elements   best %8.1f ms   serial %8.2f ms\n", name, elements, launch_ms,
              serial_ms);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 512;
  if (n <= 0 || n % 256 != 0) {
    std::fprintf(stderr,
                 "usage: %s [N [KERNEL]], N: the side of a square matrix, a multiple of 256\n",
                 argv[0]);
    return 2;
  }
  only = argc > 2 ? argv[2] : nullptr;
  const std::size_t size = static_cast<std::size_t>(n) * n;
  const std::vector<float> in = random_floats(8 * size, /*seed=*/1);
  std::vector<float> out(8 * size);
  std::vector<int> steps(4 * size);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<float> d_out(8 * size);
  DeviceBuffer<int> d_steps(4 * size);
  const float *const a = in.data(), *const b = a + size, *const d_a = d_in.data(),
                     *const d_b = d_a + size;

  const int half = n / 2;
  measure(
      "naive product", size / 4, [&] { serial::naive_product(a, b, out.data(), half); },
      [&] {
        naive_product<<<dim3(half / 32, half / 8), dim3(32, 8)>>>(d_a, d_b, d_out.data(), half);
      });
  measure(
      "tiled product", size, [&] { serial::tiled_product(a, b, out.data(), n); },
      [&] {
        tiled_product<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(d_a, d_b, d_out.data(),
                                                                          n);
      });
  const std::size_t blocks = 8 * size / kThreads;
  measure(
      "tree sums", 8 * size, [&] { serial::tree_sums(a, out.data(), blocks); },
      [&] { tree_sums<<<blocks, kThreads>>>(d_a, d_out.data()); });
  measure(
      "shuffle sums", 8 * size, [&] { serial::shuffle_sums(a, out.data(), blocks * 8); },
      [&] { shuffle_sums<<<blocks, kThreads>>>(d_a, d_out.data()); });
  const int numbers = static_cast<int>(4 * size);
  measure(
      "Collatz", 4 * size, [&] { serial::collatz(steps.data(), numbers); },
      [&] { collatz<<<numbers / kThreads, kThreads>>>(d_steps.data(), numbers); });
}
