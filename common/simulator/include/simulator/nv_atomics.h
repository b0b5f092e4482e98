#pragma once

#include "simulator/atomics.h"
#include "simulator/warp_functions.h"

// nvcc's built-in atomic functions, with a memory order and a scope (CUDA C++ Programming Guide,
// "Built-in Atomic Functions"). Orders are fences before and after the access.

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

__forceinline__ void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED || scope == __NV_THREAD_SCOPE_THREAD) return;
  scope == __NV_THREAD_SCOPE_BLOCK ? __threadfence_block() : __threadfence();
}

namespace cuda_simulator {

template <typename Access>
__forceinline__ auto with_order(int order, int scope, Access access) {
  if (order != __NV_ATOMIC_ACQUIRE && order != __NV_ATOMIC_CONSUME)
    __nv_atomic_thread_fence(order, scope);
  const auto result = access();
  if (order != __NV_ATOMIC_RELEASE) __nv_atomic_thread_fence(order, scope);
  return result;
}

}  // namespace cuda_simulator

#define CUDA_SIMULATOR_NV_ATOMIC(name, parameters, call)                      \
  template <typename T>                                                       \
  __forceinline__ T name parameters {                                         \
    return cuda_simulator::with_order(                                        \
        order, scope, [&]() __attribute__((always_inline)) { return call; }); \
  }
#define CUDA_SIMULATOR_NV_FETCH(operation, function)                                              \
  CUDA_SIMULATOR_NV_ATOMIC(__nv_atomic_fetch_##operation,                                         \
                           (T * address, std::common_type_t<T> operand, int order,                \
                            int scope = __NV_THREAD_SCOPE_SYSTEM),                                \
                           function(address, operand))                                            \
  template <typename T>                                                                           \
  __forceinline__ void __nv_atomic_##operation(T* address, std::common_type_t<T> operand,         \
                                               int order, int scope = __NV_THREAD_SCOPE_SYSTEM) { \
    __nv_atomic_fetch_##operation(address, operand, order, scope);                                \
  }
CUDA_SIMULATOR_NV_FETCH(add, atomicAdd)
CUDA_SIMULATOR_NV_FETCH(sub, atomicSub)
CUDA_SIMULATOR_NV_FETCH(min, atomicMin)
CUDA_SIMULATOR_NV_FETCH(max, atomicMax)
CUDA_SIMULATOR_NV_FETCH(and, atomicAnd)
CUDA_SIMULATOR_NV_FETCH(or, atomicOr)
CUDA_SIMULATOR_NV_FETCH(xor, atomicXor)
CUDA_SIMULATOR_NV_ATOMIC(__nv_atomic_load_n,
                         (T * address, int order, int scope = __NV_THREAD_SCOPE_SYSTEM),
                         atomicAdd(address, T{}))
CUDA_SIMULATOR_NV_ATOMIC(__nv_atomic_exchange_n,
                         (T * address, std::common_type_t<T> operand, int order,
                          int scope = __NV_THREAD_SCOPE_SYSTEM),
                         atomicExch(address, operand))
#undef CUDA_SIMULATOR_NV_ATOMIC
#undef CUDA_SIMULATOR_NV_FETCH

template <typename T>
__forceinline__ void __nv_atomic_store_n(T* address, std::common_type_t<T> operand, int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_exchange_n(address, operand, order, scope);
}
template <typename T>
__forceinline__ bool __nv_atomic_compare_exchange_n(T* address, T* expected,
                                                    std::common_type_t<T> desired, bool, int order,
                                                    int, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  const T guess = *expected;
  *expected = cuda_simulator::with_order(
      order,
      scope, [&]() __attribute__((always_inline)) { return atomicCAS(address, guess, desired); });
  return *expected == guess;
}
