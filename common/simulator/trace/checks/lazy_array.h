#pragma once

#include <cstddef>

namespace cuda_simulator {

// Addresses for `bytes` of zeros, to which the system gives memory only where they are used.
void* reserve_zeros(std::size_t bytes);
// Makes a part zero again and gives its memory back.
void forget_zeros(void* begin, std::size_t bytes);

// An array of zeros that may be far longer than memory: what a tracer remembers for each address.
// T's value of all bits 0 must mean that nothing is remembered.
template <typename T>
class LazyArray {
 public:
  explicit LazyArray(std::size_t size)
      : elements_(static_cast<T*>(reserve_zeros(size * sizeof(T)))), size_(size) {}
  LazyArray(const LazyArray&) = delete;
  LazyArray& operator=(const LazyArray&) = delete;

  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }
  void clear(std::size_t first, std::size_t count) {
    forget_zeros(elements_ + first, count * sizeof(T));
  }
  void clear() { clear(0, size_); }

 private:
  T* const elements_;  // as long as the program: nobody takes the tracer down
  const std::size_t size_;
};

}  // namespace cuda_simulator
