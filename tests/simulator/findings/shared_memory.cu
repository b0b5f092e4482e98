#include "common/device_buffer.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "marked_kernels.h"
#include "tests/simulator/expect_findings.h"

// Accesses outside an array in shared memory, or outside the dynamic memory of the launch.

namespace {

class SharedMemory : public FindingsTest {};

// The types of a kernel's parameters are in the names of its __shared__ variables, and CUDA's own
// types are the simulator's.
template <typename Small>
__global__ void block_sum_of_small_kernel(const Small* in, Small* out, int first) {
  __shared__ Small values[32];
  __shared__ float sum;
  const int i = static_cast<int>(threadIdx.x) + first;
  values[i] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (const Small value : values) sum += static_cast<float>(value);
    *out = sum;
  }
}

__global__ void copy_half_kernel(const __half* in, __half* out) {
  __shared__ __half value;
  if (threadIdx.x == 0) value = in[0];
  __syncthreads();
  out[threadIdx.x] = value;
}

template <typename Small>
void expect_sum_of_small() {
  const DeviceBuffer<Small> d_in(std::vector<Small>(32, Small(1.5f)));
  DeviceBuffer<Small> d_out(1);
  block_sum_of_small_kernel<<<1, 32>>>(d_in.data(), d_out.data(), 0);
  EXPECT_EQ(static_cast<float>(d_out.to_host()[0]), 48.0f);
  cudaFuncAttributes attributes;
  ASSERT_EQ(cudaFuncGetAttributes(&attributes, block_sum_of_small_kernel<Small>), cudaSuccess);
  EXPECT_EQ(attributes.sharedSizeBytes, 32 * sizeof(Small) + sizeof(float));
  expect_nothing_found();
  block_sum_of_small_kernel<<<1, 32>>>(d_in.data(), d_out.data(), 1);
  EXPECT_EQ(only_finding().kind, "out_of_bounds");
  cudaDeviceReset();
}

TEST_F(SharedMemory, OfAKernelWithSmallFloats) {
  expect_sum_of_small<__half>();
  expect_sum_of_small<__nv_bfloat16>();
  const DeviceBuffer<__half> d_in(std::vector<__half>(1, __half(2.0f)));
  DeviceBuffer<__half> d_out(32);
  copy_half_kernel<<<1, 32>>>(d_in.data(), d_out.data());
  EXPECT_EQ(static_cast<float>(d_out.to_host()[31]), 2.0f);
  expect_nothing_found();
}

template <int kWrongRow>
__global__ void static_index(int* out, bool right) {
  __shared__ float tile[8][32];
  for (int row = 0; row < 8 && threadIdx.x < 32; ++row) tile[row][threadIdx.x] = 1.0f;
  __syncthreads();
  // finds: array_index index by 0
  // finds in row_of_static: array_index index by 32
  out[threadIdx.x] = static_cast<int>(tile[right ? 7 : kWrongRow][threadIdx.x]);
}

template <typename T>
__global__ void dynamic_store(int index) {
  extern __shared__ __align__(16) char dynamic_bytes[];
  // finds in dynamic_*: out_of_bounds store by 9
  if (threadIdx.x == 9) reinterpret_cast<T*>(dynamic_bytes)[index] = T{};
}

template <typename T>
MarkedCase past_dynamic(const std::string& name) {
  constexpr int kBytes = static_cast<int>(10 * sizeof(T));
  const std::string size = std::to_string(kBytes);
  return {name, [](Buffers, bool right) { dynamic_store<T><<<1, 32, kBytes>>>(right ? 9 : 10); },
          "the kernel accesses byte " + size +
              " of extern __shared__ memory, but the launch allocates " + size +
              " bytes per block"};
}

__global__ void far_pointer(int*, bool right) {
  __shared__ float values[32];
  float* const pointer = values;
  pointer[threadIdx.x] = 0;
  pointer[static_cast<int>(threadIdx.x) + (right ? 0 : 1 << 26)] = 1;  // finds: host_pointer
}

