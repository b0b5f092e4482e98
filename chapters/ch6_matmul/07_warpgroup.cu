// Stage 07: the tensor cores of a whole multiprocessor at once
//
// mma.sync, which works within a warp, gets well under two thirds of what the tensor cores of an
// H200 can do with TF32. wgmma works for four warps, a warpgroup, reads one factor from shared
// memory by itself, and is done later: meanwhile the warps are free.
//
// Of TF32 it wants that factor with neighbours along k. Rows of `a` are like that, columns of `b`
// are not. So the block makes the transpose, c' = b' a': `b` comes from registers, which any thread
// can fill from anywhere, and `a` from shared memory. The rests of `b` are made in registers, those
// of `a` by the third warpgroup, which copies and does nothing else. It is ahead of the other two
// by up to three steps; barriers in shared memory say which buffers are full and which are empty.
//
// Doubles have no wgmma: for them this is stage 06.
//
// Cost: for a step of 32 along k, a warpgroup starts 12 instructions of 64 x 128 x 8 multiply-adds
// and adds up 64 registers a thread. Compute capability 9.0 only. Next: 08_cublas.cu.

#include "async_copy.h"
#include "error_bound.h"
#include "matmul.h"
#include "mma_sync.h"
#include "tf32.h"
#include "tile_order.h"
#include "warpgroup.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cstddef>

namespace warpgroup {

constexpr int kGroupThreads = 128;
constexpr int kGroups = 2;  // that multiply; a third one copies
constexpr int kThreads = (kGroups + 1) * kGroupThreads;
constexpr int kTileRows = 128;  // of c
constexpr int kGroupCols = 64;
constexpr int kTileCols = kGroups * kGroupCols;
constexpr int kDepth = 32;  // 128 bytes of a row of `a`
constexpr int kBuffers = 4;
constexpr int kBandHeight = 16;         // tiles
constexpr int kBPitch = kTileCols + 8;  // 4 rows at a time begin in different banks
constexpr int kMultiplierRegisters = 232, kCopierRegisters = 40;  // of 168 that all begin with

struct alignas(1024) Buffer {
  float a[kTileRows * kDepth], rest_of_a[kTileRows * kDepth];  // permuted: see a_offset()
  float b[kDepth * kBPitch];
};
struct Shared {
  Buffer buffers[kBuffers];
  Barrier full[kBuffers], empty[kBuffers];
};
constexpr std::size_t kSharedBytes = sizeof(Shared) + 1024;  // to begin at a multiple of 1024

// Where wgmma looks for an element of a tile of `a`: the eight 16-byte pieces of a row are
// permuted, so that pieces of neighbouring rows lie in different banks.
__device__ int a_offset(int row, int p) { return row * kDepth + (p / 4 ^ row % 8) * 4 + p % 4; }

// Starts copies of a step of `a` and `b`. Rows and columns past the matrices' ends are those at the
// end once more; past k there are zeros.
template <int kWidth>
__device__ void start_copies(Buffer& buffer, const float* a, const float* b,
                             const ProductShape& shape, int tile_row, int tile_col, int step) {
  const auto [m, n, k] = shape;
  const int thread = threadIdx.x % kGroupThreads;
#pragma unroll 8
  for (int at = thread * kWidth; at < kTileRows * kDepth; at += kGroupThreads * kWidth) {
    const int row = at / kDepth, p = at % kDepth;
    const bool valid = step + p < k;
    const std::size_t from = static_cast<std::size_t>(min(tile_row + row, m - 1)) * k;
    copy_async<kWidth * sizeof(float)>(&buffer.a[a_offset(row, p)],
                                       a + from + (valid ? step + p : 0), valid);
  }
#pragma unroll 8
  for (int at = thread * kWidth; at < kTileCols * kDepth; at += kGroupThreads * kWidth) {
    const int p = at / kTileCols, col = at % kTileCols;
    const bool valid = step + p < k;
    const std::size_t from = static_cast<std::size_t>(valid ? step + p : 0) * n;
    copy_async<kWidth * sizeof(float)>(&buffer.b[p * kBPitch + col],
                                       b + from + min(tile_col + col, n - kWidth), valid);
  }
}

// The rests of those elements of `a` that this thread has copied itself: it need not wait for
// others.
template <int kWidth>
__device__ void split_a(Buffer& buffer) {
  const int thread = threadIdx.x % kGroupThreads;
#pragma unroll 4
  for (int at = thread * kWidth; at < kTileRows * kDepth; at += kGroupThreads * kWidth) {
    const int offset = a_offset(at / kDepth, at % kDepth);
    if constexpr (kWidth == 4) {
      const float4 x = *reinterpret_cast<const float4*>(&buffer.a[offset]);
      *reinterpret_cast<float4*>(&buffer.rest_of_a[offset]) =
          make_float4(tf32_rest(x.x), tf32_rest(x.y), tf32_rest(x.z), tf32_rest(x.w));
    } else {
      buffer.rest_of_a[offset] = tf32_rest(buffer.a[offset]);
    }
  }
}

template <int kWidth>
__device__ void copy_and_split(Shared& shared, const float* a, const float* b,
                               const ProductShape& shape, int tile_row, int tile_col) {
  const int steps = ceil_div(shape.k, kDepth);
  const auto start = [&](int step) {
    if (step < steps) {
      start_copies<kWidth>(shared.buffers[step % kBuffers], a, b, shape, tile_row, tile_col,
                           step * kDepth);
    }
    __pipeline_commit();  // past the last step an empty one, so that the count stays right
  };
  for (int step = 0; step < kBuffers - 1; ++step) start(step);
  for (int step = 0; step < steps; ++step) {
    __pipeline_wait_prior(kBuffers - 2);
    split_a<kWidth>(shared.buffers[step % kBuffers]);
    fence_for_tensor_cores();
    arrive(shared.full[step % kBuffers]);

    const int next = step + kBuffers - 1;
    if (next >= kBuffers && next < steps) {
      wait(shared.empty[next % kBuffers], (next / kBuffers - 1) % 2);
    }
    start(next);
  }
}

// Adds up 64 columns of the tile of c: sums[4 j + r] is that of row 8 j + 2 (lane % 4) + r % 2 and
// of column 16 warp + 2 (lane / 4) + r / 2.
__device__ void multiply(Shared& shared, float (&sums)[64], int k, int col) {
  const int lane = threadIdx.x % 32;
  const int steps = ceil_div(k, kDepth);
  for (int step = 0; step < steps; ++step) {
    Buffer& buffer = shared.buffers[step % kBuffers];
    wait(shared.full[step % kBuffers], step / kBuffers % 2);

    float of_b[kDepth / 8][4], rest_of_b[kDepth / 8][4];
#pragma unroll
    for (int i = 0; i < kDepth / 8; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int p = 8 * i + 4 * half + lane % 4;
        const float2 pair = *reinterpret_cast<const float2*>(&buffer.b[p * kBPitch + col]);
        of_b[i][2 * half] = pair.x;
        of_b[i][2 * half + 1] = pair.y;
        rest_of_b[i][2 * half] = tf32_rest(pair.x);
        rest_of_b[i][2 * half + 1] = tf32_rest(pair.y);
      }
    }

    float step_sums[64];
    fence_registers_for_mma();
#pragma unroll
    for (int i = 0; i < kDepth / 8; ++i) {
      const std::uint64_t of_a = matrix_descriptor(&buffer.a[8 * i]);
      start_mma(step_sums, rest_of_b[i], of_a, i > 0);
      start_mma(step_sums, of_b[i], matrix_descriptor(&buffer.rest_of_a[8 * i]), true);
      start_mma(step_sums, of_b[i], of_a, true);
    }
    wait_for_mma(step_sums);
    if (lane == 0) arrive(shared.empty[step % kBuffers]);
#pragma unroll
    for (int i = 0; i < 64; ++i) sums[i] += step_sums[i];
  }
}

