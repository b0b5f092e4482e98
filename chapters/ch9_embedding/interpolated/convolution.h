#pragma once

#include "interpolated/interpolation.h"

#include "common/ceil_div.h"
#include "common/cuda_check.h"

#include <cufft.h>

#include <cstddef>
#include <string>

// Computes the sums of q and of pushes at each node of a grid from the parts at all nodes.

constexpr int kPlanes = 4;  // the parts at the nodes; q, and q^2 (y_i - y_j) in x and in y
constexpr std::size_t kPlane = static_cast<std::size_t>(kPeriod) * kPeriod;
constexpr std::size_t kHalfPlane = static_cast<std::size_t>(kPeriod) * kHalf;
constexpr int kPlaneThreads = 256;

// Threads add to nodes in any order. The sums are deterministic because they are integers: 2^32
// represents 1. Negative parts are correct too, because the sums are modulo 2^64.
using Whole = unsigned long long;
constexpr float kWhole = 4294967296.0f;

// The input of the transforms. Elements past the middle are offsets to the left, or upwards.
[[maybe_unused]] static __global__ void planes_kernel(const Whole* __restrict__ nodes,
                                                      const float* __restrict__ extent,
                                                      float* planes) {
  const int x = blockIdx.x * kPlaneThreads + threadIdx.x, y = blockIdx.y;
  const bool is_node = x < kNodes && y < kNodes;
  const auto whole = static_cast<long long>(is_node ? nodes[y * kNodes + x] : 0);
  const float spacing = spacing_of(*extent);
  const float dx = spacing * static_cast<float>(x < kNodes ? x : x - kPeriod);
  const float dy = spacing * static_cast<float>(y < kNodes ? y : y - kPeriod);
  const float q = 1 / (1 + dx * dx + dy * dy);
  float* const at = planes + static_cast<std::size_t>(y) * kPeriod + x;
  at[0] = static_cast<float>(whole) / kWhole;
  at[kPlane] = q;
  at[2 * kPlane] = q * q * dx;
  at[3 * kPlane] = q * q * dy;
}

// Multiplies the transform of each other plane by that of the first plane, in place.
[[maybe_unused]] static __global__ void multiply_kernel(float2* transforms) {
  const std::size_t at = blockIdx.x * static_cast<std::size_t>(kPlaneThreads) + threadIdx.x;
  if (at >= kHalfPlane) return;
  const float2 own = transforms[at];
  constexpr float kScale = 1.0f / kPlane;  // a transform and its inverse: kPlane times as large
  for (int plane = 1; plane < kPlanes; ++plane) {
    float2& element = transforms[plane * kHalfPlane + at];
    const float2 other = element;
    element = {kScale * (own.x * other.x - own.y * other.y),
               kScale * (own.x * other.y + own.y * other.x)};
  }
}

// Throws CudaError, with the name of the function, if the call failed.
inline void check_cufft(cufftResult result, const char* function) {
  if (result == CUFFT_SUCCESS) return;
  const std::string what = std::string(function) + ": cuFFT's error " + std::to_string(result);
  throw CudaError(cudaErrorUnknown, what.c_str());
}

// Owns a plan of cuFFT for `planes` transforms that are contiguous in memory.
class Plan {
 public:
  Plan(cufftType type, int planes) {
    int size[] = {kPeriod, kPeriod};
    check_cufft(cufftPlanMany(&plan_, 2, size, nullptr, 1, 0, nullptr, 1, 0, type, planes),
                "cufftPlanMany");
  }
  ~Plan() { cufftDestroy(plan_); }  // unchecked: a destructor must not throw
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // The plan, set to queue its work on that stream.
  cufftHandle on(cudaStream_t stream) const {
    check_cufft(cufftSetStream(plan_, stream), "cufftSetStream");
    return plan_;
  }

 private:
  cufftHandle plan_ = 0;
};

// Queues the convolution. d_planes has kPlanes planes of kPlane numbers, d_transforms kPlanes of
// kHalfPlane. Afterwards the planes from the second on hold the sums of q and of pushes at each
// node.
class Convolution {
 public:
  void queue(const Whole* d_nodes, const float* d_extent, float* d_planes, float2* d_transforms,
             cudaStream_t stream) const {
    planes_kernel<<<dim3(kPeriod / kPlaneThreads, kPeriod), kPlaneThreads, 0, stream>>>(
        d_nodes, d_extent, d_planes);
    CUDA_CHECK(cudaGetLastError());
    check_cufft(cufftExecR2C(forward_.on(stream), d_planes, d_transforms), "cufftExecR2C");
    const auto blocks = static_cast<unsigned>(ceil_div(kHalfPlane, std::size_t{kPlaneThreads}));
    multiply_kernel<<<blocks, kPlaneThreads, 0, stream>>>(d_transforms);
    CUDA_CHECK(cudaGetLastError());
    check_cufft(cufftExecC2R(inverse_.on(stream), d_transforms + kHalfPlane, d_planes + kPlane),
                "cufftExecC2R");
  }

 private:
  const Plan forward_{CUFFT_R2C, kPlanes}, inverse_{CUFFT_C2R, kPlanes - 1};
};
