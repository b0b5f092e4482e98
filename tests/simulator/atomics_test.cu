#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <ostream>
#include <vector>

// Atomic functions: the value that they store and the value that they return, for each type that
// CUDA supports.

namespace {

class Atomic : public DeviceTest {};

// The old value, as the function returned it, and the new value.
template <typename T>
struct OldAndNew {
  T old_value, new_value;
  bool operator==(const OldAndNew& other) const {
    return old_value == other.old_value && new_value == other.new_value;
  }
  friend std::ostream& operator<<(std::ostream& os, const OldAndNew& values) {
    return os << values.old_value << " then " << values.new_value;
  }
};

template <typename Operation, typename T>
__global__ void on_global_memory_kernel(OldAndNew<T>* out, T start, T operand) {
  out->new_value = start;
  out->old_value = Operation{}(&out->new_value, operand);
}

template <typename Operation, typename T>
__global__ void on_shared_memory_kernel(OldAndNew<T>* out, T start, T operand) {
  __shared__ T value;
  value = start;
  out->old_value = Operation{}(&value, operand);
  out->new_value = value;
}

// Applies the operation to a variable that holds `start`, in global and in shared memory.
template <typename Operation, typename T>
void expect_atomic(T start, T operand, T expected) {
  const std::vector<OldAndNew<T>> expected_values(2, OldAndNew<T>{start, expected});
  EXPECT_EQ((output_of<OldAndNew<T>>(2,
                                     [=](OldAndNew<T>* out) {
                                       on_global_memory_kernel<Operation>
                                           <<<1, 1>>>(out, start, operand);
                                       on_shared_memory_kernel<Operation>
                                           <<<1, 1>>>(out + 1, start, operand);
                                     })),
            expected_values);
}

struct Add {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicAdd(p, v);
  }
};
struct Sub {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicSub(p, v);
  }
};
struct Min {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicMin(p, v);
  }
};
struct Max {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicMax(p, v);
  }
};
struct Exchange {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicExch(p, v);
  }
};
struct And {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicAnd(p, v);
  }
};
struct Or {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicOr(p, v);
  }
};
struct Xor {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicXor(p, v);
  }
};
struct Increment {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicInc(p, v);
  }
};
struct Decrement {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicDec(p, v);
  }
};
// Replaces a 7.
struct CompareAndSwap {
  template <typename T>
  __device__ T operator()(T* p, T v) const {
    return atomicCAS(p, T{7}, v);
  }
};

TEST_F(Atomic, AddInteger) {
  expect_atomic<Add>(5, -8, -3);
  expect_atomic<Add>(UINT_MAX, 3u, 2u);
  expect_atomic<Add>(1ull << 40, 1ull << 41, 3ull << 40);
  expect_atomic<Add>(0ull, 0ull - 1, ULLONG_MAX);
}

TEST_F(Atomic, AddFloatingPoint) {
  expect_atomic<Add>(1.5f, -2.25f, -0.75f);
  expect_atomic<Add>(1.5, 1e100, 1e100);
  expect_atomic<Add>(0x1p24f, 1.0f, 0x1p24f);  // a tie is rounded to even
}

TEST_F(Atomic, Subtract) {
  expect_atomic<Sub>(5, 8, -3);
  expect_atomic<Sub>(2u, 3u, UINT_MAX);
}

TEST_F(Atomic, MinAndMax) {
  expect_atomic<Min>(-5, 3, -5);
  expect_atomic<Max>(-5, 3, 3);
  expect_atomic<Min>(0xfffffffbu, 3u, 3u);  // -5 as an int
  expect_atomic<Max>(0xfffffffbu, 3u, 0xfffffffbu);
  expect_atomic<Min>(-5ll, 1ll << 40, -5ll);
  expect_atomic<Max>(-5ll, 1ll << 40, 1ll << 40);
  expect_atomic<Min>(ULLONG_MAX, 1ull << 40, 1ull << 40);
  expect_atomic<Max>(ULLONG_MAX, 1ull << 40, ULLONG_MAX);
}

TEST_F(Atomic, Exchange) {
  expect_atomic<Exchange>(5, -8, -8);
  expect_atomic<Exchange>(5u, 8u, 8u);
  expect_atomic<Exchange>(1ull << 40, 1ull << 50, 1ull << 50);
  expect_atomic<Exchange>(1.5f, -0.25f, -0.25f);
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

TEST_F(Atomic, Bitwise) {
  expect_atomic<And>(0xff0, 0x0ff, 0x0f0);
  expect_atomic<Or>(0xff0, 0x0ff, 0xfff);
  expect_atomic<Xor>(0xff0, 0x0ff, 0xf0f);
  expect_atomic<And>(0xf0000000u, 0x90000001u, 0x90000000u);
  expect_atomic<Or>(0xf0000000u, 0x90000001u, 0xf0000001u);
  expect_atomic<Xor>(0xf0000000u, 0x90000001u, 0x60000001u);
  expect_atomic<And>(0xffull << 40, 0x18ull << 40, 0x18ull << 40);
  expect_atomic<Or>(0xf0ull << 40, 0x0full << 40, 0xffull << 40);
  expect_atomic<Xor>(0xffull << 40, 0x0full << 40, 0xf0ull << 40);
}

TEST_F(Atomic, IncrementWrapsToZeroAtItsLimit) {
  expect_atomic<Increment>(4u, 6u, 5u);
  expect_atomic<Increment>(5u, 6u, 6u);
  expect_atomic<Increment>(6u, 6u, 0u);
  expect_atomic<Increment>(9u, 6u, 0u);
}

TEST_F(Atomic, DecrementWrapsToItsLimitAtZero) {
  expect_atomic<Decrement>(4u, 6u, 3u);
  expect_atomic<Decrement>(6u, 6u, 5u);
  expect_atomic<Decrement>(0u, 6u, 6u);
  expect_atomic<Decrement>(9u, 6u, 6u);
}

TEST_F(Atomic, CompareAndSwap) {
  expect_atomic<CompareAndSwap>(7, -1, -1);
  expect_atomic<CompareAndSwap>(8, -1, 8);
  expect_atomic<CompareAndSwap>(7u, 9u, 9u);
  expect_atomic<CompareAndSwap>(7ull, 1ull << 40, 1ull << 40);
  expect_atomic<CompareAndSwap>((1ull << 40) + 7, 0ull, (1ull << 40) + 7);
  expect_atomic<CompareAndSwap, unsigned short>(7, 65535, 65535);
}

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

template <typename T>
__global__ void histogram_kernel(const T* bins, int size, int* counts) {
  __shared__ int block_counts[5];
  if (threadIdx.x < 5) block_counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < size; i += static_cast<int>(blockDim.x)) {
    atomicAdd_block(&block_counts[bins[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < 5) counts[threadIdx.x] = block_counts[threadIdx.x];
}

TEST_F(Atomic, HistogramInSharedMemory) {  // 0, 1, 4, 4, 1, 0, ...: squares modulo 5
  const DeviceBuffer<unsigned char> d_bins(
      generated<unsigned char>(1000, [](int i) { return i * i % 5; }));
  EXPECT_EQ(
      output_of<int>(5, [&](int* out) { histogram_kernel<<<1, 128>>>(d_bins.data(), 1000, out); }),
      (std::vector<int>{200, 400, 0, 0, 400}));
}

}  // namespace
