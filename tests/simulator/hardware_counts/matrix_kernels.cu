#include "cases.h"
#include "values.h"

// Matrix products, transposes and stencils as in books and courses.

namespace {

constexpr int kTile = 16;
constexpr dim3 kBlock(kTile, kTile);

dim3 blocks_for(int rows, int cols) {
  return dim3((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
}

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

// Elements are below 10, so that sums are exact.
Case matmul_case(const std::string& name, const char* description,
                 void (*kernel)(const float*, const float*, float*, int)) {
  constexpr int kElements = kOrder * kOrder;
  const auto digits = [](int seed) {
    return generated<float>(kElements, [=](int i) { return (i * 7 + seed) % 10 * 1.0f; });
  };
  return {name, description, [=] {
            const std::vector<float> b = digits(5);
            const DeviceBuffer<float> d_b(b);
            check(
                digits(3), zeros<float>(kElements), kElements,
                [&](const float* a, float* c) {
                  kernel<<<blocks_for(kOrder, kOrder), kBlock>>>(a, d_b.data(), c, kOrder);
                },
                [&](const float* a, float* c, int i) {
                  const int row = i / kOrder, col = i % kOrder;
                  for (int k = 0; k < kOrder; ++k)
                    c[i] += a[row * kOrder + k] * b[k * kOrder + col];
                });
          }};
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

// kernel(in, out, kRows, kCols) must do what the threads do.
Case matrix_case(const std::string& name, const char* description,
                 void (*kernel)(const float*, float*, int, int),
                 void (*thread)(const float*, float*, int)) {
  return {name, description, [=] {
            check(
                whole_numbers<float>(kRows * kCols), unwritten<float>(kRows * kCols), kRows * kCols,
                [=](const float* in, float* out) {
                  kernel<<<blocks_for(kRows, kCols), kBlock>>>(in, out, kRows, kCols);
                },
                thread);
          }};
}

void transpose_one(const float* in, float* out, int i) {
  out[i % kCols * kRows + i / kCols] = in[i];
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

void stencil_one(const float* in, float* out, int i) {
  const int row = i / kCols, col = i % kCols;
  if (row == 0 || row == kRows - 1 || col == 0 || col == kCols - 1) return;
  out[i] = 4 * in[i] - in[i - 1] - in[i + 1] - in[i - kCols] - in[i + kCols];
}

}  // namespace

std::vector<Case> matrix_kernel_cases() {
  return {matmul_case("matmul_naive", "matrix product, 48^3, blocks 16 x 16", matmul_naive),
          matmul_case("matmul_turned", "the same, with x as the row", matmul_turned),
          matmul_case("matmul_tiled/rolled", "matrix product by tiles in shared memory",
                      matmul_tiled<1>),
          matmul_case("matmul_tiled/unrolled", "matrix product by tiles in shared memory",
                      matmul_tiled<kTile>),
          matrix_case("transpose_naive", "transpose of 40 x 72, without shared memory",
                      transpose_naive, transpose_one),
          matrix_case("transpose_tiled/0", "with `tile[16][16 + N]`", transpose_tiled<0>,
                      transpose_one),
          matrix_case("transpose_tiled/1", "with `tile[16][16 + N]`", transpose_tiled<1>,
                      transpose_one),
          matrix_case("stencil_naive", "five-point stencil on 40 x 72", stencil_naive, stencil_one),
          matrix_case("stencil_with_halo", "the same, tile and halo in shared memory",
                      stencil_with_halo, stencil_one)};
}
