#include "cases.h"
#include "per_thread.h"

#include <cooperative_groups.h>

#include <algorithm>

// Complete kernels of small programs: stencils, gathers, products, images, searches.

namespace cg = cooperative_groups;

namespace {

constexpr int kThreads = kLaneThreads, kSide = 16;  // 16 x 16 elements, if there are rows
static_assert(kSide * kSide == kLaneCount);

struct Gather {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = in.floats[in.ints[i]];
  }
};
struct GatherTwice {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = static_cast<float>(in.doubles[in.ints[in.shorts[i]]]);
  }
};
struct Scatter {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i * 37 % kLaneCount] = in.floats[i];
  }
};
struct ReverseBits {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    int reversed = 0;
    for (int bit = 0; bit < 8; ++bit) reversed |= (i >> bit & 1) << (7 - bit);
    out[reversed] = in.floats[i];
  }
};
struct ThreePoints {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = in.floats[i + 31] + 2 * in.floats[i + 32] + in.floats[i + 33];
  }
};
struct SevenPoints {  // 16 x 4 x 4
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const float* const at = in.floats + 100 + i;
    out[i] = at[-64] + at[-16] + at[-1] + at[0] + at[1] + at[16] + at[64];
  }
};
struct Blur {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int row = i / kSide, col = i % kSide;
    float sum = 0;
#pragma unroll
    for (int y = -1; y <= 1; ++y) {
#pragma unroll
      for (int x = -1; x <= 1; ++x) {
        const int r = row + y, c = col + x;
        if (r >= 0 && r < kSide && c >= 0 && c < kSide) sum += in.floats[r * kSide + c];
      }
    }
    out[i] = sum;
  }
};
struct Life {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int row = i / kSide, col = i % kSide;
    int neighbours = 0;
#pragma unroll 1
    for (int n = 0; n < 9; ++n) {
      if (n == 4) continue;
      const int r = (row + n / 3 + kSide - 1) % kSide, c = (col + n % 3 + kSide - 1) % kSide;
      neighbours += in.ints[r * kSide + c] % 2;
    }
    const bool lives = in.ints[i] % 2 == 1;
    out[i] = neighbours == 3 || (lives && neighbours == 2);
  }
};
struct RowTimesVector {  // a matrix of 256 rows of 16
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < kSide; ++k) sum += in.floats[i * kSide + k] * in.shorts[k];
    out[i] = sum;
  }
};
struct ColumnTimesVector {  // a matrix of 16 rows of 256
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < kSide; ++k) sum += in.floats[k * kLaneCount + i] * in.shorts[k];
    out[i] = sum;
  }
};
struct OuterProduct {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = in.floats[i / kSide] * static_cast<float>(in.ints[i % kSide]);
  }
};
struct Polynomial {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const float x = static_cast<float>(in.shorts[i] % 4);
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < 5; ++k) sum = sum * x + static_cast<float>(in.ints[k] % 3);
    out[i] = sum;
  }
};
struct LargestOfPool {  // 2 x 2 of a picture of 32 x 32
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const float* const at = in.floats + i / kSide * 64 + i % kSide * 2;
    float largest = at[0];
    if (at[1] > largest) largest = at[1];
    if (at[32] > largest) largest = at[32];
    if (at[33] > largest) largest = at[33];
    out[i] = largest;
  }
};
struct LowerBound {  // in 0, 1, 2, ..., each plus 0 or 1
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int wanted = in.ints[i] % 64;
    int low = 0, high = 64;
#pragma unroll 1
    while (low < high) {
      const int middle = (low + high) / 2;
      if (middle + in.shorts[middle] % 2 < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    out[i] = static_cast<float>(low);
  }
};
struct OwnHistogram {  // in a thread's own array: registers or local memory
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    int bins[8] = {};
#pragma unroll 1
    for (int k = 0; k < 12; ++k) ++bins[in.ints[k * kLaneCount + i] % 8];
    int most = 0;
#pragma unroll 1
    for (int bin = 1; bin < 8; ++bin) {
      if (bins[bin] > bins[most]) most = bin;
    }
    out[i] = static_cast<float>(most);
  }
};

