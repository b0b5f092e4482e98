#include "cases.h"
#include "lane_inputs.h"

// Lanes of a warp that diverge, and meet again.

namespace {

__device__ int this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int this_lane() { return threadIdx.x % 32; }

__global__ void if_else_halves(LaneInputs in, float* out) {
  const int i = this_thread();
  float value;
  if (this_lane() < 16) {
    value = in.floats[i];
  } else {
    value = static_cast<float>(in.ints[i]);
  }
  out[i] = value;
}

__global__ void if_else_odd(LaneInputs in, float* out) {
  const int i = this_thread();
  float value;
  if (this_lane() % 2 == 1) {
    value = in.floats[i];
  } else {
    value = static_cast<float>(in.ints[i]);
  }
  out[i] = value;
}

__global__ void if_else_one_type(LaneInputs in, float* out) {
  const int i = this_thread();
  float value;
  if (this_lane() < 16) {
    value = in.floats[i];
  } else {
    value = in.floats[2 * i + 1];
  }
  out[i] = value;
}

__global__ void ternary(LaneInputs in, float* out) {
  const int i = this_thread();
  out[i] = this_lane() % 4 == 0 ? in.floats[i] : in.floats[i + 1000];
}

__device__ float2 nowhere() { return {1000.0f, 3000.0f}; }
__global__ void constant_structure(const float2* __restrict__ pairs, float* __restrict__ out) {
  const int i = this_thread();
  __shared__ float2 tile[kLaneThreads];
  tile[threadIdx.x] = threadIdx.x < 40 ? pairs[i] : nowhere();
  out[i] = tile[threadIdx.x].x + tile[threadIdx.x].y;
}

__global__ void if_alone(LaneInputs in, float* out) {
  const int i = this_thread();
  float value = in.floats[i];
  if (this_lane() % 3 == 0) value += static_cast<float>(in.ints[i]);
  out[i] = value;
}

__global__ void if_nested(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
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

__global__ void else_if(LaneInputs in, float* out) {
  const int i = this_thread(), lane = this_lane();
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

__global__ void switch_on_lane(LaneInputs in, float* out) {
  const int i = this_thread();
  float value = 0;
  switch (this_lane() % 4) {
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

__global__ void switch_falls_through(LaneInputs in, float* out) {
  const int i = this_thread();
  float value = 0;
  switch (this_lane() % 3) {
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

__global__ void early_return(LaneInputs in, float* out) {
  const int i = this_thread();
  if (this_lane() >= 20) return;
  out[i] = in.floats[i];
}

__global__ void early_return_by_data(LaneInputs in, float* out) {
  const int i = this_thread();
  if (in.ints[i] < 300) return;
  const float value = in.floats[i];
  if (value > 800) return;
  out[i] = value + static_cast<float>(in.shorts[i]);
}

__global__ void short_circuit_and(LaneInputs in, float* out) {
  const int i = this_thread();
  if (in.ints[i] > 300 && in.floats[2 * i] > 500) out[i] = static_cast<float>(in.doubles[i]);
}

__global__ void short_circuit_or(LaneInputs in, float* out) {
  const int i = this_thread();
  if (in.ints[i] > 700 || in.floats[2 * i] > 500) out[i] = static_cast<float>(in.doubles[i]);
}

__global__ void if_else_by_data(LaneInputs in, float* out) {
  const int i = this_thread();
  float value;
  if (in.ints[i] % 2 == 0) {
    value = in.floats[i];
  } else {
    value = static_cast<float>(in.doubles[i]);
  }
  out[i] = value;
}

__global__ void if_else_by_warp(LaneInputs in, float* out) {
  const int i = this_thread();
  float value;
  if (i / 32 % 2 == 0) {
    value = in.floats[i];
  } else {
    value = static_cast<float>(in.doubles[i]);
  }
  out[i] = value;
}

__global__ void stores_in_branches(LaneInputs in, float* out) {
  const int i = this_thread();
  const float value = in.floats[i];
  if (value < 500) {
    out[i] = value + 1;
  } else {
    reinterpret_cast<int*>(out)[i] = 0x3f800000;  // the bits of 1.0f
  }
}

__global__ void load_after_if_else(LaneInputs in, float* out) {
  const int i = this_thread();
  float value;
  if (this_lane() % 2 == 1) {
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
  const int i = this_thread(), thread = threadIdx.x;
  floats[thread] = in.floats[i];
  ints[thread] = in.ints[i];
  ints[thread + kLaneThreads] = in.ints[i];
  __syncthreads();
  float value;
  if (this_lane() % 2 == 1) {
    value = floats[kLaneThreads - 1 - thread];
  } else {
    value = static_cast<float>(ints[2 * thread]);
  }
  out[i] = value;
}

// A branch with a warp function waits for its lanes at this function.
__global__ void sync_in_branch(LaneInputs in, float* out) {
  const int i = this_thread();
  float value = 0;
  if (this_lane() < 16) {
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

}  // namespace

std::vector<Case> branch_cases() {
  std::vector<Case> cases;
  const auto add = [&](const char* name, const char* description, auto launch, auto expected) {
    cases.push_back({name, description, [=] { check_lanes(launch, expected); }});
  };
  add(
      "if_else_halves", "lanes 0 to 15 load floats, the others ints",
      [](LaneInputs in, float* out) { if_else_halves<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) { return i % 32 < 16 ? in.floats[i] : in.ints[i]; });
  add(
      "if_else_odd", "odd lanes load floats, the others ints",
      [](LaneInputs in, float* out) { if_else_odd<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) { return i % 2 == 1 ? in.floats[i] : in.ints[i]; });
  add(
      "if_else_one_type", "both branches load a float, from different addresses",
      [](LaneInputs in, float* out) { if_else_one_type<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) { return in.floats[i % 32 < 16 ? i : 2 * i + 1]; });
  add(
      "ternary", "`c ? a[i] : a[i + 1000]`",
      [](LaneInputs in, float* out) { ternary<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) { return in.floats[i % 4 == 0 ? i : i + 1000]; });
  add(
      "constant_structure", "`c ? a[i] : nowhere()` of a structure; nowhere() returns constants",
      [](LaneInputs in, float* out) {
        constant_structure<<<kLaneBlocks, kLaneThreads>>>(
            reinterpret_cast<const float2*>(in.floats), out);
      },
      [](const HostInputs& in, int i) {
        return i % kLaneThreads < 40 ? in.floats[2 * i] + in.floats[2 * i + 1] : 4000.0f;
      });
  add(
      "if_alone", "every third lane loads one more float",
      [](LaneInputs in, float* out) { if_alone<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return in.floats[i] + (i % 32 % 3 == 0 ? static_cast<float>(in.ints[i]) : 0.0f);
      });
  add(
      "if_nested", "an if in an if, each with an else",
      [](LaneInputs in, float* out) { if_nested<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        if (i % 32 >= 20) return in.doubles[i];
        return (i % 2 == 0 ? in.floats[i] : in.ints[i]) + static_cast<double>(in.shorts[i]);
      });
  add(
      "else_if", "lanes 0-4, 5-10, 11-22 load, the others do not",
      [](LaneInputs in, float* out) { else_if<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const int lane = i % 32;
        return lane < 5    ? static_cast<double>(in.floats[i])
               : lane < 11 ? in.ints[i]
               : lane < 23 ? in.doubles[i]
                           : 0.0;
      });
  add(
      "switch_on_lane", "`switch (lane % 4)` with a load in each case",
      [](LaneInputs in, float* out) { switch_on_lane<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const double values[] = {in.floats[i], static_cast<double>(in.ints[i]), in.doubles[i],
                                 static_cast<double>(in.shorts[i])};
        return values[i % 4];
      });
  add(
      "switch_falls_through", "a switch whose cases fall through",
      [](LaneInputs in, float* out) {
        switch_falls_through<<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        const int lane = i % 32 % 3;
        return (lane == 0 ? in.floats[i] : 0) + (lane <= 1 ? in.ints[i] : 0) + in.doubles[i];
      });
  add(
      "early_return", "lanes 20 to 31 return before the load",
      [](LaneInputs in, float* out) { early_return<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) { return i % 32 < 20 ? in.floats[i] : 0.0f; });
  add(
      "early_return_by_data", "two returns that depend on loaded values",
      [](LaneInputs in, float* out) {
        early_return_by_data<<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        return in.ints[i] < 300 || in.floats[i] > 800 ? 0.0f : in.floats[i] + in.shorts[i];
      });
  add(
      "short_circuit_and", "a load on the right of `&&`",
      [](LaneInputs in, float* out) { short_circuit_and<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return in.ints[i] > 300 && in.floats[2 * i] > 500 ? in.doubles[i] : 0.0;
      });
  add(
      "short_circuit_or", "a load on the right of `||`",
      [](LaneInputs in, float* out) { short_circuit_or<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return in.ints[i] > 700 || in.floats[2 * i] > 500 ? in.doubles[i] : 0.0;
      });
  add(
      "if_else_by_data", "the branch depends on a loaded value",
      [](LaneInputs in, float* out) { if_else_by_data<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return in.ints[i] % 2 == 0 ? static_cast<double>(in.floats[i]) : in.doubles[i];
      });
  add(
      "if_else_by_warp", "whole warps take one branch or the other",
      [](LaneInputs in, float* out) { if_else_by_warp<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        return i / 32 % 2 == 0 ? static_cast<double>(in.floats[i]) : in.doubles[i];
      });
  add(
      "stores_in_branches", "each branch stores",
      [](LaneInputs in, float* out) { stores_in_branches<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) { return in.floats[i] < 500 ? in.floats[i] + 1 : 1.0f; });
  add(
      "load_after_if_else", "a load by all lanes after they diverged",
      [](LaneInputs in, float* out) { load_after_if_else<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const float value = i % 2 == 1 ? in.floats[i] : in.ints[i];
        return in.doubles[i + static_cast<int>(value)];
      });
  add(
      "shared_loads_in_branches", "each branch loads from a different shared array",
      [](LaneInputs in, float* out) {
        shared_loads_in_branches<<<kLaneBlocks, kLaneThreads>>>(in, out);
      },
      [](const HostInputs& in, int i) {
        const int first = i / kLaneThreads * kLaneThreads, thread = i % kLaneThreads;
        return i % 2 == 1 ? in.floats[first + kLaneThreads - 1 - thread]
                          : static_cast<float>(in.ints[first + 2 * thread % kLaneThreads]);
      });
  add(
      "sync_in_branch", "`__syncwarp` of half a warp between a branch's loads",
      [](LaneInputs in, float* out) { sync_in_branch<<<kLaneBlocks, kLaneThreads>>>(in, out); },
      [](const HostInputs& in, int i) {
        const double value = i % 32 < 16 ? in.floats[i] + static_cast<double>(in.shorts[i])
                                         : in.ints[i] + in.doubles[i];
        return value + in.floats[i + kLaneCount];
      });
  return cases;
}
