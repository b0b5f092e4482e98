#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"

// Findings in cooperative launches.

namespace cg = cooperative_groups;

namespace {

Launch cooperative(void (*kernel)(int* out, bool right), int blocks) {
  return [=](Buffers d, bool right) {
    void* arguments[] = {&d.out, &right};
    EXPECT_EQ(cudaLaunchCooperativeKernel(kernel, dim3(blocks), dim3(32), arguments), cudaSuccess);
  };
}

__global__ void only_sync_orders_blocks(int* out, bool right) {
  const cg::grid_group grid = cg::this_grid();
  const auto i = static_cast<unsigned>(grid.thread_rank());
  out[i] = 1;  // finds: race store by 0 of block 1
  if (right) grid.sync();
  const int others = out[i ^ 32];  // finds: race load by 0 of block 0
  grid.sync();
  out[i] = others;
}

// The finding has the numbers of the blocks that continued.
__global__ void race_after_a_sync(int* out, bool right) {
  cg::this_grid().sync();
  // finds: race store by 0 of block 2 and store by 0 of block 3
  out[threadIdx.x + (!right && blockIdx.x == 3 ? 64 : 32 * blockIdx.x)] = 1;
}

// Each block has its own shared memory: an element that another block has written is still
// unwritten here.
__global__ void written_by_other_blocks(int* out, bool right) {
  __shared__ int value;
  if (threadIdx.x == 0 && blockIdx.x < (right ? 3 : 2)) value = 1;
  cg::this_grid().sync();
  if (threadIdx.x == 5) out[blockIdx.x] = value;  // finds: uninitialised load by 5 of block 2
  cg::this_grid().sync();
}

__global__ void out_of_bounds_after_a_sync(int* out, bool right) {
  const cg::grid_group grid = cg::this_grid();
  grid.sync();
  grid.sync();
  const unsigned stride = right ? 32 : 33;
  // finds: out_of_bounds store by 29 of block 3
  out[1024 - 128 + blockIdx.x * stride + threadIdx.x] = 1;
}

__global__ void missing_block(int* out, bool right) {
  if (!right && blockIdx.x > 1) return;
  cg::this_grid().sync();  // finds: deadlock wait by 0
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}

__global__ void missing_threads(int* out, bool right) {
  if (threadIdx.x >= (right ? 32 : 20)) return;
  cg::this_grid().sync();  // finds: barrier, 2 times
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}

__global__ void lanes_that_wait(int* out, bool right) {
  if (threadIdx.x < (right ? 32 : 16)) {
    cg::this_grid().sync();  // finds: deadlock
  } else {
    __syncwarp();  // finds: deadlock
  }
  out[blockIdx.x * 32 + threadIdx.x] = 1;
}

INSTANTIATE_TEST_SUITE_P(
    CooperativeLaunches, MarkedKernels,
    marked_kernels({
        {"only_sync_orders_blocks", cooperative(only_sync_orders_blocks, 4)},
        {"race_after_a_sync", cooperative(race_after_a_sync, 4)},
        {"written_by_other_blocks", cooperative(written_by_other_blocks, 3),
         "value in shared memory"},
        {"out_of_bounds_after_a_sync", cooperative(out_of_bounds_after_a_sync, 4),
         "element 1024 of an array of 1024"},
        {"missing_block", cooperative(missing_block, 3), "only 2 of 3 blocks reach"},
        {"missing_threads", cooperative(missing_threads, 2),
         "only 20 of 32 threads of the block reach this sync() of the grid"},
        {"lanes_that_wait", cooperative(lanes_that_wait, 2)},
    }),
    case_name);

}  // namespace
