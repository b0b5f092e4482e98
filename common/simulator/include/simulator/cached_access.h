#pragma once

#include "simulator/atomics.h"
#include "simulator/copy_bytes.h"

// Loads and stores with a cache hint. A hint changes no result and no count here. The access
// belongs to the caller, so it is traced once, with the caller's line, and not again as a copy of a
// structure.

#define CUDA_SIMULATOR_LOAD(name)                                                      \
  template <typename T>                                                                \
  CUDA_SIMULATOR_UNTRACED __attribute__((noinline)) T name(const T* address) {         \
    cuda_simulator::trace_access(address, sizeof(T), cuda_simulator::AccessKind::load, \
                                 __builtin_return_address(0));                         \
    T value;                                                                           \
    cuda_simulator::copy_bytes(&value, address, sizeof value);                         \
    return value;                                                                      \
  }
CUDA_SIMULATOR_LOAD(__ldg)
CUDA_SIMULATOR_LOAD(__ldca)
CUDA_SIMULATOR_LOAD(__ldcg)
CUDA_SIMULATOR_LOAD(__ldcs)
CUDA_SIMULATOR_LOAD(__ldlu)
CUDA_SIMULATOR_LOAD(__ldcv)
#undef CUDA_SIMULATOR_LOAD

#define CUDA_SIMULATOR_STORE(name)                                                           \
  template <typename T>                                                                      \
  CUDA_SIMULATOR_UNTRACED __attribute__((noinline)) void name(T* address,                    \
                                                              std::common_type_t<T> value) { \
    cuda_simulator::trace_access(address, sizeof(T), cuda_simulator::AccessKind::store,      \
                                 __builtin_return_address(0));                               \
    cuda_simulator::copy_bytes(address, &value, sizeof value);                               \
  }
CUDA_SIMULATOR_STORE(__stwb)
CUDA_SIMULATOR_STORE(__stcg)
CUDA_SIMULATOR_STORE(__stcs)
CUDA_SIMULATOR_STORE(__stwt)
#undef CUDA_SIMULATOR_STORE
