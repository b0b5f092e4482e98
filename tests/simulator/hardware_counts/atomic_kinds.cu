#include "atomic_functions.h"
#include "lane_inputs.h"

#include <algorithm>
#include <type_traits>

// Each of CUDA's atomic functions, on elements that the data selects, in global and in shared
// memory. Results do not depend on the order.

namespace {

constexpr int kThreads = kLaneThreads, kCounters = 64;

template <typename Function, typename T>
__global__ void apply_global(const int* in, T* counters) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  Function()(counters + in[i] % kCounters, static_cast<T>(in[i + kLaneCount]));
}

// Consecutive lanes use adjacent counters: no two lanes of a warp use the same one.
template <typename Function, typename T>
__global__ void apply_in_turn(const int* in, T* counters) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  Function()(counters + i % kCounters, static_cast<T>(in[i + kLaneCount]));
}

template <typename Function, typename T>
__global__ void apply_shared(const int* in, T* counters) {
  __shared__ T kept[kCounters];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  if (t < kCounters) kept[t] = 3;
  __syncthreads();
  Function()(kept + (t * 5 + t / 32) % kCounters, static_cast<T>(in[i + kLaneCount]));
  __syncthreads();
  if (t < kCounters) counters[blockIdx.x * kCounters + t] = kept[t];
}

// counter(in, i) is the counter of thread i.
template <typename Function, typename T>
Case function_case(const std::string& name, const char* description, void (*kernel)(const int*, T*),
                   int (*counter)(const int*, int)) {
  return {
      name, description, [=] {
        check(
            whole_numbers<int>(2 * kLaneCount), std::vector<T>(2 * kCounters, T{3}), kLaneCount,
            [=](const int* in, T* counters) { kernel<<<kLaneBlocks, kThreads>>>(in, counters); },
            [=](const int* in, T* counters, int i) {
              T& mine = counters[counter(in, i)];
              mine = Function::after(mine, static_cast<T>(in[i + kLaneCount]));
            });
      }};
}

template <typename Function, typename T>
void add(std::vector<Case>& cases, const std::string& name) {
  cases.push_back(function_case<Function, T>(
      "atomic_by_data/" + name, "each atomic function, at elements that depend on data",
      apply_global<Function, T>, [](const int* in, int i) { return in[i] % kCounters; }));
  cases.push_back(function_case<Function, T>(
      "atomic_in_turn/" + name, "each atomic function, at adjacent elements",
      apply_in_turn<Function, T>, [](const int*, int i) { return i % kCounters; }));
  if (sizeof(T) > 4 || std::is_floating_point_v<T>)
    return;  // there it is a loop of compare-and-swap
  cases.push_back(function_case<Function, T>(
      "shared_atomic_in_turn/" + name, "each atomic function on shared words, five apart",
      apply_shared<Function, T>, [](const int*, int i) {
        const int t = i % kThreads;
        return i / kThreads * kCounters + (t * 5 + t / 32) % kCounters;
      }));
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
  check(
      whole_numbers<int>(kLaneCount), std::vector<unsigned>(kLaneCount, 500u), kLaneCount,
      [](const int* in, unsigned* maxima) {
        maximum_by_swaps<<<kLaneBlocks, kThreads>>>(in, maxima);
      },
      [](const int* in, unsigned* maxima, int i) {
        maxima[i] = std::max(maxima[i], static_cast<unsigned>(in[i]));
      });
}

// One slot per kept element, in any order; the sum of the slots shows whether all are there.
__global__ void compact(const int* in, int* count, int* kept) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (in[i] % 8 == 0) kept[atomicAdd(count, 1)] = 0;
}

// The count is the last element of `out`.
void check_compact() {
  std::vector<int> out(kLaneCount + 1, 1);
  out.back() = 0;
  check(
      whole_numbers<int>(kLaneCount), out, kLaneCount,
      [](const int* in, int* kept) {
        compact<<<kLaneBlocks, kThreads>>>(in, kept + kLaneCount, kept);
      },
      [](const int* in, int* kept, int i) {
        if (in[i] % 8 == 0) kept[kept[kLaneCount]++] = 0;
      });
}

}  // namespace

std::vector<Case> atomic_kind_cases() {
  std::vector<Case> cases;
  add<Add, int>(cases, "add_int");
  add<Add, unsigned long long>(cases, "add_uint64");
  add<Add, float>(cases, "add_float");
  add<Add, double>(cases, "add_double");
  add<Subtract, int>(cases, "sub_int");
  add<Min, int>(cases, "min_int");
  add<Max, unsigned>(cases, "max_uint");
  add<Max, unsigned long long>(cases, "max_uint64");
  add<Increment, unsigned>(cases, "inc");
  add<Decrement, unsigned>(cases, "dec");
  add<And, unsigned>(cases, "and");
  add<Or, unsigned>(cases, "or");
  add<Xor, int>(cases, "xor_int");
  add<ExchangeForSeven, int>(cases, "exch_int");
  add<ExchangeForSeven, float>(cases, "exch_float");
  cases.push_back({"maximum_by_swaps", "`atomicCAS` in a loop, one element per thread",
                   check_maximum_by_swaps});
  cases.push_back({"compact", "slots of a list by `atomicAdd`, for some lanes", check_compact});
  return cases;
}
