#pragma once

#include "common/cuda_check.h"

#include <cstddef>
#include <utility>
#include <vector>

// Owns `size` elements of device memory. Kernels still take raw pointers: pass buffer.data().
// A size of 0 is allowed and owns nothing. All writes of this class are complete when the call
// returns, so kernels of any stream can read the data.
template <typename T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size > 0) CUDA_CHECK(cudaMalloc(&data_, size_bytes()));
  }
  explicit DeviceBuffer(const std::vector<T>& host) : DeviceBuffer(host.size()) {
    if (size_ == 0) return;
    CUDA_CHECK(cudaMemcpy(data_, host.data(), size_bytes(), cudaMemcpyHostToDevice));
    wait();
  }
  ~DeviceBuffer() { cudaFree(data_); }  // unchecked: a destructor must not throw

  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  // Sets every byte. 0xff makes each float a NaN, so elements that no kernel wrote can be found.
  void fill_bytes(int value) {
    if (size_ == 0) return;
    CUDA_CHECK(cudaMemset(data_, value, size_bytes()));
    wait();
  }

  // Returns a host copy; waits for earlier work on the default stream.
  std::vector<T> to_host() const {
    std::vector<T> host(size_);
    if (size_ > 0) CUDA_CHECK(cudaMemcpy(host.data(), data_, size_bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }

 private:
  // CUDA's calls can return before the copy is complete, and other streams do not wait for it.
  static void wait() { CUDA_CHECK(cudaStreamSynchronize(nullptr)); }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};
