#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cuda_simulator {

// `count` elements from `first` on, of a host array of so many bytes.
struct HostElements {
  const void* array;
  std::size_t array_bytes, element_bytes, first, count;
};

// Who stored each of these elements, if the array is what the last copy from device memory to it
// has brought, and nothing has changed it there since; empty otherwise. In words: "thread 5:1 block
// 0" of the last launch, with further indices where they are not 0; "-" if no thread stored what is
// there; "atomic", "earlier" (a launch before the last), or "?", which is not known. Only the
// traced library has this function.
std::vector<std::string> writers_of(const HostElements& elements);

}  // namespace cuda_simulator
