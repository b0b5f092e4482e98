#include "lane_inputs.h"

#include <cooperative_groups.h>

#include <algorithm>

// Shared memory as learners use it: elements of 1 to 16 bytes, structures, transposes, scans,
// groups. Each block works on its own kLaneThreads elements.

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = kLaneThreads;

std::vector<Case> cases;

int first_of(int i) { return i / kThreads * kThreads; }

// Thread t stores element t and loads element t * stride, with wrap-around.
template <typename T, int kStride>
__global__ void strided(LaneInputs in, float* out) {
  __shared__ T values[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  values[t] = static_cast<T>(in.ints[i] % 100);
  __syncthreads();
  out[i] = static_cast<float>(values[t * kStride % kThreads]);
}
template <typename T, int kStride>
Added strided_case(const std::string& name) {
  return {cases, lane_case(
                     name, "shared elements of a type, N apart",
                     [](const LaneInputs& in, float* out, int i) {
                       const int from = first_of(i) + i % kThreads * kStride % kThreads;
                       out[i] = static_cast<float>(in.ints[from] % 100);
                     },
                     strided<T, kStride>)};
}
const Added strided_cases[] = {strided_case<unsigned char, 1>("shared_bytes/1"),
                               strided_case<unsigned char, 5>("shared_bytes/5"),
                               strided_case<short, 1>("shared_shorts/1"),
                               strided_case<short, 33>("shared_shorts/33"),
                               strided_case<double, 1>("shared_doubles/1"),
                               strided_case<double, 3>("shared_doubles/3"),
                               strided_case<double, 16>("shared_doubles/16")};

// The same with vectors; adds their last member.
template <typename T, int kStride>
__global__ void strided_vectors(const T* in, float* out) {
  __shared__ T values[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  values[t * kStride % kThreads] = in[i];
  __syncthreads();
  const T value = values[(t * kStride + 3) % kThreads];
  out[i] = static_cast<float>(value.x) + static_cast<float>(value.y);
}

template <typename T>
__host__ __device__ const T* vectors_of(const LaneInputs& in);
template <>
__host__ __device__ const float2* vectors_of(const LaneInputs& in) {
  return reinterpret_cast<const float2*>(in.floats);
}
template <>
__host__ __device__ const float4* vectors_of(const LaneInputs& in) {
  return reinterpret_cast<const float4*>(in.floats);
}
template <>
__host__ __device__ const double2* vectors_of(const LaneInputs& in) {
  return reinterpret_cast<const double2*>(in.doubles);
}

template <typename T, int kStride>
Added vectors_case(const std::string& name) {
  const auto launch = [](LaneInputs in, float* out) {
    strided_vectors<T, kStride><<<kLaneBlocks, kThreads>>>(vectors_of<T>(in), out);
  };
  // The thread that loads what thread i stored.
  const auto thread = [](const LaneInputs& in, float* out, int i) {
    int reader = first_of(i);
    while ((reader * kStride + 3 - i * kStride) % kThreads != 0) ++reader;
    const T value = vectors_of<T>(in)[i];
    out[reader] = static_cast<float>(value.x) + static_cast<float>(value.y);
  };
  return {cases, {name, "shared vectors of a type, stored and loaded N apart", [=] {
                    check_lanes(launch, thread);
                  }}};
}
const Added vectors_cases[] = {
    vectors_case<float2, 1>("shared_float2/1"),  vectors_case<float2, 5>("shared_float2/5"),
    vectors_case<float4, 1>("shared_float4/1"),  vectors_case<float4, 3>("shared_float4/3"),
    vectors_case<float4, 9>("shared_float4/9"),  vectors_case<double2, 1>("shared_double2/1"),
    vectors_case<double2, 7>("shared_double2/7")};

struct Record {  // 12 bytes
  float value;
  int key, more;
};

__global__ void records(LaneInputs in, float* out) {
  __shared__ Record kept[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  kept[t].value = in.floats[i];
  kept[t].key = in.ints[i];
  __syncthreads();
  const int other = kThreads - 1 - t;
  out[i] = kept[other].value + static_cast<float>(kept[other].key);
}
LANE_CASE(records_of_12_bytes, "two fields of structures of 12 bytes", records) {
  const int other = first_of(i) + kThreads - 1 - i % kThreads;
  out[i] = in.floats[other] + static_cast<float>(in.ints[other]);
}

template <int kPitch>
__global__ void turn_tile(LaneInputs in, float* out) {  // 16 x 8, by one warp of each 16 x 2
  __shared__ double tile[8][kPitch];
  const int t = threadIdx.x, first = blockIdx.x * kThreads;
  tile[t / 16][t % 16] = in.doubles[first + t];
  __syncthreads();
  out[first + t] = static_cast<float>(tile[t % 8][t / 8]);
}
void turn_thread(const LaneInputs& in, float* out, int i) {
  const int t = i % kThreads;
  out[i] = static_cast<float>(in.doubles[first_of(i) + t % 8 * 16 + t / 8]);
}
const char* const kTurn = "a tile of doubles is transposed, with rows of N";
const Added turn_cases[] = {
    {cases, lane_case("turn_doubles/16", kTurn, turn_thread, turn_tile<16>)},
    {cases, lane_case("turn_doubles/17", kTurn, turn_thread, turn_tile<17>)}};

__global__ void swizzled_tile(LaneInputs in, float* out) {  // 4 rows of 32, read down the columns
  __shared__ float tile[4 * 32];
  const int t = threadIdx.x, first = blockIdx.x * kThreads, row = t / 32, col = t % 32;
  tile[row * 32 + (col ^ row)] = in.floats[first + t];
  __syncthreads();
  const int down = t % 4, along = t / 4;
  out[first + t] = tile[down * 32 + (along ^ down)];
}
LANE_CASE(swizzled_tile, "a tile of four rows, swizzled, read down its columns", swizzled_tile) {
  out[i] = in.floats[first_of(i) + i % 4 * 32 + i % kThreads / 4];
}

__global__ void broadcast(LaneInputs in, float* out) {
  __shared__ float values[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  values[t] = in.floats[i];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < kThreads; k += 16) sum += values[k];
  out[i] = sum;
}
LANE_CASE(broadcast_in_a_loop, "all lanes load the same element, eight times", broadcast) {
  for (int k = 0; k < kThreads; k += 16) out[i] += in.floats[first_of(i) + k];
}

__global__ void two_dynamic_arrays(LaneInputs in, float* out) {
  extern __shared__ double doubles[];
  auto* const shorts = reinterpret_cast<short*>(doubles + kThreads);
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  doubles[t] = in.doubles[i];
  shorts[t] = in.shorts[i];
  __syncthreads();
  out[i] = static_cast<float>(doubles[kThreads - 1 - t]) + shorts[t ^ 1];
}
LANE_CASE(two_dynamic_arrays, "doubles and shorts in one dynamic array", two_dynamic_arrays,
          kThreads*(sizeof(double) + sizeof(short))) {
  const double value = in.doubles[first_of(i) + kThreads - 1 - i % kThreads];
  out[i] = static_cast<float>(value) + in.shorts[i ^ 1];
}

__global__ void only_some_warps(LaneInputs in, float* out) {
  __shared__ float values[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  if (t >= 64) values[t] = in.floats[i];
  __syncthreads();
  if (t < 32) out[i] = values[64 + t] + values[127 - t];
}
LANE_CASE(only_some_warps, "two warps store, a different warp loads", only_some_warps) {
  const float* const values = in.floats + first_of(i);
  const int t = i % kThreads;
  if (t < 32) out[i] = values[64 + t] + values[127 - t];
}

// Blelloch's scan: up a tree and down again, two elements per thread.
__global__ void scan_up_and_down(LaneInputs in, float* out) {
  __shared__ float values[kThreads];
  const int t = threadIdx.x, first = blockIdx.x * kThreads;
  values[t] = in.floats[first + t];
  int offset = 1;
#pragma unroll 1
  for (int active = kThreads / 2; active > 0; active /= 2) {
    __syncthreads();
    if (t < active) values[offset * (2 * t + 2) - 1] += values[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) values[kThreads - 1] = 0;
#pragma unroll 1
  for (int active = 1; active < kThreads; active *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < active) {
      const int low = offset * (2 * t + 1) - 1, high = offset * (2 * t + 2) - 1;
      const float kept = values[low];
      values[low] = values[high];
      values[high] += kept;
    }
  }
  __syncthreads();
  out[first + t] = values[t];
}
LANE_CASE(scan_up_and_down, "running sums by a tree, up and down", scan_up_and_down) {
  if (i % kThreads != 0) out[i] = out[i - 1] + in.floats[i - 1];
}

__global__ void odd_even_sort(LaneInputs in, float* out) {
  __shared__ int values[kThreads];
  const int t = threadIdx.x, first = blockIdx.x * kThreads;
  values[t] = in.ints[first + t];
  __syncthreads();
#pragma unroll 1
  for (int turn = 0; turn < kThreads; ++turn) {
    const int low = 2 * t + turn % 2;
    if (low + 1 < kThreads && values[low] > values[low + 1]) {
      const int larger = values[low];
      values[low] = values[low + 1];
      values[low + 1] = larger;
    }
    __syncthreads();
  }
  out[first + t] = static_cast<float>(values[t]);
}
LANE_CASE(odd_even_sort, "adjacent elements are swapped until all are sorted", odd_even_sort) {
  const int* const values = in.ints + first_of(i);
  const int value = in.ints[i];
  const auto below = std::count_if(values, values + kThreads, [=](int v) { return v < value; });
  const auto same = std::count(values, in.ints + i, value);
  out[first_of(i) + below + same] = static_cast<float>(value);
}

// ---- Groups ----

template <int kSize>
__global__ void sum_of_tile(LaneInputs in, float* out) {
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  const int i = blockIdx.x * kThreads + threadIdx.x;
  float sum = in.floats[i];
  for (int offset = kSize / 2; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
  if (tile.thread_rank() == 0) out[i / kSize] = sum;
}
template <int kSize>
Added tile_sum_case(const std::string& name) {
  return {cases,
          lane_case(
              name, "sums of a tile of N threads, by `shfl_down`",
              [](const LaneInputs& in, float* out, int i) { out[i / kSize] += in.floats[i]; },
              sum_of_tile<kSize>)};
}
const Added tile_sum_cases[] = {tile_sum_case<32>("sum_of_tile/32"),
                                tile_sum_case<8>("sum_of_tile/8"),
                                tile_sum_case<4>("sum_of_tile/4")};

__global__ void groups_of_branches(LaneInputs in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (in.ints[i] % 2 == 0) {
    const auto group = cg::coalesced_threads();
    out[i] = in.floats[i] + static_cast<float>(group.size());
  } else {
    out[i] = static_cast<float>(in.doubles[i]);
  }
}
LANE_CASE(groups_of_branches, "lanes in a branch, as a group", groups_of_branches) {
  const int* const warp = in.ints + i / 32 * 32;
  const auto even = std::count_if(warp, warp + 32, [](int v) { return v % 2 == 0; });
  out[i] = in.ints[i] % 2 == 0 ? in.floats[i] + static_cast<float>(even)
                               : static_cast<float>(in.doubles[i]);
}

}  // namespace

std::vector<Case> shared_use_cases() { return cases; }
