#include "cases.h"
#include "lane_inputs.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

// Each of CUDA's atomic functions, on elements that the data selects, in global and in shared
// memory. Results do not depend on the order.

namespace {

constexpr int kThreads = kLaneThreads, kCounters = 64;

enum class Function {
  add,
  sub,
  min,
  max,
  increment,
  decrement,
  bit_and,
  bit_or,
  bit_xor,
  exchange
};

template <Function kFunction, typename T>
__device__ void apply(T* counter, T value) {
  if constexpr (kFunction == Function::add) atomicAdd(counter, value);
  if constexpr (kFunction == Function::sub) atomicSub(counter, value);
  if constexpr (kFunction == Function::min) atomicMin(counter, value);
  if constexpr (kFunction == Function::max) atomicMax(counter, value);
  if constexpr (kFunction == Function::increment) atomicInc(counter, 1000u);
  if constexpr (kFunction == Function::decrement) atomicDec(counter, 1000u);
  if constexpr (kFunction == Function::bit_and) atomicAnd(counter, value);
  if constexpr (kFunction == Function::bit_or) atomicOr(counter, value);
  if constexpr (kFunction == Function::bit_xor) atomicXor(counter, value);
  if constexpr (kFunction == Function::exchange) atomicExch(counter, static_cast<T>(7));
}

// The value of a counter after one thread's call, on the host.
template <Function kFunction, typename T>
T applied(T counter, T value) {
  if constexpr (kFunction == Function::add) return static_cast<T>(counter + value);
  if constexpr (kFunction == Function::sub) return static_cast<T>(counter - value);
  if constexpr (kFunction == Function::min) return std::min(counter, value);
  if constexpr (kFunction == Function::max) return std::max(counter, value);
  if constexpr (kFunction == Function::increment) return counter + 1;
  if constexpr (kFunction == Function::decrement) return counter == 0 ? 1000u : counter - 1;
  if constexpr (kFunction == Function::bit_and) return counter & value;
  if constexpr (kFunction == Function::bit_or) return counter | value;
  if constexpr (kFunction == Function::bit_xor) return counter ^ value;
  return static_cast<T>(7);
}

template <Function kFunction, typename T>
__global__ void apply_global(const int* in, T* counters) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  apply<kFunction>(counters + in[i] % kCounters, static_cast<T>(in[i + kLaneCount]));
}

// Consecutive lanes use adjacent counters: no two lanes of a warp use the same one.
template <Function kFunction, typename T>
__global__ void apply_in_turn(const int* in, T* counters) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  apply<kFunction>(counters + i % kCounters, static_cast<T>(in[i + kLaneCount]));
}

template <Function kFunction, typename T>
__global__ void apply_shared(const int* in, T* counters) {
  __shared__ T kept[kCounters];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  if (t < kCounters) kept[t] = 3;
  __syncthreads();
  apply<kFunction>(kept + (t * 5 + t / 32) % kCounters, static_cast<T>(in[i + kLaneCount]));
  __syncthreads();
  if (t < kCounters) counters[blockIdx.x * kCounters + t] = kept[t];
}

enum class Place { global_by_data, global_in_turn, shared };

template <Function kFunction, typename T, Place kPlace>
void check_function() {
  const std::vector<int> in = whole_numbers<int>(2 * kLaneCount);
  const DeviceBuffer<int> d_in(in);
  std::vector<T> expected(2 * kCounters, static_cast<T>(3));
  DeviceBuffer<T> d_counters(expected);
  for (int i = 0; i < kLaneCount; ++i) {
    const int t = i % kThreads;
    const int counter = kPlace == Place::global_by_data ? in[i] % kCounters
                        : kPlace == Place::global_in_turn
                            ? i % kCounters
                            : i / kThreads * kCounters + (t * 5 + t / 32) % kCounters;
    expected[counter] = applied<kFunction>(expected[counter], static_cast<T>(in[i + kLaneCount]));
  }
  if constexpr (kPlace == Place::global_by_data) {
    apply_global<kFunction><<<kLaneBlocks, kThreads>>>(d_in.data(), d_counters.data());
  } else if constexpr (kPlace == Place::global_in_turn) {
    apply_in_turn<kFunction><<<kLaneBlocks, kThreads>>>(d_in.data(), d_counters.data());
  } else {
    apply_shared<kFunction><<<kLaneBlocks, kThreads>>>(d_in.data(), d_counters.data());
  }
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_counters.to_host(), expected);
}

