#include "trace/checks/shadow_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cuda_simulator {
namespace {

constexpr std::uintptr_t kPageBytes = 4096;
// Below this size, writing zeros is faster than releasing a part of a huge page and faulting it in
// again.
constexpr std::size_t kSmallBytes = 256 << 10;

}  // namespace

void* reserve_shadow(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::fprintf(
        stderr,
        "CUDA simulator: cannot reserve %zu GiB of addresses for checking global memory. Set "
        "CUDA_SIMULATOR_GLOBAL_RACES=0 to run without this check.\n",
        bytes >> 30);
    std::exit(1);
  }
  // otherwise a matrix column would miss the TLB at each element
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

void clear_shadow(void* begin, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin), end = first + bytes;
  const std::uintptr_t first_page = (first + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::uintptr_t end_page = end / kPageBytes * kPageBytes;
  if (bytes <= kSmallBytes || first_page >= end_page) {
    std::memset(begin, 0, bytes);
    return;
  }
  std::memset(begin, 0, first_page - first);
  madvise(reinterpret_cast<void*>(first_page), end_page - first_page, MADV_DONTNEED);
  std::memset(reinterpret_cast<void*>(end_page), 0, end - end_page);
}

}  // namespace cuda_simulator
