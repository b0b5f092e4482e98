#include "cases.h"
#include "values.h"

#include <algorithm>

// Sums, searches and other kernels for vectors as in books and courses.

namespace {

// ---- Reductions: one sum per block ----

constexpr int kBlocks = 4, kThreads = 128, kCount = kBlocks * kThreads;

// Strides of 1, 2, 4: fewer and fewer lanes of each warp take part.
__global__ void reduce_interleaved(const float* in, float* sums) {
  __shared__ float values[kThreads];
  const int thread = threadIdx.x;
  values[thread] = in[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    if (thread % (2 * stride) == 0) values[thread] += values[thread + stride];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = values[0];
}

// The same sums, by consecutive threads: no divergence, but bank conflicts.
__global__ void reduce_with_conflicts(const float* in, float* sums) {
  __shared__ float values[kThreads];
  const int thread = threadIdx.x;
  values[thread] = in[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (int stride = 1; stride < kThreads; stride *= 2) {
    const int i = 2 * stride * thread;
    if (i < kThreads) values[i] += values[i + stride];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = values[0];
}

__global__ void reduce_sequential(const float* in, float* sums) {
  __shared__ float values[kThreads];
  const int thread = threadIdx.x;
  values[thread] = in[blockIdx.x * blockDim.x + thread];
  __syncthreads();
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (thread < stride) values[thread] += values[thread + stride];
    __syncthreads();
  }
  if (thread == 0) sums[blockIdx.x] = values[0];
}

__global__ void reduce_with_shuffles(const float* in, float* sums) {
  __shared__ float warp_sums[kThreads / 32];
  const int thread = threadIdx.x;
  float sum = in[blockIdx.x * blockDim.x + thread];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (thread % 32 == 0) warp_sums[thread / 32] = sum;
  __syncthreads();
  if (thread < 32) {
    sum = thread < kThreads / 32 ? warp_sums[thread] : 0.0f;
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (thread == 0) sums[blockIdx.x] = sum;
  }
}

// kernel(in, out) must do what the threads do; the elements of `out` start at 0.
Case vector_case(const std::string& name, const char* description, int in_count, int out_count,
                 void (*kernel)(const float*, float*), void (*thread)(const float*, float*, int)) {
  return {name, description, [=] {
            check(
                whole_numbers<float>(in_count), zeros<float>(out_count), kCount,
                [=](const float* in, float* out) { kernel<<<kBlocks, kThreads>>>(in, out); },
                thread);
          }};
}

Case reduce_case(const std::string& name, const char* description,
                 void (*kernel)(const float*, float*)) {
  return vector_case(name, description, kCount, kBlocks, kernel,
                     [](const float* in, float* sums, int i) { sums[i / kThreads] += in[i]; });
}

// ---- Others ----

// Inclusive sums within each block.
__global__ void scan_blocks(const float* in, float* out) {
  __shared__ float values[2][kThreads];
  const int thread = threadIdx.x, i = blockIdx.x * blockDim.x + thread;
  int from = 0;
  values[0][thread] = in[i];
  __syncthreads();
  for (int offset = 1; offset < kThreads; offset *= 2) {
    float value = values[from][thread];
    if (thread >= offset) value += values[from][thread - offset];
    from = 1 - from;
    values[from][thread] = value;
    __syncthreads();
  }
  out[i] = values[from][thread];
}

// Each block sorts its elements.
__global__ void sort_blocks(const float* in, float* out) {
  __shared__ float values[kThreads];
  const int thread = threadIdx.x, i = blockIdx.x * blockDim.x + thread;
  values[thread] = in[i];
  __syncthreads();
  for (int size = 2; size <= kThreads; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      const int partner = thread ^ stride;
      if (partner > thread) {
        const bool ascending = (thread & size) == 0;
        const float low = values[thread], high = values[partner];
        if ((low > high) == ascending) {
          values[thread] = high;
          values[partner] = low;
        }
      }
      __syncthreads();
    }
  }
  out[i] = values[thread];
}

// Filter of five; elements outside count as 0.
__constant__ float filter[5];

__global__ void convolve(const float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 5; ++k) {
    const int place = i + k - 2;
    if (place >= 0 && place < count) sum += filter[k] * in[place];
  }
  out[i] = sum;
}

// One thread per row of 32 floats, and one thread per column.
template <int kUnroll>
__global__ void sum_rows(const float* in, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 32; ++k) sum += in[row * 32 + k];
  out[row] = sum;
}

__global__ void sum_columns(const float* in, float* out) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += in[k * kBlocks * kThreads + col];
  out[col] = sum;
}

// An array with a variable index: registers or local memory, which no global counter counts.
__host__ __device__ void sort_three_elements(const float* in, float* out, int i) {
  float own[3] = {in[i], in[i + 1], in[i + 2]};
  for (int k = 0; k < 4; ++k) {
    const int j = (k + i) % 2;
    if (own[j] > own[j + 1]) {
      const float larger = own[j];
      own[j] = own[j + 1];
      own[j + 1] = larger;
    }
  }
  out[i] = own[i % 3];
}
__global__ void sort_three(const float* in, float* out) {
  sort_three_elements(in, out, blockIdx.x * blockDim.x + threadIdx.x);
}

