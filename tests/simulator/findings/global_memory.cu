#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "marked_kernels.h"
#include "tests/simulator/expect_findings.h"

// Invalid accesses to global memory.

namespace {

template <typename T>
__global__ void store(T* out, std::ptrdiff_t index) {
  // finds in past_*, before*, far_away: out_of_bounds store by 5
  // finds in first_of_*: out_of_bounds store by 5, 1 time
  // finds in host_stack: host_pointer store by 5
  if (threadIdx.x == 5) out[index] = T{};
}

template <typename T>
__global__ void load(const T* in, std::ptrdiff_t index, T* out) {
  // finds in read_past: out_of_bounds load by 5 of block 1
  if (blockIdx.x == 1 && threadIdx.x == 5) *out = in[index];
}

template <typename T>
void store_past(Buffers, bool right) {
  DeviceBuffer<T> d_values(100), d_one(1);
  if (right) {
    for (const int index : {0, 99}) {
      store<<<1, 32>>>(d_values.data(), index);
      load<<<2, 32>>>(d_values.data(), index, d_one.data());
    }
  } else {
    store<<<1, 32>>>(d_values.data(), 100);
  }
}

template <int kRight, int kWrong>
void store_to(Buffers, bool right) {
  DeviceBuffer<float> d_values(100);
  store<<<right ? 1 : 4, 32>>>(d_values.data(), right ? kRight : kWrong);
}

void store_twice(Buffers, bool right) {
  DeviceBuffer<float> d_values(100);
  store<<<1, 32>>>(d_values.data(), right ? 99 : 100);
  store<<<1, 32>>>(d_values.data(), right ? 0 : -1);  // does not run
}

// The second float2 of 3 floats ends at byte 16 of 12.
void store_half_a_vector(Buffers, bool right) {
  DeviceBuffer<float> d_values(3);
  store<<<1, 32>>>(reinterpret_cast<float2*>(d_values.data()), right ? 0 : 1);
}

// The product of a row and a row's length, both ints, in a table of more than 2^31 elements.
__global__ void load_of_a_large_table(const char* table, int row, int columns, bool right,
                                      int* out) {
  // finds: out_of_bounds load by 0
  *out = table[right ? std::size_t{0} + row * std::size_t(columns) : row * columns];
}

template <int kRow>
void load_large(Buffers d, bool right) {
  char* d_table = nullptr;
  CUDA_CHECK(cudaMalloc(&d_table, std::size_t{50'000} * 50'000));
  CUDA_CHECK(cudaMemset(d_table + std::size_t{50'000} * kRow, 1, 1));
  load_of_a_large_table<<<1, 1>>>(d_table, kRow, 50'000, right, d.out);
  CUDA_CHECK(cudaFree(d_table));
}

// The index reaches memory that was freed, but the argument points to other memory.
void store_before_into_freed(Buffers, bool right) {
  const float* const freed = DeviceBuffer<float>(100).data();
  DeviceBuffer<float> d_values(100);
  store<<<1, 32>>>(d_values.data(), right ? 0 : static_cast<int>(freed - d_values.data()));
}

void store_to_managed(Buffers, bool right) {
  float *h_pinned = nullptr, *managed = nullptr;
  CUDA_CHECK(cudaMallocHost(&h_pinned, 40));
  CUDA_CHECK(cudaMallocManaged(&managed, 40));
  store<<<1, 32>>>(h_pinned, 9);
  store<<<1, 32>>>(managed, right ? 9 : 10);
}

void store_to_the_stack(Buffers d, bool right) {
  int h_values[100] = {};
  store<<<1, 32>>>(right ? d.out : h_values, 7);
}

__global__ void null_if_used(const float* optional, float* out) {  // finds: nothing
  *out = optional ? *optional : 1.0f;
}

void load_optional(Buffers, bool) {
  DeviceBuffer<float> d_out(1);
  null_if_used<<<1, 1>>>(nullptr, d_out.data());
  EXPECT_EQ(d_out.to_host(), std::vector<float>{1.0f});
}

__global__ void coordinates(int* out, bool right) {
  const uint3 t = threadIdx, b = blockIdx;
  const int index = right ? 1023 : 1024;
  // finds: out_of_bounds store by 3,2,1 of block 1,2,3
  if (t.x == 3 && t.y == 2 && t.z == 1 && b.x == 1 && b.y == 2 && b.z == 3) out[index] = 0;
}

__global__ void atomic(int* out, bool right) {
  // finds: out_of_bounds atomic by 0
  atomicAdd(&out[right ? 1023 : 1024], 1);
}

__global__ void cached_load(int* in, int* out, bool right) {
  // finds: out_of_bounds load by 0
  *out = __ldg(&in[right ? 1023 : 1024]);
}

std::string past_100_of(int bytes) {
  const std::string size = std::to_string(100 * bytes);
  return "at byte " + size + " of an allocation of " + size +
         " bytes, which is element 100 of an array of 100";
}

INSTANTIATE_TEST_SUITE_P(
    GlobalMemory, MarkedKernels,
    marked_kernels({
        {"past_100_chars", store_past<char>, past_100_of(1)},
        {"past_100_shorts", store_past<short>, past_100_of(2)},
        {"past_100_floats", store_past<float>, past_100_of(4)},
        {"past_100_doubles", store_past<double>, past_100_of(8)},
        {"past_100_vectors", store_past<float4>, past_100_of(16)},
        {"past_half_a_vector", store_half_a_vector,
         "accesses 8 bytes from byte 8 of an allocation of 12 bytes"},
        {"load_of_a_large_table", load_large<45'000>,
         "2^32 elements before element 2250000000 of 2500000000 of an allocation...Has an index "
         "overflowed?"},
        {"past_managed", store_to_managed, "element 10 of an array of 10"},
        {"first_of_blocks", store_to<99, 100>},
        {"first_of_launches", store_twice},
        {"before", store_to<0, -1>,
         "4 bytes before the start of an allocation of 400 bytes...\n"
         "finding=out_of_bounds access=store thread=5 block=0 memory=global where=before "
         "at=-4 end=400 width=4 kernel="},
        {"far_away", store_to<0, 1 << 28>, "at byte 1073741824 of an allocation of 400 bytes"},
        {"before_into_freed", store_before_into_freed,
         "bytes before the start of an allocation of 400 bytes, in memory that was released "
         "earlier...negative...where=before"},
        {"host_stack", store_to_the_stack, "outside device memory"},
        {"read_past",
         [](Buffers d, bool right) { load<<<3, 32>>>(d.in, right ? 1023 : 1024, d.out); },
         "element 1024 of an array of 1024...\n"
         "finding=out_of_bounds access=load thread=5 block=1 memory=global where=behind "
         "at=4096 end=4096 width=4 kernel="},
        {"null_if_used", load_optional},
        {"coordinates",
         [](Buffers d, bool right) { coordinates<<<dim3(2, 3, 4), dim3(4, 4, 2)>>>(d.out, right); },
         "element 1024 of an array of 1024"},
        {"atomic", launch(atomic, 1, 1), "element 1024 of an array of 1024"},
        {"cached_load", launch(cached_load, 1, 1), "element 1024 of an array of 1024"},
    }),
    case_name);

class GlobalMemory : public FindingsTest {};

TEST_F(GlobalMemory, ColumnIsThatOfTheAccess) {
  constexpr int kStoreColumn = 36;
  DeviceBuffer<float> d_values(1);
  store<<<1, 32>>>(d_values.data(), 1);
  EXPECT_EQ(only_finding().places[0].column, kStoreColumn);
}

__global__ void two_loads_kernel(const float* a, const float* b, float* out, int i) {
  *out = a[i] * b[i + 1];
}
constexpr int kTwoLoadsLine = __LINE__ - 2;
constexpr int kFirstLoadColumn = 13, kSecondLoadColumn = 24;  // of the closing brackets

TEST_F(GlobalMemory, ColumnDistinguishesTwoAccessesOfALine) {
  DeviceBuffer<float> d_a(4), d_b(4), d_out(1);
  for (DeviceBuffer<float>* d_buffer : {&d_a, &d_b}) d_buffer->fill_bytes(0);
  two_loads_kernel<<<1, 1>>>(d_a.data(), d_b.data(), d_out.data(), 3);
  const Finding second = only_finding();
  EXPECT_EQ(second.places[0].line, kTwoLoadsLine);
  EXPECT_EQ(second.places[0].column, kSecondLoadColumn);
  CUDA_CHECK(cudaDeviceReset());

  DeviceBuffer<float> d_short(3), d_long(5), d_one(1);
  d_long.fill_bytes(0);
  two_loads_kernel<<<1, 1>>>(d_short.data(), d_long.data(), d_one.data(), 3);
  EXPECT_EQ(only_finding().places[0].column, kFirstLoadColumn);
}

TEST_F(GlobalMemory, FindingNamesTheKernel) {
  DeviceBuffer<float> d_values(3), d_one(1);
  two_loads_kernel<<<1, 1>>>(d_values.data(), d_values.data(), d_one.data(), 3);
  EXPECT_EQ(only_finding().kernel, "two_loads_kernel");
}

}  // namespace
