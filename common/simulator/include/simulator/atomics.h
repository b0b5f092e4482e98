#pragma once

#include "simulator/copy_bytes.h"
#include "simulator/keywords.h"
#include "simulator/vector_types.h"

#include <cstdint>
#include <type_traits>

// Atomic functions. Each is out of line, so that its return address is the learner's line, and
// reports its access to the tracer once; the atomic instructions themselves are not traced.

namespace cuda_simulator {

// The result of an exchange ignores the old value; a compare-and-swap compares it with a guess.
enum class AccessKind {
  load,
  store,
  volatile_load,
  volatile_store,
  async_copy,          // starts: shared memory may be written from now on
  async_copy_arrival,  // its thread has waited for the copy
  atomic,
  atomic_exchange,
  atomic_compare_and_swap
};

// Does nothing in the plain build. `caller` is an address in the learner's code.
void trace_access(const volatile void* address, std::size_t bytes, AccessKind kind,
                  const void* caller);

// Returns the old value, as CUDA's atomic functions do.
template <typename T, typename Update>
CUDA_SIMULATOR_UNTRACED __attribute__((always_inline)) inline T atomic_update(T* address,
                                                                              Update update) {
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
  static_assert(sizeof(T) == sizeof(Bits), "atomic functions need a type of 2, 4 or 8 bytes");
  Bits* const bits = reinterpret_cast<Bits*>(address);
  Bits old_bits = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T old_value;
    copy_bytes(&old_value, &old_bits, sizeof old_value);
    const T new_value = update(old_value);
    Bits new_bits;
    copy_bytes(&new_bits, &new_value, sizeof new_bits);
    if (__atomic_compare_exchange_n(bits, &old_bits, new_bits, true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
      return old_value;
    }
  }
}

CUDA_SIMULATOR_UNTRACED __attribute__((always_inline)) inline float add_float(float* address,
                                                                              float operand) {
  return atomic_update(
      address, [operand](float value) CUDA_SIMULATOR_UNTRACED -> float { return value + operand; });
}

}  // namespace cuda_simulator

// The operand's type is not deduced, so that atomicAdd(&sum, 1) works for any sum.
#define CUDA_SIMULATOR_ATOMIC(name, expression)                                             \
  template <typename T>                                                                     \
  CUDA_SIMULATOR_UNTRACED __attribute__((noinline)) T name(T* address,                      \
                                                           std::common_type_t<T> operand) { \
    cuda_simulator::trace_access(address, sizeof(T), cuda_simulator::AccessKind::atomic,    \
                                 __builtin_return_address(0));                              \
    return cuda_simulator::atomic_update(                                                   \
        address, [operand](T value) CUDA_SIMULATOR_UNTRACED -> T { return expression; });   \
  }                                                                                         \
  template <typename T>                                                                     \
  __forceinline__ T name##_block(T* address, std::common_type_t<T> operand) {               \
    return name(address, operand);                                                          \
  }                                                                                         \
  template <typename T>                                                                     \
  __forceinline__ T name##_system(T* address, std::common_type_t<T> operand) {              \
    return name(address, operand);                                                          \
  }

CUDA_SIMULATOR_ATOMIC(atomicAdd, static_cast<T>(value + operand))
CUDA_SIMULATOR_ATOMIC(atomicSub, static_cast<T>(value - operand))
CUDA_SIMULATOR_ATOMIC(atomicMin, operand < value ? operand : value)
CUDA_SIMULATOR_ATOMIC(atomicMax, value < operand ? operand : value)
CUDA_SIMULATOR_ATOMIC(atomicAnd, static_cast<T>(value& operand))
CUDA_SIMULATOR_ATOMIC(atomicOr, static_cast<T>(value | operand))
CUDA_SIMULATOR_ATOMIC(atomicXor, static_cast<T>(value ^ operand))
CUDA_SIMULATOR_ATOMIC(atomicInc, value >= operand ? T{0} : static_cast<T>(value + 1))
CUDA_SIMULATOR_ATOMIC(atomicDec,
                      value == T{0} || value > operand ? operand : static_cast<T>(value - 1))
#undef CUDA_SIMULATOR_ATOMIC

// Compute capability 9.0, global memory: one access, and each component is added on its own.
CUDA_SIMULATOR_UNTRACED __attribute__((noinline)) inline float2 atomicAdd(float2* address,
                                                                          float2 operand) {
  cuda_simulator::trace_access(address, sizeof(float2), cuda_simulator::AccessKind::atomic,
                               __builtin_return_address(0));
  return make_float2(cuda_simulator::add_float(&address->x, operand.x),
                     cuda_simulator::add_float(&address->y, operand.y));
}
CUDA_SIMULATOR_UNTRACED __attribute__((noinline)) inline float4 atomicAdd(float4* address,
                                                                          float4 operand) {
  cuda_simulator::trace_access(address, sizeof(float4), cuda_simulator::AccessKind::atomic,
                               __builtin_return_address(0));
  return make_float4(cuda_simulator::add_float(&address->x, operand.x),
                     cuda_simulator::add_float(&address->y, operand.y),
                     cuda_simulator::add_float(&address->z, operand.z),
                     cuda_simulator::add_float(&address->w, operand.w));
}

template <typename T>
CUDA_SIMULATOR_UNTRACED __attribute__((noinline)) T atomicExch(T* address,
                                                               std::common_type_t<T> operand) {
  cuda_simulator::trace_access(address, sizeof(T), cuda_simulator::AccessKind::atomic_exchange,
                               __builtin_return_address(0));
  return cuda_simulator::atomic_update(
      address, [operand](T) CUDA_SIMULATOR_UNTRACED -> T { return operand; });
}
template <typename T>
__forceinline__ T atomicExch_block(T* address, std::common_type_t<T> operand) {
  return atomicExch(address, operand);
}
template <typename T>
__forceinline__ T atomicExch_system(T* address, std::common_type_t<T> operand) {
  return atomicExch(address, operand);
}

template <typename T>
CUDA_SIMULATOR_UNTRACED __attribute__((noinline)) T atomicCAS(T* address,
                                                              std::common_type_t<T> expected,
                                                              std::common_type_t<T> desired) {
  cuda_simulator::trace_access(address, sizeof(T),
                               cuda_simulator::AccessKind::atomic_compare_and_swap,
                               __builtin_return_address(0));
  return cuda_simulator::atomic_update(address, [=](T value) CUDA_SIMULATOR_UNTRACED -> T {
    return value == expected ? desired : value;
  });
}
template <typename T>
__forceinline__ T atomicCAS_block(T* address, std::common_type_t<T> expected,
                                  std::common_type_t<T> desired) {
  return atomicCAS(address, expected, desired);
}
template <typename T>
__forceinline__ T atomicCAS_system(T* address, std::common_type_t<T> expected,
                                   std::common_type_t<T> desired) {
  return atomicCAS(address, expected, desired);
}
