#include "common/ceil_div.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

// The properties that a kernel can rely on: its indices, its memory, its block's barriers, and
// every way to write a launch.

namespace {

class Indices : public DeviceTest {};
class SharedMemory : public DeviceTest {};
class Barrier : public DeviceTest {};
class Variables : public DeviceTest {};
class LaunchSyntax : public DeviceTest {};
class DeviceCode : public DeviceTest {};

struct Place {
  uint3 thread, block;
  dim3 block_size, grid_size;
};

__global__ void record_place_kernel(Place* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  Place place;
  place.thread = threadIdx;
  place.block = blockIdx;
  place.block_size = blockDim;
  place.grid_size = gridDim;
  out[block * (blockDim.x * blockDim.y * blockDim.z) + thread] = place;
}

template <typename Index>
std::array<unsigned, 3> triple(Index index) {
  return {index.x, index.y, index.z};
}

void expect_every_place_once(dim3 grid, dim3 block) {
  const unsigned threads = block.x * block.y * block.z;
  const auto places = output_of<Place>(grid.x * grid.y * grid.z * threads, [=](Place* out) {
    record_place_kernel<<<grid, block>>>(out);
  });
  std::size_t i = 0;
  for (unsigned bz = 0; bz < grid.z; ++bz)
    for (unsigned by = 0; by < grid.y; ++by)
      for (unsigned bx = 0; bx < grid.x; ++bx)
        for (unsigned tz = 0; tz < block.z; ++tz)
          for (unsigned ty = 0; ty < block.y; ++ty)
            for (unsigned tx = 0; tx < block.x; ++tx, ++i) {
              ASSERT_EQ(triple(places[i].thread), triple(uint3{tx, ty, tz})) << "thread " << i;
              ASSERT_EQ(triple(places[i].block), triple(uint3{bx, by, bz})) << "thread " << i;
              ASSERT_EQ(triple(places[i].block_size), triple(block)) << "thread " << i;
              ASSERT_EQ(triple(places[i].grid_size), triple(grid)) << "thread " << i;
            }
}

TEST_F(Indices, OneDimension) { expect_every_place_once(3, 70); }
TEST_F(Indices, TwoDimensions) { expect_every_place_once(dim3(3, 2), dim3(5, 7)); }
TEST_F(Indices, ThreeDimensions) { expect_every_place_once(dim3(2, 3, 4), dim3(4, 3, 2)); }
TEST_F(Indices, OnlyTheThirdDimension) { expect_every_place_once(dim3(1, 1, 5), dim3(1, 1, 64)); }
TEST_F(Indices, LargestBlock) { expect_every_place_once(2, dim3(32, 32)); }

__global__ void add_kernel(const int* a, const int* b, int* out, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) out[i] = a[i] + b[i];
}

TEST_F(Indices, GuardStopsTheLastBlock) {
  const int size = 1000;
  const DeviceBuffer<int> d_a(generated<int>(size, [](int i) { return i; }));
  const DeviceBuffer<int> d_b(generated<int>(size, [](int i) { return -3 * i; }));
  EXPECT_EQ(output_of<int>(size,
                           [&](int* out) {
                             const int threads = 96;
                             add_kernel<<<ceil_div(size, threads), threads>>>(
                                 d_a.data(), d_b.data(), out, size);
                           }),
            generated<int>(size, [](int i) { return -2 * i; }));
}

// ---- Shared memory ----

