#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>

#include "expect_findings.h"

// Accesses that leave __device__, __constant__ and local arrays, or write what is constant.

namespace {

class Variables : public FindingsTest {};

__constant__ int constants[4];
__device__ int totals[4];
__global__ void write_constant_kernel(int index) { const_cast<int*>(constants)[index] = 1; }
constexpr int kWriteConstantLine = __LINE__ - 1;
__global__ void read_constant_kernel(int index, int* out) { *out = constants[index]; }

TEST_F(Variables, ConstantMemoryIsReadOnly) {
  DeviceBuffer<int> d_out(1);
  read_constant_kernel<<<1, 1>>>(3, d_out.data());
  expect_nothing_found();
  write_constant_kernel<<<1, 1>>>(2);
  const Finding finding = expect_one_place(
      "out_of_bounds", "a kernel may only read __constant__ memory", kWriteConstantLine, "store");
  EXPECT_NE(finding.message.find("constants"), std::string::npos) << finding.message;
  expect_device_lost(cudaErrorIllegalAddress);
}

__global__ void set_total_kernel(int index) { totals[index] = 1; }
constexpr int kSetTotalLine = __LINE__ - 1, kSetTotalColumn = 59;

TEST_F(Variables, IndexOutsideADeviceArray) {
  set_total_kernel<<<1, 1>>>(3);
  expect_nothing_found();
  set_total_kernel<<<2, 3>>>(4);
  expect_one_place("array_index", "index 4 is outside the array, of type 'int [4]'", kSetTotalLine,
                   "index");
  expect_device_lost(cudaErrorIllegalAddress);
}

TEST_F(Variables, IndexBeforeADeviceArray) {
  set_total_kernel<<<1, 1>>>(-1);
  const Finding finding =
      expect_one_place("array_index", "index -1 is outside the array", kSetTotalLine, "index");
  EXPECT_EQ(finding.places[0].column, kSetTotalColumn);
}

__global__ void through_a_pointer_kernel(int* pointer, int index) { pointer[index] = 1; }
constexpr int kThroughAPointerLine = __LINE__ - 1;

TEST_F(Variables, PointerThatLeavesADeviceArray) {
  int* d_totals = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(reinterpret_cast<void**>(&d_totals), totals));
  through_a_pointer_kernel<<<1, 1>>>(d_totals, 3);
  expect_nothing_found();
  through_a_pointer_kernel<<<1, 1>>>(d_totals, 1 << 28);
  const Finding finding = only_finding();
  EXPECT_EQ(finding.places[0].line, kThroughAPointerLine);
}

__global__ void local_array_kernel(int* out, int index) {
  int values[4] = {1, 2, 3, 4};
  *out = values[index];
}
constexpr int kLocalArrayLine = __LINE__ - 2;

TEST_F(Variables, IndexOutsideALocalArray) {
  DeviceBuffer<int> d_out(1);
  local_array_kernel<<<1, 1>>>(d_out.data(), 3);
  expect_nothing_found();
  local_array_kernel<<<1, 1>>>(d_out.data(), 4);
  expect_one_place("array_index", "index 4 is outside the array, of type 'int [4]'",
                   kLocalArrayLine, "index");
}

}  // namespace
