#include "lane_inputs.h"

// Lanes of a warp that diverge, and meet again.

namespace {

std::vector<Case> cases;

template <typename T>
__host__ __device__ void load_one_of(const float* floats, const T* others, float* out, int i,
                                     bool wants_float) {
  float value;
  if (wants_float) {
    value = floats[i];
  } else {
    value = static_cast<float>(others[i]);
  }
  out[i] = value;
}

LANE_KERNEL(if_else_halves, "lanes 0 to 15 load floats, the others ints") {
  load_one_of(in.floats, in.ints, out, i, lane_of(i) < 16);
}

LANE_KERNEL(if_else_odd, "odd lanes load floats, the others ints") {
  load_one_of(in.floats, in.ints, out, i, lane_of(i) % 2 == 1);
}

LANE_KERNEL(if_else_one_type, "both branches load a float, from different addresses") {
  float value;
  if (lane_of(i) < 16) {
    value = in.floats[i];
  } else {
    value = in.floats[2 * i + 1];
  }
  out[i] = value;
}

LANE_KERNEL(ternary, "`c ? a[i] : a[i + 1000]`") {
  out[i] = lane_of(i) % 4 == 0 ? in.floats[i] : in.floats[i + 1000];
}

__device__ float2 nowhere() { return {1000.0f, 3000.0f}; }
__global__ void constant_structure(const float2* __restrict__ pairs, float* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float2 tile[kLaneThreads];
  tile[threadIdx.x] = threadIdx.x < 40 ? pairs[i] : nowhere();
  out[i] = tile[threadIdx.x].x + tile[threadIdx.x].y;
}
void check_constant_structure() {
  const auto launch = [](LaneInputs in, float* out) {
    const auto* const pairs = reinterpret_cast<const float2*>(in.floats);
    constant_structure<<<kLaneBlocks, kLaneThreads>>>(pairs, out);
  };
  const auto thread = [](const LaneInputs& in, float* out, int i) {
    out[i] = i % kLaneThreads < 40 ? in.floats[2 * i] + in.floats[2 * i + 1] : 4000.0f;
  };
  check_lanes(launch, thread);
}
const Added constant_structure_case(
    cases,
    {"constant_structure", "`c ? a[i] : nowhere()` of a structure; nowhere() returns constants",
     check_constant_structure});

LANE_KERNEL(if_alone, "every third lane loads one more float") {
  float value = in.floats[i];
  if (lane_of(i) % 3 == 0) value += static_cast<float>(in.ints[i]);
  out[i] = value;
}

LANE_KERNEL(if_nested, "an if in an if, each with an else") {
  const int lane = lane_of(i);
  float value;
  if (lane < 20) {
    if (lane % 2 == 0) {
      value = in.floats[i];
    } else {
      value = static_cast<float>(in.ints[i]);
    }
    value += static_cast<float>(in.shorts[i]);
  } else {
    value = static_cast<float>(in.doubles[i]);
  }
  out[i] = value;
}

LANE_KERNEL(else_if, "lanes 0-4, 5-10, 11-22 load, the others do not") {
  const int lane = lane_of(i);
  float value = 0;
  if (lane < 5) {
    value = in.floats[i];
  } else if (lane < 11) {
    value = static_cast<float>(in.ints[i]);
  } else if (lane < 23) {
    value = static_cast<float>(in.doubles[i]);
  }
  out[i] = value;
}

LANE_KERNEL(switch_on_lane, "`switch (lane % 4)` with a load in each case") {
  float value = 0;
  switch (lane_of(i) % 4) {
    case 0:
      value = in.floats[i];
      break;
    case 1:
      value = static_cast<float>(in.ints[i]);
      break;
    case 2:
      value = static_cast<float>(in.doubles[i]);
      break;
    default:
      value = static_cast<float>(in.shorts[i]);
  }
  out[i] = value;
}

LANE_KERNEL(switch_falls_through, "a switch whose cases fall through") {
  float value = 0;
  switch (lane_of(i) % 3) {
    case 0:
      value += in.floats[i];
      [[fallthrough]];
    case 1:
      value += static_cast<float>(in.ints[i]);
      [[fallthrough]];
    default:
      value += static_cast<float>(in.doubles[i]);
  }
  out[i] = value;
}

LANE_KERNEL(early_return, "lanes 20 to 31 return before the load") {
  if (lane_of(i) >= 20) return;
  out[i] = in.floats[i];
}

LANE_KERNEL(early_return_by_data, "two returns that depend on loaded values") {
  if (in.ints[i] < 300) return;
  const float value = in.floats[i];
  if (value > 800) return;
  out[i] = value + static_cast<float>(in.shorts[i]);
}

LANE_KERNEL(short_circuit_and, "a load on the right of `&&`") {
  if (in.ints[i] > 300 && in.floats[2 * i] > 500) out[i] = static_cast<float>(in.doubles[i]);
}

LANE_KERNEL(short_circuit_or, "a load on the right of `||`") {
  if (in.ints[i] > 700 || in.floats[2 * i] > 500) out[i] = static_cast<float>(in.doubles[i]);
}

LANE_KERNEL(if_else_by_data, "the branch depends on a loaded value") {
  load_one_of(in.floats, in.doubles, out, i, in.ints[i] % 2 == 0);
}

LANE_KERNEL(if_else_by_warp, "whole warps take one branch or the other") {
  load_one_of(in.floats, in.doubles, out, i, i / 32 % 2 == 0);
}

LANE_KERNEL(stores_in_branches, "each branch stores") {
  const float value = in.floats[i];
  if (value < 500) {
    out[i] = value + 1;
  } else {
    reinterpret_cast<int*>(out)[i] = 0x3f800000;  // the bits of 1.0f
  }
}

LANE_KERNEL(load_after_if_else, "a load by all lanes after they diverged") {
  float value;
  if (lane_of(i) % 2 == 1) {
    value = in.floats[i];
  } else {
    value = static_cast<float>(in.ints[i]);
  }
  // The address depends on the branch, so the load cannot move up.
  out[i] = static_cast<float>(in.doubles[i + static_cast<int>(value)]);
}

__global__ void shared_loads_in_branches(LaneInputs in, float* out) {
  __shared__ float floats[kLaneThreads];
  __shared__ int ints[2 * kLaneThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, thread = threadIdx.x;
  floats[thread] = in.floats[i];
  ints[thread] = in.ints[i];
  ints[thread + kLaneThreads] = in.ints[i];
  __syncthreads();
  float value;
  if (lane_of(i) % 2 == 1) {
    value = floats[kLaneThreads - 1 - thread];
  } else {
    value = static_cast<float>(ints[2 * thread]);
  }
  out[i] = value;
}
LANE_CASE(shared_loads_in_branches, "each branch loads from a different shared array",
          shared_loads_in_branches) {
  const int first = i / kLaneThreads * kLaneThreads, thread = i % kLaneThreads;
  out[i] = i % 2 == 1 ? in.floats[first + kLaneThreads - 1 - thread]
                      : static_cast<float>(in.ints[first + 2 * thread % kLaneThreads]);
}

// A branch with a warp function waits for its lanes at this function.
__global__ void sync_in_branch(LaneInputs in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
  if (lane_of(i) < 16) {
    value = in.floats[i];
    __syncwarp(0x0000ffff);
    value += static_cast<float>(in.shorts[i]);
  } else {
    value = static_cast<float>(in.ints[i]);
    __syncwarp(0xffff0000);
    value += static_cast<float>(in.doubles[i]);
  }
  __syncwarp();
  out[i] = value + in.floats[i + kLaneCount];
}
LANE_CASE(sync_in_branch, "`__syncwarp` of half a warp between a branch's loads", sync_in_branch) {
  const double value = i % 32 < 16 ? in.floats[i] + in.shorts[i] : in.ints[i] + in.doubles[i];
  out[i] = static_cast<float>(value + in.floats[i + kLaneCount]);
}

}  // namespace

std::vector<Case> branch_cases() { return cases; }
