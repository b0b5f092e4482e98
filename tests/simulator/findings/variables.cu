#include "common/cuda_check.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "marked_kernels.h"
#include "tests/simulator/expect_findings.h"

// Accesses outside __device__, __constant__ and local arrays, and stores to constant memory.

namespace {

__constant__ int constants[4];
__device__ int totals[4];

__global__ void write_constant(int* out, bool right) {
  if (right) {
    *out = constants[3];
  } else {
    const_cast<int*>(constants)[blockDim.x + 1] = 1;  // finds: out_of_bounds store by 0
  }
}

__global__ void set_total(int index) {
  totals[index] = 1;  // finds in past_totals, before_totals: array_index index by 0
}

__global__ void store_through(int* pointer, int index) {
  pointer[index] = 1;  // finds in pointer_to_totals: host_pointer
}

void leave_totals(Buffers, bool right) {
  int* d_totals = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&d_totals), totals));
  store_through<<<1, 1>>>(d_totals, right ? 3 : 1 << 28);
}

INSTANTIATE_TEST_SUITE_P(
    Variables, MarkedKernels,
    marked_kernels({
        {"write_constant", launch(write_constant, 1, 1),
         "the kernel writes the __constant__ variable constants"},
        {"past_totals",
         [](Buffers, bool right) { set_total<<<right ? 1 : 2, right ? 1 : 3>>>(right ? 3 : 4); },
         "index 4 is outside the array of type 'int [4]'"},
        {"before_totals", [](Buffers, bool right) { set_total<<<1, 1>>>(right ? 3 : -1); },
         "index -1 is outside the array"},
        {"pointer_to_totals", leave_totals},
    }),
    case_name);

class Variables : public FindingsTest {};

TEST_F(Variables, ColumnOfAnIndex) {
  set_total<<<1, 1>>>(-1);
  EXPECT_EQ(only_finding().places[0].column, 15);  // of the closing bracket
}

}  // namespace