// ---- With shared memory, shuffles, groups ----

__global__ void warp_a_row(LaneInputs in, float* out) {  // 8 rows of 96
  const int row = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 1
  for (int k = lane; k < 96; k += 32) sum += in.floats[row * 96 + k] * (in.shorts[k] % 8);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) out[row] = sum;
}

__global__ void largest_and_where(LaneInputs in, float* out) {
  __shared__ int values[kThreads], places[kThreads];
  const int t = threadIdx.x;
  values[t] = in.ints[blockIdx.x * kThreads + t];
  places[t] = t;
  __syncthreads();
#pragma unroll 1
  for (int stride = kThreads / 2; stride > 0; stride /= 2) {
    if (t < stride && values[t + stride] > values[t]) {
      values[t] = values[t + stride];
      places[t] = places[t + stride];
    }
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = static_cast<float>(places[0]);
}

__global__ void pull_of_bodies(LaneInputs in,
                               float* out) {  // of all bodies of the block on each body
  __shared__ float4 bodies[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  const float4 own = reinterpret_cast<const float4*>(in.floats)[i];
  bodies[t] = own;
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < kThreads; ++k) {
    const float4 other = bodies[k];
    sum += (other.x > own.x ? 1.0f : -1.0f) + (other.w > own.w ? 2.0f : 0.0f);
  }
  out[i] = sum;
}

__global__ void filter_with_halo(LaneInputs in, float* out) {
  __shared__ float row[kThreads + 4];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  row[t + 2] = in.floats[i + 2];
  if (t < 2) row[t] = in.floats[i];
  if (t >= kThreads - 2) row[t + 4] = in.floats[i + 4];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 5; ++k) sum += row[t + k] * static_cast<float>(k + 1);
  out[i] = sum;
}

__global__ void keep_by_ballot(LaneInputs in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
  const bool keeps = in.ints[i] % 3 == 0;
  const unsigned kept = __ballot_sync(0xffffffff, keeps);
  if (keeps) out[i - lane + __popc(kept & ((1u << lane) - 1))] = in.floats[i];
}

__global__ void one_add_a_group(LaneInputs in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (in.ints[i] % 4 == 0) {
    const auto group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(out + blockIdx.x, static_cast<float>(group.size()));
  }
}

__global__ void two_phases(LaneInputs in, float* between, float* out) {
  const cg::grid_group grid = cg::this_grid();
  const auto i = static_cast<int>(grid.thread_rank());
  between[i] = 2 * in.floats[i];
  grid.sync();
  out[i] = between[kLaneCount - 1 - i];
}

// ---- The cases ----

template <typename Function>
void add(std::vector<Case>& cases, const char* name, const char* description) {
  cases.push_back({name, description, [] {
                     check_per_thread<Function>([](LaneInputs in, float* out) {
                       per_thread<Function><<<kLaneBlocks, kLaneThreads>>>(in, out);
                     });
                   }});
}

void add_per_thread(std::vector<Case>& cases) {
  add<Gather>(cases, "gather_by_data", "loads at indices from memory");
  add<GatherTwice>(cases, "gather_twice", "loads at indices that were loaded at indices");
  add<Scatter>(cases, "scatter_around", "stores 37 elements apart, with wrap-around");
  add<ReverseBits>(cases, "reverse_bits", "stores at the index with its bits reversed");
  add<ThreePoints>(cases, "three_points", "a stencil of three along a row");
  add<SevenPoints>(cases, "seven_points", "a stencil of seven in three dimensions");
  add<Blur>(cases, "blur", "a blur of 3 x 3 with a border");
  add<Life>(cases, "life", "the Game of Life on a torus");
  add<RowTimesVector>(cases, "row_times_vector", "matrix times vector, one thread per row");
  add<ColumnTimesVector>(cases, "column_times_vector",
                         "vector times matrix, one thread per column");
  add<OuterProduct>(cases, "outer_product", "a column times a row");
  add<Polynomial>(cases, "polynomial", "a polynomial whose coefficients all threads load");
  add<LargestOfPool>(cases, "largest_of_pool", "the largest of 2 x 2 elements");
  add<LowerBound>(cases, "lower_bound", "a binary search in 64 elements");
  add<OwnHistogram>(cases, "own_histogram", "a histogram in each thread's own array");
}

