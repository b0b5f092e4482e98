// Stage 15: the tensor cores of a whole multiprocessor at once
//
// mma.sync, which works within a warp, gets well under two thirds of what the tensor cores of an
// H200 can do with TF32. wgmma works for four warps, a warpgroup, reads `b` from shared memory by
// itself, and is done later: meanwhile the warps are free.
//
// It wants both matrices in an order of its own, and each of them is needed by many blocks. So two
// small kernels first write them down in that order, `b` with its rests: n^2 work that makes the
// n^3 work simple. What is past the matrices' ends is zero there, so the main kernel has no guards
// on what it loads.
//
// Then a step of `b` is one block of memory, and one thread of a third warpgroup fetches it with
// one instruction. It is ahead of the other two warpgroups by up to six steps; barriers in shared
// memory say which buffers are full and which are empty. `a` comes straight to the registers.
//
// Doubles have no wgmma: for them this is stage 14.
//
// Cost: for a step of 32 along k, a warpgroup starts 12 instructions of 64 x 128 x 8 multiply-adds
// and adds up 64 registers a thread. 4 bytes of memory more for an element of `a`, 8 for one of
// `b`. Compute capability 9.0 only. Next: 16_cublas.cu.

#include "matmul.h"
#include "mma_sync.h"
#include "scratch.h"
#include "tile_order.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"
#include "common/error_bound.h"
#include "common/tf32.h"
#include "common/warpgroup.h"

#include <cstddef>