// ---- Searches, sparse matrices ----

// The first element of an ascending array that is not below 3.9 * i.
__global__ void binary_search(const double* ascending, int count, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double wanted = i * 3.9;
  int low = 0, high = count;
#pragma unroll 1
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ascending[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  out[i] = static_cast<float>(low);
}

// One thread per row of a sparse matrix: rows have 0 to 8 elements.
template <int kUnroll>
__global__ void sparse_rows(const int* row_start, const int* column, const float* value,
                            const float* x, float* out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll kUnroll
  for (int k = row_start[row]; k < row_start[row + 1]; ++k) sum += value[k] * x[column[k]];
  out[row] = sum;
}

void check_convolve() {
  const float weights[5] = {1, 4, 6, 4, 2};
  CUDA_CHECK(cudaMemcpyToSymbol(filter, weights, sizeof weights));
  check(
      whole_numbers<float>(kCount), zeros<float>(kCount), kCount,
      [](const float* in, float* out) { convolve<<<kBlocks, kThreads>>>(in, out, kCount); },
      [&](const float* in, float* out, int i) {
        for (int k = 0; k < 5; ++k) {
          const int place = i + k - 2;
          if (place >= 0 && place < kCount) out[i] += weights[k] * in[place];
        }
      });
}

void check_binary_search() {
  constexpr int kSize = 1000;
  check(
      generated<double>(kSize, [](int i) { return 1.0 * i; }), zeros<float>(kCount), kCount,
      [](const double* in, float* out) { binary_search<<<kBlocks, kThreads>>>(in, kSize, out); },
      [](const double* in, float* out, int i) {
        out[i] = static_cast<float>(std::lower_bound(in, in + kSize, i * 3.9) - in);
      });
}

template <int kUnroll>
void check_sparse_rows() {
  std::vector<int> row_start(kCount + 1, 0);
  for (int row = 0; row < kCount; ++row) row_start[row + 1] = row_start[row] + row * 7 % 9;
  const int elements = row_start[kCount];
  const std::vector<int> column = generated<int>(elements, [](int k) { return k * 131 % kCount; });
  const std::vector<float> value = generated<float>(elements, [](int k) { return k % 10 + 1.0f; });
  const DeviceBuffer<int> d_row_start(row_start), d_column(column);
  const DeviceBuffer<float> d_value(value);
  check(
      whole_numbers<float>(kCount), zeros<float>(kCount), kCount,
      [&](const float* x, float* out) {
        sparse_rows<kUnroll>
            <<<kBlocks, kThreads>>>(d_row_start.data(), d_column.data(), d_value.data(), x, out);
      },
      [&](const float* x, float* out, int row) {
        for (int k = row_start[row]; k < row_start[row + 1]; ++k)
          out[row] += value[k] * x[column[k]];
      });
}

// ---- The cases ----

void scan_one(const float* in, float* out, int i) {
  out[i] = in[i] + (i % kThreads == 0 ? 0 : out[i - 1]);
}

void insert_one(const float* in, float* out, int i) {
  int place = i;
  for (; place > i / kThreads * kThreads && out[place - 1] > in[i]; --place) {
    out[place] = out[place - 1];
  }
  out[place] = in[i];
}

void sum_one_row(const float* in, float* out, int row) {
  for (int k = 0; k < 32; ++k) out[row] += in[row * 32 + k];
}

void sum_one_column(const float* in, float* out, int col) {
  for (int k = 0; k < 32; ++k) out[col] += in[k * kCount + col];
}

}  // namespace

std::vector<Case> vector_kernel_cases() {
  return {reduce_case("reduce_interleaved", "sums of 128 in a tree, `thread % (2 * stride) == 0`",
                      reduce_interleaved),
          reduce_case("reduce_with_conflicts", "the same sums by threads 0, 1, 2, ...",
                      reduce_with_conflicts),
          reduce_case("reduce_sequential", "sums in a tree, `thread < stride`", reduce_sequential),
          reduce_case("reduce_with_shuffles", "sums with `__shfl_down_sync`", reduce_with_shuffles),
          vector_case("scan_blocks", "running sums of 128 in shared memory", kCount, kCount,
                      scan_blocks, scan_one),
          vector_case("sort_blocks", "bitonic sort of 128 in shared memory", kCount, kCount,
                      sort_blocks, insert_one),
          {"convolve", "filter of five in constant memory", check_convolve},
          vector_case("sum_rows/rolled", "each thread sums a row of 32", 32 * kCount, kCount,
                      sum_rows<1>, sum_one_row),
          vector_case("sum_rows/unrolled", "each thread sums a row of 32", 32 * kCount, kCount,
                      sum_rows<4>, sum_one_row),
          vector_case("sum_columns", "each thread sums a column of 32", 32 * kCount, kCount,
                      sum_columns, sum_one_column),
          vector_case("sort_three", "three loads to a thread's own array, sorted there", kCount + 2,
                      kCount, sort_three, sort_three_elements),
          {"binary_search", "each lane searches an ascending array", check_binary_search},
          {"sparse_rows/rolled", "sparse matrix times vector, one thread per row",
           check_sparse_rows<1>},
          {"sparse_rows/unrolled", "sparse matrix times vector, one thread per row",
           check_sparse_rows<4>}};
}
