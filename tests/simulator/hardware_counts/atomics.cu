#include "cases.h"
#include "common/device_buffer.h"
#include "values.h"

#include <algorithm>
#include <cstddef>

// Atomic functions. If its result is not used, nvcc replaces an atomic function by a reduction (RED
// in the machine code); ncu counts the two separately, and compare.py adds them up.

namespace {

constexpr int kBlocks = 4, kThreads = 128, kCount = kBlocks * kThreads;

// index = i / lanes * stride: `lanes` lanes use one counter; counters are `stride` apart.
template <typename T>
__global__ void add_at(T* counters, int lanes, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counters[i / lanes * stride], static_cast<T>(threadIdx.x % 3 + 1));
}

// The same, and stores the old value.
template <typename T>
__global__ void fetch_add_at(T* counters, int lanes, int stride, T* before) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  before[i] = atomicAdd(&counters[i / lanes * stride], static_cast<T>(threadIdx.x % 3 + 1));
}

template <typename T>
std::vector<T> expected_sums(int lanes, int stride) {
  std::vector<T> sums(static_cast<std::size_t>((kCount - 1) / lanes * stride + 1), T{});
  for (int i = 0; i < kCount; ++i) sums[i / lanes * stride] += static_cast<T>(i % kThreads % 3 + 1);
  return sums;
}

template <typename T>
void check_add(int lanes, int stride) {
  const std::vector<T> expected = expected_sums<T>(lanes, stride);
  DeviceBuffer<T> d_counters(expected.size());
  d_counters.fill_bytes(0);
  add_at<<<kBlocks, kThreads>>>(d_counters.data(), lanes, stride);
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_counters.to_host(), expected);
}

template <typename T>
void check_fetch_add(int lanes, int stride) {
  const std::vector<T> expected = expected_sums<T>(lanes, stride);
  DeviceBuffer<T> d_counters(expected.size()), d_before(kCount);
  d_counters.fill_bytes(0);
  fetch_add_at<<<kBlocks, kThreads>>>(d_counters.data(), lanes, stride, d_before.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_counters.to_host(), expected);
  // The order of the lanes is not defined, but one lane is the first at each counter and gets 0.
  const std::vector<T> before = d_before.to_host();
  const auto firsts = std::count(before.begin(), before.end(), T{});
  if (firsts != (kCount + lanes - 1) / lanes) throw std::runtime_error("a counter started twice");
}

__global__ void max_min_or(const int* in, int* results) {
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicMax(&results[0], value);
  atomicMin(&results[1], value);
  atomicOr(&results[2], value);
}

void check_max_min_or() {
  const std::vector<int> in = whole_numbers<int>(kCount);
  const DeviceBuffer<int> d_in(in);
  DeviceBuffer<int> d_results(std::vector<int>{-1, 5000, 0});
  max_min_or<<<kBlocks, kThreads>>>(d_in.data(), d_results.data());
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> expected{in[0], in[0], 0};
  for (const int value : in) {
    expected[0] = std::max(expected[0], value);
    expected[1] = std::min(expected[1], value);
    expected[2] |= value;
  }
  expect_equal(d_results.to_host(), expected);
}

__global__ void exchange_and_swap(int* values, int* before) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int exchanged = atomicExch(&values[i], i);
  before[i] = exchanged + atomicCAS(&values[2 * i], 2 * i, -1);
}

// values[2 * i] belongs to another thread, and the swap may run before that thread's exchange: only
// the numbers from kCount on, which no thread exchanges, are certain.
void check_exchange_and_swap() {
  DeviceBuffer<int> d_values(generated<int>(2 * kCount, [](int i) { return i; }));
  DeviceBuffer<int> d_before(kCount);
  exchange_and_swap<<<kBlocks, kThreads>>>(d_values.data(), d_before.data());
  CUDA_CHECK(cudaGetLastError());
  const std::vector<int> values = d_values.to_host();
  expect_equal(std::vector<int>(values.begin() + kCount, values.end()),
               generated<int>(kCount, [](int k) {
                 const int i = k + kCount;
                 return i % 2 == 0 ? -1 : i;
               }));
}

// ---- In branches and loops ----

__global__ void add_in_branch(const int* in, int* counter) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] % 2 == 0) atomicAdd(counter, in[i]);
}

void check_add_in_branch() {
  const std::vector<int> in = whole_numbers<int>(kCount);
  const DeviceBuffer<int> d_in(in);
  DeviceBuffer<int> d_counter(1);
  d_counter.fill_bytes(0);
  add_in_branch<<<kBlocks, kThreads>>>(d_in.data(), d_counter.data());
  CUDA_CHECK(cudaGetLastError());
  int sum = 0;
  for (const int value : in) sum += value % 2 == 0 ? value : 0;
  expect_equal(d_counter.to_host(), std::vector<int>{sum});
}

// ---- Histograms ----

constexpr int kBins = 64;

__global__ void global_histogram(const int* in, int* bins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&bins[in[i] % kBins], 1);
}

