#include "cases.h"
#include "lane_inputs.h"

#include <cooperative_groups.h>

#include <algorithm>

// Shared memory as learners use it: elements of 1 to 16 bytes, structures, transposes, scans,
// groups. Each block works on its own kLaneThreads elements.

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = kLaneThreads;

// Thread t stores element t and loads element t * stride, with wrap-around.
template <typename T, int kStride>
__global__ void strided(LaneInputs in, float* out) {
  __shared__ T values[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  values[t] = static_cast<T>(in.ints[i] % 100);
  __syncthreads();
  out[i] = static_cast<float>(values[t * kStride % kThreads]);
}

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

template <int kPitch>
__global__ void turn_tile(LaneInputs in, float* out) {  // 16 x 8, by one warp of each 16 x 2
  __shared__ double tile[8][kPitch];
  const int t = threadIdx.x, first = blockIdx.x * kThreads;
  tile[t / 16][t % 16] = in.doubles[first + t];
  __syncthreads();
  out[first + t] = static_cast<float>(tile[t % 8][t / 8]);
}

__global__ void swizzled_tile(LaneInputs in, float* out) {  // 4 rows of 32, read down the columns
  __shared__ float tile[4 * 32];
  const int t = threadIdx.x, first = blockIdx.x * kThreads, row = t / 32, col = t % 32;
  tile[row * 32 + (col ^ row)] = in.floats[first + t];
  __syncthreads();
  const int down = t % 4, along = t / 4;
  out[first + t] = tile[down * 32 + (along ^ down)];
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

__global__ void two_dynamic_arrays(LaneInputs in, float* out) {
  extern __shared__ double doubles[];
  auto* const shorts = reinterpret_cast<short*>(doubles + kThreads);
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  doubles[t] = in.doubles[i];
  shorts[t] = in.shorts[i];
  __syncthreads();
  out[i] = static_cast<float>(doubles[kThreads - 1 - t]) + shorts[t ^ 1];
}

__global__ void only_some_warps(LaneInputs in, float* out) {
  __shared__ float values[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  if (t >= 64) values[t] = in.floats[i];
  __syncthreads();
  if (t < 32) out[i] = values[64 + t] + values[127 - t];
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

__global__ void groups_of_branches(LaneInputs in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (in.ints[i] % 2 == 0) {
    const auto group = cg::coalesced_threads();
    out[i] = in.floats[i] + static_cast<float>(group.size());
  } else {
    out[i] = static_cast<float>(in.doubles[i]);
  }
}

// ---- The cases ----

template <typename T, int kStride>
void add_strided(std::vector<Case>& cases, const char* name) {
  cases.push_back({name, "shared elements of a type, N apart", [] {
                     check_lanes(
                         [](LaneInputs in, float* out) {
                           strided<T, kStride><<<kLaneBlocks, kThreads>>>(in, out);
                         },
                         [](const HostInputs& in, int i) {
                           const int from = i / kThreads * kThreads;
                           return in.ints[from + i % kThreads * kStride % kThreads] % 100;
                         });
                   }});
}

template <typename T, int kStride>
void add_vectors(std::vector<Case>& cases, const char* name) {
  cases.push_back({name, "shared vectors of a type, stored and loaded N apart", [] {
                     check_lanes(
                         [](LaneInputs in, float* out) {
                           strided_vectors<T, kStride>
                               <<<kLaneBlocks, kThreads>>>(vectors_of<T>(in), out);
                         },
                         [](const HostInputs& in, int i) {
                           const LaneInputs inputs{in.floats.data(), in.ints.data(),
                                                   in.doubles.data(), in.shorts.data()};
                           const int wanted = (i % kThreads * kStride + 3) % kThreads;
                           int source = 0;
                           while (source * kStride % kThreads != wanted) ++source;
                           const T value = vectors_of<T>(inputs)[i / kThreads * kThreads + source];
                           return static_cast<float>(value.x) + static_cast<float>(value.y);
                         });
                   }});
}

template <typename Launch, typename Expected>
void add(std::vector<Case>& cases, const char* name, const char* description, Launch launch,
         Expected expected) {
  cases.push_back({name, description, [=] { check_lanes(launch, expected); }});
}

int first_of(int i) { return i / kThreads * kThreads; }

void add_arrays(std::vector<Case>& cases) {
  add(
      cases, "records_of_12_bytes", "two fields of structures of 12 bytes",
      [](LaneInputs in, float* out) { records<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const int other = first_of(i) + kThreads - 1 - i % kThreads;
        return in.floats[other] + static_cast<float>(in.ints[other]);
      });
  const auto turned = [](const HostInputs& in, int i) {
    const int t = i % kThreads;
    return in.doubles[first_of(i) + t % 8 * 16 + t / 8];
  };
  add(
      cases, "turn_doubles/16", "a tile of doubles is transposed, with rows of N",
      [](LaneInputs in, float* out) { turn_tile<16><<<kLaneBlocks, kThreads>>>(in, out); }, turned);
  add(
      cases, "turn_doubles/17", "a tile of doubles is transposed, with rows of N",
      [](LaneInputs in, float* out) { turn_tile<17><<<kLaneBlocks, kThreads>>>(in, out); }, turned);
  add(
      cases, "swizzled_tile", "a tile of four rows, swizzled, read down its columns",
      [](LaneInputs in, float* out) { swizzled_tile<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return in.floats[first_of(i) + i % 4 * 32 + i % kThreads / 4];
      });
  add(
      cases, "broadcast_in_a_loop", "all lanes load the same element, eight times",
      [](LaneInputs in, float* out) { broadcast<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        float sum = 0;
        for (int k = 0; k < kThreads; k += 16) sum += in.floats[first_of(i) + k];
        return sum;
      });
  add(
      cases, "two_dynamic_arrays", "doubles and shorts in one dynamic array",
      [](LaneInputs in, float* out) {
        two_dynamic_arrays<<<kLaneBlocks, kThreads, kThreads*(sizeof(double) + sizeof(short))>>>(
            in, out);
      },
      [](const HostInputs& in, int i) {
        return in.doubles[first_of(i) + kThreads - 1 - i % kThreads] + in.shorts[i ^ 1];
      });
  add(
      cases, "only_some_warps", "two warps store, a different warp loads",
      [](LaneInputs in, float* out) { only_some_warps<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const int t = i % kThreads;
        return t < 32 ? in.floats[first_of(i) + 64 + t] + in.floats[first_of(i) + 127 - t] : 0;
      });
}

void add_algorithms(std::vector<Case>& cases) {
  add(
      cases, "scan_up_and_down", "running sums by a tree, up and down",
      [](LaneInputs in, float* out) { scan_up_and_down<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        float sum = 0;
        for (int k = first_of(i); k < i; ++k) sum += in.floats[k];
        return sum;
      });
  add(
      cases, "odd_even_sort", "adjacent elements are swapped until all are sorted",
      [](LaneInputs in, float* out) { odd_even_sort<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const auto first = in.ints.begin() + first_of(i);
        std::vector<int> block(first, first + kThreads);
        std::sort(block.begin(), block.end());
        return block[static_cast<std::size_t>(i % kThreads)];
      });
}

template <int kSize>
void add_tile_sum(std::vector<Case>& cases, const char* name) {
  add(
      cases, name, "sums of a tile of N threads, by `shfl_down`",
      [](LaneInputs in, float* out) { sum_of_tile<kSize><<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        float sum = 0;
        if (i >= kLaneCount / kSize) return sum;
        for (int k = 0; k < kSize; ++k) sum += in.floats[i * kSize + k];
        return sum;
      });
}

}  // namespace

std::vector<Case> shared_use_cases() {
  std::vector<Case> cases;
  add_strided<unsigned char, 1>(cases, "shared_bytes/1");
  add_strided<unsigned char, 5>(cases, "shared_bytes/5");
  add_strided<short, 1>(cases, "shared_shorts/1");
  add_strided<short, 33>(cases, "shared_shorts/33");
  add_strided<double, 1>(cases, "shared_doubles/1");
  add_strided<double, 3>(cases, "shared_doubles/3");
  add_strided<double, 16>(cases, "shared_doubles/16");
  add_vectors<float2, 1>(cases, "shared_float2/1");
  add_vectors<float2, 5>(cases, "shared_float2/5");
  add_vectors<float4, 1>(cases, "shared_float4/1");
  add_vectors<float4, 3>(cases, "shared_float4/3");
  add_vectors<float4, 9>(cases, "shared_float4/9");
  add_vectors<double2, 1>(cases, "shared_double2/1");
  add_vectors<double2, 7>(cases, "shared_double2/7");
  add_arrays(cases);
  add_algorithms(cases);
  add_tile_sum<32>(cases, "sum_of_tile/32");
  add_tile_sum<8>(cases, "sum_of_tile/8");
  add_tile_sum<4>(cases, "sum_of_tile/4");
  add(
      cases, "groups_of_branches", "lanes in a branch, as a group",
      [](LaneInputs in, float* out) { groups_of_branches<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        if (in.ints[i] % 2 != 0) return static_cast<float>(in.doubles[i]);
        int group = 0;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) group += in.ints[k] % 2 == 0;
        return in.floats[i] + static_cast<float>(group);
      });
  return cases;
}
