#pragma once

#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <vector>

// Owns numbers in host memory, pinned (cudaMallocHost) or ordinary. T is float or double.
template <typename T>
class HostArray {
 public:
  HostArray(const std::vector<T>& values, bool pinned) : size_(values.size()) {
    if (pinned) {
      CUDA_CHECK(cudaMallocHost(&pinned_, std::max<std::size_t>(size_, 1) * sizeof(T)));
      std::copy(values.begin(), values.end(), pinned_);
    } else {
      pageable_ = values;
    }
  }
  ~HostArray() { cudaFreeHost(pinned_); }  // unchecked: a destructor must not throw
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;

  T* data() { return pinned_ ? pinned_ : pageable_.data(); }
  std::size_t size() const { return size_; }
  std::vector<T> values() { return {data(), data() + size_}; }

 private:
  std::vector<T> pageable_;
  T* pinned_ = nullptr;
  std::size_t size_;
};