namespace warpgroup {

constexpr int kGroupThreads = 128;
constexpr int kGroups = 2;  // that multiply; a third one copies
constexpr int kThreads = (kGroups + 1) * kGroupThreads;
constexpr int kGroupRows = 64;  // of c
constexpr int kTileRows = kGroups * kGroupRows;
constexpr int kTileCols = 128;
constexpr int kDepth = 32;         // along k: 128 bytes of a row of the tile of `b`
constexpr int kMmas = kDepth / 8;  // along k
constexpr int kBuffers = 6;
constexpr int kBandHeight = 8;                                    // tiles
constexpr int kMultiplierRegisters = 240, kCopierRegisters = 24;  // of 168 that all begin with

// A step of `b` for a tile of c, turned: a row is a column of `b`, its eight 16-byte pieces
// permuted, so that pieces of neighbouring rows lie in different banks.
struct alignas(1024) StepOfB {
  float4 b[kTileCols][kDepth / 4], rest[kTileCols][kDepth / 4];
};
// A step of `a` for a warpgroup: what a thread needs for an instruction, and for the next three.
struct StepOfA {
  float4 fragments[kMmas][kGroupThreads];
};
struct Shared {
  StepOfB steps[kBuffers];
  Barrier full[kBuffers], empty[kBuffers];
};
constexpr std::size_t kSharedBytes = sizeof(Shared) + 1024;  // to begin at a multiple of 1024

// Element (row, col), or 0 past the ends.
__device__ float element(const float* matrix, int rows, int cols, int row, int col) {
  return row < rows && col < cols ? matrix[static_cast<std::size_t>(row) * cols + col] : 0.0f;
}

// A block writes a step for 64 rows, a thread what it needs of it as a thread of a warpgroup.
__global__ void order_a_kernel(const float* __restrict__ a, int m, int k, StepOfA* ordered) {
  const int steps = ceil_div(k, kDepth);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.x / steps * kGroupRows + warp * 16 + lane / 4;
  for (int i = 0; i < kMmas; ++i) {
    const int p = blockIdx.x % steps * kDepth + 8 * i + lane % 4;
    ordered[blockIdx.x].fragments[i][threadIdx.x] =
        make_float4(element(a, m, k, row, p), element(a, m, k, row + 8, p),
                    element(a, m, k, row, p + 4), element(a, m, k, row + 8, p + 4));
  }
}

// A block writes a step for 128 columns.
__global__ void order_b_kernel(const float* __restrict__ b, int k, int n, StepOfB* ordered) {
  __shared__ float tile[kDepth][kTileCols + 1];  // padded: it is read along its columns
  const int steps = ceil_div(k, kDepth);
  const int first_col = blockIdx.x / steps * kTileCols, first_p = blockIdx.x % steps * kDepth;
  for (int i = threadIdx.x; i < kDepth * kTileCols; i += blockDim.x) {
    const int p = i / kTileCols, col = i % kTileCols;
    tile[p][col] = element(b, k, n, first_p + p, first_col + col);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTileCols * kDepth / 4; i += blockDim.x) {
    const int col = i / (kDepth / 4), piece = i % (kDepth / 4), place = piece ^ col % 8;
    const float4 x = make_float4(tile[4 * piece][col], tile[4 * piece + 1][col],
                                 tile[4 * piece + 2][col], tile[4 * piece + 3][col]);
    ordered[blockIdx.x].b[col][place] = x;
    ordered[blockIdx.x].rest[col][place] =
        make_float4(tf32_rest(x.x), tf32_rest(x.y), tf32_rest(x.z), tf32_rest(x.w));
  }
}

// One thread keeps the buffers filled.
__device__ void copy_steps(Shared& shared, const StepOfB* b, int steps) {
  for (int step = 0; step < steps; ++step) {
    const int buffer = step % kBuffers;
    if (step >= kBuffers) wait(shared.empty[buffer], (step / kBuffers - 1) % 2);
    arrive_and_expect(shared.full[buffer], sizeof(StepOfB));
    start_bulk_copy(&shared.steps[buffer], &b[step], sizeof(StepOfB), shared.full[buffer]);
  }
}

// Adds up 64 rows of a tile of c: sums[4 j + r] is that of row 16 warp + lane / 4 + 8 (r / 2) and
// of column 8 j + 2 (lane % 4) + r % 2.
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
    fence_registers_for_mma();  // the small products first
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
    init(shared.full[threadIdx.x], 1);             // the thread that copies
    init(shared.empty[threadIdx.x], kGroups * 4);  // a lane of each warp that multiplies
    fence_for_tensor_cores();
  }
  __syncthreads();

  const TilePosition tile =
      tile_position<kBandHeight>(ceil_div(m, kTileRows), ceil_div(n, kTileCols));
  const int group = threadIdx.x / kGroupThreads;
  if (group == kGroups) {
    give_back_registers<kCopierRegisters>();
    if (threadIdx.x % kGroupThreads == 0) {
      copy_steps(shared, b + static_cast<std::size_t>(tile.col) * steps, steps);
    }
    return;
  }

  ask_for_registers<kMultiplierRegisters>();
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
  const int steps = ceil_div(k, kDepth);
  const int tiles_down = ceil_div(m, kTileRows), tiles_across = ceil_div(n, kTileCols);
  const auto steps_of_a = static_cast<std::size_t>(tiles_down) * kGroups * steps;
  const auto steps_of_b = static_cast<std::size_t>(tiles_across) * steps;
  Scratch<StepOfA> ordered_a(steps_of_a, stream);
  Scratch<StepOfB> ordered_b(steps_of_b, stream);
  if (steps > 0) {
    order_a_kernel<<<static_cast<unsigned>(steps_of_a), kGroupThreads, 0, stream>>>(
        a.data, m, k, ordered_a.data());
    CUDA_CHECK(cudaGetLastError());
    order_b_kernel<<<static_cast<unsigned>(steps_of_b), 2 * kGroupThreads, 0, stream>>>(
        b.data, k, n, ordered_b.data());
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaFuncSetAttribute(matmul_warpgroup_kernel,
                                  cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(kSharedBytes)));
  matmul_warpgroup_kernel<<<static_cast<unsigned>(tiles_down * tiles_across), kThreads,
                            kSharedBytes, stream>>>(ordered_a.data(), ordered_b.data(), c.data, m,
                                                    n, steps);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace warpgroup

void matmul(Matrix<const float> a, Matrix<const float> b, Matrix<float> c, cudaStream_t stream) {
  warpgroup::launch(a, b, c, stream);
}

void matmul(Matrix<const double> a, Matrix<const double> b, Matrix<double> c, cudaStream_t stream) {
  launch_mma_sync<OneProduct<double>>(a, b, c, stream);
}

double float_error_bound(int k) { return three_tf32_error_bound(k, warpgroup::kDepth); }
double double_error_bound(int k) { return double_sum_error_bound(k); }
