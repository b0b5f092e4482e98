#include "tests/ch8_tsne/centring_kernels.h"

#include "chapters/ch8_tsne/products/centre_kernel.h"
#include "common/device_buffer.h"

#include <cstddef>

struct StoreRows {
  float* values;
  int pitch;

  __device__ void operator()(int vector, int step, int chunk, float4 x) const {
    const std::size_t at = static_cast<std::size_t>(vector) * pitch + step * kStepDepth + 4 * chunk;
    *reinterpret_cast<float4*>(&values[at]) = x;
  }
};

static std::vector<float> to_host(const float* d_values, std::size_t size) {
  std::vector<float> host(size);
  CUDA_CHECK(cudaMemcpy(host.data(), d_values, size * sizeof(float), cudaMemcpyDeviceToHost));
  return host;
}

CentredVectors centred_vectors(const HostPoints& points, bool centre) {
  const Centring sizes(points.count, points.dimensions, nullptr);
  DeviceBuffer<float> d_data(points.data);
  DeviceBuffer<char> d_workspace(sizes.bytes() + sizes.values_bytes());
  d_workspace.fill_bytes(0xff);
  const Centring centring(points.count, points.dimensions, d_workspace.data());
  const int components = static_cast<int>(centring.components());
  const Points d_points{d_data.data(), points.count, points.dimensions, points.layout};
  const StoreRows rows{centring.behind, components};
  if (centre) {
    launch_centring(d_points, centring, rows, /*stream=*/nullptr);
  } else {
    CUDA_CHECK(cudaMemset(centring.means, 0, centring.components() * sizeof(float)));
    centre_kernel<<<centring.vectors / 32, kCentringThreads>>>(
        d_points, centring.means, centring.steps, rows, centring.norms);
    CUDA_CHECK(cudaGetLastError());
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  return {centring.vectors, components,
          to_host(centring.behind, centring.values_bytes() / sizeof(float)),
          to_host(centring.norms, static_cast<std::size_t>(centring.vectors)),
          to_host(centring.means, static_cast<std::size_t>(components))};
}
