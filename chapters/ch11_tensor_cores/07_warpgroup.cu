// Stage 07: warpgroup specialisation
//
// In stage 06 a warpgroup waits for each copy, and no copy is in flight while it multiplies. In
// this stage two warpgroups multiply (the consumers). One thread of a third warpgroup (the
// producer) prefetches up to six steps ahead. Barriers in shared memory track which of the six
// buffers are full and which are empty. The loop therefore has no __syncthreads().
//
// The thread that copies needs few registers, so its warpgroup releases most of its registers. The
// consumers use them to load `a` one step ahead. Together they compute 128 x 128 elements of c.
//
// Cost: the instructions of stage 06; half of its copies of `b`, because two warpgroups share each
// copy. 192 KB of buffers: one block per multiprocessor. Compute capability 9.0 only.
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

constexpr int kGroups = 2;  // consumers; a third group is the producer
constexpr int kThreads = (kGroups + 1) * kGroupThreads;
constexpr int kTileRows = kGroups * kGroupRows;
constexpr int kBuffers = 6;
constexpr int kBandHeight = 8;                                    // tiles
constexpr int kConsumerRegisters = 240, kProducerRegisters = 24;  // initially 168

struct Shared {
  StepOfB steps[kBuffers];
  Barrier full[kBuffers], empty[kBuffers];
};
constexpr std::size_t kSharedBytes = sizeof(Shared) + 1024;  // for alignment to 1024

// The producer thread fills the buffers.
__device__ void copy_steps(Shared& shared, const StepOfB* b, int steps) {
  for (int step = 0; step < steps; ++step) {
    const int buffer = step % kBuffers;
    if (step >= kBuffers) wait(shared.empty[buffer], (step / kBuffers - 1) % 2);
    arrive_and_expect(shared.full[buffer], sizeof(StepOfB));
    start_bulk_copy(&shared.steps[buffer], &b[step], sizeof(StepOfB), shared.full[buffer]);
  }
}

// Accumulates 64 rows of a tile of c: sums[4 j + r] is the element in row 16 warp + lane / 4 +
// 8 (r / 2) and column 8 j + 2 (lane % 4) + r % 2.
__device__ void multiply(Shared& shared, float (&sums)[64], const StepOfA* a, int steps) {
  const int thread = threadIdx.x % kGroupThreads;
  float4 next[kMmas];
  const auto load = [&](int step) {
#pragma unroll
    for (int i = 0; i < kMmas; ++i) next[i] = a[step].fragments[i][thread];
  };
  if (steps > 0) load(0);
  for (int step = 0; step < steps; ++step) {
    float of_a[kMmas][4], rest_of_a[kMmas][4];
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      const float x[4] = {next[i].x, next[i].y, next[i].z, next[i].w};
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        of_a[i][r] = x[r];
        rest_of_a[i][r] = tf32_rest(x[r]);
      }
    }
    if (step + 1 < steps) load(step + 1);

    const StepOfB& b = shared.steps[step % kBuffers];
    wait(shared.full[step % kBuffers], step / kBuffers % 2);
    float step_sums[64];
    fence_registers_for_mma(of_a, rest_of_a);  // small products first
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, rest_of_a[i], matrix_descriptor(&b.b[0][2 * i]), i > 0);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_a[i], matrix_descriptor(&b.rest[0][2 * i]), true);
    }
#pragma unroll
    for (int i = 0; i < kMmas; ++i) {
      start_mma(step_sums, of_a[i], matrix_descriptor(&b.b[0][2 * i]), true);
    }
    wait_for_mma(step_sums);
    if (thread % 32 == 0) arrive(shared.empty[step % kBuffers]);
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    matmul_warpgroup_kernel(const StepOfA* __restrict__ a, const StepOfB* __restrict__ b,
                            float* __restrict__ c, int m, int n, int steps) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const unsigned past = shared_address(shared_bytes) % 1024;
  Shared& shared = *reinterpret_cast<Shared*>(shared_bytes + (past > 0 ? 1024 - past : 0));
  if (threadIdx.x < kBuffers) {
    init(shared.full[threadIdx.x], 1);             // the producer thread
    init(shared.empty[threadIdx.x], kGroups * 4);  // one lane of each consumer warp
    fence_for_tensor_cores();
  }
  __syncthreads();

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int group = threadIdx.x / kGroupThreads;
  if (group == kGroups) {
    release_registers<kProducerRegisters>();
    if (threadIdx.x % kGroupThreads == 0) {
      copy_steps(shared, b + static_cast<std::size_t>(tile.col) * steps, steps);
    }
    return;
  }

  request_registers<kConsumerRegisters>();
  float sums[64] = {};
  const std::size_t group_row = static_cast<std::size_t>(tile.row) * kGroups + group;
  multiply(shared, sums, a + group_row * steps, steps);

  const int lane = threadIdx.x % 32, warp = threadIdx.x % kGroupThreads / 32;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = static_cast<int>(group_row) * kGroupRows + warp * 16 + lane / 4 + i % 4 / 2 * 8;
    const int col = tile.col * kTileCols + i / 4 * 8 + lane % 4 * 2 + i % 2;
    if (row < m && col < n) c[static_cast<std::size_t>(row) * n + col] = sums[i];
  }
}

void launch(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const auto [m, n, k] = product_shape(a, b, c);
  if (m == 0 || n == 0) return;  // a grid has at least one block
  const int tiles_down = ceil_div(m, kTileRows), tiles_across = ceil_div(n, kTileCols);
  OrderedSteps ordered(a, b, tiles_down * kGroups, stream);
  CUDA_CHECK(cudaFuncSetAttribute(matmul_warpgroup_kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kSharedBytes)));
  matmul_warpgroup_kernel<<<static_cast<unsigned>(tiles_down * tiles_across), kThreads,
                            kSharedBytes, stream>>>(ordered.a(), ordered.b(), c.data, m, n,
                                                    ordered.count());
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpgroup

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  warpgroup::launch(a, b, c, stream);
}

double float_error_bound(int k) { return three_tf32_error_bound(k, warpgroup::kDepth); }
