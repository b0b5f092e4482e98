#include <cassert>

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "marked_kernels.h"
#include "tests/simulator/division_by_zero.h"
#include "tests/simulator/expect_findings.h"

// Kernels that end early, in the traced build: a finding with the learner's line.

namespace cg = cooperative_groups;

namespace {

__global__ void asserts(int* in, int*, bool right) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int size = 100;
  if (!right && i == 70) in[i] = 1;
  assert(i >= size || in[i] == 0);  // finds: assert assert by 6 of block 1
}

__device__ int checked(int value) {
  assert(value != 3);  // finds in asserts_in_function: assert assert by 3
  return value;
}
__global__ void asserts_in_function(int* out, bool right) {
  out[threadIdx.x] = checked(static_cast<int>(threadIdx.x) + (right ? 4 : 0));
}

struct Tidy {
  int* out;
  __device__ ~Tidy() { *out = 1; }
};

__global__ void throws(int* out, bool right) {
  const Tidy tidy{out + threadIdx.x};
  if (!right && threadIdx.x == 5)
    throw std::runtime_error("out of luck");  // finds: exception throw by 5
}

__global__ void throws_int(int*, bool right) {
  if (!right) throw 3;  // finds: exception throw by 0
}

__global__ void child() {}
__global__ void launches(int*, bool right) {
  if (!right) child<<<1, 1>>>();  // finds: launch_in_kernel launch by 0
}

__global__ void syncs_grid(int*, bool right) {
  if (!right) cg::this_grid().sync();  // finds: group call by 0
}

__global__ void grid_as_thread_group(int*, bool right) {
  if (right) return;
  const cg::thread_group group = cg::this_grid();
  group.sync();  // finds: group call by 0
}

void launch_on_grid(Buffers d, bool right) {
  void* arguments[] = {&d.out, &right};
  CUDA_CHECK(cudaLaunchCooperativeKernel(grid_as_thread_group, dim3(2), dim3(32), arguments));
}

__global__ void tile_size(int*, bool right) {
  // finds: group call by 0
  const cg::thread_group part = cg::tiled_partition(cg::this_thread_block(), right ? 16 : 24);
  part.sync();
}

// Memory that a kernel allocates: nvcc supports new and malloc, but not std::vector.
__global__ void past_new(int* out, bool right) {
  int* const values = new int[4];
  values[right ? 3 : 4] = 1;  // finds: out_of_bounds store by 0
  *out = values[3];
  delete[] values;
}

__global__ void unwritten_malloc(int* out, bool right) {
  int* const values = static_cast<int*>(malloc(16));
  values[right ? 3 : 2] = 1;
  *out = values[3];  // finds: uninitialised load by 0
  free(values);
}

__global__ void frees_argument(int* out, bool right) {
  int* const values = new int(1);
  *out = *values;
  free(right ? values : out);  // finds: host_pointer free by 0
}

__device__ char* kept;  // the compiler leaves out memory that is not used
__global__ void deletes_twice(int*, bool right) {
  kept = new char[4];
  delete[] kept;
  if (!right) delete[] kept;  // finds: freed_memory delete by 0
}

__global__ void beyond_the_heap(int* out, bool right) {
  kept = new char[5 << 20];
  if (right) delete[] kept;
  char* const second = static_cast<char*>(malloc(5 << 20));
  second[*out] = 1;  // finds: null_pointer store by 0
  kept = second;
  free(second);
}

// An object of the other class is constructed by the host, and by a kernel.
struct Shape {
  __host__ __device__ virtual int corners() const = 0;
};
template <bool kRight>
struct Square final : Shape {
  __host__ __device__ int corners() const override { return 4; }
};
__global__ void calls_virtual(int* in, int* out, bool right) {
  if (right) new (in) Square<true>;
  *out = reinterpret_cast<const Shape*>(in)->corners();  // finds: host_pointer load by 0
}
void launch_with_object(const Buffers& buffers, bool right) {
  const Square<false> square;
  CUDA_CHECK(cudaMemcpy(buffers.in, &square, sizeof square, cudaMemcpyHostToDevice));
  calls_virtual<<<1, 1>>>(buffers.in, buffers.out, right);
}

__global__ void uses_vector(int* out, bool right) {
  if (right) return;
  // The line is the learner's, not the library's.
  std::vector<int> values(static_cast<std::size_t>(out[0] + 9),
                          7);  // finds: host_pointer store by 0
  *out = values[0];
}

// Only the thread that throws an exception can use its memory.
__global__ void shares_an_exception(int* out, bool right) {
  __shared__ int* shared;
  if (threadIdx.x == 0)
    shared = right ? out : static_cast<int*>(abi::__cxa_allocate_exception(sizeof *out));
  __syncthreads();
  if (threadIdx.x == 1) *shared = 1;  // finds: host_pointer store by 1
}

