#include "cases.h"
#include "values.h"

#include <algorithm>

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

// launch(counters) must add as the kernels above do.
template <typename T, typename Launch>
void check_sums(int lanes, int stride, Launch launch) {
  check_result(zeros<T>((kCount - 1) / lanes * stride + 1), kCount, launch,
               [=](T* counters, int i) {
                 counters[i / lanes * stride] += static_cast<T>(i % kThreads % 3 + 1);
               });
}

template <typename T>
void check_add(int lanes, int stride) {
  check_sums<T>(lanes, stride,
                [=](T* counters) { add_at<<<kBlocks, kThreads>>>(counters, lanes, stride); });
}

template <typename T>
void check_fetch_add(int lanes) {
  DeviceBuffer<T> d_before(kCount);
  check_sums<T>(lanes, 1, [&](T* counters) {
    fetch_add_at<<<kBlocks, kThreads>>>(counters, lanes, 1, d_before.data());
  });
  // The order of the lanes is not defined, but one lane is the first at each counter and gets 0.
  const std::vector<T> before = d_before.to_host();
  const auto firsts = std::count(before.begin(), before.end(), T{});
  if (firsts != (kCount + lanes - 1) / lanes) throw std::runtime_error("a counter started twice");
}

// One vector of floats a thread, `stride` vectors apart; a stride of 0: all at one address.
__device__ void add_to(float* sums, const float* in, float2) {
  atomicAdd(reinterpret_cast<float2*>(sums), make_float2(in[0], in[1]));
}
__device__ void add_to(float* sums, const float* in, float4) {
  atomicAdd(reinterpret_cast<float4*>(sums), make_float4(in[0], in[1], in[2], in[3]));
}
template <typename V>
__global__ void add_vectors(const float* in, float* sums, int stride) {
  constexpr int kWidth = sizeof(V) / sizeof(float);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  add_to(&sums[kWidth * stride * i], &in[kWidth * i], V{});
}

template <typename V>
void check_add_vectors(int stride) {
  constexpr int kWidth = sizeof(V) / sizeof(float);
  check(
      whole_numbers<float>(kWidth * kCount), zeros<float>(kWidth * (stride * (kCount - 1) + 1)),
      kCount,
      [=](const float* in, float* sums) {
        add_vectors<V><<<kBlocks, kThreads>>>(in, sums, stride);
      },
      [=](const float* in, float* sums, int i) {
        for (int k = 0; k < kWidth; ++k) sums[kWidth * stride * i + k] += in[kWidth * i + k];
      });
}

// kernel(in, out) must change `out` like the threads.
void check_ints(const std::vector<int>& out, void (*kernel)(const int*, int*),
                void (*thread)(const int*, int*, int)) {
  check(
      whole_numbers<int>(kCount), out, kCount,
      [=](const int* in, int* d_out) { kernel<<<kBlocks, kThreads>>>(in, d_out); }, thread);
}

__global__ void max_min_or(const int* in, int* results) {
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicMax(&results[0], value);
  atomicMin(&results[1], value);
  atomicOr(&results[2], value);
}

void check_max_min_or() {
  check_ints({-1, 5000, 0}, max_min_or, [](const int* in, int* results, int i) {
    results[0] = std::max(results[0], in[i]);
    results[1] = std::min(results[1], in[i]);
    results[2] |= in[i];
  });
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
  check_ints(zeros<int>(1), add_in_branch, [](const int* in, int* counter, int i) {
    if (in[i] % 2 == 0) *counter += in[i];
  });
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

void check_histogram(void (*kernel)(const int*, int*)) {
  check_ints(zeros<int>(kBins), kernel,
             [](const int* in, int* bins, int i) { ++bins[in[i] % kBins]; });
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

// The kernel stores each block's counters.
template <typename T>
void check_shared_add(void (*kernel)(int, T*), int lanes) {
  check_result(
      zeros<T>(kCount), kCount, [=](T* out) { kernel<<<kBlocks, kThreads>>>(lanes, out); },
      [=](T* out, int i) {
        const int block = i / kThreads * kThreads, thread = i % kThreads;
        out[block + thread / lanes] += static_cast<T>(thread % 3 + 1);
      });
}

// ---- The cases ----

template <typename T>
void add_global(std::vector<Case>& cases, const std::string& type) {
  add_family(cases, "atomic_add/" + type, "`atomicAdd` without its result, N lanes per address",
             {1, 2, 8, 32, kCount}, [](int lanes) { check_add<T>(lanes, 1); });
  add_family(cases, "atomic_fetch_add/" + type, "`atomicAdd` with its result, N lanes per address",
             {1, 2, 32, kCount}, check_fetch_add<T>);
}

template <typename T>
void add_shared(std::vector<Case>& cases, const std::string& type) {
  add_family(cases, "shared_atomic_add/" + type, "shared `atomicAdd`, N lanes per address",
             {1, 2, 32}, [](int lanes) { check_shared_add(shared_add_at<T>, lanes); });
  add_family(cases, "shared_atomic_fetch_add/" + type,
             "shared `atomicAdd` with its result, N lanes per address", {1, 32},
             [](int lanes) { check_shared_add(shared_fetch_add_at<T>, lanes); });
}

}  // namespace

std::vector<Case> atomic_cases() {
  std::vector<Case> cases;
  add_global<int>(cases, "int");
  add_global<float>(cases, "float");
  add_global<unsigned long long>(cases, "uint64");
  add_family(cases, "atomic_add_stride", "`atomicAdd` of int, addresses N ints apart", {2, 8, 16},
             [](int stride) { check_add<int>(1, stride); });
  add_family(cases, "atomic_add_float2", "`atomicAdd` of float2, addresses N float2 apart",
             {0, 1, 3}, check_add_vectors<float2>);
  add_family(cases, "atomic_add_float4", "`atomicAdd` of float4, addresses N float4 apart",
             {0, 1, 3}, check_add_vectors<float4>);
  cases.push_back({"atomic_max_min_or", "three functions, one address each", check_max_min_or});
  cases.push_back({"atomic_exch_cas", "`atomicExch` with a stride of 1, `atomicCAS` with one of 2",
                   check_exchange_and_swap});
  cases.push_back({"atomic_in_branch", "`atomicAdd` in a branch that depends on a loaded value",
                   check_add_in_branch});
  cases.push_back(
      {"global_histogram", "64 bins in global memory", [] { check_histogram(global_histogram); }});
  cases.push_back({"shared_histogram", "64 bins in shared, then in global memory",
                   [] { check_histogram(shared_histogram); }});
  add_shared<int>(cases, "int");
  add_shared<float>(cases, "float");
  add_shared<unsigned long long>(cases, "uint64");
  return cases;
}
