// Stage 11: bulk copy
//
// The threads no longer access device memory. One thread requests a whole tile from the Tensor
// Memory Accelerator (TMA) of sm_90. The TMA computes the addresses, leaves out the part beyond the
// matrix, and signals a barrier in shared memory. The threads transpose the tile in place, 4 x 4 at
// a time, and one thread hands the tile back to the TMA. An SM has several blocks: while one block
// transposes, other blocks wait for their tiles.
//
// The TMA could swizzle the tile, in spans of 32, 64 or 128 bytes. With 128 bytes the inner side of
// its box is at most 32 floats, but this tile has 64. So this stage uses no swizzle, and the
// threads transpose the plain tile as in stage 10.
//
// The TMA needs rows that start at a multiple of 16 bytes: extents that are multiples of 4. For
// other extents the kernel of stage 06 runs, without a bulk copy.
//
// Cost: two bulk copies per tile and no global access by a thread; 16 KB in flight per block, held
// by no register. Each thread executes 4 reads and 4 writes of 16 bytes in shared memory, without
// conflicts. Needs sm_90. Next: 12_cublas.cu.
//
// Requires: compute capability 9.0, CUDA 12.5

#include "transpose.h"

#include "tensor_map.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda/ptx>

#include <cstddef>
#include <cstdint>

namespace ptx = cuda::ptx;

constexpr int kTile = 64;  // floats: 256 bytes, whole sectors, of each row of either matrix
constexpr int kChunks = kTile / 4;           // chunks of 16 bytes in a row of the tile
constexpr int kThreads = kChunks * kChunks;  // a thread transposes one 4 x 4 block

__global__ void transpose_bulk_copy_kernel(const __grid_constant__ CUtensorMap in,
                                           const __grid_constant__ CUtensorMap out,
                                           int tiles_down) {
  // 16 KB, at an address that is a multiple of 128 bytes, as the TMA needs
  __shared__ alignas(128) float4 tile[kTile][kChunks];
  __shared__ std::uint64_t arrived;

  const int first_row = blockIdx.x % tiles_down * kTile;
  const int first_col = blockIdx.x / tiles_down * kTile;

  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&arrived, 1);            // opens after one arrival and its announced bytes
    ptx::fence_proxy_async(ptx::space_shared);  // the TMA must find the barrier initialized
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                   sizeof(tile));
    const int corner[2] = {first_col, first_row};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, corner, &arrived);
  }
  __syncthreads();  // below, all threads wait on the barrier that one thread initialized
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }

  const int group = threadIdx.x / 64;  // a group has 8 x 8 blocks, and the tile has four groups
  const int diagonal = threadIdx.x / 8 % 8;
  const int lane = threadIdx.x % 8;
  const int x = group % 2 * 8 + lane;
  const int y = group / 2 * 8 + (lane ^ diagonal);

  float4 r[4];
  for (int i = 0; i < 4; ++i) r[i] = tile[4 * y + i][x];

  __syncthreads();  // below, a thread overwrites elements that other threads read

  tile[4 * x + 0][y] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
  tile[4 * x + 1][y] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
  tile[4 * x + 2][y] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
  tile[4 * x + 3][y] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);

  ptx::fence_proxy_async(ptx::space_shared);  // each thread's writes come before the TMA's reads
  __syncthreads();                            // below, one thread sends what all threads wrote
  if (threadIdx.x == 0) {
    const int corner[2] = {first_row, first_col};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, corner, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});  // the tile must outlive the TMA's reads
  }
}

constexpr int kSmallTile = 32;
constexpr int kBlockRows = 8;

// The kernel of stage 06, for extents that the TMA cannot handle.
__global__ void transpose_any_extents_kernel(const float* __restrict__ in, float* __restrict__ out,
                                             int rows, int cols) {
  __shared__ float tile[kSmallTile][kSmallTile];

  const int tiles_down = ceil_div(rows, kSmallTile);
  const int tile_col = blockIdx.x / tiles_down * kSmallTile;
  const int tile_row = blockIdx.x % tiles_down * kSmallTile;

  const int in_col = tile_col + threadIdx.x;
  const int in_row = tile_row + threadIdx.y;
  for (int i = 0; i < kSmallTile; i += kBlockRows) {
    if (in_row + i < rows && in_col < cols) {
      const int r = threadIdx.y + i, c = threadIdx.x;
      tile[r][c ^ r] = in[static_cast<std::size_t>(in_row + i) * cols + in_col];
    }
  }

  __syncthreads();  // below, a thread reads an element that another thread wrote

  const int out_col = tile_row + threadIdx.x;
  const int out_row = tile_col + threadIdx.y;
  for (int i = 0; i < kSmallTile; i += kBlockRows) {
    if (out_row + i < cols && out_col < rows) {
      const int r = threadIdx.x, c = threadIdx.y + i;
      out[static_cast<std::size_t>(out_row + i) * rows + out_col] = tile[r][c ^ r];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  if (rows % 4 == 0 && cols % 4 == 0) {
    const dim3 grid(ceil_div(cols, kTile) * ceil_div(rows, kTile));
    transpose_bulk_copy_kernel<<<grid, kThreads, 0, stream>>>(
        describe_matrix(d_in, rows, cols, kTile), describe_matrix(d_out, cols, rows, kTile),
        ceil_div(rows, kTile));
  } else {
    const dim3 block(kSmallTile, kBlockRows);
    const dim3 grid(ceil_div(cols, kSmallTile) * ceil_div(rows, kSmallTile));
    transpose_any_extents_kernel<<<grid, block, 0, stream>>>(d_in, d_out, rows, cols);
  }
  CUDA_CHECK(cudaGetLastError());
}
