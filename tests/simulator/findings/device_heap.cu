#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "marked_kernels.h"

// Wrong uses of memory that a kernel has allocated, at the learner's line.

namespace {

__global__ void past_its_end(int* out, bool right) {
  int* const memory = new int[4];
  memory[right ? 3 : 4] = 1;  // finds: out_of_bounds store by 0
  out[0] = memory[right ? 3 : 4];
  delete[] memory;
}

__global__ void freed_twice(int*, bool right) {
  void* const memory = malloc(16);
  free(memory);
  if (!right) free(memory);  // finds: freed_memory call by 0
}

__global__ void unwritten(int* out, bool right) {
  int* const memory = static_cast<int*>(malloc(sizeof(int)));
  if (right) *memory = 1;
  out[0] = *memory;  // finds: uninitialised load by 0
  free(memory);
}

__global__ void heap_is_full(int*, bool right) {
  auto* const memory = static_cast<char*>(malloc(std::size_t{1} << (right ? 10 : 40)));
  *memory = 1;  // finds: null_pointer store by 0
  free(memory);
}

INSTANTIATE_TEST_SUITE_P(
    DeviceHeap, MarkedKernels,
    marked_kernels({{"past_its_end", launch(past_its_end, 1, 1), "an allocation of 16 bytes"},
                    {"freed_twice", launch(freed_twice, 1, 1), "already freed"},
                    {"unwritten", launch(unwritten, 1, 1)},
                    {"heap_is_full", launch(heap_is_full, 1, 1)}}),
    case_name);

}  // namespace
