#pragma once

#include <cstddef>

// Traced code must call these functions instead of the C library's, so that their accesses are
// traced. The compiler would replace them by its own code, so their built-in forms are switched off
// (common/cmake/Backend_simulator.cmake), and this header declares them. The compiler keeps its own
// memcpy for copies of structures, which are traced in another way. This header comes before all
// others.

extern "C" {
void* memcpy(void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_memcpy");
void* mempcpy(void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_mempcpy");
void* memmove(void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_memmove");
void* memset(void*, int, std::size_t) noexcept __asm__("cuda_simulator_memset");
int memcmp(const void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_memcmp");
}
