// Read: how many bytes have to be in flight?
//
// Up to 16 KB per SM, a thread has one load of 8 bytes in flight, and there are more and more
// threads. Then an SM has its 2048 threads, and each thread issues 2, 4 or 8 loads before it needs
// the first.
//
// Cost: a request is 256 bytes in 8 sectors, however many are in flight.

#include "baselines/in_flight.h"

#include "common/cuda_check.h"

#include <algorithm>

constexpr int kThreads = 256;
constexpr int kThreadsPerSm = 2048;  // all that an SM can hold
constexpr int kWarpSize = 32;

template <int kLoads>
__global__ void bytes_in_flight_kernel(const double* __restrict__ x, int n,
                                       unsigned long long* bits) {
  const int stride = gridDim.x * blockDim.x;  // threads of the grid
  unsigned long long all = 0;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1  // the loads of the next iteration must not start before this one's have arrived
  for (; i + (kLoads - 1) * stride < n; i += kLoads * stride) {
    double loaded[kLoads];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) loaded[k] = x[i + k * stride];
#pragma unroll
    for (int k = 0; k < kLoads; ++k) all ^= __double_as_longlong(loaded[k]);
  }
#pragma unroll 1
  for (; i < n; i += stride) all ^= __double_as_longlong(x[i]);
  for (int lanes = kWarpSize / 2; lanes > 0; lanes /= 2) {
    all ^= __shfl_xor_sync(0xffffffff, all, lanes);
  }
  if (threadIdx.x % kWarpSize == 0) atomicXor(bits, all);
}

template <int kLoads>
static void launch(const double* d_x, int n, int blocks, unsigned long long* d_bits,
                   cudaStream_t stream) {
  bytes_in_flight_kernel<kLoads><<<blocks, kThreads, 0, stream>>>(d_x, n, d_bits);
  CUDA_CHECK(cudaGetLastError());
}

void read_in_flight(const double* d_x, int n, int kb_per_sm, unsigned long long* d_bits,
                    cudaStream_t stream) {
  CUDA_CHECK(cudaMemsetAsync(d_bits, 0, sizeof(*d_bits), stream));
  int sm_count = 0;
  CUDA_CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
  const int loads_per_sm = kb_per_sm * 1024 / static_cast<int>(sizeof(double));
  const int blocks = sm_count * (std::min(loads_per_sm, kThreadsPerSm) / kThreads);
  switch (std::max(loads_per_sm / kThreadsPerSm, 1)) {
    case 1:
      return launch<1>(d_x, n, blocks, d_bits, stream);
    case 2:
      return launch<2>(d_x, n, blocks, d_bits, stream);
    case 4:
      return launch<4>(d_x, n, blocks, d_bits, stream);
    default:
      return launch<8>(d_x, n, blocks, d_bits, stream);
  }
}
