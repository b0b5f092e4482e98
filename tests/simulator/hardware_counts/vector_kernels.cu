#include "cases.h"
#include "common/device_buffer.h"
#include "values.h"

#include <algorithm>
#include <cstddef>

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

template <typename Launch>
void check_reduce(Launch launch) {
  const std::vector<float> in = whole_numbers<float>(kCount);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<float> d_sums(kBlocks);
  launch(d_in.data(), d_sums.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_sums.to_host(), generated<float>(kBlocks, [&](int block) {
                 float sum = 0;
                 for (int i = 0; i < kThreads; ++i) sum += in[block * kThreads + i];
                 return sum;
               }));
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
__global__ void sort_three(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
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

// launch(in, out); expected(in, i).
template <typename Launch, typename Expected>
void check_elements(int in_count, Launch launch, Expected expected) {
  const std::vector<float> in = whole_numbers<float>(in_count);
  const DeviceBuffer<float> d_in(in);
  DeviceBuffer<float> d_out(kCount);
  launch(d_in.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(), generated<float>(kCount, [&](int i) { return expected(in, i); }));
}

void check_convolve() {
  const float weights[5] = {1, 4, 6, 4, 2};
  CUDA_CHECK(cudaMemcpyToSymbol(filter, weights, sizeof weights));
  check_elements(
      kCount, [](const float* in, float* out) { convolve<<<kBlocks, kThreads>>>(in, out, kCount); },
      [&](const std::vector<float>& in, int i) {
        float sum = 0;
        for (int k = 0; k < 5; ++k) {
          const int place = i + k - 2;
          if (place >= 0 && place < kCount) sum += weights[k] * in[place];
        }
        return sum;
      });
}

// The result of sort_three: the same steps on the host.
float nth_of_three(const std::vector<float>& in, int i) {
  std::vector<float> own(in.begin() + i, in.begin() + i + 3);
  for (int k = 0; k < 4; ++k) {
    const auto j = static_cast<std::size_t>((k + i) % 2);
    if (own[j] > own[j + 1]) std::swap(own[j], own[j + 1]);
  }
  return own[static_cast<std::size_t>(i % 3)];
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

void check_binary_search() {
  constexpr int kSize = 1000;
  const std::vector<double> ascending = generated<double>(kSize, [](int i) { return 1.0 * i; });
  const DeviceBuffer<double> d_ascending(ascending);
  DeviceBuffer<float> d_out(kCount);
  binary_search<<<kBlocks, kThreads>>>(d_ascending.data(), kSize, d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(), generated<float>(kCount, [&](int i) {
                 int place = 0;
                 while (place < kSize && ascending[place] < i * 3.9) ++place;
                 return static_cast<float>(place);
               }));
}

template <int kUnroll>
void check_sparse_rows() {
  std::vector<int> row_start(kCount + 1, 0);
  for (int row = 0; row < kCount; ++row) row_start[row + 1] = row_start[row] + row * 7 % 9;
  const int elements = row_start[kCount];
  const std::vector<int> column = generated<int>(elements, [](int k) { return k * 131 % kCount; });
  const std::vector<float> value = generated<float>(elements, [](int k) { return k % 10 + 1.0f; });
  const std::vector<float> x = whole_numbers<float>(kCount);
  const DeviceBuffer<int> d_row_start(row_start), d_column(column);
  const DeviceBuffer<float> d_value(value), d_x(x);
  DeviceBuffer<float> d_out(kCount);
  sparse_rows<kUnroll><<<kBlocks, kThreads>>>(d_row_start.data(), d_column.data(), d_value.data(),
                                              d_x.data(), d_out.data());
  CUDA_CHECK(cudaGetLastError());
  std::vector<float> expected(kCount, 0.0f);
  for (int row = 0, k = 0; row < kCount; ++row) {
    for (; k < row_start[row + 1]; ++k) expected[row] += value[k] * x[column[k]];
  }
  expect_equal(d_out.to_host(), expected);
}

// ---- The cases ----

void add_reductions(std::vector<Case>& cases) {
  const auto add = [&](const char* name, const char* description, auto launch) {
    cases.push_back({name, description, [=] { check_reduce(launch); }});
  };
  add("reduce_interleaved", "sums of 128 in a tree, `thread % (2 * stride) == 0`",
      [](const float* in, float* sums) { reduce_interleaved<<<kBlocks, kThreads>>>(in, sums); });
  add("reduce_with_conflicts", "the same sums by threads 0, 1, 2, ...",
      [](const float* in, float* sums) { reduce_with_conflicts<<<kBlocks, kThreads>>>(in, sums); });
  add("reduce_sequential", "sums in a tree, `thread < stride`",
      [](const float* in, float* sums) { reduce_sequential<<<kBlocks, kThreads>>>(in, sums); });
  add("reduce_with_shuffles", "sums with `__shfl_down_sync`",
      [](const float* in, float* sums) { reduce_with_shuffles<<<kBlocks, kThreads>>>(in, sums); });
}

void add_elementwise(std::vector<Case>& cases) {
  const auto add = [&](const char* name, const char* description, int in_count, auto launch,
                       auto expected) {
    cases.push_back({name, description, [=] { check_elements(in_count, launch, expected); }});
  };
  add(
      "scan_blocks", "running sums of 128 in shared memory", kCount,
      [](const float* in, float* out) { scan_blocks<<<kBlocks, kThreads>>>(in, out); },
      [](const std::vector<float>& in, int i) {
        float sum = 0;
        for (int k = i / kThreads * kThreads; k <= i; ++k) sum += in[k];
        return sum;
      });
  add(
      "sort_blocks", "bitonic sort of 128 in shared memory", kCount,
      [](const float* in, float* out) { sort_blocks<<<kBlocks, kThreads>>>(in, out); },
      [](const std::vector<float>& in, int i) {
        const auto first = in.begin() + i / kThreads * kThreads;
        std::vector<float> block(first, first + kThreads);
        std::sort(block.begin(), block.end());
        return block[static_cast<std::size_t>(i % kThreads)];
      });
  cases.push_back({"convolve", "filter of five in constant memory", check_convolve});
  const auto row_sum = [](const std::vector<float>& in, int row) {
    float sum = 0;
    for (int k = 0; k < 32; ++k) sum += in[row * 32 + k];
    return sum;
  };
  add(
      "sum_rows/rolled", "each thread sums a row of 32", 32 * kCount,
      [](const float* in, float* out) { sum_rows<1><<<kBlocks, kThreads>>>(in, out); }, row_sum);
  add(
      "sum_rows/unrolled", "each thread sums a row of 32", 32 * kCount,
      [](const float* in, float* out) { sum_rows<4><<<kBlocks, kThreads>>>(in, out); }, row_sum);
  add(
      "sum_columns", "each thread sums a column of 32", 32 * kCount,
      [](const float* in, float* out) { sum_columns<<<kBlocks, kThreads>>>(in, out); },
      [](const std::vector<float>& in, int col) {
        float sum = 0;
        for (int k = 0; k < 32; ++k) sum += in[k * kCount + col];
        return sum;
      });
  add(
      "sort_three", "three loads to a thread's own array, sorted there", kCount + 2,
      [](const float* in, float* out) { sort_three<<<kBlocks, kThreads>>>(in, out); },
      nth_of_three);
}

void add_lookups(std::vector<Case>& cases) {
  cases.push_back({"binary_search", "each lane searches an ascending array", check_binary_search});
  cases.push_back({"sparse_rows/rolled", "sparse matrix times vector, one thread per row",
                   check_sparse_rows<1>});
  cases.push_back({"sparse_rows/unrolled", "sparse matrix times vector, one thread per row",
                   check_sparse_rows<4>});
}

}  // namespace

std::vector<Case> vector_kernel_cases() {
  std::vector<Case> cases;
  add_reductions(cases);
  add_elementwise(cases);
  add_lookups(cases);
  return cases;
}
