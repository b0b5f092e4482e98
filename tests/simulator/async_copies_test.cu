#include "common/device_buffer.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

// Copies from global to shared memory that run while their thread continues.

namespace {

class AsyncCopies : public DeviceTest {};

// Each thread copies one element; from element `whole` on, each ends with zeros.
template <typename T>
__global__ void copy_kernel(const T* in, T* out, int whole, std::size_t zero_bytes) {
  __shared__ T pieces[32];
  const int i = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(&pieces[i], &in[i], sizeof(T), i < whole ? 0 : zero_bytes);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = pieces[31 - i];
}

int4 four(int first) { return {first, first + 1, first + 2, first + 3}; }

TEST_F(AsyncCopies, OfFourBytes) {
  const DeviceBuffer<int> d_in(generated<int>(32, [](int i) { return 3 * i + 1; }));
  const auto out = output_of<int>(
      32, [&](int* d_out) { copy_kernel<<<1, 32>>>(d_in.data(), d_out, 32, std::size_t{0}); });
  EXPECT_EQ(out, generated<int>(32, [](int i) { return 3 * (31 - i) + 1; }));
}

TEST_F(AsyncCopies, OfEightBytes) {
  const DeviceBuffer<double> d_in(generated<double>(32, [](int i) { return i + 0.5; }));
  const auto out = output_of<double>(
      32, [&](double* d_out) { copy_kernel<<<1, 32>>>(d_in.data(), d_out, 32, std::size_t{0}); });
  EXPECT_EQ(out, generated<double>(32, [](int i) { return 31 - i + 0.5; }));
}

TEST_F(AsyncCopies, OfSixteenBytes) {
  std::vector<int4> h_in;
  for (int i = 0; i < 32; ++i) h_in.push_back(four(10 * i));
  const DeviceBuffer<int4> d_in(h_in);
  const auto out = output_of<int4>(
      32, [&](int4* d_out) { copy_kernel<<<1, 32>>>(d_in.data(), d_out, 32, std::size_t{0}); });
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].x, 10 * (31 - i));
    EXPECT_EQ(out[i].w, 10 * (31 - i) + 3);
  }
}

TEST_F(AsyncCopies, ReadNothingIfAllBytesAreZero) {  // past the end of the input
  const DeviceBuffer<int> d_in(generated<int>(20, [](int i) { return i + 1; }));
  const auto out = output_of<int>(
      32, [&](int* d_out) { copy_kernel<<<1, 32>>>(d_in.data(), d_out, 20, std::size_t{4}); });
  EXPECT_EQ(out, generated<int>(32, [](int i) { return 31 - i < 20 ? 32 - i : 0; }));
}

TEST_F(AsyncCopies, EndWithZeros) {
  std::vector<int4> h_in;
  for (int i = 0; i < 32; ++i) h_in.push_back(four(10 * i));
  const DeviceBuffer<int4> d_in(h_in);
  const auto out = output_of<int4>(
      32, [&](int4* d_out) { copy_kernel<<<1, 32>>>(d_in.data(), d_out, 0, std::size_t{4}); });
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i].z, 10 * (31 - i) + 2);
    EXPECT_EQ(out[i].w, 0);
  }
}

// Sums up the input, one block's length per step, with the next two steps in flight.
__global__ void sum_in_steps_kernel(const int* in, int steps, int* out) {
  constexpr int kBuffers = 3;
  __shared__ int buffers[kBuffers][64];
  const int i = static_cast<int>(threadIdx.x);
  const auto start = [&](int step) {
    if (step < steps) __pipeline_memcpy_async(&buffers[step % kBuffers][i], &in[step * 64 + i], 4);
    __pipeline_commit();
  };
  int sum = 0;
  for (int step = 0; step < kBuffers - 1; ++step) start(step);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(kBuffers - 2);
    __syncthreads();
    sum += (step + 1) * buffers[step % kBuffers][63 - i];
    start(step + kBuffers - 1);
  }
  out[i] = sum;
}

TEST_F(AsyncCopies, InThreeBuffers) {
  for (const int steps : {0, 1, 2, 3, 10}) {
    std::vector<int> h_in(static_cast<std::size_t>(64 * steps) + 1);
    std::iota(h_in.begin(), h_in.end(), 0);
    const DeviceBuffer<int> d_in(h_in);
    const auto out = output_of<int>(
        64, [&](int* d_out) { sum_in_steps_kernel<<<1, 64>>>(d_in.data(), steps, d_out); });
    EXPECT_EQ(out, generated<int>(64,
                                  [&](int i) {
                                    int sum = 0;
                                    for (int step = 0; step < steps; ++step)
                                      sum += (step + 1) * (step * 64 + 63 - i);
                                    return sum;
                                  }))
        << steps << " steps";
  }
}

// Several batches before one wait, and several waits: a batch can be empty, and of any length.
__global__ void uneven_batches_kernel(const int* in, int* out) {
  __shared__ int values[4][32];
  const int i = static_cast<int>(threadIdx.x);
  __pipeline_memcpy_async(&values[0][i], &in[i], 4);
  __pipeline_memcpy_async(&values[1][i], &in[32 + i], 4);
  __pipeline_commit();
  __pipeline_commit();
  if (i % 2 == 0) __pipeline_memcpy_async(&values[2][i], &in[64 + i], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&values[3][i], &in[96 + i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(2);
  const int first = values[0][i] + values[1][i];
  __pipeline_wait_prior(1);
  const int second = i % 2 == 0 ? values[2][i] : 0;
  __pipeline_wait_prior(0);
  out[i] = first + 1000 * second + 100000 * values[3][i];
}

TEST_F(AsyncCopies, InUnevenBatches) {
  const DeviceBuffer<int> d_in(generated<int>(128, [](int i) { return i; }));
  const auto out =
      output_of<int>(32, [&](int* d_out) { uneven_batches_kernel<<<1, 32>>>(d_in.data(), d_out); });
  EXPECT_EQ(out, generated<int>(32, [](int i) {
              return 2 * i + 32 + 1000 * (i % 2 == 0 ? 64 + i : 0) + 100000 * (96 + i);
            }));
}

// Each block waits only for its own copies, not for copies that another block has left in flight.
__global__ void blocks_kernel(const int* in, int* out) {
  __shared__ int values[32];
  __shared__ int unused[32];
  const int i = static_cast<int>(threadIdx.x), first = static_cast<int>(blockIdx.x) * 32;
  __pipeline_memcpy_async(&values[i], &in[first + i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[first + i] = values[i];
  __pipeline_memcpy_async(&unused[i], &in[i], 4);
  __pipeline_commit();
}

TEST_F(AsyncCopies, OfEachBlock) {
  const std::vector<int> h_in = generated<int>(320, [](int i) { return 7 * i; });
  const DeviceBuffer<int> d_in(h_in);
  EXPECT_EQ(output_of<int>(320, [&](int* d_out) { blocks_kernel<<<10, 32>>>(d_in.data(), d_out); }),
            h_in);
}

}  // namespace
