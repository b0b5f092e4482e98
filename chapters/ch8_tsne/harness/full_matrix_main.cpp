#include "full_matrix.h"
#include "harness/clusters.h"
#include "harness/full_matrix_reference.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/program.h"

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kMostVectors = 1 << 12, kMostDimensions = 1 << 12;

struct Asked {
  int count, dimensions;
};

void check_matrix(const Program& program, const Asked& asked) {
  refuse_csv(program);
  const HostPoints points = clustered_points(asked.count, asked.dimensions, Clusters{}, /*seed=*/1);
  const auto count = static_cast<std::size_t>(asked.count);
  const auto dimensions = static_cast<std::size_t>(asked.dimensions);
  const DeviceBuffer<float> d_vectors(points.data);
  DeviceBuffer<float> d_distances(count * count);
  DeviceBuffer<char> d_workspace(full_matrix_workspace(count, dimensions));
  d_distances.fill_bytes(0xff);
  full_matrix(d_vectors.data(), d_distances.data(), d_workspace.data(), count, dimensions);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here

  const std::vector<float> distances = d_distances.to_host();
  std::size_t at = 0;
  for (int i = 0; i < asked.count; ++i) {
    for (int j = 0; j < asked.count; ++j, ++at) {
      const ExactDistance exact = exact_distance(points, i, j);
      if (is_right(distances[at], exact) && (i != j || distances[at] == 0)) continue;
      throw std::runtime_error(
          format("WRONG: the squared distance of vectors %d and %d is %.9g, and "
                 "the kernel returns %.9g.",
                 i, j, exact.value, static_cast<double>(distances[at])));
    }
  }
  std::printf("%s: %zu distances of %d vectors of %d floats, all right\n", program.name.c_str(),
              distances.size(), asked.count, asked.dimensions);
}

}  // namespace

int main(int argc, char** argv) {
  const auto parse = [](Options& options) {
    return Asked{options.integer<int>("--n", 1, kMostVectors).value_or(300),
                 options.integer<int>("--d", 1, kMostDimensions).value_or(30)};
  };
  return program_main(argc, argv,
                      {{"--n N", "number of vectors"}, {"--d D", "how many components each has"}},
                      parse, check_matrix);
}
