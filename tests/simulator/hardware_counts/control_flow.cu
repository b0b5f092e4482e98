#include "cases.h"
#include "per_thread.h"

// Branches, loops and early exits as learners write them; lane numbers or data decide.

namespace {

struct NestedByData {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
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
};
struct ExitsInARow {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int value = in.ints[i];
    if (value < 200) return;
    const float first = in.floats[i];
    if (first < 400) return;
    const double second = in.doubles[2 * i];
    if (second < 100) return;
    out[i] = first + static_cast<float>(second);
  }
};
struct GuardsOfAMatrix {  // 15 x 13 of 16 x 16
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int row = i / 16, col = i % 16;
    if (row >= 15 || col >= 13) return;
    out[row * 16 + col] = in.floats[row * 100 + col];
  }
};
struct InnerCells {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int row = i / 16, col = i % 16;
    if (row > 0 && row < 15 && col > 0 && col < 15) {
      out[i] = in.floats[i - 1] + in.floats[i + 1] + in.floats[i - 16] + in.floats[i + 16];
    } else {
      out[i] = in.floats[i];
    }
  }
};
struct ContinueByData {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    float sum = 0;
#pragma unroll 1
    for (int row = 0; row < 6; ++row) {
      const int value = in.ints[row * kLaneCount + i];
      if (value % 3 == 0) continue;
      sum += in.floats[row * kLaneCount + i];
    }
    out[i] = sum;
  }
};
struct FirstThatFits {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
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
};
struct TwoConditions {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    int row = 0;
#pragma unroll 1
    while (row < 7 && in.ints[row * kLaneCount + i] < 800) ++row;
    out[i] = static_cast<float>(row);
  }
};
struct WalkATree {  // a heap: the children of node n are 2n + 1 and 2n + 2
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const float wanted = in.floats[i];
    int node = 0;
#pragma unroll 1
    for (int depth = 0; depth < 6; ++depth) {
      node = 2 * node + (static_cast<float>(in.ints[node]) < wanted ? 2 : 1);
    }
    out[i] = static_cast<float>(node);
  }
};
struct WalkUntilALeaf {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    int node = i % 7, steps = 0;
#pragma unroll 1
    while (node < 500) {
      node = 2 * node + 1 + in.ints[node] % 2;
      ++steps;
    }
    out[i] = static_cast<float>(steps);
  }
};
struct Collatz {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    int n = in.ints[i] + 1, steps = 0;
#pragma unroll 1
    while (n != 1 && steps < 60) {
      n = n % 2 == 0 ? n / 2 : 3 * n + 1;
      ++steps;
    }
    out[i] = static_cast<float>(steps);
  }
};
struct StoreInTheLoop {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
#pragma unroll 1
    for (int turn = 0; turn <= i % 4; ++turn) out[i] = in.floats[turn * kLaneCount + i];
  }
};
struct SwitchOnData {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
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
};
struct Clamped {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    const int left = i == 0 ? 0 : i - 1, right = i == kLaneCount - 1 ? i : i + 1;
    out[i] = in.floats[left] + in.floats[i] + in.floats[right];
  }
};
struct OddAndEven {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i % 2 == 0) out[i] = in.floats[i] + in.floats[i + 1];
    if (i % 2 == 1) out[i] = static_cast<float>(in.ints[i] - in.ints[i - 1]);
  }
};
struct OneLaneOfEach {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i % 32 != 5) return;
    float sum = 0;
#pragma unroll 1
    for (int lane = 0; lane < 32; ++lane) sum += in.floats[i - 5 + lane];
    out[i / 32] = sum;
  }
};
struct FirstWarpOnly {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (i % kLaneThreads < 32) out[i] = in.floats[4 * i];
  }
};
struct CallInABranch {
  __host__ __device__ static float weighted(const LaneInputs& in, int i) {
    return 2 * in.floats[i] + static_cast<float>(in.doubles[i]);
  }
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    if (in.ints[i] > 300) {
      out[i] = weighted(in, i);
    } else {
      out[i] = weighted(in, i + kLaneCount);
    }
  }
};
struct EarlyExitOfAHelper {
  __host__ __device__ static float first_large(const LaneInputs& in, int i) {
#pragma unroll 1
    for (int row = 0; row < 5; ++row) {
      const float value = in.floats[row * kLaneCount + i];
      if (value > 600) return value;
    }
    return 0;
  }
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = first_large(in, i) + first_large(in, i + 64);
  }
};

