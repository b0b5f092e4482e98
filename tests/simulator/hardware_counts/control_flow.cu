#include "lane_inputs.h"

// Branches, loops and early exits as learners write them; lane numbers or data decide.

namespace {

std::vector<Case> cases;

LANE_FUNCTION(nested_by_data, "three nested branches that depend on data") {
  const int value = in.ints[i];
  float result = -1;
  if (value > 500) {
    if (value % 2 == 0) {
      result = in.floats[i];
      if (value > 800) result += static_cast<float>(in.doubles[i]);
    }
  } else if (value > 100) {
    result = static_cast<float>(in.shorts[i]);
  }
  out[i] = result;
}
LANE_FUNCTION(exits_in_a_row, "three early exits that depend on data") {
  const int value = in.ints[i];
  if (value < 200) return;
  const float first = in.floats[i];
  if (first < 400) return;
  const double second = in.doubles[2 * i];
  if (second < 100) return;
  out[i] = first + static_cast<float>(second);
}
// 15 x 13 of 16 x 16.
LANE_FUNCTION(guards_of_a_matrix, "exits at both borders of a matrix") {
  const int row = i / 16, col = i % 16;
  if (row >= 15 || col >= 13) return;
  out[row * 16 + col] = in.floats[row * 100 + col];
}
LANE_FUNCTION(inner_cells, "a stencil that leaves out the border") {
  const int row = i / 16, col = i % 16;
  if (row > 0 && row < 15 && col > 0 && col < 15) {
    out[i] = in.floats[i - 1] + in.floats[i + 1] + in.floats[i - 16] + in.floats[i + 16];
  } else {
    out[i] = in.floats[i];
  }
}
LANE_FUNCTION(switch_on_data, "four cases that depend on data") {
  float result = 0;
  switch (in.ints[i] % 4) {
    case 0:
      result = in.floats[i];
      break;
    case 1:
      result = static_cast<float>(in.doubles[i]);
      break;
    case 2:
      result = static_cast<float>(in.shorts[i]);
      break;
    default:
      result = static_cast<float>(in.ints[i + 1]);
  }
  out[i] = result;
}
LANE_FUNCTION(clamped_neighbours, "both neighbours, or the element itself at the ends") {
  const int left = i == 0 ? 0 : i - 1, right = i == kLaneCount - 1 ? i : i + 1;
  out[i] = in.floats[left] + in.floats[i] + in.floats[right];
}
LANE_FUNCTION(odd_and_even, "two branches, one after the other") {
  if (i % 2 == 0) out[i] = in.floats[i] + in.floats[i + 1];
  if (i % 2 == 1) out[i] = static_cast<float>(in.ints[i] - in.ints[i - 1]);
}
LANE_FUNCTION(one_lane_adds, "one lane of each warp adds 32 elements") {
  if (i % 32 != 5) return;
  float sum = 0;
#pragma unroll 1
  for (int lane = 0; lane < 32; ++lane) sum += in.floats[i - 5 + lane];
  out[i / 32] = sum;
}
LANE_FUNCTION(first_warp_only, "one warp of each block") {
  if (i % kLaneThreads < 32) out[i] = in.floats[4 * i];
}
__host__ __device__ float weighted(const LaneInputs& in, int i) {
  return 2 * in.floats[i] + static_cast<float>(in.doubles[i]);
}
LANE_FUNCTION(call_in_branches, "one function in both branches") {
  if (in.ints[i] > 300) {
    out[i] = weighted(in, i);
  } else {
    out[i] = weighted(in, i + kLaneCount);
  }
}
LANE_FUNCTION(continue_by_data, "`continue` that depends on data") {
  float sum = 0;
#pragma unroll 1
  for (int row = 0; row < 6; ++row) {
    const int value = in.ints[row * kLaneCount + i];
    if (value % 3 == 0) continue;
    sum += in.floats[row * kLaneCount + i];
  }
  out[i] = sum;
}
LANE_FUNCTION(first_that_fits, "`break` at the first element that fits") {
  int found = -1;
#pragma unroll 1
  for (int row = 0; row < 8; ++row) {
    if (in.ints[row * kLaneCount + i] > 700) {
      found = row;
      break;
    }
  }
  out[i] = static_cast<float>(found);
}
LANE_FUNCTION(two_conditions, "`while` with two conditions") {
  int row = 0;
#pragma unroll 1
  while (row < 7 && in.ints[row * kLaneCount + i] < 800) ++row;
  out[i] = static_cast<float>(row);
}
// A heap: the children of node n are 2n + 1 and 2n + 2.
LANE_FUNCTION(walk_a_tree, "six steps down a tree") {
  const float wanted = in.floats[i];
  int node = 0;
#pragma unroll 1
  for (int depth = 0; depth < 6; ++depth) {
    node = 2 * node + (static_cast<float>(in.ints[node]) < wanted ? 2 : 1);
  }
  out[i] = static_cast<float>(node);
}
LANE_FUNCTION(walk_until_a_leaf, "steps down a tree until a leaf") {
  int node = i % 7, steps = 0;
#pragma unroll 1
  while (node < 500) {
    node = 2 * node + 1 + in.ints[node] % 2;
    ++steps;
  }
  out[i] = static_cast<float>(steps);
}
LANE_FUNCTION(collatz, "a loop of arithmetic between a load and a store") {
  int n = in.ints[i] + 1, steps = 0;
#pragma unroll 1
  while (n != 1 && steps < 60) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  out[i] = static_cast<float>(steps);
}
LANE_FUNCTION(store_in_the_loop, "a load and a store in each of 1 to 4 iterations") {
#pragma unroll 1
  for (int turn = 0; turn <= i % 4; ++turn) out[i] = in.floats[turn * kLaneCount + i];
}
__host__ __device__ float first_large(const LaneInputs& in, int i) {
#pragma unroll 1
  for (int row = 0; row < 5; ++row) {
    const float value = in.floats[row * kLaneCount + i];
    if (value > 600) return value;
  }
  return 0;
}
LANE_FUNCTION(return_of_a_helper, "`return` from the loop of a function") {
  out[i] = first_large(in, i) + first_large(in, i + 64);
}

// ---- Blocks that are not whole warps ----

template <LaneThread* kThread>
__global__ void per_cell(LaneInputs in, float* out, int count) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const int i = (z * static_cast<int>(gridDim.y * blockDim.y) + y) *
                    static_cast<int>(gridDim.x * blockDim.x) +
                x;
  if (i < count) kThread(in, out, i);
}

