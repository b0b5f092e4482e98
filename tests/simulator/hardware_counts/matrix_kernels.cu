#include "cases.h"
#include "common/device_buffer.h"
#include "values.h"

#include <cstddef>

// Matrix products, transposes and stencils as in books and courses.

namespace {

constexpr int kTile = 16;

// ---- Matrix products, kOrder x kOrder ----

constexpr int kOrder = 48;

__global__ void matmul_naive(const float* a, const float* b, float* c, int order) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < order; ++k) sum += a[row * order + k] * b[k * order + col];
  c[row * order + col] = sum;
}

// x is the row: the lanes of a warp read a column of a, and store a column of c.
__global__ void matmul_turned(const float* a, const float* b, float* c, int order) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < order; ++k) sum += a[row * order + k] * b[k * order + col];
  c[row * order + col] = sum;
}

template <int kUnroll>
__global__ void matmul_tiled(const float* a, const float* b, float* c, int order) {
  __shared__ float tile_a[kTile][kTile], tile_b[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  float sum = 0;
  for (int first = 0; first < order; first += kTile) {
    tile_a[y][x] = a[row * order + first + x];
    tile_b[y][x] = b[(first + y) * order + col];
    __syncthreads();
#pragma unroll kUnroll
    for (int k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * order + col] = sum;
}

// launch(blocks, block, a, b, c). Elements are below 10, so that sums are exact.
template <typename Launch>
void check_matmul(Launch launch) {
  const auto digits = [](int seed) {
    return generated<float>(kOrder * kOrder, [=](int i) { return (i * 7 + seed) % 10 * 1.0f; });
  };
  const std::vector<float> a = digits(3), b = digits(5);
  const DeviceBuffer<float> d_a(a), d_b(b);
  DeviceBuffer<float> d_c(a.size());
  launch(dim3(kOrder / kTile, kOrder / kTile), dim3(kTile, kTile), d_a.data(), d_b.data(),
         d_c.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_c.to_host(), generated<float>(kOrder * kOrder, [&](int i) {
                 float sum = 0;
                 for (int k = 0; k < kOrder; ++k)
                   sum += a[i / kOrder * kOrder + k] * b[k * kOrder + i % kOrder];
                 return sum;
               }));
}

// ---- Transposes, kRows x kCols ----

constexpr int kRows = 40, kCols = 72;

__global__ void transpose_naive(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

template <int kPadding>
__global__ void transpose_tiled(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTile][kTile + kPadding];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * kTile + y, col = blockIdx.x * kTile + x;
  if (row < rows && col < cols) tile[y][x] = in[row * cols + col];
  __syncthreads();
  const int out_row = blockIdx.x * kTile + y, out_col = blockIdx.y * kTile + x;
  if (out_row < cols && out_col < rows) out[out_row * rows + out_col] = tile[x][y];
}

template <typename Launch>
void check_transpose(Launch launch) {
  const std::vector<float> in = whole_numbers<float>(kRows * kCols);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<float> d_out(in.size());
  launch(dim3((kCols + kTile - 1) / kTile, (kRows + kTile - 1) / kTile), dim3(kTile, kTile),
         d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(), generated<float>(kRows * kCols, [&](int i) {
                 return in[i % kRows * kCols + i / kRows];
               }));
}

// ---- Five-point stencil, kRows x kCols ----

__global__ void stencil_naive(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row == 0 || row >= rows - 1 || col == 0 || col >= cols - 1) return;
  const int i = row * cols + col;
  out[i] = 4 * in[i] - in[i - 1] - in[i + 1] - in[i - cols] - in[i + cols];
}

// The tile and its halo are loaded to shared memory; outside the matrix the halo is 0.
__global__ void stencil_with_halo(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int x = threadIdx.x + 1, y = threadIdx.y + 1;
  const int row = blockIdx.y * kTile + threadIdx.y, col = blockIdx.x * kTile + threadIdx.x;
  const auto element = [=](int r, int c) {
    return r >= 0 && r < rows && c >= 0 && c < cols ? in[r * cols + c] : 0.0f;
  };
  tile[y][x] = element(row, col);
  if (threadIdx.y == 0) tile[0][x] = element(row - 1, col);
  if (threadIdx.y == kTile - 1) tile[kTile + 1][x] = element(row + 1, col);
  if (threadIdx.x == 0) tile[y][0] = element(row, col - 1);
  if (threadIdx.x == kTile - 1) tile[y][kTile + 1] = element(row, col + 1);
  __syncthreads();
  if (row == 0 || row >= rows - 1 || col == 0 || col >= cols - 1) return;
  out[row * cols + col] =
      4 * tile[y][x] - tile[y][x - 1] - tile[y][x + 1] - tile[y - 1][x] - tile[y + 1][x];
}

template <typename Launch>
void check_stencil(Launch launch) {
  const std::vector<float> in = whole_numbers<float>(kRows * kCols);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<float> d_out(in.size());
  d_out.fill_bytes(0);
  launch(dim3((kCols + kTile - 1) / kTile, (kRows + kTile - 1) / kTile), dim3(kTile, kTile),
         d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(), generated<float>(kRows * kCols, [&](int i) {
                 const int row = i / kCols, col = i % kCols;
                 if (row == 0 || row == kRows - 1 || col == 0 || col == kCols - 1) return 0.0f;
                 return 4 * in[i] - in[i - 1] - in[i + 1] - in[i - kCols] - in[i + kCols];
               }));
}

}  // namespace

