#pragma once

#include "chapters/ch8_tsne/harness/host_points.h"
#include "distances/divided_distances.h"
#include "harness/gpu_group.h"

#include "common/device_buffer.h"

#include <cstddef>
#include <vector>

// Vectors and room for the distances between them, both divided among GPUs. Elements that must be
// fetched or computed start as NaN.
class DividedTriangle {
 public:
  // The points are stored vector by vector.
  DividedTriangle(const GpuGroup& group, const HostPoints& points) {
    const auto [data, count, dimensions, layout] = points;
    const auto vector_floats = static_cast<std::size_t>(dimensions);
    const auto pairs_before = [count = static_cast<std::size_t>(count)](int row) {
      const auto rows = static_cast<std::size_t>(row);
      return rows * (2 * count - rows - 1) / 2;
    };
    for (std::size_t g = 0; g < group.size(); ++g) {
      const int begin = triangle_begin(count, group.size(), g);
      const int end = triangle_begin(count, group.size(), g + 1);
      CUDA_CHECK(cudaSetDevice(group.gpus()[g].device));
      const float* const first = data.data() + static_cast<std::size_t>(begin) * vector_floats;
      const std::size_t own_floats = static_cast<std::size_t>(end - begin) * vector_floats;
      own_.emplace_back(std::vector<float>(first, first + own_floats));
      later_.emplace_back(static_cast<std::size_t>(count - end) * vector_floats);
      distances_.emplace_back(pairs_before(end) - pairs_before(begin));
      later_[g].fill_bytes(0xff);
      distances_[g].fill_bytes(0xff);
      shares_.push_back({own_[g].data(), later_[g].data(), distances_[g].data()});
    }
  }

  const std::vector<VectorShare>& shares() const { return shares_; }
  std::vector<float> vectors_to_host() const { return concatenated(own_); }
  // The distances in the order of pair_index().
  std::vector<float> distances_to_host() const { return concatenated(distances_); }

 private:
  static std::vector<float> concatenated(const std::vector<DeviceBuffer<float>>& parts) {
    std::vector<float> all;
    for (const DeviceBuffer<float>& part : parts) {
      const std::vector<float> one = part.to_host();
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  std::vector<DeviceBuffer<float>> own_, later_, distances_;  // per GPU
  std::vector<VectorShare> shares_;
};
