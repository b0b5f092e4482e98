#include "cases.h"
#include "lane_inputs.h"

#include <algorithm>

// Loops that the lanes of a warp leave in different iterations, or in which they diverge. "rolled"
// is
// `#pragma unroll 1`: one load in the machine code for one in the source.
// "unrolled" is `#pragma unroll 4`.

namespace {

__device__ int this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int this_lane() { return threadIdx.x % 32; }

// Lane n runs n + 1 iterations.
template <int kUnroll>
__global__ void triangle(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k <= lane; ++k) sum += in.floats[k * kLaneCount + i];
  out[i] = sum;
}

// Lane n starts at iteration n: the lanes enter one after another, and leave together.
template <int kUnroll>
__global__ void upper_triangle(LaneInputs in, float* out) {
  const int i = this_thread();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = this_lane(); k < 32; ++k) sum += in.floats[k * kLaneCount + i];
  out[i] = sum;
}

// Odd and even lanes alternate their loads.
template <int kUnroll>
__global__ void alternate(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 8; ++k) {
    if ((lane + k) % 2 == 1) sum += in.floats[k * kLaneCount + i];
  }
  out[i] = sum;
}

template <int kUnroll>
__global__ void branch_each_turn(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
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

template <int kUnroll>
__global__ void skip_by_data(LaneInputs in, float* out) {
  const int i = this_thread();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 8; ++k) {
    if (in.ints[k * kLaneCount + i] % 3 == 0) continue;
    sum += in.floats[k * kLaneCount + i];
  }
  out[i] = sum;
}

template <int kUnroll>
__global__ void break_by_data(LaneInputs in, float* out) {
  const int i = this_thread();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < 16; ++k) {
    const float value = in.floats[k * kLaneCount + i];
    if (value > 900) break;
    sum += value + static_cast<float>(in.shorts[k * kLaneCount + i]);
  }
  out[i] = sum;
}

template <int kUnroll>
__global__ void return_from_loop(LaneInputs in, float* out) {
  const int i = this_thread();
#pragma unroll kUnroll
  for (int k = 0; k < 16; ++k) {
    if (in.ints[k * kLaneCount + i] > 900) {
      out[i] = static_cast<float>(k) + in.floats[k * kLaneCount + i];
      return;
    }
  }
  out[i] = -1;
}

// Follows indices until one is below 300.
__global__ void follow_indices(LaneInputs in, float* out) {
  const int i = this_thread();
  int place = in.ints[i], steps = 0;
  while (place >= 300) {
    place = in.ints[place + 1];
    ++steps;
  }
  out[i] = static_cast<float>(steps);
}

__global__ void do_while(LaneInputs in, float* out) {
  const int i = this_thread();
  float sum = 0;
  int k = 0;
#pragma unroll 1
  do {
    sum += in.floats[k * kLaneCount + i];
    ++k;
  } while (k < this_lane() % 5);
  out[i] = sum;
}

template <int kUnroll>
__global__ void loops_in_sequence(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
  double sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k < lane % 7; ++k) sum += in.floats[k * kLaneCount + i];
#pragma unroll kUnroll
  for (int k = 0; k < lane % 4; ++k) sum += in.ints[k * kLaneCount + i];
  out[i] = static_cast<float>(sum);
}

__global__ void loop_in_loop(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
  double sum = 0;
#pragma unroll 1
  for (int j = 0; j <= lane % 3; ++j) {
    sum += in.ints[j * kLaneCount + i];
#pragma unroll 1
    for (int k = 0; k < (lane + j) % 4; ++k) sum += in.floats[(4 * j + k) * kLaneCount + i];
  }
  out[i] = static_cast<float>(sum);
}

__global__ void loop_in_branch(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
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
__global__ void load_after_loop(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
  int sum = 0;
#pragma unroll 1
  for (int k = 0; k < lane % 6; ++k) sum += in.ints[k * kLaneCount + i];
  out[i] = in.floats[i + sum];
}

// Each lane has its own start and the same step, so the numbers of iterations differ by one.
template <int kUnroll>
__global__ void step_from_lane(LaneInputs in, float* out) {
  const int i = this_thread();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = this_lane(); k < 200; k += 32) sum += in.floats[k * 3 + i / 32 * kLaneCount];
  out[i] = sum;
}

template <int kUnroll>
__global__ void shared_triangle(LaneInputs in, float* out) {
  __shared__ float values[kLaneThreads];
  const int i = this_thread(), lane = this_lane();
  values[threadIdx.x] = in.floats[i];
  __syncthreads();
  float sum = 0;
#pragma unroll kUnroll
  for (int k = 0; k <= lane; ++k) sum += values[k * 4];
  out[i] = sum;
}

// ---- The expected results ----

// The sum over the iterations k in [first, last) for which wanted(k).
template <typename T, typename Wanted>
double sum_of_rows(const std::vector<T>& rows, int i, int first, int last, Wanted wanted) {
  double sum = 0;
  for (int k = first; k < last; ++k) sum += wanted(k) ? rows[k * kLaneCount + i] : T{};
  return sum;
}
template <typename T>
double sum_of_rows(const std::vector<T>& rows, int i, int first, int last) {
  return sum_of_rows(rows, i, first, last, [](int) { return true; });
}