__host__ __device__ void copy_one(const LaneInputs& in, float* out, int i) {
  out[i] = in.floats[i];
}
__host__ __device__ void copy_each_fifth(const LaneInputs& in, float* out, int i) {
  out[i] = static_cast<float>(in.doubles[5 * i]);
}

// The grid has as many threads as there are elements, or a few more.
template <LaneThread* kThread>
Case cells_case(const std::string& name, const char* description, dim3 grid, dim3 block) {
  const auto launch = [=](LaneInputs in, float* out) {
    per_cell<kThread><<<grid, block>>>(in, out, kLaneCount);
  };
  return {name, description, [=] { check_lanes(launch, kThread); }};
}

void add_blocks(const std::string& size, dim3 grid, dim3 block) {
  cases.push_back(
      cells_case<copy_one>("copy_by_blocks/" + size, "copy by blocks of N threads", grid, block));
  cases.push_back(cells_case<copy_each_fifth>(
      "copy_fifths_by_blocks/" + size, "every fifth double by blocks of N threads", grid, block));
}

}  // namespace

std::vector<Case> control_flow_cases() {
  add_blocks("1", 256, 1);
  add_blocks("33", 8, 33);
  add_blocks("40", 7, 40);
  add_blocks("100", 3, 100);
  add_blocks("8x8", dim3(2, 2), dim3(8, 8));
  add_blocks("16x3", dim3(2, 3), dim3(16, 3));
  add_blocks("5x7", dim3(4, 2), dim3(5, 7));
  add_blocks("4x4x4", dim3(2, 1, 2), dim3(4, 4, 4));
  return cases;
}
