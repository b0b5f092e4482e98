#include "harness/nearest_reference.h"
#include "nearest.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/program.h"

#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kMostVectors = 1 << 14, kMostDimensions = 1 << 12;

struct Asked {
  int count, dimensions;
};

void check_nearest(const Program& program, const Asked& asked) {
  refuse_csv(program);
  const HostPoints points = points_of_integers(asked.count, asked.dimensions, /*seed=*/1);
  const DeviceBuffer<float> d_vectors(points.data);
  DeviceBuffer<int> d_nearest(static_cast<std::size_t>(points.count));
  d_nearest.fill_bytes(0x80);
  nearest_vectors(d_vectors.data(), d_nearest.data(), static_cast<std::size_t>(points.count),
                  static_cast<std::size_t>(points.dimensions));
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here

  const std::vector<int> nearest = d_nearest.to_host(), expected = nearest_reference(points);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (nearest[i] == expected[i]) continue;
    throw std::runtime_error(
        format("WRONG: the vector nearest to vector %zu is %d, but the kernel "
               "found %d.",
               i, expected[i], nearest[i]));
  }
  std::printf("%s: %d vectors of %d floats: the nearest other vector of each is correct\n",
              program.name.c_str(), points.count, points.dimensions);
}

}  // namespace

int main(int argc, char** argv) {
  const auto parse = [](Options& options) {
    return Asked{options.integer<int>("--n", 1, kMostVectors).value_or(1000),
                 options.integer<int>("--d", 1, kMostDimensions).value_or(30)};
  };
  return program_main(argc, argv,
                      {{"--n N", "number of vectors"}, {"--d D", "how many components each has"}},
                      parse, check_nearest);
}
