// Stage 06: ordered steps
//
// In stage 05 each block transposes and splits its part of `b`, step by step. All other blocks of
// the same column of tiles transpose and split the same part. In this stage two small kernels do
// this work once, before the product: they store both matrices in the layout that wgmma needs, and
// the residuals of `b` (ordered_steps.h).
//
// A step of `b` is then one contiguous range of memory, and one thread copies this range with one
// instruction, a bulk copy. A barrier in shared memory signals when the copy has arrived. `a` is
// loaded into the registers as four `float4` per thread.
//
// Cost: the products of stage 05. A step of 32 along k has a copy of 32 KB, and 4 loads of 16 bytes
// per thread; no thread stores to shared memory. Additional memory: 4 bytes per element of `a`, 8
// bytes per element of `b`. Compute capability 9.0 only. Next: 07_warpgroup.cu.
//
// Requires: compute capability 9.0a

#include "matmul.h"
#include "ordered_steps.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/tf32.h"
#include "common/warpgroup.h"

#include <cstddef>

namespace warpgroup {

constexpr int kBandHeight = 16;  // tiles

__global__ void __launch_bounds__(kGroupThreads)
    matmul_ordered_steps_kernel(const StepOfA* __restrict__ a, const StepOfB* __restrict__ b,
                                float* __restrict__ c, int m, int n, int steps) {
  __shared__ StepOfB shared;
  __shared__ Barrier full;
  if (threadIdx.x == 0) {
    init(full, 1);  // the thread that copies
    fence_for_tensor_cores();
  }
  __syncthreads();

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kGroupRows), ceil_div(n, kTileCols));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_row = tile.row * kGroupRows + warp * 16 + lane / 4;
  a += static_cast<std::size_t>(tile.row) * steps;
  b += static_cast<std::size_t>(tile.col) * steps;

  float sums[64] = {};
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == 0) {
      arrive_and_expect(full, sizeof(StepOfB));
      start_bulk_copy(&shared, &b[step], sizeof(StepOfB), full);
    }

    float of_a[kMmas][4], rest_of_a[kMmas][4];
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      const float4 fragment = a[step].fragments[i][threadIdx.x];
      const float x[4] = {fragment.x, fragment.y, fragment.z, fragment.w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        of_a[i][r] = x[r];
        rest_of_a[i][r] = tf32_rest(x[r]);
      }
    }

    wait(full, step % 2);
    float step_sums[64];
    fence_registers_for_mma(of_a, rest_of_a);  // small products first
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, rest_of_a[i], matrix_descriptor(&shared.b[0][2 * i]), i > 0);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_a[i], matrix_descriptor(&shared.rest[0][2 * i]), true);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_a[i], matrix_descriptor(&shared.b[0][2 * i]), true);
    }
    wait_for_mma(step_sums);
    __syncthreads();  // the next step overwrites the data of this step
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
  }

#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = first_row + i % 4 / 2 * 8;
    const int col = tile.col * kTileCols + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (row < m && col < n) c[static_cast<std::size_t>(row) * n + col] = sums[i];
  }
}

void launch(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const int tiles_down = ceil_div(m, kGroupRows), tiles_across = ceil_div(n, kTileCols);
  OrderedSteps ordered(a, b, tiles_down, stream);
  matmul_ordered_steps_kernel<<<static_cast<unsigned>(tiles_down * tiles_across), kGroupThreads, 0,
                                stream>>>(ordered.a(), ordered.b(), c.data, m, n, ordered.count());
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpgroup

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  warpgroup::launch(a, b, c, stream);
}

double float_error_bound(int k) { return three_tf32_error_bound(k, warpgroup::kDepth); }
