#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"

// Barriers and warp functions that not all threads reach.

namespace {

// A GPU's barrier does not wait for threads that have returned.
__global__ void early_return(int* out, int size) {
  __shared__ int values[64];
  const int i = static_cast<int>(threadIdx.x);
  if (i >= size) return;
  values[i] = i;
  __syncthreads();  // finds: warning wait by 0
  out[i] = values[size - 1 - i];
}

// Whole blocks can return early.
void return_early(Buffers d, bool right) {
  if (right) early_return<<<3, 64>>>(d.out, 0);
  early_return<<<1, 64>>>(d.out, right ? 64 : 40);
  if (!right) {
    int first = 0;
    CUDA_CHECK(cudaMemcpy(&first, d.out, sizeof first, cudaMemcpyDeviceToHost));
    EXPECT_EQ(first, 39);
  }
}

// The end of the kernel is all that follows the branch, so a return would do the same.
__global__ void ends_after_the_branch(int* out, bool right) {
  if (threadIdx.x < (right ? 64 : 40)) {
    __syncthreads();  // finds: warning wait by 0
    out[threadIdx.x] = 1;
  }
}

__global__ void needs_what_is_not_loaded(int* in, int* out, bool right) {
  __shared__ int values[64];
  if (!right && threadIdx.x >= 40) return;
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();                              // finds: warning
  out[threadIdx.x] = values[63 - threadIdx.x];  // finds: uninitialised load by 0
}

// Threads that add nothing make no access, but go through all iterations.
__global__ void in_the_if_of_a_tree(int* out, bool right) {
  __shared__ int sums[64];
  sums[threadIdx.x] = 1;
  __syncthreads();
  for (unsigned half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      if (!right) __syncthreads();  // finds: barrier wait by 0
    }
    if (right) __syncthreads();
  }
  if (threadIdx.x == 0) *out = sums[0];
}

__global__ void in_an_if_that_all_take(int* out, bool) {  // finds: nothing
  for (int i = 0; i < 9; ++i) {
    if (i % 2 == 0) __syncthreads();
  }
  out[threadIdx.x] = 9;
}

__global__ void against_syncwarp(int* out, bool right) {
  if (threadIdx.x < (right ? 32 : 16)) {
    __syncthreads();  // finds: deadlock wait by 0
  } else {
    __syncwarp();  // finds: deadlock wait by 16
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void absent_lanes(int* out, bool right) {
  if (threadIdx.x < (right ? 32 : 8))
    out[threadIdx.x] =
        __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x), 0);  // finds: deadlock
  __syncthreads();                                                   // finds: deadlock
}

// ---- Masks ----

enum class WarpFunction { syncwarp, shuffle, ballot, match, reduce };

template <WarpFunction kFunction>
__device__ int call(unsigned mask) {
  int given = 0;
  // finds in mask_of_syncwarp: barrier wait by 16
  if (kFunction == WarpFunction::syncwarp) __syncwarp(mask);
  // finds in mask_of_shuffle: barrier wait by 16
  if (kFunction == WarpFunction::shuffle) given = __shfl_xor_sync(mask, 1, 0);
  // finds in mask_of_ballot: barrier wait by 16
  if (kFunction == WarpFunction::ballot) given = __any_sync(mask, 1);
  // finds in mask_of_match: barrier wait by 16
  if (kFunction == WarpFunction::match) given = __match_any_sync(mask, 1) != 0;
  // finds in mask_of_reduce: barrier wait by 16
  if (kFunction == WarpFunction::reduce) given = __reduce_max_sync(mask, 1);
  return given;
}

// The correct mask also names lanes that do not exist, which is allowed.
template <WarpFunction kFunction>
__global__ void mask(int* out, bool right) {
  out[threadIdx.x] = call<kFunction>(right ? 0xffffffff : 0xfffeffff);
}

template <WarpFunction kFunction>
MarkedCase mask_of(const char* name) {
  return {name, launch(mask<kFunction>, 1, 20), "a mask (0xfffeffff) that does not include"};
}

// Only __syncwarp() orders the lanes' accesses to memory.
template <WarpFunction kFunction>
__global__ void order(int* out, bool right) {
  __shared__ int values[32];
  values[threadIdx.x] = 1;  // finds in order_of_*: race store
  const int given = call<kFunction>(0xffffffff);
  if (right) __syncwarp();
  out[threadIdx.x] = values[31 - threadIdx.x] + given;  // finds in order_of_*: race load
}

template <WarpFunction kFunction>
MarkedCase order_of(const char* name) {
  return {name, launch(order<kFunction>, 1, 32), "No __syncwarp() or __syncthreads() separates"};
}

__global__ void two_functions(int* out, bool right) {
  if (threadIdx.x % 32 < 16) {
    // finds: barrier wait by 0, 2 times
    out[threadIdx.x] = __shfl_xor_sync(right ? 0x0000ffff : 0xffffffff, 1, 8);
  } else {
    // finds: barrier wait by 31
    out[threadIdx.x] = __reduce_add_sync(right ? 0xffff0000 : 0xffffffff, 1);
  }
}

__global__ void two_reductions(int* out, bool right) {
  const bool adds = right || threadIdx.x < 16;
  // finds: barrier
  out[threadIdx.x] = adds ? __reduce_add_sync(0xffffffff, 1) : __reduce_max_sync(0xffffffff, 1);
}

// CUDA requires the same function, not the same call of it.
__global__ void two_calls(int* out) {  // finds: nothing
  if (threadIdx.x < 16) {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, 1, 16);
    __syncwarp();
  } else {
    out[threadIdx.x] = __shfl_xor_sync(0xffffffff, 2, 16);
    __syncwarp();
  }
}

void call_twice(Buffers, bool) {
  DeviceBuffer<int> d_out(32);
  two_calls<<<1, 32>>>(d_out.data());
  EXPECT_EQ(d_out.to_host()[0], 2);
}

INSTANTIATE_TEST_SUITE_P(
    Barriers, MarkedKernels,
    marked_kernels({
        {"early_return", return_early, "only 40 of 64 threads of the block reach"},
        {"ends_after_the_branch", launch(ends_after_the_branch, 1, 64), "the others have returned"},
        {"needs_what_is_not_loaded", launch(needs_what_is_not_loaded, 1, 64),
         "values in shared memory is read before", 2},
        {"in_the_if_of_a_tree", launch(in_the_if_of_a_tree, 1, 64)},
        {"in_an_if_that_all_take", launch(in_an_if_that_all_take, 1, 100)},
        {"against_syncwarp", launch(against_syncwarp, 2, 32), "the block can continue: some"},
        {"absent_lanes", launch(absent_lanes, 1, 32)},
        mask_of<WarpFunction::syncwarp>("mask_of_syncwarp"),
        mask_of<WarpFunction::shuffle>("mask_of_shuffle"),
        mask_of<WarpFunction::ballot>("mask_of_ballot"),
        mask_of<WarpFunction::match>("mask_of_match"),
        mask_of<WarpFunction::reduce>("mask_of_reduce"),
        order_of<WarpFunction::shuffle>("order_of_shuffle"),
        order_of<WarpFunction::ballot>("order_of_ballot"),
        order_of<WarpFunction::match>("order_of_match"),
        order_of<WarpFunction::reduce>("order_of_reduce"),
        {"two_functions", launch(two_functions, 1, 64), "at two different warp functions"},
        {"two_reductions", launch(two_reductions, 1, 32)},
        {"two_calls", call_twice},
    }),
    case_name);

}  // namespace
