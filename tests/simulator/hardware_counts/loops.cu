#include "lane_inputs.h"

// Loops that the lanes of a warp leave in different iterations, or in which they diverge. "rolled"
// is `#pragma unroll 1`: one load in the machine code for one in the source. "unrolled" is `#pragma
// unroll 4`.

namespace {

std::vector<Case> cases;

// Lane n runs n + 1 iterations.
LANE_LOOP(triangle, "lane n runs n + 1 iterations") {
  const int lane = lane_of(i);
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k <= lane; ++k) sum += in.floats[k * kLaneCount + i];
  out[i] = sum;
}

// Lane n starts at iteration n: the lanes enter one after another, and leave together.
LANE_LOOP(upper_triangle, "lane n runs 32 - n iterations") {
  float sum = 0;
#pragma unroll kUnroll
  for (int k = lane_of(i); k < 32; ++k) sum += in.floats[k * kLaneCount + i];
  out[i] = sum;
}

// Odd and even lanes alternate their loads.
LANE_LOOP(alternate, "`if ((lane + k) % 2)` in a loop") {
  const int lane = lane_of(i);
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 8; ++k) {
    if ((lane + k) % 2 == 1) sum += in.floats[k * kLaneCount + i];
  }
  out[i] = sum;
}

LANE_LOOP(branch_each_turn, "a switch in a loop; lanes alternate") {
  const int lane = lane_of(i);
  double sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 8; ++k) {
    switch ((lane + k) % 3) {
      case 0:
        sum += in.floats[k * kLaneCount + i];
        break;
      case 1:
        sum += in.ints[k * kLaneCount + i];
        break;
      default:
        sum += in.doubles[k * kLaneCount + i];
    }
  }
  out[i] = static_cast<float>(sum);
}

LANE_LOOP(skip_by_data, "`continue`, depending on a loaded value") {
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 8; ++k) {
    if (in.ints[k * kLaneCount + i] % 3 == 0) continue;
    sum += in.floats[k * kLaneCount + i];
  }
  out[i] = sum;
}

LANE_LOOP(break_by_data, "`break`, depending on a loaded value") {
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 16; ++k) {
    const float value = in.floats[k * kLaneCount + i];
    if (value > 900) break;
    sum += value + static_cast<float>(in.shorts[k * kLaneCount + i]);
  }
  out[i] = sum;
}

LANE_LOOP(return_from_loop, "`return` from a loop, depending on a loaded value") {
#pragma unroll kUnroll
  for (int k = 0; k < 16; ++k) {
    if (in.ints[k * kLaneCount + i] > 900) {
      out[i] = static_cast<float>(k) + in.floats[k * kLaneCount + i];
      return;
    }
  }
  out[i] = -1;
}

LANE_LOOP(loops_in_sequence, "two loops of unequal length, one after the other") {
  const int lane = lane_of(i);
  double sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < lane % 7; ++k) sum += in.floats[k * kLaneCount + i];
#pragma unroll kUnroll
  for (int k = 0; k < lane % 4; ++k) sum += in.ints[k * kLaneCount + i];
  out[i] = static_cast<float>(sum);
}

// Each lane has its own start and the same step, so the numbers of iterations differ by one.
LANE_LOOP(step_from_lane, "`for (k = lane; k < 200; k += 32)`") {
  float sum = 0;
#pragma unroll kUnroll
  for (int k = lane_of(i); k < 200; k += 32) sum += in.floats[k * 3 + i / 32 * kLaneCount];
  out[i] = sum;
}

template <int kUnroll>
__global__ void shared_triangle(LaneInputs in, float* out) {
  __shared__ float values[kLaneThreads];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = lane_of(i);
  values[threadIdx.x] = in.floats[i];
  __syncthreads();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k <= lane; ++k) sum += values[k * 4];
  out[i] = sum;
}
void shared_triangle_thread(const LaneInputs& in, float* out, int i) {
  const float* const block = in.floats + i / kLaneThreads * kLaneThreads;
  for (int k = 0; k <= i % 32; ++k) out[i] += block[k * 4];
}
template <int kUnroll>
Case shared_triangle_case(const std::string& member) {
  return lane_case("shared_triangle" + member, "lane n runs n + 1 iterations, with shared loads",
                   shared_triangle_thread, shared_triangle<kUnroll>);
}
const Added shared_triangle_cases[] = {{cases, shared_triangle_case<1>("/rolled")},
                                       {cases, shared_triangle_case<4>("/unrolled")}};

// Follows indices until one is below 300.
LANE_KERNEL(follow_indices, "`while` over indices from memory") {
  int place = in.ints[i], steps = 0;
  while (place >= 300) {
    place = in.ints[place + 1];
    ++steps;
  }
  out[i] = static_cast<float>(steps);
}

LANE_KERNEL(do_while, "`do` ... `while`, 1 to 4 iterations") {
  float sum = 0;
  int k = 0;
#pragma unroll 1
  do {
    sum += in.floats[k * kLaneCount + i];
    ++k;
  } while (k < lane_of(i) % 5);
  out[i] = sum;
}

LANE_KERNEL(loop_in_loop, "two nested loops of unequal length") {
  const int lane = lane_of(i);
  double sum = 0;
#pragma unroll 1
  for (int j = 0; j <= lane % 3; ++j) {
    sum += in.ints[j * kLaneCount + i];
#pragma unroll 1
    for (int k = 0; k < (lane + j) % 4; ++k) sum += in.floats[(4 * j + k) * kLaneCount + i];
  }
  out[i] = static_cast<float>(sum);
}

LANE_KERNEL(loop_in_branch, "a loop in each branch") {
  const int lane = lane_of(i);
  double sum = 0;
  if (lane % 2 == 0) {
#pragma unroll 1
    for (int k = 0; k < 4; ++k) sum += in.floats[k * kLaneCount + i];
  } else {
#pragma unroll 1
    for (int k = 0; k < 6; ++k) sum += in.doubles[k * kLaneCount + i];
  }
  out[i] = static_cast<float>(sum) + static_cast<float>(in.shorts[i]);
}

// After a loop of unequal length all lanes load; the address depends on the sum.
LANE_KERNEL(load_after_loop, "a load by all lanes after a loop of unequal length") {
  const int lane = lane_of(i);
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < lane % 6; ++k) sum += in.ints[k * kLaneCount + i];
  out[i] = in.floats[i + sum];
}

}  // namespace

std::vector<Case> loop_cases() { return cases; }