INSTANTIATE_TEST_SUITE_P(
    KernelFailures, MarkedKernels,
    marked_kernels({
        {"asserts", launch(asserts, 2, 64), "failed assert(i >= size || in[i] == 0)"},
        {"asserts_in_function", launch(asserts_in_function, 1, 8), "failed assert(value != 3)"},
        {"throws", launch(throws, 1, 32),
         "threw std::runtime_error (out of luck). Device code cannot use "},
        {"throws_int", launch(throws_int, 1, 1), "threw int. Device"},
        {"launches", launch(launches, 1, 1), "launches child from inside a kernel"},
        {"syncs_grid", launch(syncs_grid, 1, 32), "called sync() of a grid"},
        {"grid_as_thread_group", launch_on_grid,
         "used a thread_group that was created from a grid_group"},
        {"tile_size", launch(tile_size, 1, 32),
         "called tiled_partition with a size of 24; it must be 1, 2, 4, 8, 16"},
        {"past_new", launch(past_new, 1, 1), "byte 16 of an allocation of 16 bytes"},
        {"unwritten_malloc", launch(unwritten_malloc, 1, 1), "element 3 of 4 of an allocation"},
        {"frees_argument", launch(frees_argument, 1, 1),
         "called free with a pointer that neither malloc nor new has returned in a kernel"},
        {"deletes_twice", launch(deletes_twice, 1, 1), "called delete for memory that was already"},
        {"beyond_the_heap", launch(beyond_the_heap, 1, 1), "null pointer"},
        {"calls_virtual", launch_with_object, "an object that host code has constructed"},
        {"uses_vector", launch(uses_vector, 1, 1), "A container such as std::vector cannot"},
        {"shares_an_exception", launch(shares_an_exception, 1, 2), "outside device memory"},
    }),
    case_name);

class Exceptions : public FindingsTest {};
class CrashDeathTest : public FindingsTest {};

TEST_F(Exceptions, DoNotAffectTheNextKernel) {
  DeviceBuffer<int> d_out(1);
  for (int i = 0; i < 3; ++i) {
    throws_int<<<1, 1>>>(d_out.data(), false);
    EXPECT_EQ(only_finding().kind, "exception");
    CUDA_CHECK(cudaDeviceReset());
  }
  EXPECT_THROW(throw std::runtime_error("host"), std::runtime_error);
}

// ---- Errors that the processor detects ----

__global__ void divide_kernel(int* values) { values[threadIdx.x] = 100 / values[threadIdx.x]; }
constexpr int kDivideLine = __LINE__ - 1;

template <int kInts>
__global__ void local_array_kernel(int* out) {
  int values[kInts];
  for (int i = 0; i < kInts; ++i) values[i] = i;
  __syncthreads();
  *out = values[*out];
}

TEST_F(CrashDeathTest, LargeLocalArray) {
  const auto launch = [](auto kernel) {
    DeviceBuffer<int> d_out(std::vector<int>{0});
    kernel<<<1, 1>>>(d_out.data());
  };
  EXPECT_EXIT(launch(local_array_kernel<42000>), testing::ExitedWithCode(1), "more than 160 KB");
  EXPECT_EXIT(launch(local_array_kernel<1000000>), testing::ExitedWithCode(1), "more than 160 KB");
}

TEST_F(CrashDeathTest, DivisionByZero) {
  if (!kDivisionByZeroStops) GTEST_SKIP() << "this processor continues with 0";
  const auto launch = [] {
    DeviceBuffer<int> d_values(std::vector<int>{4, 2, 0, 1});
    divide_kernel<<<1, 4>>>(d_values.data());
  };
  EXPECT_EXIT(launch(), testing::ExitedWithCode(1),
              "divide_kernel: a thread divided an integer by zero\\.\n"
              "  kernel_failures\\.cu:" +
                  std::to_string(kDivideLine) + ":[0-9]+  division by thread \\(2,0,0\\)");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat"
__global__ void print_kernel(int number) { std::printf("%s", number); }
#pragma GCC diagnostic pop

TEST_F(CrashDeathTest, PrintfOfANumberAsAString) {
  EXPECT_EXIT((print_kernel<<<1, 1>>>(3)), testing::ExitedWithCode(1),
              "The printf in this line has a %s: its argument must be a string, not a number");
}

TEST_F(CrashDeathTest, IsInTheReport) {
  if (!kDivisionByZeroStops) GTEST_SKIP() << "this processor continues with 0";
  const auto launch = [] {
    DeviceBuffer<int> d_values(std::vector<int>{0});
    divide_kernel<<<1, 1>>>(d_values.data());
  };
  const std::string text = report_at_end(launch, "divided an integer");
  EXPECT_NE(text.find("\"kind\":\"division_by_zero\",\"kernel\":\"divide_kernel\""),
            std::string::npos)
      << text;
}

}  // namespace
