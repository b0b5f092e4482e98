#pragma once

#include "program/executable.h"
#include "runtime/device_memory.h"
#include "trace/checks/race_detector.h"
#include "trace/checks/updates.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace cuda_simulator {

// The texts of findings, in plain English.

// "1 byte", "3 threads".
std::string count_of(std::size_t n, const char* what);

// "memory at byte 408 of an allocation of 400 bytes, which is element 102 of an array of 100".
std::string describe_distance(const Allocation& allocation, std::uintptr_t address, unsigned bytes);

// "memory=global where=behind at=408 end=400 width=4": before or behind; the position of the access
// and the end of the array, in bytes from its beginning; and the width of the access.
std::string distance_facts(const Allocation& allocation, std::uintptr_t address, unsigned bytes);
std::string range_facts(std::ptrdiff_t at, std::size_t end, unsigned access_bytes);

// "memory at byte 128 of row, a __shared__ variable of 128 bytes."
std::string outside_shared_text(const Symbol& nearest, std::size_t offset, unsigned bytes);

// "element 3 of 100 of ", for an access of `access_bytes` at byte `offset`; "" if the access covers
// all of it.
std::string element_text(std::size_t offset, unsigned access_bytes, std::size_t total_bytes);

// An access to memory that has a name, or a description instead of a name.
struct AccessedMemory {
  MemorySpace space;
  std::string name;
  std::size_t total_bytes, offset;
  unsigned access_bytes;

  // "element 3 of 100 of totals in global memory"
  std::string text() const;
  // "memory=shared array=totals": the name of a variable; memory from cudaMalloc has none
  std::string facts() const;
};

struct RaceContext {
  Update update;
  bool has_signals;  // the kernel uses atomic functions, volatile accesses or fences
};
std::string race_text(const RaceDetector::Race& race, const AccessedMemory& memory,
                      const RaceContext& context);
// "between=blocks" or "between=threads", the facts of the memory, and "update=same" or
// "update=neighbour".
std::string race_facts(const RaceDetector::Race& race, const AccessedMemory& memory,
                       const RaceContext& context);
std::string uninitialised_text(const AccessedMemory& memory);
// For a read of memory into which an asynchronous copy is in flight.
std::string early_read_text(const AccessedMemory& memory);
// For a copy to the host, with the first unwritten range.
std::string uninitialised_copy_text(const char* function, const Allocation& allocation,
                                    std::size_t offset, std::size_t bytes);
// "0x0000ffff"
std::string mask_text(std::uint32_t mask);
// For a read of an unwritten element of a thread's local array. by_thread: the array is indexed
// like one that the block shares.
std::string unwritten_local_text(const std::string& element, const std::string& array,
                                 bool by_thread);
// For a lane that calls a warp function with a mask that does not include it.
std::string left_out_text(std::uint32_t mask);

}  // namespace cuda_simulator
