#include "measured_cases.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

// Reads of unwritten memory.

namespace {

constexpr int kThreads = 128;  // pair()'s

// ---- Global memory ----

__global__ void copy_kernel(const int* in, int* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= size) return;
  const int value = in[i];  // finds in input_never_written: uninitialised
  out[i] = value;
}

void input_never_written(const Buffers&, bool right) {
  const std::vector<int> h_in(100, 1);
  DeviceBuffer<int> d_in(100), d_out(100);
  if (right)
    CUDA_CHECK(cudaMemcpy(d_in.data(), h_in.data(), d_in.size_bytes(), cudaMemcpyHostToDevice));
  copy_kernel<<<2, 64>>>(d_in.data(), d_out.data(), 100);
}

__global__ void fill_kernel(int* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < size) out[i] = i;
}

__global__ void neighbours_kernel(const int* in, int* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= size) return;
  const int last = size - 1 - i;
  out[i] = in[last];  // finds in last_element: uninitialised load by 0, 1 time
}

// A kernel writes the elements that the next kernel reads.
void last_element(const Buffers&, bool right) {
  DeviceBuffer<int> d_between(100), d_out(100);
  fill_kernel<<<1, 128>>>(d_between.data(), right ? 100 : 99);
  neighbours_kernel<<<1, 128>>>(d_between.data(), d_out.data(), 100);
}

__global__ void add_kernel(int* sums) {
  sums[threadIdx.x] += 1;  // finds in cleared_too_little: uninitialised load by 16, 48 times
}

void cleared_too_little(const Buffers&, bool right) {
  DeviceBuffer<int> d_sums(64);
  CUDA_CHECK(cudaMemset(d_sums.data(), 0, right ? 64 * sizeof(int) : 64));
  add_kernel<<<1, 64>>>(d_sums.data());
}

__global__ void accumulate_kernel(const int* in, int* sums) {
  for (int round = 0; round < 3; ++round)
    sums[threadIdx.x] += in[threadIdx.x];  // finds in sums_not_cleared: uninitialised
}

void sums_not_cleared(const Buffers&, bool right) {
  const DeviceBuffer<int> d_in = zeros<int>(64);
  DeviceBuffer<int> d_sums(64);
  if (right) d_sums.fill_bytes(0);
  accumulate_kernel<<<1, 64>>>(d_in.data(), d_sums.data());
}

__global__ void count_kernel(int* count) {
  atomicAdd(count, 1);  // finds in counter_not_cleared: uninitialised atomic by 0, 1 time
}

void counter_not_cleared(const Buffers&, bool right) {
  DeviceBuffer<int> d_count(1);
  if (right) d_count.fill_bytes(0);
  count_kernel<<<2, 32>>>(d_count.data());
}

__global__ void copy_block_kernel(const int* in, int* out) {
  // finds in async_allocation, allocated_again, copied_unwritten: uninitialised
  out[threadIdx.x] = in[threadIdx.x];
}

