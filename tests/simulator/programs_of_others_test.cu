// What published programs use by habit: headers of old templates, forms of CUDA's keywords, calls
// of profilers and callbacks. The headers are included before <cuda_runtime.h>, as in those
// programs.
// clang-format off
#include <cuda.h>
#include <cuComplex.h>
#include <driver_functions.h>
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <cuda_profiler_api.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>
#include <vector_functions.h>
#include <vector_types.h>
// clang-format on

#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace {

class ProgramsOfOthers : public DeviceTest {};

#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__CUDACC__)
#error "headers that look for CUDA do not find it"
#endif
static_assert(CUDART_VERSION >= 12000 && CUDA_VERSION == CUDART_VERSION, "");

__device__ int sum_of_block(int value) {
  static __shared__ int values[32];
  values[threadIdx.x] = value;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += values[i];
  return sum;
}

__global__ void sum_in_static_shared(int* out) { out[threadIdx.x] = sum_of_block(threadIdx.x); }

TEST_F(ProgramsOfOthers, StaticSharedIsTheSharedMemoryOfTheBlock) {
  const auto launch = [](int* out) { sum_in_static_shared<<<1, 32>>>(out); };
  EXPECT_EQ(output_of<int>(32, launch), std::vector<int>(32, 496));
}

__global__ void reverse_in_extern_shared(int* out) {
  extern int __shared__ values[];
  values[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[31 - threadIdx.x];
}

// clang-format off
TEST_F(ProgramsOfOthers, ExternSharedWithTheTypeInFrontAndALaunchWithSpaces) {
  const auto launch = [](int* out) { reverse_in_extern_shared << <1, 32, 32 * sizeof(int) >> > (out); };
  EXPECT_EQ(output_of<int>(32, launch), generated<int>(32, [](int i) { return 31 - i; }));
}
// clang-format on

template <typename T>
struct DynamicShared;
#define DYNAMIC_SHARED(type, name)   \
  template <>                        \
  struct DynamicShared<type> {       \
    __device__ type& at(int i) {     \
      extern __shared__ type name[]; \
      return name[i];                \
    }                                \
  }
DYNAMIC_SHARED(int, shared_ints);

__global__ void reverse_in_shared_of_a_macro(int* out) {
  DynamicShared<int> values;
  values.at(threadIdx.x) = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values.at(31 - threadIdx.x);
}

TEST_F(ProgramsOfOthers, ExternSharedOfAMacro) {
  const auto launch = [](int* out) {
    reverse_in_shared_of_a_macro<<<1, 32, 32 * sizeof(int)>>>(out);
  };
  EXPECT_EQ(output_of<int>(32, launch), generated<int>(32, [](int i) { return 31 - i; }));
}

__constant__ int factors[2] = {3, 5};
__constant__ const int terms[2] = {10, 20};
static const __constant__ int more_terms[2] = {100, 200};

__global__ void use_constants(int* out) {
  const unsigned i = threadIdx.x;
  out[i] = factors[i] + terms[i] + more_terms[i];
}

TEST_F(ProgramsOfOthers, ConstantsWithConst) {
  const auto launch = [](int* out) { use_constants<<<1, 2>>>(out); };
  EXPECT_EQ(output_of<int>(2, launch), (std::vector<int>{113, 225}));
}

__global__ void complex_numbers(double* out) {
  const cuFloatComplex a = make_cuFloatComplex(1, 2), b = make_cuComplex(3, -4);
  const cuDoubleComplex wide = cuComplexFloatToDouble(cuConjf(b));
  const cuFloatComplex product = cuCmulf(a, b), quotient = cuCdivf(a, b);
  const double values[] = {product.x,
                           product.y,
                           quotient.x,
                           quotient.y,
                           cuCabsf(b),
                           cuCreal(wide),
                           cuCimag(wide),
                           cuCabs(wide),
                           cuCfmaf(a, b, a).y,
                           cuCsubf(a, b).y,
                           cuCabsf(make_cuComplex(3e30f, 4e30f))};
  for (int i = 0; i < 11; ++i) out[i] = values[i];
}

TEST_F(ProgramsOfOthers, ComputeWithComplexNumbers) {
  const auto launch = [](double* out) { complex_numbers<<<1, 1>>>(out); };
  const std::vector<double> out = output_of<double>(11, launch);
  const std::vector<double> expected{11, 2, -0.2, 0.4, 5, 3, 4, 5, 4, 6, 5e30};
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_NEAR(out[i], expected[i], 1e-6 * std::abs(expected[i])) << i;
}

__global__ void multiprocessor(unsigned* out) {
  unsigned number;
  asm("mov.u32 %0, %%smid;" : "=r"(number));
  out[blockIdx.x] = number;
}

TEST_F(ProgramsOfOthers, ReadTheMultiprocessor) {
  CUDA_CHECK(cudaFuncSetAttribute(multiprocessor, cudaFuncAttributePreferredSharedMemoryCarveout,
                                  cudaSharedmemCarveoutMaxShared));
  CUDA_CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  const auto launch = [](unsigned* out) { multiprocessor<<<200, 1>>>(out); };
  EXPECT_EQ(output_of<unsigned>(200, launch),
            generated<unsigned>(200, [](unsigned i) { return i % 132; }));
}

__global__ void special_registers(unsigned* out) {
  unsigned lane, below;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  out[threadIdx.x] = 100 * __popc(below) + lane;
}

TEST_F(ProgramsOfOthers, ReadSpecialRegistersByInlinePtx) {
  const auto launch = [](unsigned* out) { special_registers<<<1, 64>>>(out); };
  EXPECT_EQ(output_of<unsigned>(64, launch),
            generated<unsigned>(64, [](unsigned i) { return 101 * (i % 32); }));
}

__global__ void bounded(unsigned* out) { out[threadIdx.x] = umin(umax(threadIdx.x, 3u), 7u); }

TEST_F(ProgramsOfOthers, MinimaAndMaximaWithTheNamesOfC) {
  const std::vector<unsigned> expected = {3, 3, 3, 3, 4, 5, 6, 7, 7, 7};
  EXPECT_EQ(output_of<unsigned>(10, [](unsigned* out) { bounded<<<1, 10>>>(out); }), expected);
}

void CUDART_CB set_to_status(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<int*>(data) = static_cast<int>(status);
}

TEST_F(ProgramsOfOthers, ACallbackGetsTheStatusOfItsStream) {
  int status = -1;
  ASSERT_EQ(cudaStreamAddCallback(nullptr, set_to_status, &status, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(status, cudaSuccess);
}

TEST_F(ProgramsOfOthers, TheHelpersOfSamplesChooseADevice) {
  int mode = -1, integrated = -1;
  ASSERT_EQ(cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, 0), cudaSuccess);
  ASSERT_EQ(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, 0), cudaSuccess);
  EXPECT_NE(mode, cudaComputeModeProhibited);
  EXPECT_EQ(integrated, 0);
  int clock_khz = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0), cudaSuccess);
  EXPECT_GT(clock_khz, 0);
}

TEST_F(ProgramsOfOthers, AnEventWithFlags) {
  cudaEvent_t event;
  ASSERT_EQ(cudaEventCreate(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(ProgramsOfOthers, CallsForProfilersAndConstants) {
  nvtxRangePush("a range");
  nvtxRangePop();
  EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
  EXPECT_FLOAT_EQ(CUDART_PI_F, 3.14159265f);
  EXPECT_EQ(make_float2(1, 2).y, 2);
}

}  // namespace
