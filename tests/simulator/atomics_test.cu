#include "tests/simulator/rows_of_values.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <vector>

// Atomic functions: the value that they store and the value that they return, for each type that
// CUDA supports.

namespace {

class Atomic : public DeviceTest {};

// Rows for an operation on a variable that holds `start`, in global and in shared memory: the old
// value, as the function returns it, and the new value.
class AtomicRows {
 public:
  __device__ AtomicRows(Row* out, void* scratch) : row_(out), scratch_(scratch) {}

  template <typename Operation, typename T>
  __device__ void operator()(Operation operation, T start, T operand, T expected,
                             unsigned line = __builtin_LINE()) {
    __shared__ T in_shared_memory;
    for (T* const value : {static_cast<T*>(scratch_), &in_shared_memory}) {
      *value = start;
      row_(operation(value, given(operand)), start, line);
      row_(*value, expected, line);
    }
  }

 private:
  Rows row_;
  void* scratch_;
};

__global__ void atomics_kernel(Row* out, void* scratch) {
  AtomicRows row(out, scratch);
  const auto add = [](auto* p, auto v) { return atomicAdd(p, v); };
  row(add, 5, -8, -3);
  row(add, UINT_MAX, 3u, 2u);
  row(add, 1ull << 40, 1ull << 41, 3ull << 40);
  row(add, 0ull, 0ull - 1, ULLONG_MAX);
  row(add, 1.5f, -2.25f, -0.75f);
  row(add, 1.5, 1e100, 1e100);
  row(add, 0x1p24f, 1.0f, 0x1p24f);  // a tie is rounded to even
  const auto add_in_block = [](auto* p, auto v) { return atomicAdd_block(p, v); };
  row(add_in_block, 5, -8, -3);

  const auto subtract = [](auto* p, auto v) { return atomicSub(p, v); };
  row(subtract, 5, 8, -3);
  row(subtract, 2u, 3u, UINT_MAX);

  const auto smaller = [](auto* p, auto v) { return atomicMin(p, v); };
  const auto larger = [](auto* p, auto v) { return atomicMax(p, v); };
  row(smaller, -5, 3, -5);
  row(larger, -5, 3, 3);
  row(smaller, 0xfffffffbu, 3u, 3u);  // -5 as an int
  row(larger, 0xfffffffbu, 3u, 0xfffffffbu);
  row(smaller, -5ll, 1ll << 40, -5ll);
  row(larger, -5ll, 1ll << 40, 1ll << 40);
  row(smaller, ULLONG_MAX, 1ull << 40, 1ull << 40);
  row(larger, ULLONG_MAX, 1ull << 40, ULLONG_MAX);

  const auto exchange = [](auto* p, auto v) { return atomicExch(p, v); };
  row(exchange, 5, -8, -8);
  row(exchange, 5u, 8u, 8u);
  row(exchange, 1ull << 40, 1ull << 50, 1ull << 50);
  row(exchange, 1.5f, -0.25f, -0.25f);

  const auto bit_and = [](auto* p, auto v) { return atomicAnd(p, v); };
  const auto bit_or = [](auto* p, auto v) { return atomicOr(p, v); };
  const auto bit_xor = [](auto* p, auto v) { return atomicXor(p, v); };
  row(bit_and, 0xff0, 0x0ff, 0x0f0);
  row(bit_or, 0xff0, 0x0ff, 0xfff);
  row(bit_xor, 0xff0, 0x0ff, 0xf0f);
  row(bit_and, 0xf0000000u, 0x90000001u, 0x90000000u);
  row(bit_or, 0xf0000000u, 0x90000001u, 0xf0000001u);
  row(bit_xor, 0xf0000000u, 0x90000001u, 0x60000001u);
  row(bit_and, 0xffull << 40, 0x18ull << 40, 0x18ull << 40);
  row(bit_or, 0xf0ull << 40, 0x0full << 40, 0xffull << 40);
  row(bit_xor, 0xffull << 40, 0x0full << 40, 0xf0ull << 40);

  const auto increment = [](auto* p, auto v) { return atomicInc(p, v); };
  row(increment, 4u, 6u, 5u);
  row(increment, 5u, 6u, 6u);
  row(increment, 6u, 6u, 0u);  // wraps to zero at its limit
  row(increment, 9u, 6u, 0u);
  const auto decrement = [](auto* p, auto v) { return atomicDec(p, v); };
  row(decrement, 4u, 6u, 3u);
  row(decrement, 6u, 6u, 5u);
  row(decrement, 0u, 6u, 6u);  // wraps to its limit at zero
  row(decrement, 9u, 6u, 6u);

  const auto replace_7 = [](auto* p, auto v) {
    return atomicCAS(p, static_cast<decltype(v)>(7), v);
  };
  row(replace_7, 7, -1, -1);
  row(replace_7, 8, -1, 8);
  row(replace_7, 7u, 9u, 9u);
  row(replace_7, 7ull, 1ull << 40, 1ull << 40);
  row(replace_7, (1ull << 40) + 7, 0ull, (1ull << 40) + 7);
  const unsigned short seven = 7, most = 65535;
  row(replace_7, seven, most, most);
}

TEST_F(Atomic, OldAndNewValues) {
  DeviceBuffer<unsigned long long> d_scratch(1);
  expect_rows(__FILE__, [&](Row* out) { atomics_kernel<<<1, 1>>>(out, d_scratch.data()); });
}

// nvcc has its built-in atomic functions from CUDA 12.8 on.
#if CUDART_VERSION >= 12080
__global__ void builtin_atomics_kernel(int* sum, int* out) {
  int expected = 12;
  out[0] = __nv_atomic_load_n(sum, __NV_ATOMIC_RELAXED);
  __nv_atomic_store_n(sum, 5, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  out[1] = __nv_atomic_fetch_add(sum, 7, __NV_ATOMIC_SEQ_CST);
  out[2] = __nv_atomic_compare_exchange_n(sum, &expected, 20, false, __NV_ATOMIC_ACQ_REL,
                                          __NV_ATOMIC_RELAXED);
  out[3] = __nv_atomic_compare_exchange_n(sum, &expected, 30, false, __NV_ATOMIC_ACQ_REL,
                                          __NV_ATOMIC_RELAXED);
  out[4] = expected;
  __nv_atomic_max(sum, 25, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
  out[5] = __nv_atomic_exchange_n(sum, 0, __NV_ATOMIC_ACQUIRE);
}

TEST_F(Atomic, BuiltInWithAnOrder) {
  DeviceBuffer<int> sum(std::vector<int>{3});
  EXPECT_EQ(output_of<int>(6, [&](int* out) { builtin_atomics_kernel<<<1, 1>>>(sum.data(), out); }),
            (std::vector<int>{3, 5, 1, 0, 20, 25}));
}
#endif

template <typename T>
__global__ void count_kernel(T* total) {
  __shared__ T of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  atomicAdd(&of_block, static_cast<T>(1));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, of_block);
}

template <typename T>
T count_of_40_blocks() {
  DeviceBuffer<T> d_total(1);
  d_total.fill_bytes(0);
  count_kernel<<<40, 250>>>(d_total.data());
  CUDA_CHECK(cudaGetLastError());
  return d_total.to_host().front();
}

TEST_F(Atomic, NothingIsLostAmongManyThreads) {
  EXPECT_EQ(count_of_40_blocks<int>(), 10000);
  EXPECT_EQ(count_of_40_blocks<unsigned long long>(), 10000u);
  EXPECT_EQ(count_of_40_blocks<float>(), 10000.0f);
  EXPECT_EQ(count_of_40_blocks<double>(), 10000.0);
}

__global__ void take_tickets_kernel(int* next, int* tickets) {
  tickets[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1);
}

TEST_F(Atomic, EveryThreadGetsADifferentOldValue) {
  DeviceBuffer<int> d_next(1);
  d_next.fill_bytes(0);
  auto tickets =
      output_of<int>(2000, [&](int* out) { take_tickets_kernel<<<20, 100>>>(d_next.data(), out); });
  std::sort(tickets.begin(), tickets.end());
  EXPECT_EQ(tickets, generated<int>(2000, [](int i) { return i; }));
}

__global__ void multiply_kernel(
    float* product) {  // how to write an atomic function that CUDA does not have
  int* const bits = reinterpret_cast<int*>(product);
  int old_bits = *bits, seen;
  do {
    seen = old_bits;
    old_bits = atomicCAS(bits, seen, __float_as_int(2.0f * __int_as_float(seen)));
  } while (old_bits != seen);
}

TEST_F(Atomic, CompareAndSwapLoop) {
  DeviceBuffer<float> d_product(std::vector<float>{1.0f});
  multiply_kernel<<<4, 25>>>(d_product.data());
  EXPECT_EQ(d_product.to_host().front(), 0x1p100f);
}

}  // namespace
