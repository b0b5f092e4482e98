#pragma once

#include <algorithm>

// CUDA's atomic functions as function objects: atomically at an element on the GPU, and
// Name::after(before, value) on the host, which calls them one after the other.
#define ATOMIC_FUNCTION(Name, on_gpu, on_host)                               \
  struct Name {                                                              \
    template <typename T>                                                    \
    __device__ void operator()(T* element, [[maybe_unused]] T value) const { \
      on_gpu;                                                                \
    }                                                                        \
    template <typename T>                                                    \
    static T after([[maybe_unused]] T before, [[maybe_unused]] T value) {    \
      return static_cast<T>(on_host);                                        \
    }                                                                        \
  }

ATOMIC_FUNCTION(Add, atomicAdd(element, value), before + value);
// A GPU has an instruction for it in shared memory.
ATOMIC_FUNCTION(AddOne, atomicAdd(element, static_cast<T>(1)), before + 1);
ATOMIC_FUNCTION(Subtract, atomicSub(element, value), before - value);
ATOMIC_FUNCTION(Min, atomicMin(element, value), std::min(before, value));
ATOMIC_FUNCTION(Max, atomicMax(element, value), std::max(before, value));
ATOMIC_FUNCTION(Increment, atomicInc(element, 1000u), before >= 1000 ? 0 : before + 1);
ATOMIC_FUNCTION(Decrement, atomicDec(element, 1000u), before == 0 ? 1000 : before - 1);
ATOMIC_FUNCTION(And, atomicAnd(element, value), (before & value));
ATOMIC_FUNCTION(Or, atomicOr(element, value), before | value);
ATOMIC_FUNCTION(Xor, atomicXor(element, value), before ^ value);
ATOMIC_FUNCTION(Exchange, atomicExch(element, value), value);
ATOMIC_FUNCTION(ExchangeForSeven, atomicExch(element, static_cast<T>(7)), 7);
ATOMIC_FUNCTION(SwapZero, atomicCAS(element, T{}, value), before == T{} ? value : before);