int first_above_900(const HostInputs& in, int i) {
  int k = 0;
  while (k < 16 && in.ints[k * kLaneCount + i] <= 900) ++k;
  return k;
}

// ---- The cases ----

template <int kUnroll>
void add_pairs(std::vector<Case>& cases, const std::string& member) {
  const auto add = [&](const std::string& name, const char* description, auto launch,
                       auto expected) {
    cases.push_back({name + "/" + member, description, [=] { check_lanes(launch, expected); }});
  };
  add(
      "triangle", "lane n runs n + 1 iterations",
      [](LaneInputs in, float* out) { triangle<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) { return sum_of_rows(in.floats, i, 0, i % 32 + 1); });
  add(
      "upper_triangle", "lane n runs 32 - n iterations",
      [](LaneInputs in, float* out) {
        upper_triangle<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) { return sum_of_rows(in.floats, i, i % 32, 32); });
  add(
      "alternate", "`if ((lane + k) % 2)` in a loop",
      [](LaneInputs in, float* out) { alternate<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return sum_of_rows(in.floats, i, 0, 8, [i](int k) { return (i + k) % 2 == 1; });
      });
  add(
      "branch_each_turn", "a switch in a loop; lanes alternate",
      [](LaneInputs in, float* out) {
        branch_each_turn<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        const auto case_is = [i](int wanted) {
          return [=](int k) { return (i % 32 + k) % 3 == wanted; };
        };
        return sum_of_rows(in.floats, i, 0, 8, case_is(0)) +
               sum_of_rows(in.ints, i, 0, 8, case_is(1)) +
               sum_of_rows(in.doubles, i, 0, 8, case_is(2));
      });
  add(
      "skip_by_data", "`continue`, depending on a loaded value",
      [](LaneInputs in, float* out) {
        skip_by_data<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        return sum_of_rows(in.floats, i, 0, 8,
                           [&](int k) { return in.ints[k * kLaneCount + i] % 3 != 0; });
      });
  add(
      "break_by_data", "`break`, depending on a loaded value",
      [](LaneInputs in, float* out) {
        break_by_data<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        return 2 * sum_of_rows(in.floats, i, 0, first_above_900(in, i));
      });
  add(
      "return_from_loop", "`return` from a loop, depending on a loaded value",
      [](LaneInputs in, float* out) {
        return_from_loop<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        const int k = first_above_900(in, i);
        return k < 16 ? k + in.floats[k * kLaneCount + i] : -1.0f;
      });
  add(
      "loops_in_sequence", "two loops of unequal length, one after the other",
      [](LaneInputs in, float* out) {
        loops_in_sequence<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        return sum_of_rows(in.floats, i, 0, i % 32 % 7) + sum_of_rows(in.ints, i, 0, i % 32 % 4);
      });
  add(
      "step_from_lane", "`for (k = lane; k < 200; k += 32)`",
      [](LaneInputs in, float* out) {
        step_from_lane<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        double sum = 0;
        for (int k = i % 32; k < 200; k += 32) sum += in.floats[k * 3 + i / 32 * kLaneCount];
        return sum;
      });
  add(
      "shared_triangle", "lane n runs n + 1 iterations, with shared loads",
      [](LaneInputs in, float* out) {
        shared_triangle<kUnroll><<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        double sum = 0;
        for (int k = 0; k <= i % 32; ++k) sum += in.floats[i / kLaneThreads * kLaneThreads + k * 4];
        return sum;
      });
}

void add_singles(std::vector<Case>& cases) {
  const auto add = [&](const char* name, const char* description, auto launch, auto expected) {
    cases.push_back({name, description, [=] { check_lanes(launch, expected); }});
  };
  add(
      "follow_indices", "`while` over indices from memory",
      [](LaneInputs in, float* out) { follow_indices<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        int steps = 0;
        for (int place = in.ints[i]; place >= 300; place = in.ints[place + 1]) ++steps;
        return steps;
      });
  add(
      "do_while", "`do` ... `while`, 1 to 4 iterations",
      [](LaneInputs in, float* out) { do_while<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return sum_of_rows(in.floats, i, 0, std::max(1, i % 32 % 5));
      });
  add(
      "loop_in_loop", "two nested loops of unequal length",
      [](LaneInputs in, float* out) { loop_in_loop<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const int lane = i % 32;
        double sum = 0;
        for (int j = 0; j <= lane % 3; ++j) {
          sum += in.ints[j * kLaneCount + i] +
                 sum_of_rows(in.floats, i, 4 * j, 4 * j + (lane + j) % 4);
        }
        return sum;
      });
  add(
      "loop_in_branch", "a loop in each branch",
      [](LaneInputs in, float* out) { loop_in_branch<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return in.shorts[i] +
               (i % 2 == 0 ? sum_of_rows(in.floats, i, 0, 4) : sum_of_rows(in.doubles, i, 0, 6));
      });
  add(
      "load_after_loop", "a load by all lanes after a loop of unequal length",
      [](LaneInputs in, float* out) { load_after_loop<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return in.floats[i + static_cast<int>(sum_of_rows(in.ints, i, 0, i % 32 % 6))];
      });
}

}  // namespace

std::vector<Case> loop_cases() {
  std::vector<Case> cases;
  add_pairs<1>(cases, "rolled");
  add_pairs<4>(cases, "unrolled");
  add_singles(cases);
  return cases;
}