__global__ void reverse_in_block_kernel(int* out) {
  __shared__ int values[100];
  values[threadIdx.x] = static_cast<int>(blockIdx.x * 1000 + threadIdx.x);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

TEST_F(SharedMemory, EachBlockHasItsOwn) {
  EXPECT_EQ(output_of<int>(300, [](int* out) { reverse_in_block_kernel<<<3, 100>>>(out); }),
            generated<int>(300, [](int i) { return i / 100 * 1000 + 99 - i % 100; }));
}

struct Mixed {
  double real;
  char letter;
};

__global__ void several_types_kernel(double* out) {
  __shared__ char letters[5];
  __shared__ double reals[3];
  __shared__ short grid[2][3];
  __shared__ Mixed mixed;
  __shared__ float4 vector;
  if (threadIdx.x == 0) {
    for (int i = 0; i < 5; ++i) letters[i] = static_cast<char>('a' + i);
    for (int i = 0; i < 3; ++i) reals[i] = 0.5 * i;
    for (int row = 0; row < 2; ++row)
      for (int col = 0; col < 3; ++col) grid[row][col] = static_cast<short>(10 * row + col);
    mixed.real = -2.5;
    mixed.letter = 'z';
    vector = make_float4(1, 2, 3, 4);
  }
  __syncthreads();
  if (threadIdx.x == 33) {
    out[0] = letters[4];
    out[1] = reals[2];
    out[2] = grid[1][2];
    out[3] = mixed.real;
    out[4] = mixed.letter;
    out[5] = vector.w;
    out[6] = sizeof(letters) + sizeof(reals) + sizeof(grid);
  }
}

TEST_F(SharedMemory, HoldsEveryType) {
  EXPECT_EQ(output_of<double>(7, [](double* out) { several_types_kernel<<<1, 64>>>(out); }),
            (std::vector<double>{'e', 1.0, 12, -2.5, 'z', 4, 5 + 24 + 12}));
}

template <typename T, int kSize>
__global__ void reverse_kernel(const T* in, T* out) {
  __shared__ T values[kSize];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[kSize - 1 - threadIdx.x];
}

template <typename T, int kSize>
void expect_reversed() {
  const DeviceBuffer<T> d_in(generated<T>(kSize, [](int i) { return i + 1; }));
  EXPECT_EQ(output_of<T>(kSize,
                         [&](T* out) { reverse_kernel<T, kSize><<<1, kSize>>>(d_in.data(), out); }),
            generated<T>(kSize, [=](int i) { return kSize - i; }));
}

TEST_F(SharedMemory, EachInstantiationHasItsOwn) {
  expect_reversed<char, 40>();
  expect_reversed<short, 33>();
  expect_reversed<int, 1024>();
  expect_reversed<double, 65>();
}

__shared__ int namespace_scope_values[64];

__device__ int neighbour_value() { return namespace_scope_values[(threadIdx.x + 1) % 64]; }

__global__ void namespace_scope_kernel(int* out) {
  namespace_scope_values[threadIdx.x] = static_cast<int>(7 * threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = neighbour_value();
}

TEST_F(SharedMemory, AtNamespaceScope) {
  EXPECT_EQ(output_of<int>(64, [](int* out) { namespace_scope_kernel<<<1, 64>>>(out); }),
            generated<int>(64, [](int i) { return 7 * ((i + 1) % 64); }));
}

__device__ int sum_of_warp_leaders(int value) {
  __shared__ int leaders[32];
  if (threadIdx.x % 32 == 0) leaders[threadIdx.x / 32] = value;
  __syncthreads();
  int sum = 0;
  for (unsigned warp = 0; warp < blockDim.x / 32; ++warp) sum += leaders[warp];
  return sum;
}

__global__ void shared_in_device_function_kernel(int* out) {
  out[threadIdx.x] = sum_of_warp_leaders(static_cast<int>(threadIdx.x) + 1);
}

TEST_F(SharedMemory, InADeviceFunction) {  // 1 + 33 + 65
  EXPECT_EQ(output_of<int>(96, [](int* out) { shared_in_device_function_kernel<<<1, 96>>>(out); }),
            std::vector<int>(96, 99));
}

__global__ void dynamic_kernel(int* out) {
  extern __shared__ int dynamic_ints[];
  dynamic_ints[threadIdx.x] = static_cast<int>(threadIdx.x * threadIdx.x);
  __syncthreads();
  out[threadIdx.x] = dynamic_ints[blockDim.x - 1 - threadIdx.x];
}

TEST_F(SharedMemory, DynamicInAFunction) {
  EXPECT_EQ(output_of<int>(50, [](int* out) { dynamic_kernel<<<1, 50, 50 * sizeof(int)>>>(out); }),
            generated<int>(50, [](int i) { return (49 - i) * (49 - i); }));
}

extern __shared__ double dynamic_doubles[];

__global__ void dynamic_at_namespace_scope_kernel(double* out) {
  dynamic_doubles[threadIdx.x] = 0.25 * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = dynamic_doubles[(threadIdx.x + 1) % blockDim.x];
}

TEST_F(SharedMemory, DynamicAtNamespaceScope) {
  EXPECT_EQ(
      output_of<double>(40,
                        [](double* out) {
                          dynamic_at_namespace_scope_kernel<<<1, 40, 40 * sizeof(double)>>>(out);
                        }),
      generated<double>(40, [](int i) { return 0.25 * ((i + 1) % 40); }));
}

template <typename T>
__global__ void dynamic_bytes_kernel(T* out) {
  extern __shared__ __align__(16) unsigned char dynamic_bytes[];
  T* const values = reinterpret_cast<T*>(dynamic_bytes);
  values[threadIdx.x] = static_cast<T>(threadIdx.x + 0.5);
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x ^ 1];
}

TEST_F(SharedMemory, DynamicBytesForAnyType) {
  EXPECT_EQ(
      output_of<float>(
          34, [](float* out) { dynamic_bytes_kernel<float><<<1, 34, 34 * sizeof(float)>>>(out); }),
      generated<float>(34, [](int i) { return (i ^ 1) + 0.5; }));
  EXPECT_EQ(output_of<short>(
                34, [](short* out) { dynamic_bytes_kernel<<<1, 34, 34 * sizeof(short)>>>(out); }),
            generated<short>(34, [](int i) { return i ^ 1; }));
}

__global__ void static_and_dynamic_kernel(int* out) {
  __shared__ int fixed[32];
  extern __shared__ int2 dynamic_pairs[];
  fixed[threadIdx.x] = static_cast<int>(threadIdx.x);
  dynamic_pairs[threadIdx.x] = make_int2(100, static_cast<int>(threadIdx.x));
  __syncthreads();
  const unsigned other = 31 - threadIdx.x;
  out[threadIdx.x] = fixed[other] + dynamic_pairs[other].x + 1000 * dynamic_pairs[other].y;
}

TEST_F(SharedMemory, StaticAndDynamicDoNotOverlap) {
  EXPECT_EQ(output_of<int>(
                32, [](int* out) { static_and_dynamic_kernel<<<1, 32, 32 * sizeof(int2)>>>(out); }),
            generated<int>(32, [](int i) { return 100 + 1001 * (31 - i); }));
}

// ---- Barriers ----

__global__ void tree_sum_kernel(int* out) {
  __shared__ int values[256];
  values[threadIdx.x] = static_cast<int>(threadIdx.x) + 1;
  __syncthreads();
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) values[threadIdx.x] += values[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = values[0];
}

TEST_F(Barrier, InALoop) {
  EXPECT_EQ(output_of<int>(2, [](int* out) { tree_sum_kernel<<<2, 256>>>(out); }),
            std::vector<int>(2, 256 * 257 / 2));
}

__global__ void rotate_kernel(int* out, int rounds) {
  __shared__ int values[2][96];
  values[0][threadIdx.x] = static_cast<int>(threadIdx.x);
  for (int round = 0; round < rounds; ++round) {
    __syncthreads();
    values[(round + 1) % 2][threadIdx.x] = values[round % 2][(threadIdx.x + 1) % blockDim.x];
  }
  out[threadIdx.x] = values[rounds % 2][threadIdx.x];
}

TEST_F(Barrier, OrdersEveryRound) {
  EXPECT_EQ(output_of<int>(96, [](int* out) { rotate_kernel<<<1, 96>>>(out, 50); }),
            generated<int>(96, [](int i) { return (i + 50) % 96; }));
}

struct Votes {
  int count, all, any;
  bool operator==(const Votes& other) const {
    return count == other.count && all == other.all && any == other.any;
  }
};

__global__ void vote_kernel(Votes* out, int below) {
  const int predicate = static_cast<int>(threadIdx.x) < below ? 2 : 0;  // any value but 0 is true
  Votes votes;
  votes.count = __syncthreads_count(predicate);
  votes.all = __syncthreads_and(predicate) != 0;
  votes.any = __syncthreads_or(predicate) != 0;
  out[threadIdx.x] = votes;
}

TEST_F(Barrier, CountsPredicatesOfTheBlock) {
  const auto votes = [](int below) {
    return output_of<Votes>(100, [=](Votes* out) { vote_kernel<<<1, 100>>>(out, below); });
  };
  EXPECT_TRUE(votes(0) == std::vector<Votes>(100, Votes{0, 0, 0}));
  EXPECT_TRUE(votes(37) == std::vector<Votes>(100, Votes{37, 0, 1}));
  EXPECT_TRUE(votes(100) == std::vector<Votes>(100, Votes{100, 1, 1}));
}

// ---- __constant__ and __device__ variables ----

__constant__ float coefficients[4];
__device__ int counter = 5;
__device__ int table[8];
__constant__ int3 fixed_at_compile_time = {4, 5, 6};

__global__ void polynomial_kernel(float* out) {
  const float x = static_cast<float>(threadIdx.x);
  out[threadIdx.x] =
      coefficients[0] + x * (coefficients[1] + x * (coefficients[2] + x * coefficients[3]));
}

TEST_F(Variables, ConstantMemoryIsCopiedToItsSymbol) {
  const float first[] = {1, 2, 3, 4};
  CUDA_CHECK(cudaMemcpyToSymbol(coefficients, first, sizeof first));
  const float third = -1;
  CUDA_CHECK(cudaMemcpyToSymbol(coefficients, &third, sizeof third, 2 * sizeof(float)));
  EXPECT_EQ(output_of<float>(3, [](float* out) { polynomial_kernel<<<1, 3>>>(out); }),
            (std::vector<float>{1, 1 + 2 - 1 + 4, 1 + 4 - 4 + 32}));
}

__global__ void read_fixed_kernel(int* out) {
  out[0] = fixed_at_compile_time.x;
  out[1] = fixed_at_compile_time.z;
}

TEST_F(Variables, ConstantMemoryKeepsItsInitialiser) {
  EXPECT_EQ(output_of<int>(2, [](int* out) { read_fixed_kernel<<<1, 1>>>(out); }),
            (std::vector<int>{4, 6}));
}

__global__ void count_kernel() { atomicAdd(&counter, 1); }

TEST_F(Variables, DeviceVariableLivesFromLaunchToLaunch) {
  int before = 0, after = 0;
  CUDA_CHECK(cudaMemcpyFromSymbol(&before, counter, sizeof before));
  count_kernel<<<2, 10>>>();
  count_kernel<<<1, 3>>>();
  CUDA_CHECK(cudaMemcpyFromSymbol(&after, counter, sizeof after));
  EXPECT_EQ(before, 5);
  EXPECT_EQ(after, 5 + 23);
}

__global__ void square_table_kernel() {
  table[threadIdx.x] = static_cast<int>(threadIdx.x * threadIdx.x);
}

TEST_F(Variables, SymbolIsReadFromAnOffset) {
  square_table_kernel<<<1, 8>>>();
  std::vector<int> middle(3);
  CUDA_CHECK(cudaMemcpyFromSymbol(middle.data(), table, 3 * sizeof(int), 4 * sizeof(int)));
  EXPECT_EQ(middle, (std::vector<int>{16, 25, 36}));
}

// ---- Ways to write a launch ----

struct Parameters {
  int scale;
  int offsets[3];
};

__global__ void by_value_kernel(int* out, Parameters parameters, char sign, double factor) {
  const int lane = static_cast<int>(threadIdx.x);
  const int value = static_cast<int>(factor * (parameters.scale * lane + parameters.offsets[lane]));
  out[lane] = sign == '-' ? -value : value;
}

TEST_F(LaunchSyntax, ArgumentsAreCopied) {
  EXPECT_EQ(output_of<int>(3,
                           [](int* out) {
                             Parameters parameters = {10, {1, 2, 3}};
                             by_value_kernel<<<1, 3>>>(out, parameters, '-', 2.0);
                             parameters.scale = 0;
                           }),
            (std::vector<int>{-2, -24, -46}));
}

__global__ void own_argument_kernel(int* out, int value) {
  value += static_cast<int>(threadIdx.x);  // a thread's own copy
  out[threadIdx.x] = value;
}

TEST_F(LaunchSyntax, EachThreadHasItsOwnArguments) {
  EXPECT_EQ(output_of<int>(4, [](int* out) { own_argument_kernel<<<1, 4>>>(out, 100); }),
            (std::vector<int>{100, 101, 102, 103}));
}

template <typename T>
__global__ void fill_kernel(T* out, T value) {
  out[threadIdx.x] = value;
}

template <int kFactor, bool kNegate, typename T>
__global__ void scaled_kernel(T* out) {
  const T value = static_cast<T>(kFactor * static_cast<int>(threadIdx.x));
  out[threadIdx.x] = kNegate ? -value : value;
}

TEST_F(LaunchSyntax, TemplateArgumentsAreDeduced) {
  EXPECT_EQ(output_of<double>(3, [](double* out) { fill_kernel<<<1, 3>>>(out, 1.5); }),
            std::vector<double>(3, 1.5));
}

TEST_F(LaunchSyntax, TemplateArgumentsAreGiven) {
  EXPECT_EQ(output_of<int>(3, [](int* out) { fill_kernel<int><<<1, 3>>>(out, 7); }),
            std::vector<int>(3, 7));
  EXPECT_EQ(output_of<float>(3, [](float* out) { scaled_kernel<2 + 1, (2 > 1)><<<1, 3>>>(out); }),
            (std::vector<float>{-0.0f, -3, -6}));
}

__global__ void which_overload_kernel(int* out, int) { *out = 1; }
__global__ void which_overload_kernel(int* out, float) { *out = 2; }
__global__ void which_overload_kernel(int* out, const int*) { *out = 3; }

TEST_F(LaunchSyntax, OverloadIsChosenByTheArguments) {
  EXPECT_EQ(output_of<int>(3,
                           [](int* out) {
                             which_overload_kernel<<<1, 1>>>(out, 7);
                             which_overload_kernel<<<1, 1>>>(out + 1, 7.0f);
                             which_overload_kernel<<<1, 1>>>(out + 2, out);
                           }),
            (std::vector<int>{1, 2, 3}));
}

namespace outer {
namespace inner {
__global__ void named_kernel(int* out) { *out = 10; }
}  // namespace inner
__global__ void named_kernel(int* out) { *out = 20; }
}  // namespace outer
__global__ void named_kernel(int* out) { *out = 30; }

TEST_F(LaunchSyntax, NamespacesAreKeptApart) {
  EXPECT_EQ(output_of<int>(3,
                           [](int* out) {
                             outer::inner::named_kernel<<<1, 1>>>(out);
                             outer::named_kernel<<<1, 1>>>(out + 1);
                             named_kernel<<<1, 1>>>(out + 2);
                           }),
            (std::vector<int>{10, 20, 30}));
}

struct Stage {
  const char* name;
  void (*kernel)(int*);
};

TEST_F(LaunchSyntax, ThroughAFunctionPointer) {
  void (*const pointer)(int*) = outer::named_kernel;
  const Stage stages[] = {{"inner", outer::inner::named_kernel}, {"outer", outer::named_kernel}};
  const Stage* const first = stages;
  EXPECT_EQ(output_of<int>(4,
                           [&](int* out) {
                             pointer<<<1, 1>>>(out);
                             (*pointer)<<<1, 1>>>(out + 1);
                             stages[1].kernel<<<1, 1>>>(out + 2);
                             first->kernel<<<1, 1>>>(out + 3);
                           }),
            (std::vector<int>{20, 20, 20, 10}));
}

#define LAUNCH_WITH_THREADS(kernel, threads, ...) kernel<<<1, (threads)>>>(__VA_ARGS__)

TEST_F(LaunchSyntax, InAMacro) {
  EXPECT_EQ(output_of<int>(5, [](int* out) { LAUNCH_WITH_THREADS(fill_kernel, 5, out, 3); }),
            std::vector<int>(5, 3));
}

TEST_F(LaunchSyntax, OverSeveralLines) {
  const dim3 grid(1), block(2);
  const auto launch = [=](long* out) {
    // clang-format off
    fill_kernel<
        long>  // a comment with <<<
        <<<grid,
           block,
           0,
           nullptr>>>(
            out,
            42);
    // clang-format on
  };
  EXPECT_EQ(output_of<long>(2, launch), std::vector<long>(2, 42));
}

TEST_F(LaunchSyntax, AsTheBodyOfAnIf) {
  EXPECT_EQ(output_of<int>(1,
                           [](int* out) {
                             for (int i = 0; i < 4; ++i)
                               if (i % 2 == 0)
                                 fill_kernel<<<1, 1>>>(out, i);
                               else
                                 fill_kernel<<<1, 1>>>(out, -i);
                           }),
            std::vector<int>{-3});
}

TEST_F(LaunchSyntax, ConfigurationIsAnyExpression) {
  const int size = 100, threads = 32;
  cudaStream_t stream = nullptr;
  CUDA_CHECK(cudaStreamCreate(&stream));
  const auto launch = [=](int* out) {
    // clang-format off
    fill_kernel<<<dim3(1 << 0), (size + threads - 1) / threads, sizeof(int[4]) >> 2, stream>>>(out, size >> 3);
    // clang-format on
  };
  EXPECT_EQ(output_of<int>(4, launch), std::vector<int>(4, 12));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

// ---- Device code ----

__global__ void __launch_bounds__(128) bounded_kernel(int* out) { out[threadIdx.x] = 1; }
__global__ __launch_bounds__(128, 2) void bounded_twice_kernel(int* out) { out[threadIdx.x] = 2; }

TEST_F(DeviceCode, LaunchBounds) {
  EXPECT_EQ(output_of<int>(128, [](int* out) { bounded_kernel<<<1, 128>>>(out); }),
            std::vector<int>(128, 1));
  EXPECT_EQ(output_of<int>(64, [](int* out) { bounded_twice_kernel<<<1, 64>>>(out); }),
            std::vector<int>(64, 2));
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void fibonacci_kernel(int* out) {
  out[threadIdx.x] = fibonacci(static_cast<int>(threadIdx.x));
}

TEST_F(DeviceCode, Recursion) {
  EXPECT_EQ(output_of<int>(11, [](int* out) { fibonacci_kernel<<<1, 11>>>(out); }),
            (std::vector<int>{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55}));
}

__global__ void large_local_array_kernel(int* out, int stride) {
  int values[4096];  // 16 KB
  for (int i = 0; i < 4096; ++i) values[(i * stride) % 4096] = i + static_cast<int>(threadIdx.x);
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 4096; ++i) sum += values[i];
  out[threadIdx.x] = sum;
}

TEST_F(DeviceCode, LargeLocalArray) {  // an odd stride reaches every element
  EXPECT_EQ(output_of<int>(4, [](int* out) { large_local_array_kernel<<<1, 4>>>(out, 7); }),
            generated<int>(4, [](int i) { return 4096 * 4095 / 2 + 4096 * i; }));
}

__global__ void print_kernel(const char* nothing) {
  if (threadIdx.x == 2)
    printf("block %u, thread %u: %.2f %s\n", blockIdx.x, threadIdx.x, 1.5, nothing ? "?" : "null");
}

TEST_F(DeviceCode, Printf) {
  testing::internal::CaptureStdout();
  print_kernel<<<1, 4>>>(nullptr);
  const cudaError_t error = cudaDeviceSynchronize();
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "block 0, thread 2: 1.50 null\n");
  EXPECT_EQ(error, cudaSuccess);
}

// ---- __CUDA_ARCH__ ----

__host__ __device__ int where_it_runs() {
#ifdef __CUDA_ARCH__
  return 1;
#else
  return 2;
#endif
}

template <typename T>
__host__ __device__ T doubled_on_the_device(T value) {
  T result = value;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 300
  result = 0;
#elif defined(__CUDA_ARCH__)
  const T twice = 2 * value;
  result = twice;
#endif
  return result;
}

__global__ void architecture_kernel(int* out) {
#if __CUDA_ARCH__ >= 700
  out[0] = 1;
#else
  out[0] = 2;
#endif
#ifndef __CUDA_ARCH__
  out[1] = 3;
#else
  out[1] = __CUDA_ARCH__ >= 700 ? 4 : 5;
#endif
  out[2] = where_it_runs();
  out[3] = doubled_on_the_device(21);
}

TEST_F(DeviceCode, HasItsArchitecture) {
  EXPECT_EQ(output_of<int>(4, [](int* out) { architecture_kernel<<<1, 1>>>(out); }),
            (std::vector<int>{1, 4, 1, 42}));
#ifdef __CUDA_ARCH__
  FAIL() << "this is the host";
#endif
  EXPECT_EQ(where_it_runs(), 2);
  EXPECT_EQ(doubled_on_the_device(21), 21);
}

struct Accumulator {
  int sum = 0;
  __device__ void add(int value) { sum += value; }
};

template <typename Function>
__global__ void apply_kernel(int* out, Function function) {
  Accumulator accumulator;
  for (int i = 0; i <= static_cast<int>(threadIdx.x); ++i) accumulator.add(function(i));
  out[threadIdx.x] = accumulator.sum;
}

struct Cube {
  __device__ int operator()(int x) const { return x * x * x; }
};

TEST_F(DeviceCode, ClassesAndFunctionObjects) {
  EXPECT_EQ(output_of<int>(4, [](int* out) { apply_kernel<<<1, 4>>>(out, Cube{}); }),
            (std::vector<int>{0, 1, 9, 36}));
}

struct Pair {
  int first, second;
};
__global__ void add_pair_kernel(Pair pair, int* out) {
  out[threadIdx.x] = pair.first + pair.second;
}

TEST_F(LaunchSyntax, AnArgumentInBraces) {
  EXPECT_EQ(output_of<int>(2, [](int* out) { add_pair_kernel<<<1, 2>>>({1, 2}, out); }),
            (std::vector<int>{3, 3}));
}

// ---- The heap ----

__device__ int* kept[4];
__global__ void keep_kernel() {
  kept[threadIdx.x] = static_cast<int*>(malloc(8));
  kept[threadIdx.x][1] = static_cast<int>(threadIdx.x) + 5;
}
__global__ void free_kernel(int* out) {
  int* const sum = new int[2];
  sum[1] = kept[threadIdx.x][1] + kept[3 - threadIdx.x][1];
  out[threadIdx.x] = sum[1];
  delete[] sum;
  __syncthreads();
  free(kept[threadIdx.x]);
}

TEST_F(DeviceCode, MemoryOfAKernelLivesUntilAKernelFreesIt) {
  keep_kernel<<<1, 4>>>();
  EXPECT_EQ(output_of<int>(4, [](int* out) { free_kernel<<<1, 4>>>(out); }),
            std::vector<int>(4, 13));
}

}  // namespace
