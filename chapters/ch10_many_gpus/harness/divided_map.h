#pragma once

#include "chapters/ch9_embedding/harness/float2_arrays.h"
#include "chapters/ch9_embedding/harness/host_affinities.h"
#include "chapters/ch9_embedding/harness/reference.h"
#include "embedding/divided_embedding.h"
#include "harness/gpu_group.h"

#include "common/device_buffer.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

// A descent whose points are divided among GPUs: each GPU has the lists of its own points, and a
// map of all points. In each map, all gradients and other GPUs' steps and gains start as NaN.
class DividedMap {
 public:
  DividedMap(const GpuGroup& group, const HostAffinities& affinities, const ReferenceMap& map)
      : count_(affinities.count) {
    for (std::size_t g = 0; g < group.size(); ++g) {
      CUDA_CHECK(cudaSetDevice(group.gpus()[g].device));
      parts_.push_back(make_part(affinities, map, points_of(count_, group.size(), g),
                                 divided_embedding_workspace_bytes(count_, group.size())));
      Part& part = parts_.back();
      part.d_workspace.fill_bytes(0xff);
      shares_.push_back(
          {{nullptr, part.d_starts.data(), part.d_neighbours.data(), part.d_values.data()},
           {part.d_points.data(), part.d_steps.data(), part.d_gains.data(), part.d_gradient.data()},
           part.d_workspace.data()});
    }
  }

  const std::vector<PointShare>& shares() const { return shares_; }

  // Returns all points in the memory of GPU g.
  std::vector<double> points_on(std::size_t g) const {
    return as_doubles(parts_[g].d_points.to_host());
  }
  // Returns the points from GPU 0, and the steps and gains of each point from the GPU that owns it.
  ReferenceMap to_host() const {
    return {points_on(0), gathered(&Part::d_steps), gathered(&Part::d_gains)};
  }
  std::vector<double> gradient() const { return gathered(&Part::d_gradient); }

 private:
  struct Part {  // in the memory of one GPU
    PointRange own;
    DeviceBuffer<int> d_starts, d_neighbours;
    DeviceBuffer<float> d_values;
    DeviceBuffer<float2> d_points, d_steps, d_gains, d_gradient;
    DeviceBuffer<char> d_workspace;
  };

  static Part make_part(const HostAffinities& affinities, const ReferenceMap& map, PointRange own,
                        std::size_t workspace_bytes) {
    const auto begin = static_cast<std::size_t>(own.begin);
    const auto end = begin + static_cast<std::size_t>(own.size);
    const int first = affinities.starts[begin], last = affinities.starts[end];
    std::vector<int> starts;
    for (const int start : affinities.starts) {
      starts.push_back(std::clamp(start, first, last) - first);
    }
    const auto of_lists = [&](const auto& all) {
      return std::vector(all.begin() + first, all.begin() + last);
    };
    const std::vector<double> none(map.points.size(), std::numeric_limits<double>::quiet_NaN());
    return {own,
            DeviceBuffer<int>(starts),
            DeviceBuffer<int>(of_lists(affinities.neighbours)),
            DeviceBuffer<float>(of_lists(affinities.values)),
            DeviceBuffer<float2>(as_float2(map.points)),
            DeviceBuffer<float2>(as_float2(own_of(map.steps, own))),
            DeviceBuffer<float2>(as_float2(own_of(map.gains, own))),
            DeviceBuffer<float2>(as_float2(none)),
            DeviceBuffer<char>(workspace_bytes)};
  }

  // x and y of the own points, and NaN for all other points.
  static std::vector<double> own_of(const std::vector<double>& all, PointRange own) {
    std::vector<double> kept(all.size(), std::numeric_limits<double>::quiet_NaN());
    const auto begin = 2 * static_cast<std::size_t>(own.begin);
    const auto end = begin + 2 * static_cast<std::size_t>(own.size);
    for (std::size_t k = begin; k < end; ++k) kept[k] = all[k];
    return kept;
  }

  std::vector<double> gathered(DeviceBuffer<float2> Part::*array) const {
    std::vector<double> numbers;
    for (const Part& part : parts_) {
      const std::vector<double> all = as_doubles((part.*array).to_host());
      const auto begin = all.begin() + 2 * part.own.begin;
      numbers.insert(numbers.end(), begin, begin + 2 * part.own.size);
    }
    return numbers;
  }

  const int count_;
  std::vector<Part> parts_;
  std::vector<PointShare> shares_;
};
