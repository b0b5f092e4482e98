#include "measured_cases.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>
#include <vector>

// Arrays of a fixed size: shared, local, __constant__ and __device__ arrays.

namespace {

template <bool kRight>
__global__ void static_shared_past_the_end(int* out) {
  __shared__ int values[64];
  const unsigned next = kRight ? (threadIdx.x + 1) % 64 : threadIdx.x + 1;
  values[next] = 1;  // finds: array_index
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

__device__ void fill(int* values, unsigned size) {
  for (unsigned i = threadIdx.x; i < size; i += blockDim.x)
    values[i] = 1;  // finds in into_the_next_shared_array: out_of_bounds
}

template <bool kRight>
__global__ void into_the_next_shared_array(int* out) {
  __shared__ int first[64], second[64];
  fill(second, 64);
  __syncthreads();
  const int sum = second[threadIdx.x] + second[63 - threadIdx.x];
  __syncthreads();
  fill(first, kRight ? 64 : 65);
  __syncthreads();
  out[threadIdx.x] = sum + first[63 - threadIdx.x];
}

template <bool kRight>
__global__ void past_a_row_of_a_tile(int* out) {
  __shared__ int tile[8][32];
  for (int row = 0; row < 8; ++row) tile[row][threadIdx.x] = row;
  __syncthreads();
  const unsigned right = kRight && threadIdx.x == 31 ? 31 : threadIdx.x + 1;
  int sum = 0;
  for (int row = 0; row < 7; ++row) sum += tile[row][right];  // finds: array_index
  out[threadIdx.x] = sum;
}

__global__ void dynamic_shared_kernel(int* out) {
  extern __shared__ int dynamic_values[];
  dynamic_values[threadIdx.x] = 1;  // finds in no_dynamic_shared: out_of_bounds
  // The sum of all values is stored after them.
  if (threadIdx.x == 0)
    dynamic_values[blockDim.x] = 0;  // finds in dynamic_shared_too_small: out_of_bounds
  __syncthreads();
  atomicAdd(&dynamic_values[blockDim.x], dynamic_values[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) *out = dynamic_values[blockDim.x];
}

template <unsigned kRight, unsigned kWrong>
void launch_with_shared(const Buffers&, bool right) {
  DeviceBuffer<int> d_out(1);
  dynamic_shared_kernel<<<1, 64, (right ? kRight : kWrong) * sizeof(int)>>>(d_out.data());
}

template <bool kRight>
__global__ void digits_kernel(const int* in, int* out) {
  int digits[4] = {};
  for (int rest = in [threadIdx.x], i = 0; rest > 0 && (!kRight || i < 4); rest /= 10, ++i)
    digits[i] = rest % 10;  // finds in local_array: array_index
  out[threadIdx.x] = digits[in[threadIdx.x] % 4];
}

void local_array(const Buffers&, bool right) {
  const DeviceBuffer<int> d_in(std::vector<int>(32, 12345));
  DeviceBuffer<int> d_out(32);
  const auto kernel = right ? digits_kernel<true> : digits_kernel<false>;
  kernel<<<1, 32>>>(d_in.data(), d_out.data());
}

struct Histogram {
  int bins[4];
  int total;
};

template <bool kRight>
__global__ void member_kernel(const int* in, Histogram* out) {
  Histogram mine = {};
  for (int i = 0; i < 8; ++i) {
    ++mine.bins[in[i] % (kRight ? 4 : 5)];  // finds in member_array: array_index
    ++mine.total;
  }
  out[threadIdx.x] = mine;
}

void member_array(const Buffers&, bool right) {
  const DeviceBuffer<int> d_in(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
  DeviceBuffer<Histogram> d_out(32);
  const auto kernel = right ? member_kernel<true> : member_kernel<false>;
  kernel<<<1, 32>>>(d_in.data(), d_out.data());
}

// A recursion too deep for every stack; a compiler cannot replace it by a loop.
__device__ int depth_of(const int* next, int node) {
  // finds in endless_recursion: stack_overflow call
  const int rest = next[node] == node ? 0 : depth_of(next, next[node]);
  return rest > 0 ? rest + next[node] : next[node] + 1;
}

__global__ void depth_kernel(const int* next, int* out) { *out = depth_of(next, 1); }

// A list whose last node points to itself; in the wrong kernel it is a ring.
void endless_recursion(const Buffers&, bool right) {
  const DeviceBuffer<int> d_next(right ? std::vector<int>{0, 2, 3, 0}
                                       : std::vector<int>{0, 2, 3, 1});
  DeviceBuffer<int> d_out(1);
  depth_kernel<<<1, 1>>>(d_next.data(), d_out.data());
}

__constant__ int weights[4];

template <bool kRight>
__global__ void weights_kernel(int* out, int taps) {
  int sum = 0;
  for (int i = 0; kRight ? i < taps : i <= taps; ++i)
    sum += weights[i];  // finds in constant_past_the_end: array_index
  out[threadIdx.x] = sum;
}

void constant_past_the_end(const Buffers&, bool right) {
  const int h_weights[4] = {1, 2, 3, 4};
  CUDA_CHECK(cudaMemcpyToSymbol(weights, h_weights, sizeof h_weights));
  DeviceBuffer<int> d_out(32);
  const auto kernel = right ? weights_kernel<true> : weights_kernel<false>;
  kernel<<<1, 32>>>(d_out.data(), 4);
}

__device__ int plain_weights[4];

__global__ void store_kernel(int* out) {
  out[threadIdx.x] = 1;  // finds in store_to_constant: out_of_bounds
}

void store_to_constant(const Buffers&, bool right) {
  void* d_weights = nullptr;
  if (right) {
    CUDA_CHECK(cudaGetSymbolAddress(&d_weights, plain_weights));
  } else {
    CUDA_CHECK(cudaGetSymbolAddress(&d_weights, weights));
  }
  store_kernel<<<1, 4>>>(static_cast<int*>(d_weights));
}

__device__ int bins[16];

template <bool kRight>
__global__ void set_bins_kernel() {
  const unsigned bin = threadIdx.x + (kRight ? 0 : 1);
  bins[bin] = 1;  // finds in device_array: array_index
}

void device_array(const Buffers&, bool right) {
  const auto kernel = right ? set_bins_kernel<true> : set_bins_kernel<false>;
  kernel<<<1, 16>>>();
  int h_bins[16];
  CUDA_CHECK(cudaMemcpyFromSymbol(h_bins, bins, sizeof h_bins));
}

}  // namespace

MarkedFile array_cases() {
  std::vector<MarkedCase> cases = {
      {"static_shared_past_the_end", "stores one element past a shared array",
       pair(static_shared_past_the_end<true>, static_shared_past_the_end<false>, 1, 64)},
      {"into_the_next_shared_array", "stores past a shared array, through a pointer",
       pair(into_the_next_shared_array<true>, into_the_next_shared_array<false>, 1, 64)},
      {"past_a_row_of_a_tile", "reads past a row of a shared tile, into the next row",
       pair(past_a_row_of_a_tile<true>, past_a_row_of_a_tile<false>, 1, 32)},
      {"dynamic_shared_too_small", "gets one int too few of dynamic shared memory",
       launch_with_shared<65, 64>},
      {"no_dynamic_shared", "gets no dynamic shared memory", launch_with_shared<65, 0>},
      {"local_array", "stores past a local array", local_array,
       "index 4 is outside the array of type 'int [4]'"},
      {"member_array", "stores past an array in a struct, into the next member", member_array},
      {"endless_recursion", "calls itself without end", endless_recursion,
       "depth_kernel: a thread needs more than 160 KB of stack: look for deep recursion or a large "
       "local array"},
      {"constant_past_the_end", "reads past a __constant__ array", constant_past_the_end},
      {"store_to_constant", "stores to a __constant__ array", store_to_constant},
      {"device_array", "stores past a __device__ array", device_array},
  };
  return {__FILE__, std::move(cases), "arrays"};
}
