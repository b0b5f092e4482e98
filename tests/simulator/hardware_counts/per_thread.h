#pragma once

#include "cases.h"
#include "lane_inputs.h"

#include <string>
#include <vector>

// Kernels with independent threads: a function of the thread's number stores to `out`. The host
// computes the expected result with the same function, thread by thread.
//
//   struct Double {
//     __host__ __device__ void operator()(const LaneInputs& in, float* out, int i) const {
//       out[i] = 2 * in.floats[i];
//     }
//   };
template <typename Function>
__global__ void per_thread(LaneInputs in, float* out) {
  Function()(in, out, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
}

// `launch(inputs, out)` launches per_thread<Function> with kLaneBlocks x kLaneThreads threads.
template <typename Function, typename Launch>
void check_per_thread(Launch launch) {
  const HostInputs host;
  const LaneInputs in{host.floats.data(), host.ints.data(), host.doubles.data(),
                      host.shorts.data()};
  std::vector<float> expected(kLaneCount, 0.0f);
  for (int i = 0; i < kLaneCount; ++i) Function()(in, expected.data(), i);
  check_lanes(launch,
              [&](const HostInputs&, int i) { return expected[static_cast<std::size_t>(i)]; });
}
