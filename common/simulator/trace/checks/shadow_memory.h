#pragma once

#include <cstddef>

namespace cuda_simulator {

// Reserves addresses for `bytes` zeros; the system allocates memory only when they are used.
void* reserve_shadow(std::size_t bytes);
// Sets a part to zero again and releases its memory.
void clear_shadow(void* begin, std::size_t bytes);

// Shadow memory: a T for each unit of the program's memory, which may be far larger than the
// machine's memory. A T with all bits 0 must mean that nothing is recorded.
template <typename T>
class ShadowMemory {
 public:
  explicit ShadowMemory(std::size_t size)
      : elements_(static_cast<T*>(reserve_shadow(size * sizeof(T)))), size_(size) {}
  ShadowMemory(const ShadowMemory&) = delete;
  ShadowMemory& operator=(const ShadowMemory&) = delete;

  T& operator[](std::size_t i) { return elements_[i]; }
  const T& operator[](std::size_t i) const { return elements_[i]; }
  void clear(std::size_t first, std::size_t count) {
    clear_shadow(elements_ + first, count * sizeof(T));
  }
  void clear() { clear(0, size_); }

 private:
  T* const elements_;  // never freed: the tracer lives as long as the program
  const std::size_t size_;
};

}  // namespace cuda_simulator
