#pragma once

#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// Owns floats in the host's memory, pinned (cudaMallocHost) or ordinary.
class HostArray {
 public:
  HostArray(const std::vector<float>& values, bool pinned) : size_(values.size()) {
    if (pinned) {
      CUDA_CHECK(cudaMallocHost(&pinned_, std::max<std::size_t>(size_, 1) * sizeof(float)));
      std::copy(values.begin(), values.end(), pinned_);
    } else {
      pageable_ = values;
    }
  }
  ~HostArray() { cudaFreeHost(pinned_); }  // unchecked: a destructor must not throw
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;

  float* data() { return pinned_ ? pinned_ : pageable_.data(); }
  std::size_t size() const { return size_; }
  std::vector<float> values() { return {data(), data() + size_}; }

 private:
  std::vector<float> pageable_;
  float* pinned_ = nullptr;
  std::size_t size_;
};
