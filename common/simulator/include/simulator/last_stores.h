#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cuda_simulator {

// `count` elements from `first` on, of a host array of `array_bytes` bytes.
struct HostElements {
  const void* array;
  std::size_t array_bytes, element_bytes, first, count;
};

// The writers of these elements, if the array is an unchanged copy of device memory that has not
// been written since the copy; otherwise empty. As text: "thread 5:1 block 0" of the last launch,
// with more indices if they are not 0; "-" if no thread stored the value; "atomic"; "earlier" (a
// launch before the last); or "?" (unknown). Only the traced library has this function.
std::vector<std::string> writers_of(const HostElements& elements);

}  // namespace cuda_simulator
