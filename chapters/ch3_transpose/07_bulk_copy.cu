// Stage 07: bulk copy
//
// The threads no longer touch device memory. One of them asks the copy engine of sm_90 (TMA) for
// the whole tile; the engine works out the addresses, drops or zero-fills what lies outside the
// matrix, and reports to a barrier in shared memory. The threads turn the tile in place; one of
// them hands it back to the engine, which writes it out while the threads are done.
//
// The engine lays the tile down plain: no padding, no swizzle. So the lanes step aside instead: 8
// neighbouring lanes take blocks of 4 x 4 along a diagonal. Those lie in 8 different columns of
// blocks, for the reads, and in 8 different rows, which become columns, for the writes.
//
// The engine wants rows that start on 16 bytes, so both extents must be multiples of 4. All other
// shapes run transpose_ragged_kernel, copied from stage 06: ordinary 4-byte accesses, no bulk copy.
//
// Cost: two bulk copies a tile, no global access by a thread; 16 KB in flight for each block on an
// SM, with no register waiting for them. Shared memory: 4 accesses of 16 bytes a thread each way,
// free of conflicts. Needs sm_90. Next: 08_cublas.cu.

#include "transpose.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cuda/ptx>
#include <cudaTypedefs.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ptx = cuda::ptx;

constexpr int kTile = 64;            // floats a side: 256 bytes, 8 whole sectors, of every row it meets
constexpr int kPieces = kTile / 4;   // of 16 bytes, in a row of the tile
constexpr int kThreads = kPieces * kPieces;  // one for each block of 4 x 4

__global__ void transpose_bulk_copy_kernel(const __grid_constant__ CUtensorMap in,
                                           const __grid_constant__ CUtensorMap out, int tiles_down) {
  __shared__ alignas(128) float4 tile[kTile][kPieces];  // the engine writes at multiples of 128 bytes
  __shared__ std::uint64_t arrived;

  const int first_row = blockIdx.x % tiles_down * kTile;
  const int first_col = blockIdx.x / tiles_down * kTile;

  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&arrived, 1);             // one thread arrives, with the bytes to wait for
    ptx::fence_proxy_async(ptx::space_shared);   // the engine must see the barrier initialized
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &arrived,
                                   sizeof(tile));
    const int corner[2] = {first_col, first_row};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &in, corner, &arrived);
  }
  __syncthreads();  // the others must not wait on a barrier that is not there yet
  while (!ptx::mbarrier_try_wait_parity(&arrived, 0)) {
  }

  // 4 groups of 8 x 8 blocks; in a group, 8 neighbouring lanes lie on a diagonal.
  const int lane = threadIdx.x % 8;
  const int diagonal = threadIdx.x / 8 % 8;
  const int group = threadIdx.x / 64;
  const int x = group % 2 * 8 + lane;
  const int y = group / 2 * 8 + (lane ^ diagonal);

  float4 r[4];
  for (int i = 0; i < 4; ++i) r[i] = tile[4 * y + i][x];

  __syncthreads();  // all have read the tile before any overwrites it

  tile[4 * x + 0][y] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
  tile[4 * x + 1][y] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
  tile[4 * x + 2][y] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
  tile[4 * x + 3][y] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);

  ptx::fence_proxy_async(ptx::space_shared);  // each thread: its writes come before the engine's reads
  __syncthreads();                            // all have written before the engine is asked to read
  if (threadIdx.x == 0) {
    const int corner[2] = {first_row, first_col};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &out, corner, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});  // the tile must outlive the engine's reads
  }
}

// Describes a matrix, and the tile to cut from it, to the copy engine. cuTensorMapEncodeTiled is in
// the driver, which the runtime looks up for us, so that nothing needs linking with -lcuda.
CUtensorMap describe(const float* matrix, int rows, int cols) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                              cudaEnableDefault, &found));
  if (found != cudaDriverEntryPointSuccess) {
    throw CudaError(cudaErrorNotSupported, "07_bulk_copy.cu: this driver has no cuTensorMapEncodeTiled");
  }
  const auto encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(entry);

  CUtensorMap map;
  const cuuint64_t extent[2] = {static_cast<cuuint64_t>(cols), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitch_bytes[1] = {cols * sizeof(float)};
  const cuuint32_t box[2] = {kTile, kTile};
  const cuuint32_t step[2] = {1, 1};
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(matrix), extent, pitch_bytes,
             box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw CudaError(cudaErrorInvalidValue, "07_bulk_copy.cu: cuTensorMapEncodeTiled: CUresult " +
                                               std::to_string(status));
  }
  return map;
}

constexpr int kSector = 8;                     // floats in 32 bytes
constexpr int kRaggedRows = kTile + kSector;   // of `in`: a row of `out` may start up to 7 floats early
constexpr int kWarps = kThreads / 32;

__global__ void transpose_ragged_kernel(const float* __restrict__ in, float* __restrict__ out,
                                        int rows, int cols) {
  __shared__ float tile[kRaggedRows][kTile + 1];  // a column of it covers all banks

  const int tiles_down = ceil_div(rows + kSector - 1, kTile);
  const int first_row = blockIdx.x % tiles_down * kTile - kSector;  // -8 in the first tile
  const int first_col = blockIdx.x / tiles_down * kTile;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;

#pragma unroll
  for (int i = 0; i < kRaggedRows; i += kWarps) {
    const int row = first_row + i + warp;
#pragma unroll
    for (int j = 0; j < kTile; j += 32) {
      const int col = first_col + j + lane;
      if (row >= 0 && row < rows && col < cols) {
        tile[i + warp][j + lane] = in[static_cast<std::size_t>(row) * cols + col];
      }
    }
  }

  __syncthreads();  // below, a thread reads what others wrote

#pragma unroll
  for (int i = 0; i < kTile; i += kWarps) {
    const int col = first_col + i + warp;
    const std::size_t out_start = static_cast<std::size_t>(col) * rows;
    const int early = out_start % kSector;  // this row of `out` is cut so many floats early
#pragma unroll
    for (int j = 0; j < kTile; j += 32) {
      const int tile_row = kSector - early + j + lane;
      const int row = first_row + tile_row;
      if (row >= 0 && row < rows && col < cols) out[out_start + row] = tile[tile_row][i + warp];
    }
  }
}

void transpose(const float* d_in, float* d_out, int rows, int cols, cudaStream_t stream) {
  const int tiles_across = ceil_div(cols, kTile);
  if (rows % 4 == 0 && cols % 4 == 0) {
    const int tiles_down = ceil_div(rows, kTile);
    transpose_bulk_copy_kernel<<<tiles_across * tiles_down, kThreads, 0, stream>>>(
        describe(d_in, rows, cols), describe(d_out, cols, rows), tiles_down);
  } else {
    const dim3 grid(tiles_across * ceil_div(rows + kSector - 1, kTile));
    transpose_ragged_kernel<<<grid, kThreads, 0, stream>>>(d_in, d_out, rows, cols);
  }
  CUDA_CHECK(cudaGetLastError());
}