template <Function kFunction, typename T>
void add(std::vector<Case>& cases, const std::string& name) {
  cases.push_back({"atomic_by_data/" + name,
                   "each atomic function, at elements that depend on data",
                   check_function<kFunction, T, Place::global_by_data>});
  cases.push_back({"atomic_in_turn/" + name, "each atomic function, at adjacent elements",
                   check_function<kFunction, T, Place::global_in_turn>});
  if (sizeof(T) > 4 || std::is_floating_point_v<T>)
    return;  // there it is a loop of compare-and-swap
  cases.push_back({"shared_atomic_in_turn/" + name,
                   "each atomic function on shared words, five apart",
                   check_function<kFunction, T, Place::shared>});
}

// The running maximum of floats, by compare-and-swap in a loop until it succeeds.
__global__ void maximum_by_swaps(const int* in, unsigned* maxima) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  unsigned* const maximum = maxima + i;  // one per thread: no lane has to repeat its iteration
  const auto mine = static_cast<unsigned>(in[i]);
  unsigned seen = *maximum;
  while (seen < mine) {
    const unsigned before = atomicCAS(maximum, seen, mine);
    if (before == seen) break;
    seen = before;
  }
}

void check_maximum_by_swaps() {
  const std::vector<int> in = whole_numbers<int>(kLaneCount);
  const DeviceBuffer<int> d_in(in);
  DeviceBuffer<unsigned> d_maxima(std::vector<unsigned>(kLaneCount, 500u));
  maximum_by_swaps<<<kLaneBlocks, kThreads>>>(d_in.data(), d_maxima.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_maxima.to_host(), generated<unsigned>(kLaneCount, [&](int i) {
                 return std::max(500u, static_cast<unsigned>(in[i]));
               }));
}

// One slot per kept element, in any order; the sum of the slots shows whether all are there.
__global__ void compact(const int* in, int* count, int* kept) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (in[i] % 8 == 0) kept[atomicAdd(count, 1)] = 0;
}

void check_compact() {
  const std::vector<int> in = whole_numbers<int>(kLaneCount);
  const DeviceBuffer<int> d_in(in);
  DeviceBuffer<int> d_count(std::vector<int>(1, 0)), d_kept(std::vector<int>(kLaneCount, 1));
  compact<<<kLaneBlocks, kThreads>>>(d_in.data(), d_count.data(), d_kept.data());
  CUDA_CHECK(cudaGetLastError());
  const auto kept = static_cast<int>(
      std::count_if(in.begin(), in.end(), [](int value) { return value % 8 == 0; }));
  expect_equal(d_count.to_host(), {kept});
  expect_equal(d_kept.to_host(), generated<int>(kLaneCount, [&](int i) { return i >= kept; }));
}

}  // namespace

std::vector<Case> atomic_kind_cases() {
  std::vector<Case> cases;
  add<Function::add, int>(cases, "add_int");
  add<Function::add, unsigned long long>(cases, "add_uint64");
  add<Function::add, float>(cases, "add_float");
  add<Function::add, double>(cases, "add_double");
  add<Function::sub, int>(cases, "sub_int");
  add<Function::min, int>(cases, "min_int");
  add<Function::max, unsigned>(cases, "max_uint");
  add<Function::max, unsigned long long>(cases, "max_uint64");
  add<Function::increment, unsigned>(cases, "inc");
  add<Function::decrement, unsigned>(cases, "dec");
  add<Function::bit_and, unsigned>(cases, "and");
  add<Function::bit_or, unsigned>(cases, "or");
  add<Function::bit_xor, int>(cases, "xor_int");
  add<Function::exchange, int>(cases, "exch_int");
  add<Function::exchange, float>(cases, "exch_float");
  cases.push_back({"maximum_by_swaps", "`atomicCAS` in a loop, one element per thread",
                   check_maximum_by_swaps});
  cases.push_back({"compact", "slots of a list by `atomicAdd`, for some lanes", check_compact});
  return cases;
}
