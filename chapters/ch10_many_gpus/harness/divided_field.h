#pragma once

#include "harness/gpu_group.h"
#include "stencil.h"

#include "common/device_buffer.h"

#include <cmath>
#include <cstddef>
#include <vector>

// An array divided among GPUs, with halos. The inner halos, and the elements that the steps should
// write, start as NaN.
class DividedField {
 public:
  DividedField(const GpuGroup& group, const std::vector<float>& h_values) {
    const std::size_t size = h_values.size(), gpus = group.size();
    for (std::size_t g = 0; g < gpus; ++g) {
      const std::size_t begin = share_begin(size, gpus, g), end = share_begin(size, gpus, g + 1);
      std::vector<float> values(end - begin + 2, NAN), next(end - begin + 2, NAN);
      for (std::size_t i = begin; i < end; ++i) values[i - begin + 1] = h_values[i];
      if (g == 0) values.front() = next.front() = 0;
      if (g + 1 == gpus) values.back() = next.back() = 0;
      CUDA_CHECK(cudaSetDevice(group.gpus()[g].device));
      values_.emplace_back(values);
      next_.emplace_back(next);
      fields_.push_back({values_[g].data(), next_[g].data(), end - begin});
    }
  }

  const std::vector<Field>& fields() const { return fields_; }

  // Returns the whole array, without halos, after that number of steps.
  std::vector<float> to_host(int steps) const {
    std::vector<float> all;
    for (const DeviceBuffer<float>& one : steps % 2 == 0 ? values_ : next_) {
      const std::vector<float> h_one = one.to_host();
      all.insert(all.end(), h_one.begin() + 1, h_one.end() - 1);
    }
    return all;
  }

 private:
  std::vector<DeviceBuffer<float>> values_, next_;
  std::vector<Field> fields_;
};