void async_allocation(const Buffers&, bool right) {
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreate(&stream));
  int *d_in = nullptr, *d_out = nullptr;
  CUDA_CHECK(cudaMallocAsync(&d_in, 64 * sizeof(int), stream));
  CUDA_CHECK(cudaMallocAsync(&d_out, 64 * sizeof(int), stream));
  if (right) CUDA_CHECK(cudaMemsetAsync(d_in, 0, 64 * sizeof(int), stream));
  copy_block_kernel<<<1, 64, 0, stream>>>(d_in, d_out);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaFreeAsync(d_in, stream));
  CUDA_CHECK(cudaFreeAsync(d_out, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

// On a GPU the second allocation has the addresses, and the contents, of the first.
void allocated_again(const Buffers&, bool right) {
  DeviceBuffer<int> d_out(64);
  { const DeviceBuffer<int> d_first = zeros<int>(64); }
  DeviceBuffer<int> d_second(64);
  if (right) d_second.fill_bytes(0);
  copy_block_kernel<<<1, 64>>>(d_second.data(), d_out.data());
}

struct Sample {  // 3 unused bytes after the tag
  char tag;
  int value;
};

template <bool kRight>
__global__ void set_samples_kernel(Sample* samples) {
  samples[threadIdx.x].tag = 1;
  if (kRight) samples[threadIdx.x].value = 2;
}

__global__ void copy_samples_kernel(const Sample* in, Sample* out) {
  out[threadIdx.x] = in[threadIdx.x];  // finds in member_not_written: uninitialised
}

void member_not_written(const Buffers&, bool right) {
  DeviceBuffer<Sample> d_in(32), d_out(32);
  const auto kernel = right ? set_samples_kernel<true> : set_samples_kernel<false>;
  kernel<<<1, 32>>>(d_in.data());
  copy_samples_kernel<<<1, 32>>>(d_in.data(), d_out.data());
}

struct Maximum {  // 4 unused bytes after the index
  double value;
  int index;
};

template <bool kRight>
__global__ void set_maxima_kernel(Maximum* maxima) {
  maxima[threadIdx.x].value = 1;
  if (kRight) maxima[threadIdx.x].index = 2;
}

void struct_copied_to_host(const Buffers&, bool right) {
  DeviceBuffer<Maximum> d_maxima(32);
  const auto kernel = right ? set_maxima_kernel<true> : set_maxima_kernel<false>;
  kernel<<<1, 32>>>(d_maxima.data());
  std::vector<Maximum> h_maxima(32);
  // finds in struct_copied_to_host: uninitialised
  // finds in right struct_copied_to_host: uninitialised
  CUDA_CHECK(
      cudaMemcpy(h_maxima.data(), d_maxima.data(), d_maxima.size_bytes(), cudaMemcpyDeviceToHost));
  std::printf("%g\n", h_maxima[0].value);
}

template <bool kRight>
__global__ void set_bytes_kernel(char* bytes) {
  if (kRight || threadIdx.x % 4 != 3) bytes[threadIdx.x] = 1;
}

__global__ void sum_bytes_kernel(const char* bytes, int* out) {
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += bytes[i];  // finds in single_bytes: uninitialised
  out[threadIdx.x] = sum;
}

void single_bytes(const Buffers&, bool right) {
  DeviceBuffer<char> d_bytes(64);
  DeviceBuffer<int> d_out(32);
  const auto kernel = right ? set_bytes_kernel<true> : set_bytes_kernel<false>;
  kernel<<<1, 64>>>(d_bytes.data());
  sum_bytes_kernel<<<1, 32>>>(d_bytes.data(), d_out.data());
}

// The kernel leaves out the last element of an output that the host copies.
void output_partly_written(const Buffers&, bool right) {
  DeviceBuffer<int> d_out(100);
  fill_kernel<<<1, 128>>>(d_out.data(), right ? 100 : 99);
  std::vector<int> h_out(100);
  // finds in output_partly_written: uninitialised copy, 1 time
  CUDA_CHECK(cudaMemcpy(h_out.data(), d_out.data(), d_out.size_bytes(), cudaMemcpyDeviceToHost));
  std::printf("%d\n", h_out[0]);
}

void copied_unwritten(const Buffers&, bool right) {
  DeviceBuffer<int> d_first(64), d_second(64), d_out(64);
  if (right) d_first.fill_bytes(0);
  CUDA_CHECK(
      cudaMemcpy(d_second.data(), d_first.data(), d_first.size_bytes(), cudaMemcpyDeviceToDevice));
  copy_block_kernel<<<1, 64>>>(d_second.data(), d_out.data());
}

// ---- Shared memory ----

template <bool kRight>
__global__ void shared_tile(const int* in, int* out) {
  __shared__ int tile[kThreads];
  if (kRight || threadIdx.x < 100) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // finds: uninitialised load by 0
}

template <bool kRight>
__global__ void shared_counter(const int* in, int* out) {
  __shared__ int count;
  if (kRight && threadIdx.x == 0) count = 0;
  __syncthreads();
  if (in[threadIdx.x] > 3) atomicAdd(&count, 1);  // finds: uninitialised, 1 time
  __syncthreads();
  out[threadIdx.x] = count;
}

// Each iteration reads the buffer that the previous iteration has written.
template <bool kRight>
__global__ void first_turn(const int* in, int* out) {
  __shared__ int buffers[2][kThreads];
  if (kRight) buffers[1][threadIdx.x] = 0;
  __syncthreads();
  for (int turn = 0; turn < 4; ++turn) {
    const unsigned mirrored = kThreads - 1 - threadIdx.x;
    const int before = buffers[1 - turn % 2][mirrored];  // finds: uninitialised
    buffers[turn % 2][threadIdx.x] = before + in[threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = buffers[1][threadIdx.x];
}

template <bool kRight>
__global__ void halo_cells(const int* in, int* out) {
  __shared__ int tile[kThreads + 2];
  tile[threadIdx.x + 1] = in[threadIdx.x];
  if (kRight && threadIdx.x < 2) tile[threadIdx.x * (kThreads + 1)] = 0;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x] +     // finds: uninitialised
                     tile[threadIdx.x + 2];  // finds: uninitialised
}

// More memory than a block needs; only the written part is read.
template <bool kRight>
__global__ void sums_of_warps(const int* in, int* out) {
  __shared__ int sums[32];
  int sum = in[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  const unsigned warps = kRight ? kThreads / 32 : 32;
  if (threadIdx.x >= 32) return;
  sum = threadIdx.x < warps ? sums[threadIdx.x] : 0;  // finds: uninitialised
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, distance);
  if (threadIdx.x == 0) out[0] = sum;
}

// ---- Local arrays ----

__global__ void reversed_in_shared_tile(const int* in, int* out) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

__global__ void reversed_in_own_tile(const int* in, int* out) {
  int tile[kThreads];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // finds in own_tile: uninitialised
}

__global__ void sums_from_zero(const int* in, int* out) {
  int sums[4] = {};
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 4; ++col) sums[col] += in[4 * row + col];
  }
  if (threadIdx.x < 4) out[threadIdx.x] = sums[threadIdx.x];
}

__global__ void sums_from_anything(const int* in, int* out) {
  int sums[4];
  for (int row = 0; row < 8; ++row) {
    for (int col = 0; col < 4; ++col) sums[col] += in[4 * row + col];  // finds: uninitialised
  }
  if (threadIdx.x < 4) out[threadIdx.x] = sums[threadIdx.x];
}

}  // namespace

