// The functions of the C library that store a result through a pointer. The library is not traced,
// so the linker's --wrap (CMakeLists.txt) redirects their calls to the second functions here, which
// store for the caller.

#include "trace/tracer.h"

#include "simulator/atomics.h"

namespace {

template <typename T>
void store(T* to, T value, const void* caller) {
  cuda_simulator::trace_access(to, sizeof *to, cuda_simulator::AccessKind::store, caller);
  *to = value;
}

}  // namespace

#define WITH_TWO_RESULTS(name, Float, Second)               \
  extern "C" Float __real_##name(Float, Second*) noexcept;  \
  extern "C" Float __wrap_##name(Float x, Second* second) { \
    Second stored;                                          \
    const Float result = __real_##name(x, &stored);         \
    store(second, stored, __builtin_return_address(0));     \
    return result;                                          \
  }
#define FUNCTIONS(suffix, Float)                                               \
  WITH_TWO_RESULTS(modf##suffix, Float, Float)                                 \
  WITH_TWO_RESULTS(frexp##suffix, Float, int)                                  \
  extern "C" void __real_sincos##suffix(Float, Float*, Float*) noexcept;       \
  extern "C" void __wrap_sincos##suffix(Float x, Float* sine, Float* cosine) { \
    Float stored[2];                                                           \
    __real_sincos##suffix(x, &stored[0], &stored[1]);                          \
    store(sine, stored[0], __builtin_return_address(0));                       \
    store(cosine, stored[1], __builtin_return_address(0));                     \
  }                                                                            \
  extern "C" Float __real_remquo##suffix(Float, Float, int*) noexcept;         \
  extern "C" Float __wrap_remquo##suffix(Float x, Float y, int* quotient) {    \
    int stored;                                                                \
    const Float result = __real_remquo##suffix(x, y, &stored);                 \
    store(quotient, stored, __builtin_return_address(0));                      \
    return result;                                                             \
  }
FUNCTIONS(, double)
FUNCTIONS(f, float)
