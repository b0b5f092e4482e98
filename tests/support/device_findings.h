#pragma once

#include <cstddef>
#include <string>
#include <vector>

struct DeviceFindings {
  std::string text;                // empty when nothing is wrong
  std::vector<std::string> facts;  // the same for programs: "finding=race between=blocks"
  std::string json = "[]";         // the same with all places, as in the simulator's report
};

// Errors of the kernels that have run since the last call, other than wrong results: races,
// accesses out of bounds, barriers that not all threads reach. The linked library decides: the
// traced simulator returns its findings; on a GPU there are none (compute-sanitizer reports them,
// docs/profiling.md).
DeviceFindings take_device_findings();

// Whether it would find every access outside an array. The traced simulator does.
bool finds_accesses_outside();

// The copies that the runtime refused since the last call, with the reasons; none on a GPU.
DeviceFindings take_refused_copies();

// The threads that stored `count` elements, from `first` on, of a host array that the last copy
// from device memory filled: "thread 5 block 0", "-" for no thread, or another word of
// simulator/last_stores.h. Empty if they are not known, as on a GPU.
std::vector<std::string> writers_of(const void* array, std::size_t array_bytes,
                                    std::size_t element_bytes, std::size_t first,
                                    std::size_t count);