// Shared bins first, then one global atomic function per bin and block.
__global__ void shared_histogram(const int* in, int* bins) {
  __shared__ int own[kBins];
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) own[b] = 0;
  __syncthreads();
  atomicAdd(&own[in[blockIdx.x * blockDim.x + threadIdx.x] % kBins], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += blockDim.x) atomicAdd(&bins[b], own[b]);
}

template <typename Launch>
void check_histogram(Launch launch) {
  const std::vector<int> in = whole_numbers<int>(kCount);
  const DeviceBuffer<int> d_in(in);
  DeviceBuffer<int> d_bins(kBins);
  d_bins.fill_bytes(0);
  launch(d_in.data(), d_bins.data());
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> expected(kBins, 0);
  for (const int value : in) ++expected[value % kBins];
  expect_equal(d_bins.to_host(), expected);
}

// ---- Shared memory ----

template <typename T>
__global__ void shared_add_at(int lanes, T* out) {
  __shared__ T counters[kThreads];
  counters[threadIdx.x] = T{};
  __syncthreads();
  atomicAdd(&counters[threadIdx.x / lanes], static_cast<T>(threadIdx.x % 3 + 1));
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = counters[threadIdx.x];
}

template <typename T>
__global__ void shared_fetch_add_at(int lanes, T* out) {
  __shared__ T counters[kThreads];
  counters[threadIdx.x] = T{};
  __syncthreads();
  const T before = atomicAdd(&counters[threadIdx.x / lanes], static_cast<T>(threadIdx.x % 3 + 1));
  __syncthreads();
  // `before` depends on the order, but is never that large; nvcc cannot deduce this.
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      before > static_cast<T>(1000) ? before : counters[threadIdx.x];
}

// launch(out) stores each block's counters.
template <typename T, typename Launch>
void check_shared_add(int lanes, Launch launch) {
  DeviceBuffer<T> d_out(kCount);
  launch(d_out.data());
  CUDA_CHECK(cudaGetLastError());
  std::vector<T> expected(kCount, T{});
  for (int i = 0; i < kCount; ++i) {
    const int block = i / kThreads * kThreads, thread = i % kThreads;
    expected[block + thread / lanes] += static_cast<T>(thread % 3 + 1);
  }
  expect_equal(d_out.to_host(), expected);
}

// ---- The cases ----

template <typename T>
void add_global(std::vector<Case>& cases, const std::string& type) {
  for (const int lanes : {1, 2, 8, 32, kCount}) {
    cases.push_back({"atomic_add/" + type + "/" + std::to_string(lanes),
                     "`atomicAdd` without its result, N lanes per address",
                     [=] { check_add<T>(lanes, 1); }});
  }
  for (const int lanes : {1, 2, 32, kCount}) {
    cases.push_back({"atomic_fetch_add/" + type + "/" + std::to_string(lanes),
                     "`atomicAdd` with its result, N lanes per address",
                     [=] { check_fetch_add<T>(lanes, 1); }});
  }
}

template <typename T>
void add_shared(std::vector<Case>& cases, const std::string& type) {
  for (const int lanes : {1, 2, 32}) {
    cases.push_back({"shared_atomic_add/" + type + "/" + std::to_string(lanes),
                     "shared `atomicAdd`, N lanes per address", [=] {
                       check_shared_add<T>(lanes, [=](T* out) {
                         shared_add_at<<<kBlocks, kThreads>>>(lanes, out);
                       });
                     }});
  }
  for (const int lanes : {1, 32}) {
    cases.push_back({"shared_atomic_fetch_add/" + type + "/" + std::to_string(lanes),
                     "shared `atomicAdd` with its result, N lanes per address", [=] {
                       check_shared_add<T>(lanes, [=](T* out) {
                         shared_fetch_add_at<<<kBlocks, kThreads>>>(lanes, out);
                       });
                     }});
  }
}

}  // namespace

std::vector<Case> atomic_cases() {
  std::vector<Case> cases;
  add_global<int>(cases, "int");
  add_global<float>(cases, "float");
  add_global<unsigned long long>(cases, "uint64");
  for (const int stride : {2, 8, 16}) {
    cases.push_back({"atomic_add_stride/" + std::to_string(stride),
                     "`atomicAdd` of int, addresses N ints apart",
                     [=] { check_add<int>(1, stride); }});
  }
  cases.push_back({"atomic_max_min_or", "three functions, one address each", check_max_min_or});
  cases.push_back({"atomic_exch_cas", "`atomicExch` with a stride of 1, `atomicCAS` with one of 2",
                   check_exchange_and_swap});
  cases.push_back({"atomic_in_branch", "`atomicAdd` in a branch that depends on a loaded value",
                   check_add_in_branch});
  cases.push_back({"global_histogram", "64 bins in global memory", [] {
                     check_histogram([](const int* in, int* bins) {
                       global_histogram<<<kBlocks, kThreads>>>(in, bins);
                     });
                   }});
  cases.push_back({"shared_histogram", "64 bins in shared, then in global memory", [] {
                     check_histogram([](const int* in, int* bins) {
                       shared_histogram<<<kBlocks, kThreads>>>(in, bins);
                     });
                   }});
  add_shared<int>(cases, "int");
  add_shared<float>(cases, "float");
  add_shared<unsigned long long>(cases, "uint64");
  return cases;
}