template <int kWidth>
__global__ void __launch_bounds__(kThreads, 1)
    matmul_warpgroup_kernel(const float* __restrict__ a, const float* __restrict__ b,
                            float* __restrict__ c, ProductShape shape) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const unsigned past = shared_address(shared_bytes) % 1024;
  Shared& shared = *reinterpret_cast<Shared*>(shared_bytes + (past > 0 ? 1024 - past : 0));
  if (threadIdx.x < kBuffers) {
    init(shared.full[threadIdx.x], kGroupThreads);  // all that copy
    init(shared.empty[threadIdx.x], kGroups * 4);   // a lane of each warp that multiplies
  }
  __syncthreads();

  const auto [m, n, k] = shape;
  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int tile_row = tile.row * kTileRows, tile_col = tile.col * kTileCols;
  const int group = threadIdx.x / kGroupThreads;
  if (group == kGroups) {
    give_back_registers<kCopierRegisters>();
    copy_and_split<kWidth>(shared, a, b, shape, tile_row, tile_col);
    return;
  }

  ask_for_registers<kMultiplierRegisters>();
  const int lane = threadIdx.x % 32, warp = threadIdx.x % kGroupThreads / 32;
  const int col = group * kGroupCols + 16 * warp + lane / 4 * 2;
  float sums[64] = {};
  multiply(shared, sums, k, col);

#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = tile_row + i / 4 * 8 + lane % 4 * 2 + i % 2;
    const int at = tile_col + col + i % 4 / 2;
    if (row < m && at < n) c[static_cast<std::size_t>(row) * n + at] = sums[i];
  }
}

}  // namespace warpgroup

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  const ProductShape shape = product_shape(a, b, c);
  if (shape.m == 0 || shape.n == 0) return;  // a grid has at least one block
  const dim3 grid(ceil_div(shape.m, warpgroup::kTileRows) *
                  ceil_div(shape.n, warpgroup::kTileCols));
  const bool aligned = shape.n % 4 == 0 && shape.k % 4 == 0;
  const auto kernel =
      aligned ? warpgroup::matmul_warpgroup_kernel<4> : warpgroup::matmul_warpgroup_kernel<1>;
  CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(warpgroup::kSharedBytes)));
  kernel<<<grid, warpgroup::kThreads, warpgroup::kSharedBytes, stream>>>(a.data, b.data, c.data,
                                                                         shape);
  CUDA_CHECK(cudaGetLastError());
}

void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, cudaStream_t stream) {
  launch_mma_sync<OneProduct<double>>(a, b, c, stream);
}

double float_error_bound(int k) { return three_tf32_error_bound(k, warpgroup::kDepth); }
double double_error_bound(int k) { return double_sum_error_bound(k); }