template <typename Launch, typename Expected>
void add(std::vector<Case>& cases, const char* name, const char* description, Launch launch,
         Expected expected) {
  cases.push_back({name, description, [=] { check_lanes(launch, expected); }});
}

void add_in_blocks(std::vector<Case>& cases) {
  add(
      cases, "warp_a_row", "matrix times vector, one warp per row",
      [](LaneInputs in, float* out) { warp_a_row<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int row) {
        float sum = 0;
        for (int k = 0; k < 96 && row < 8; ++k) sum += in.floats[row * 96 + k] * (in.shorts[k] % 8);
        return sum;
      });
  add(
      cases, "largest_and_where", "the index of the largest element, by a tree",
      [](LaneInputs in, float* out) { largest_and_where<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int block) {
        if (block >= kLaneBlocks) return std::ptrdiff_t{0};
        const auto first = in.ints.begin() + block * kThreads;
        return std::max_element(first, first + kThreads) - first;
      });
  add(
      cases, "pull_of_bodies", "all pairs of a block, `float4` in shared memory",
      [](LaneInputs in, float* out) { pull_of_bodies<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        float sum = 0;
        for (int k = i / kThreads * kThreads; k < (i / kThreads + 1) * kThreads; ++k) {
          sum += in.floats[4 * k] > in.floats[4 * i] ? 1.0f : -1.0f;
          sum += in.floats[4 * k + 3] > in.floats[4 * i + 3] ? 2.0f : 0.0f;
        }
        return sum;
      });
  add(
      cases, "filter_with_halo", "a filter of five from shared memory, with a border of two",
      [](LaneInputs in, float* out) { filter_with_halo<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        float sum = 0;
        for (int k = 0; k < 5; ++k) sum += in.floats[i + k] * static_cast<float>(k + 1);
        return sum;
      });
}

void add_in_groups(std::vector<Case>& cases) {
  add(
      cases, "keep_by_ballot", "a warp stores only the elements that it keeps",
      [](LaneInputs in, float* out) { keep_by_ballot<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        int rank = i % 32;
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
          if (in.ints[k] % 3 == 0 && rank-- == 0) return in.floats[k];
        }
        return 0.0f;
      });
  add(
      cases, "one_add_a_group", "one `atomicAdd` for the lanes in a branch",
      [](LaneInputs in, float* out) { one_add_a_group<<<kLaneBlocks, kThreads>>>(in, out); },
      [](const HostInputs& in, int block) {
        if (block >= kLaneBlocks) return std::ptrdiff_t{0};
        const auto first = in.ints.begin() + block * kThreads;
        return std::count_if(first, first + kThreads, [](int value) { return value % 4 == 0; });
      });
  add(
      cases, "two_phases", "a store, `grid.sync()` and a load of another block's element",
      [](LaneInputs in, float* out) {
        DeviceBuffer<float> d_between(kLaneCount);
        float* between = d_between.data();
        void* arguments[] = {&in, &between, &out};
        CUDA_CHECK(
            cudaLaunchCooperativeKernel(two_phases, dim3(kLaneBlocks), dim3(kThreads), arguments));
        CUDA_CHECK(cudaDeviceSynchronize());
      },
      [](const HostInputs& in, int i) { return 2 * in.floats[kLaneCount - 1 - i]; });
}

}  // namespace

std::vector<Case> everyday_kernel_cases() {
  std::vector<Case> cases;
  add_per_thread(cases);
  add_in_blocks(cases);
  add_in_groups(cases);
  return cases;
}
