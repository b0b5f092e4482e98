#include "common/device_buffer.h"

#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "marked_kernels.h"

// The value that a shuffle takes from a lane that does not take part is undefined. It is a finding
// if it is stored.

namespace {

constexpr unsigned kAll = 0xffffffff;

// The upper lanes take values from lanes that do not exist, also in the correct kernel; their sums
// are not used.
template <typename T>
__global__ void tree_kernel(const T* in, T* out, int lanes, int first_offset, unsigned mask) {
  if (static_cast<int>(threadIdx.x) >= lanes) return;
  T sum = in[threadIdx.x];
  for (int offset = first_offset; offset > 0; offset /= 2)
    sum = sum + __shfl_down_sync(mask, sum, offset);  // finds in tree_*: barrier shuffle by 0
  if (threadIdx.x == 0) *out = sum;                   // finds in tree_*: barrier store by 0
}

template <typename T>
T tree_sum(int lanes, int first_offset, unsigned mask) {
  std::vector<T> h_in;
  for (int i = 0; i < 32; ++i) h_in.push_back(T(i + 1));
  const DeviceBuffer<T> d_in(h_in);
  DeviceBuffer<T> d_out(1);
  tree_kernel<<<1, 32>>>(d_in.data(), d_out.data(), lanes, first_offset, mask);
  return d_out.to_host()[0];
}

template <typename T, unsigned kMask>
void sum_tree(Buffers, bool right) {
  if (right) {
    EXPECT_EQ(tree_sum<T>(32, 16, kAll), T(528));
    EXPECT_EQ(tree_sum<T>(8, 4, kAll), T(36));  // exited lanes can be in the mask
    EXPECT_EQ(tree_sum<T>(8, 4, 0xff), T(36));
    EXPECT_EQ(tree_sum<T>(4, 2, 0x0f), T(10));
  } else {
    tree_sum<T>(8, 16, kMask);
  }
}

__global__ void added(float* out, bool right) {
  if (threadIdx.x >= 8) return;
  float sum = 1;
  for (int offset = right ? 4 : 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(kAll, sum, offset);  // finds: barrier shuffle by 0
  if (threadIdx.x == 0) atomicAdd(out, sum);     // finds: barrier atomic by 0
}

template <typename T>
__global__ void greatest(T* out, bool right) {
  if (threadIdx.x >= 8) return;
  T value = -T(threadIdx.x + 1);
  for (int offset = right ? 4 : 16; offset > 0; offset /= 2) {
    // finds in greatest_*: barrier shuffle by 0
    const T other = __shfl_down_sync(0xff, value, offset);
    value = sizeof(T) == 8 ? max(value, other) : T(-fminf(-float(value), -float(other)));
  }
  if (threadIdx.x == 0) *out = value;  // finds in greatest_*: barrier store by 0
}

template <typename T>
void find_greatest(Buffers, bool right) {
  DeviceBuffer<T> d_out(1);
  greatest<<<1, 32>>>(d_out.data(), right);
  EXPECT_TRUE(!right || d_out.to_host()[0] == T(-1));
}

void add_tree(Buffers, bool right) {
  DeviceBuffer<float> d_sum(1);
  d_sum.fill_bytes(0);
  added<<<1, 32>>>(d_sum.data(), right);
  if (right) {
    EXPECT_EQ(d_sum.to_host()[0], 8);
  }
}

// One lane's undefined value reaches another lane through a second shuffle.
__global__ void two_steps(const float* in, float* out, bool right) {
  const unsigned mask = right ? 0xffffffff : 0x00ffffff;
  if (!right && threadIdx.x >= 24) return;
  float sum = in[threadIdx.x];
  // Lanes 16 to 23 take values from lanes 24 to 31, and pass them to lanes 0 to 7.
  sum += __shfl_xor_sync(mask, sum, 8);  // finds: barrier shuffle by 16
  sum += __shfl_xor_sync(mask, sum, 16);
  if (threadIdx.x == 0) *out = sum * 0.5f;  // finds: barrier
}

// Correct: each undefined value is dropped, and later values do not depend on it.
__global__ void dropped(const float* in, float* out, const int* numbers, int* counts,
                        int size) {  // finds: nothing
  const int i = static_cast<int>(threadIdx.x);
  if (i >= size) return;
  const unsigned mask = (1u << size) - 1;
  float next = __shfl_down_sync(mask, in[i], 1);
  if (i == size - 1) next = 0;
  out[i] = next - in[i];
  // Two sums, one after the other: the second does not contain the undefined values of the first.
  float sum = in[i], squares = in[i] * in[i];
  for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_down_sync(mask, sum, offset);
  for (int offset = 4; offset > 0; offset /= 2) squares += __shfl_down_sync(mask, squares, offset);
  sum = __shfl_sync(mask, sum, 0);
  out[i + 8] = sum;
  if (i == 0) out[16] = squares;
  int largest = numbers[i], count = 0;
  for (int offset = 4; offset > 0; offset /= 2) {
    const int other = __shfl_down_sync(mask, largest, offset);
    if (i + offset < size && other > largest) largest = other;
  }
  counts[i] = count;
  if (i == 0) counts[8] = largest;
}

void drop(Buffers, bool) {
  std::vector<float> h_in(8);
  std::iota(h_in.begin(), h_in.end(), 1.0f);
  const DeviceBuffer<float> d_in(h_in);
  const DeviceBuffer<int> d_numbers(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6});
  DeviceBuffer<float> d_out(17);
  DeviceBuffer<int> d_counts(9);
  dropped<<<1, 32>>>(d_in.data(), d_out.data(), d_numbers.data(), d_counts.data(), 8);
  const std::vector<float> h_out = d_out.to_host();
  EXPECT_EQ(h_out[7], -8.0f);
  EXPECT_EQ(h_out[15], 36.0f);
  EXPECT_EQ(h_out[16], 204.0f);
  EXPECT_EQ(d_counts.to_host()[8], 9);
}

void sum_tree_of_halves(Buffers, bool right) {
  const float sum = static_cast<float>(tree_sum<__half>(8, right ? 4 : 16, 0xff));
  EXPECT_TRUE(!right || sum == 36.0f) << sum;
}

void take_two_steps(Buffers, bool right) {
  const DeviceBuffer<float> d_in(std::vector<float>(32, 1.0f));
  DeviceBuffer<float> d_out(1);
  two_steps<<<1, 32>>>(d_in.data(), d_out.data(), right);
}

constexpr char kEnded[] =
    "lane 0 of a warp takes a value from lane 16...it is in the mask (0xffffffff), but it has "
    "ended";
constexpr char kNotNamed[] =
    "lane 0 of a warp takes a value from lane 16...the mask (0x000000ff) does not include it";

INSTANTIATE_TEST_SUITE_P(ShuffledValues, MarkedKernels,
                         marked_kernels({
                             {"tree_of_floats", sum_tree<float, kAll>, kEnded},
                             {"added", add_tree, kEnded},
                             {"tree_of_doubles", sum_tree<double, kAll>, kEnded},
                             {"tree_of_ints", sum_tree<int, kAll>, kEnded},
                             {"tree_of_unsigneds", sum_tree<unsigned, kAll>, kEnded},
                             {"tree_of_long_longs", sum_tree<long long, kAll>, kEnded},
                             {"tree_of_named_floats", sum_tree<float, 0xff>, kNotNamed},
                             {"tree_of_named_doubles", sum_tree<double, 0xff>, kNotNamed},
                             {"tree_of_named_ints", sum_tree<int, 0xff>, kNotNamed},
                             {"tree_of_named_unsigneds", sum_tree<unsigned, 0xff>, kNotNamed},
                             {"tree_of_named_long_longs", sum_tree<long long, 0xff>, kNotNamed},
                             {"tree_of_halves", sum_tree_of_halves},
                             {"greatest_of_floats", find_greatest<float>, kNotNamed},
                             {"greatest_of_doubles", find_greatest<double>, kNotNamed},
                             {"two_steps", take_two_steps,
                              "lane 16 of a warp takes a value from lane 24"},
                             {"dropped", drop},
                         }),
                         case_name);

}  // namespace
