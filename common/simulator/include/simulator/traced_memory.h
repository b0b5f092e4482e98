#pragma once

#include <cstddef>

// Traced code is to call these functions of the C library, so that their accesses are traced. The
// compiler would put code of its own in their place, so it is told not to know them
// (common/cmake/Backend_simulator.cmake), and here where they are. It keeps its own memcpy, for
// copies of structures, which are traced otherwise. Comes before all other headers.

extern "C" {
void* memcpy(void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_memcpy");
void* mempcpy(void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_mempcpy");
void* memmove(void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_memmove");
void* memset(void*, int, std::size_t) noexcept __asm__("cuda_simulator_memset");
int memcmp(const void*, const void*, std::size_t) noexcept __asm__("cuda_simulator_memcmp");
}