std::vector<Case> matrix_kernel_cases() {
  std::vector<Case> cases;
  const auto matmul = [&](const char* name, const char* description, auto launch) {
    cases.push_back({name, description, [=] { check_matmul(launch); }});
  };
  matmul("matmul_naive", "matrix product, 48^3, blocks 16 x 16",
         [](dim3 blocks, dim3 block, const float* a, const float* b, float* c) {
           matmul_naive<<<blocks, block>>>(a, b, c, kOrder);
         });
  matmul("matmul_turned", "the same, with x as the row",
         [](dim3 blocks, dim3 block, const float* a, const float* b, float* c) {
           matmul_turned<<<blocks, block>>>(a, b, c, kOrder);
         });
  matmul("matmul_tiled/rolled", "matrix product by tiles in shared memory",
         [](dim3 blocks, dim3 block, const float* a, const float* b, float* c) {
           matmul_tiled<1><<<blocks, block>>>(a, b, c, kOrder);
         });
  matmul("matmul_tiled/unrolled", "matrix product by tiles in shared memory",
         [](dim3 blocks, dim3 block, const float* a, const float* b, float* c) {
           matmul_tiled<kTile><<<blocks, block>>>(a, b, c, kOrder);
         });

  const auto transpose = [&](const char* name, const char* description, auto launch) {
    cases.push_back({name, description, [=] { check_transpose(launch); }});
  };
  transpose("transpose_naive", "transpose of 40 x 72, without shared memory",
            [](dim3 blocks, dim3 block, const float* in, float* out) {
              transpose_naive<<<blocks, block>>>(in, out, kRows, kCols);
            });
  transpose("transpose_tiled/0", "with `tile[16][16 + N]`",
            [](dim3 blocks, dim3 block, const float* in, float* out) {
              transpose_tiled<0><<<blocks, block>>>(in, out, kRows, kCols);
            });
  transpose("transpose_tiled/1", "with `tile[16][16 + N]`",
            [](dim3 blocks, dim3 block, const float* in, float* out) {
              transpose_tiled<1><<<blocks, block>>>(in, out, kRows, kCols);
            });

  const auto stencil = [&](const char* name, const char* description, auto launch) {
    cases.push_back({name, description, [=] { check_stencil(launch); }});
  };
  stencil("stencil_naive", "five-point stencil on 40 x 72",
          [](dim3 blocks, dim3 block, const float* in, float* out) {
            stencil_naive<<<blocks, block>>>(in, out, kRows, kCols);
          });
  stencil("stencil_with_halo", "the same, tile and halo in shared memory",
          [](dim3 blocks, dim3 block, const float* in, float* out) {
            stencil_with_halo<<<blocks, block>>>(in, out, kRows, kCols);
          });
  return cases;
}
