#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"

// Barriers and warp functions that not all threads reach.

namespace {

__global__ void early_return(int* out, int size) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= size) return;
  __syncthreads();  // finds: barrier wait by 0
  out[i] = i;
}

// Whole blocks can return early.
void return_early(Buffers d, bool right) {
  if (right) early_return<<<3, 64>>>(d.out, 0);
  early_return<<<1, 64>>>(d.out, right ? 64 : 40);
}

__global__ void in_both_branches(int* out, bool right) {
  if (threadIdx.x < (right ? 64 : 32)) {
    __syncthreads();  // finds: barrier wait by 0
  } else {
    __syncthreads();  // finds: barrier wait by 63
  }
  out[threadIdx.x] = 1;
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

// The correct mask also names lanes that do not exist, which is allowed.
template <WarpFunction kFunction>
__global__ void mask(int* out, bool right) {
  const unsigned mask = right ? 0xffffffff : 0xfffeffff;
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
  out[threadIdx.x] = given;
}

template <WarpFunction kFunction>
MarkedCase mask_of(const char* name) {
  return {name, launch(mask<kFunction>, 1, 20), "a mask (0xfffeffff) that does not include"};
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
        {"early_return", return_early,
         "only 40 of 64 threads of the block reach this __syncthreads()"},
        {"in_both_branches", launch(in_both_branches, 1, 64),
         "wait at two different __syncthreads()"},
        {"in_an_if_that_all_take", launch(in_an_if_that_all_take, 1, 100)},
        {"against_syncwarp", launch(against_syncwarp, 2, 32), "the block can continue: some"},
        {"absent_lanes", launch(absent_lanes, 1, 32)},
        mask_of<WarpFunction::syncwarp>("mask_of_syncwarp"),
        mask_of<WarpFunction::shuffle>("mask_of_shuffle"),
        mask_of<WarpFunction::ballot>("mask_of_ballot"),
        mask_of<WarpFunction::match>("mask_of_match"),
        mask_of<WarpFunction::reduce>("mask_of_reduce"),
        {"two_functions", launch(two_functions, 1, 64), "at two different warp functions"},
        {"two_reductions", launch(two_reductions, 1, 32)},
        {"two_calls", call_twice},
    }),
    case_name);

}  // namespace