MarkedFile initialisation_cases() {
  std::vector<MarkedCase> cases = {
      {"input_never_written", "reads an input that was never copied", input_never_written},
      {"last_element", "reads an element that the previous kernel left out", last_element,
       "element 99 of 100"},
      {"cleared_too_little", "clears n bytes of n ints", cleared_too_little, "element 16 of 64"},
      {"sums_not_cleared", "adds to sums that were not cleared", sums_not_cleared},
      {"counter_not_cleared", "counts from an undefined value, with atomics", counter_not_cleared},
      {"async_allocation", "reads new memory from cudaMallocAsync", async_allocation},
      {"allocated_again", "reads the contents of an earlier allocation", allocated_again},
      {"member_not_written", "copies structs with an unwritten member", member_not_written},
      {"struct_copied_to_host", "copies structs with an unwritten member to the host",
       struct_copied_to_host},
      {"single_bytes", "reads every byte, one in four is not written", single_bytes},
      {"output_partly_written", "copies an output with an unwritten element to the host",
       output_partly_written,
       "\ncudaMemcpy copies 4 bytes that nothing has written, starting at byte 396 of an "
       "allocation of 400 bytes."},
      {"copied_unwritten", "reads a copy of unwritten memory", copied_unwritten},
      {"shared_tile", "reads a part of a tile that a guard left out",
       pair(shared_tile<true>, shared_tile<false>),
       "element 127 of 128 of tile in shared memory is read before any thread of this block "
       "has written it"},
      {"shared_counter", "counts from an undefined value in shared memory",
       pair(shared_counter<true>, shared_counter<false>), "\ncount in shared memory is read"},
      {"first_turn", "of two buffers, the first iteration reads the empty one",
       pair(first_turn<true>, first_turn<false>)},
      {"halo_cells", "reads the halo of a tile that was not loaded",
       pair(halo_cells<true>, halo_cells<false>), "", 2},
      {"sums_of_warps", "adds 32 sums although the block has 4 warps",
       pair(sums_of_warps<true>, sums_of_warps<false>)},
      {"own_tile", "exchanges values in a local array instead of a shared one",
       pair(reversed_in_shared_tile, reversed_in_own_tile)},
      {"sums_from_anything", "adds to a local array without initial values",
       pair(sums_from_zero, sums_from_anything)},
  };
  return {__FILE__, std::move(cases), "initialisation"};
}
