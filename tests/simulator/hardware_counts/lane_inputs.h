#pragma once

#include "common/device_buffer.h"
#include "values.h"

#include <cstddef>
#include <vector>

// Launches and inputs of the kernels with branches and loops: 8 warps in two blocks, and arrays of
// several types, because nvcc combines two branches' loads of the same type.
constexpr int kLaneBlocks = 2, kLaneThreads = 128, kLaneCount = kLaneBlocks * kLaneThreads;
constexpr int kLaneRows = 32;  // rows of kLaneCount elements in each array

struct LaneInputs {
  const float* floats;
  const int* ints;
  const double* doubles;
  const short* shorts;
};

// The same arrays on the host, with integers from 0 to 999.
struct HostInputs {
  std::vector<float> floats = whole_numbers<float>(kLaneRows * kLaneCount);
  std::vector<int> ints = whole_numbers<int>(kLaneRows * kLaneCount);
  std::vector<double> doubles = whole_numbers<double>(kLaneRows * kLaneCount);
  std::vector<short> shorts = whole_numbers<short>(kLaneRows * kLaneCount);
};

// launch(inputs, out) runs a kernel of kLaneBlocks x kLaneThreads threads; out[i] must be
// expected(host_inputs, i). `out` starts at 0.
template <typename Launch, typename Expected>
void check_lanes(Launch launch, Expected expected) {
  const HostInputs host;
  const DeviceBuffer<float> d_floats(host.floats);
  const DeviceBuffer<int> d_ints(host.ints);
  const DeviceBuffer<double> d_doubles(host.doubles);
  const DeviceBuffer<short> d_shorts(host.shorts);
  DeviceBuffer<float> d_out(kLaneCount);
  d_out.fill_bytes(0);
  launch(LaneInputs{d_floats.data(), d_ints.data(), d_doubles.data(), d_shorts.data()},
         d_out.data());
  CUDA_CHECK(cudaGetLastError());
  expect_equal(d_out.to_host(), generated<float>(kLaneCount, [&](int i) {
                 return static_cast<float>(expected(host, i));
               }));
}