// ---- Blocks that are not whole warps ----

template <typename Function>
__global__ void per_cell(LaneInputs in, float* out, int count) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  const int i = (z * static_cast<int>(gridDim.y * blockDim.y) + y) *
                    static_cast<int>(gridDim.x * blockDim.x) +
                x;
  if (i < count) Function()(in, out, i);
}

struct CopyOne {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = in.floats[i];
  }
};
struct CopyEachFifth {
  __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
    out[i] = static_cast<float>(in.doubles[5 * i]);
  }
};

// The grid has as many threads as there are elements, or a few more.
template <typename Function>
void check_cells(dim3 grid, dim3 block) {
  check_per_thread<Function>(
      [=](LaneInputs in, float* out) { per_cell<Function><<<grid, block>>>(in, out, kLaneCount); });
}

template <typename Function>
void add(std::vector<Case>& cases, const char* name, const char* description) {
  cases.push_back({name, description, [] {
                     check_per_thread<Function>([](LaneInputs in, float* out) {
                       per_thread<Function><<<kLaneBlocks, kLaneThreads>>>(in, out);
                     });
                   }});
}

void add_branches(std::vector<Case>& cases) {
  add<NestedByData>(cases, "nested_by_data", "three nested branches that depend on data");
  add<ExitsInARow>(cases, "exits_in_a_row", "three early exits that depend on data");
  add<GuardsOfAMatrix>(cases, "guards_of_a_matrix", "exits at both borders of a matrix");
  add<InnerCells>(cases, "inner_cells", "a stencil that leaves out the border");
  add<SwitchOnData>(cases, "switch_on_data", "four cases that depend on data");
  add<Clamped>(cases, "clamped_neighbours", "both neighbours, or the element itself at the ends");
  add<OddAndEven>(cases, "odd_and_even", "two branches, one after the other");
  add<OneLaneOfEach>(cases, "one_lane_adds", "one lane of each warp adds 32 elements");
  add<FirstWarpOnly>(cases, "first_warp_only", "one warp of each block");
  add<CallInABranch>(cases, "call_in_branches", "one function in both branches");
}

void add_loops(std::vector<Case>& cases) {
  add<ContinueByData>(cases, "continue_by_data", "`continue` that depends on data");
  add<FirstThatFits>(cases, "first_that_fits", "`break` at the first element that fits");
  add<TwoConditions>(cases, "two_conditions", "`while` with two conditions");
  add<WalkATree>(cases, "walk_a_tree", "six steps down a tree");
  add<WalkUntilALeaf>(cases, "walk_until_a_leaf", "steps down a tree until a leaf");
  add<Collatz>(cases, "collatz", "a loop of arithmetic between a load and a store");
  add<StoreInTheLoop>(cases, "store_in_the_loop",
                      "a load and a store in each of 1 to 4 iterations");
  add<EarlyExitOfAHelper>(cases, "return_of_a_helper", "`return` from the loop of a function");
}

void add_blocks(std::vector<Case>& cases) {
  const auto add = [&](const char* name, dim3 grid, dim3 block) {
    cases.push_back({std::string("copy_by_blocks/") + name, "copy by blocks of N threads",
                     [=] { check_cells<CopyOne>(grid, block); }});
    cases.push_back({std::string("copy_fifths_by_blocks/") + name,
                     "every fifth double by blocks of N threads",
                     [=] { check_cells<CopyEachFifth>(grid, block); }});
  };
  add("1", 256, 1);
  add("33", 8, 33);
  add("40", 7, 40);
  add("100", 3, 100);
  add("8x8", dim3(2, 2), dim3(8, 8));
  add("16x3", dim3(2, 3), dim3(16, 3));
  add("5x7", dim3(4, 2), dim3(5, 7));
  add("4x4x4", dim3(2, 1, 2), dim3(4, 4, 4));
}

}  // namespace

std::vector<Case> control_flow_cases() {
  std::vector<Case> cases;
  add_branches(cases);
  add_loops(cases);
  add_blocks(cases);
  return cases;
}
