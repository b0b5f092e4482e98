#pragma once

#include "cases.h"
#include "values.h"

#include <string>
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

// The work of thread i. If it depends on this thread alone, the GPU and the host run the same
// function.
using LaneThread = void(const LaneInputs& in, float* out, int i);

// `launch(in, out)` must change `out`, kLaneCount zeros, as the threads do on the host.
template <typename Launch>
void check_lanes(Launch launch, LaneThread* thread) {
  constexpr int kElements = kLaneRows * kLaneCount;
  const std::vector<float> floats = whole_numbers<float>(kElements);
  const std::vector<int> ints = whole_numbers<int>(kElements);
  const std::vector<double> doubles = whole_numbers<double>(kElements);
  const std::vector<short> shorts = whole_numbers<short>(kElements);
  const DeviceBuffer<float> d_floats(floats);
  const DeviceBuffer<int> d_ints(ints);
  const DeviceBuffer<double> d_doubles(doubles);
  const DeviceBuffer<short> d_shorts(shorts);
  const LaneInputs in{floats.data(), ints.data(), doubles.data(), shorts.data()};
  const LaneInputs d_in{d_floats.data(), d_ints.data(), d_doubles.data(), d_shorts.data()};
  check_result(
      zeros<float>(kLaneCount), kLaneCount, [&](float* d_out) { launch(d_in, d_out); },
      [&](float* out, int i) { thread(in, out, i); });
}

// A case of a kernel in blocks of kLaneThreads, with `shared_bytes` of dynamic shared memory.
inline Case lane_case(const std::string& name, const std::string& description, LaneThread* thread,
                      void (*kernel)(LaneInputs, float*), std::size_t shared_bytes = 0) {
  const auto launch = [=](LaneInputs in, float* out) {
    kernel<<<kLaneBlocks, kLaneThreads, shared_bytes>>>(in, out);
  };
  return {name, description, [=] { check_lanes(launch, thread); }};
}

template <LaneThread* kThread>
__global__ void per_thread(LaneInputs in, float* out) {
  kThread(in, out, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
}

// threadIdx.x % 32; the host knows only the thread's index in the grid.
__host__ __device__ inline int lane_of([[maybe_unused]] int i) {
#ifdef __CUDA_ARCH__
  return threadIdx.x % 32;
#else
  return i % 32;
#endif
}

// LANE_CASE(twice, "...", kernel) { out[i] = 2 * in.floats[i]; } adds a case to `cases`, a list of
// the file. The braces have the work of thread i, on the host. An argument after the kernel is its
// dynamic shared memory in bytes.
#define LANE_CASE(name, description, ...)                                                    \
  void name##_thread(const LaneInputs& in, float* out, int i);                               \
  const Added name##_case(cases, lane_case(#name, description, name##_thread, __VA_ARGS__)); \
  void name##_thread(const LaneInputs& in, float* out, int i)

// LANE_FUNCTION(twice, "...") { ... } is a case whose threads do the same on the GPU, in the kernel
// per_thread.
#define LANE_FUNCTION(name, description)                                                 \
  __host__ __device__ void name(const LaneInputs& in, float* out, int i);                \
  const Added name##_case(cases, lane_case(#name, description, name, per_thread<name>)); \
  __host__ __device__ void name(const LaneInputs& in, float* out, int i)

// The same in a kernel of its own, twice<1>.
#define LANE_KERNEL(name, description)                                                      \
  LANE_KERNEL_OF(name)                                                                      \
  const Added name##_case(cases, lane_case(#name, description, name##_thread<1>, name<1>)); \
  LANE_THREAD_OF(name)

// The same with loops that are unrolled kUnroll times.
#define LANE_LOOP(name, description)                                                  \
  LANE_KERNEL_OF(name)                                                                \
  const Added name##_cases[] = {                                                      \
      {cases, lane_case(#name "/rolled", description, name##_thread<1>, name<1>)},    \
      {cases, lane_case(#name "/unrolled", description, name##_thread<4>, name<4>)}}; \
  LANE_THREAD_OF(name)

#define LANE_THREAD_OF(name) \
  template <int kUnroll>     \
  __host__ __device__ void name##_thread(const LaneInputs& in, float* out, int i)

#define LANE_KERNEL_OF(name)                                                                  \
  LANE_THREAD_OF(name);                                                                       \
  template <int kUnroll>                                                                      \
  __global__ void name(LaneInputs in, float* out) {                                           \
    name##_thread<kUnroll>(in, out, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)); \
  }
