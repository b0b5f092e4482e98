#include "lane_inputs.h"

#include <cooperative_groups.h>

// Complete kernels of small programs: stencils, gathers, products, images, searches.

namespace cg = cooperative_groups;

namespace {

std::vector<Case> cases;

constexpr int kThreads = kLaneThreads, kSide = 16;  // 16 x 16 elements, if there are rows
static_assert(kSide * kSide == kLaneCount);

LANE_FUNCTION(gather_by_data, "loads at indices from memory") { out[i] = in.floats[in.ints[i]]; }
LANE_FUNCTION(gather_twice, "loads at indices that were loaded at indices") {
  out[i] = static_cast<float>(in.doubles[in.ints[in.shorts[i]]]);
}
LANE_FUNCTION(scatter_around, "stores 37 elements apart, with wrap-around") {
  out[i * 37 % kLaneCount] = in.floats[i];
}
LANE_FUNCTION(reverse_bits, "stores at the index with its bits reversed") {
  int reversed = 0;
  for (int bit = 0; bit < 8; ++bit) reversed |= (i >> bit & 1) << (7 - bit);
  out[reversed] = in.floats[i];
}
LANE_FUNCTION(three_points, "a stencil of three along a row") {
  out[i] = in.floats[i + 31] + 2 * in.floats[i + 32] + in.floats[i + 33];
}
// 16 x 4 x 4.
LANE_FUNCTION(seven_points, "a stencil of seven in three dimensions") {
  const float* const at = in.floats + 100 + i;
  out[i] = at[-64] + at[-16] + at[-1] + at[0] + at[1] + at[16] + at[64];
}
LANE_FUNCTION(blur, "a blur of 3 x 3 with a border") {
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
LANE_FUNCTION(life, "the Game of Life on a torus") {
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
// A matrix of 256 rows of 16.
LANE_FUNCTION(row_times_vector, "matrix times vector, one thread per row") {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < kSide; ++k) sum += in.floats[i * kSide + k] * in.shorts[k];
  out[i] = sum;
}
// A matrix of 16 rows of 256.
LANE_FUNCTION(column_times_vector, "vector times matrix, one thread per column") {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < kSide; ++k) sum += in.floats[k * kLaneCount + i] * in.shorts[k];
  out[i] = sum;
}
LANE_FUNCTION(outer_product, "a column times a row") {
  out[i] = in.floats[i / kSide] * static_cast<float>(in.ints[i % kSide]);
}
LANE_FUNCTION(polynomial, "a polynomial whose coefficients all threads load") {
  const float x = static_cast<float>(in.shorts[i] % 4);
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 5; ++k) sum = sum * x + static_cast<float>(in.ints[k] % 3);
  out[i] = sum;
}
// 2 x 2 of a picture of 32 x 32.
LANE_FUNCTION(largest_of_pool, "the largest of 2 x 2 elements") {
  const float* const at = in.floats + i / kSide * 64 + i % kSide * 2;
  float largest = at[0];
  if (at[1] > largest) largest = at[1];
  if (at[32] > largest) largest = at[32];
  if (at[33] > largest) largest = at[33];
  out[i] = largest;
}
// In 0, 1, 2, ..., each plus 0 or 1.
LANE_FUNCTION(lower_bound, "a binary search in 64 elements") {
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
// In a thread's own array: registers or local memory.
LANE_FUNCTION(own_histogram, "a histogram in each thread's own array") {
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

// ---- With shared memory, shuffles, groups ----

__global__ void warp_a_row(LaneInputs in, float* out) {  // 8 rows of 96
  const int row = (blockIdx.x * kThreads + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float sum = 0;
#pragma unroll 1
  for (int k = lane; k < 96; k += 32) sum += in.floats[row * 96 + k] * (in.shorts[k] % 8);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) out[row] = sum;
}
LANE_CASE(warp_a_row, "matrix times vector, one warp per row", warp_a_row) {
  const int row = i / 32, lane = i % 32;
  for (int k = lane; k < 96; k += 32) {
    out[row] += in.floats[row * 96 + k] * (in.shorts[k] % 8);
  }
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
LANE_CASE(largest_and_where, "the index of the largest element, by a tree", largest_and_where) {
  const int block = i / kThreads;
  const int* const values = in.ints + block * kThreads;
  if (values[i % kThreads] > values[static_cast<int>(out[block])]) {
    out[block] = static_cast<float>(i % kThreads);
  }
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
LANE_CASE(pull_of_bodies, "all pairs of a block, `float4` in shared memory", pull_of_bodies) {
  const auto* const bodies = reinterpret_cast<const float4*>(in.floats);
  for (int k = i / kThreads * kThreads; k < (i / kThreads + 1) * kThreads; ++k) {
    out[i] += bodies[k].x > bodies[i].x ? 1.0f : -1.0f;
    out[i] += bodies[k].w > bodies[i].w ? 2.0f : 0.0f;
  }
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
LANE_CASE(filter_with_halo, "a filter of five from shared memory, with a border of two",
          filter_with_halo) {
  for (int k = 0; k < 5; ++k) out[i] += in.floats[i + k] * static_cast<float>(k + 1);
}

__global__ void keep_by_ballot(LaneInputs in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
  const bool keeps = in.ints[i] % 3 == 0;
  const unsigned kept = __ballot_sync(0xffffffff, keeps);
  if (keeps) out[i - lane + __popc(kept & ((1u << lane) - 1))] = in.floats[i];
}
LANE_CASE(keep_by_ballot, "a warp stores only the elements that it keeps", keep_by_ballot) {
  int rank = 0;
  for (int k = i / 32 * 32; k < i; ++k) rank += in.ints[k] % 3 == 0;
  if (in.ints[i] % 3 == 0) out[i / 32 * 32 + rank] = in.floats[i];
}

__global__ void one_add_a_group(LaneInputs in, float* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (in.ints[i] % 4 == 0) {
    const auto group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(out + blockIdx.x, static_cast<float>(group.size()));
  }
}
LANE_CASE(one_add_a_group, "one `atomicAdd` for the lanes in a branch", one_add_a_group) {
  out[i / kThreads] += in.ints[i] % 4 == 0;
}

__global__ void two_phases(LaneInputs in, float* between, float* out) {
  const cg::grid_group grid = cg::this_grid();
  const auto i = static_cast<int>(grid.thread_rank());
  between[i] = 2 * in.floats[i];
  grid.sync();
  out[i] = between[kLaneCount - 1 - i];
}
void check_two_phases() {
  const auto launch = [](LaneInputs in, float* out) {
    DeviceBuffer<float> d_between(kLaneCount);
    float* between = d_between.data();
    void* arguments[] = {&in, &between, &out};
    CUDA_CHECK(
        cudaLaunchCooperativeKernel(two_phases, dim3(kLaneBlocks), dim3(kThreads), arguments));
    CUDA_CHECK(cudaDeviceSynchronize());
  };
  const auto thread = [](const LaneInputs& in, float* out, int i) {
    out[i] = 2 * in.floats[kLaneCount - 1 - i];
  };
  check_lanes(launch, thread);
}
const Added two_phases_case(cases, {"two_phases",
                                    "a store, `grid.sync()` and a load of another block's element",
                                    check_two_phases});

}  // namespace

std::vector<Case> everyday_kernel_cases() { return cases; }
