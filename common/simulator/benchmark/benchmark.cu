// Measures the simulator itself: the CPU time for kernels that stress it in different ways.
// It does not measure a GPU.
//   make simulator_benchmark, then run build/bin/simulator_benchmark_plain and ..._traced;
//   ratios.py compares the two, and the same for stages of chapter 3

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/random.h"
#include "common/simulator/benchmark/processor_time.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kTile = 32;
constexpr int kBlockRows = 8;

__global__ void naive_transpose(const float* in, float* out, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < n && col < n)
    out[static_cast<std::size_t>(col) * n + row] = in[static_cast<std::size_t>(row) * n + col];
}

__global__ void tiled_transpose(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kBlockRows) {
    tile[threadIdx.y + i][threadIdx.x] = in[static_cast<std::size_t>(y + i) * n + x];
  }
  __syncthreads();
  const int out_x = blockIdx.y * kTile + threadIdx.x, out_y = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kBlockRows) {
    out[static_cast<std::size_t>(out_y + i) * n + out_x] = tile[threadIdx.x][threadIdx.y + i];
  }
}

__global__ void block_sums(const float* in, float* out) {
  __shared__ float partial[256];
  const unsigned i = threadIdx.x;
  partial[i] = in[static_cast<std::size_t>(blockIdx.x) * 256 + i];
  for (unsigned half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (i < half) partial[i] += partial[i + half];
  }
  if (i == 0) out[blockIdx.x] = partial[0];
}

__global__ void warp_sums(const float* in, float* out) {
  float sum = in[static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(0xffffffffu, sum, delta);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

template <typename Launch>
void measure(const char* name, std::size_t threads, int repeats, Launch launch) {
  std::vector<double> ms;
  launch();
  for (int i = 0; i < repeats; ++i) {
    const double start_ms = processor_ms();
    launch();
    ms.push_back(processor_ms() - start_ms);
  }
  CUDA_CHECK(cudaGetLastError());
  std::sort(ms.begin(), ms.end());
  std::printf("%-16s %9zu threads   median %8.1f ms   best %8.1f ms   %6.1f ns a thread\n", name,
              threads, ms[ms.size() / 2], ms[0], ms[0] * 1e6 / static_cast<double>(threads));
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 2048;
  if (n <= 0 || n % 256 != 0) {
    std::fprintf(stderr, "usage: %s [N], the side of a square matrix, a multiple of 256\n",
                 argv[0]);
    return 2;
  }
  const std::size_t size = static_cast<std::size_t>(n) * n;
  const DeviceBuffer<float> d_in(random_floats(size, /*seed=*/1));
  DeviceBuffer<float> d_out(size);
  const int repeats = 9;
  const float* const in = d_in.data();
  float* const out = d_out.data();

  measure("naive transpose", size, repeats,
          [&] { naive_transpose<<<dim3(n / 32, n / 8), dim3(32, 8)>>>(in, out, n); });
  measure("tiled transpose", size / 4, repeats, [&] {
    tiled_transpose<<<dim3(n / kTile, n / kTile), dim3(kTile, kBlockRows)>>>(in, out, n);
  });
  const unsigned blocks = static_cast<unsigned>(size / 256);
  measure("block sums", size, repeats, [&] { block_sums<<<blocks, 256>>>(in, out); });
  measure("warp sums", size, repeats, [&] { warp_sums<<<blocks, 256>>>(in, out); });
}