// Two arrays whose lengths leave no gap by themselves, and one of an odd length.
template <typename T>
__device__ void set(T* array, int index) {
  // finds in first_*, second_*, bytes_*: out_of_bounds store by 0
  array[index] = T{1};
}

enum class Into { first, second, bytes };

__global__ void set_one(Into array, int index) {
  __shared__ int first[64], second[64];
  __shared__ char bytes[13];
  if (array == Into::first) set(first, index);
  if (array == Into::second) set(second, index);
  if (array == Into::bytes) set(bytes, index);
}

template <Into kArray, int kIndex>
void set_outside(Buffers, bool right) {
  if (right) set_one<<<1, 1>>>(kArray, 0);
  set_one<<<1, 1>>>(kArray, right ? (kArray == Into::bytes ? 12 : 63) : kIndex);
}

// A template has its own sections in the program.
template <int kSize>
__global__ void set_in_template(int index) {
  __shared__ float first[kSize], second[kSize];
  set(first, 0);
  set(second, index);
  set(first, index);
}

__global__ void misaligned(int*, bool right) {
  __shared__ __align__(16) float values[32];
  // finds: misaligned store by 0
  *reinterpret_cast<float2*>(values + (right ? 2 : 1)) = make_float2(1, 2);
}

INSTANTIATE_TEST_SUITE_P(
    SharedMemory, MarkedKernels,
    marked_kernels({
        {"static_index", launch(static_index<8>, 1, 32),
         "index 8 is outside the array of type 'float [8][32]'"},
        {"row_of_static",
         [](Buffers d, bool right) { static_index<2><<<1, right ? 32 : 33>>>(d.out, right); },
         "index 32 is outside the array of type 'float [32]'"},
        past_dynamic<char>("dynamic_chars"),
        past_dynamic<float>("dynamic_floats"),
        past_dynamic<double>("dynamic_doubles"),
        past_dynamic<float4>("dynamic_vectors"),
        {"dynamic_forgotten",
         [](Buffers, bool right) { dynamic_store<float><<<1, 32, right ? 4 : 0>>>(0); },
         "the launch allocates 0 bytes per block...\nfinding=out_of_bounds access=store thread=9 "
         "block=0 memory=shared array=dynamic at=0 end=0 width=4 kernel="},
        {"dynamic_vector",
         [](Buffers, bool right) { dynamic_store<float4><<<1, 32, right ? 32 : 24>>>(1); },
         "byte 16 of extern __shared__ memory, but the launch allocates 24 bytes"},
        {"far_pointer", launch(far_pointer, 1, 1)},
        {"first_64", set_outside<Into::first, 64>,
         "at byte 256 of first...a __shared__ variable of"},
        {"first_before", set_outside<Into::first, -1>,
         "4 bytes before the start of first...a __shared__ variable of"},
        {"first_500", set_outside<Into::first, 500>,
         "at byte 2000 of first...a __shared__ variable of"},
        {"second_64", set_outside<Into::second, 64>,
         "at byte 256 of second...a __shared__ variable of"},
        {"second_before", set_outside<Into::second, -1>,
         "4 bytes before the start of second...a __shared__ variable of"},
        {"second_500", set_outside<Into::second, 500>,
         "at byte 2000 of second...a __shared__ variable of"},
        {"bytes_13", set_outside<Into::bytes, 13>,
         "at byte 13 of bytes, a __shared__ variable of 13 bytes"},
        {"second_in_template",
         [](Buffers, bool right) {
           if (right) set_in_template<64><<<1, 1>>>(63);
           set_in_template<32><<<1, 1>>>(right ? 31 : 32);
         },
         "at byte 128 of second"},
        {"misaligned", launch(misaligned, 1, 1),
         "an address that is a multiple of 8, but this address is 4 bytes past a multiple"},
    }),
    case_name);

}  // namespace
