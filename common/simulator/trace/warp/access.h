#pragma once

#include "execution/lanes.h"
#include "trace/warp/request_shape.h"

#include "simulator/atomics.h"
#include "simulator/keywords.h"

#include <cstddef>
#include <cstdint>

namespace cuda_simulator {

enum class MemorySpace : std::uint8_t { global, shared, constant };

inline const char* name_of(MemorySpace space) {
  switch (space) {
    case MemorySpace::global:
      return "global";
    case MemorySpace::shared:
      return "shared";
    case MemorySpace::constant:
      return "constant";
  }
  return "";
}

inline const char* name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
    case AccessKind::volatile_load:
      return "load";
    case AccessKind::store:
    case AccessKind::volatile_store:
      return "store";
    case AccessKind::async_copy:
    case AccessKind::async_copy_arrival:
      return "copy";
    case AccessKind::atomic:
    case AccessKind::atomic_exchange:
    case AccessKind::atomic_compare_and_swap:
      return "atomic";
  }
  return "";
}

inline bool is_atomic(AccessKind kind) { return kind >= AccessKind::atomic; }
inline bool is_volatile(AccessKind kind) {
  return kind == AccessKind::volatile_load || kind == AccessKind::volatile_store;
}
inline bool is_async_copy(AccessKind kind) {
  return kind == AccessKind::async_copy || kind == AccessKind::async_copy_arrival;
}
inline AccessKind without_volatile(AccessKind kind) {
  return kind == AccessKind::volatile_load    ? AccessKind::load
         : kind == AccessKind::volatile_store ? AccessKind::store
                                              : kind;
}

// The simulator's memories; each has its own kind of addresses.
enum class Region : std::uint8_t { shared, device, variables, constant };

inline MemorySpace space_of(Region region) {
  switch (region) {
    case Region::shared:
      return MemorySpace::shared;
    case Region::device:
    case Region::variables:
      return MemorySpace::global;
    case Region::constant:
      return MemorySpace::constant;
  }
  return MemorySpace::global;
}

// The array that contains an address: an allocation or a variable.
struct AddressedArray {
  Region region;
  // false if the host can write to it, and for variables, whose initial value is 0
  bool may_be_uninitialised;
  std::uintptr_t region_begin, begin;
  std::size_t bytes;

  bool holds(std::uintptr_t address, unsigned accessed_bytes) const {
    const std::size_t offset = address - begin;
    return offset < bytes && accessed_bytes <= bytes - offset;
  }
};

// One step of a thread's path without the address of an access, in one word that is fast to
// compare: the code's address and, for an access, its kind and its bytes per lane. A step of 0
// bytes is the beginning of a basic block.
class Step {
 public:
  Step() = default;
  Step(std::uintptr_t code, unsigned bytes, AccessKind kind)
      : bits_((code | hidden_) << 16 | bytes << 8 | static_cast<unsigned>(kind)) {}
  static Step basic_block(std::uintptr_t code) { return {code, 0, AccessKind::load}; }

  std::uintptr_t code() const { return bits_ >> 16 & ~kHidden; }
  unsigned bytes() const { return bits_ >> 8 & 0xff; }
  AccessKind kind() const { return static_cast<AccessKind>(bits_ & 0xff); }
  bool is_access() const { return bytes() != 0; }
  std::uint64_t bits() const { return bits_; }
  static Step from_bits(std::uint64_t bits) {
    Step step;
    step.bits_ = bits;
    return step;
  }
  bool operator==(Step other) const { return bits_ == other.bits_; }
  bool operator!=(Step other) const { return bits_ != other.bits_; }

  // The code of translate/inline_steps.py then finds no step that it knows, and calls every hook.
  static void hide_from_inlined_code(bool hides) { hidden_ = hides ? kHidden : 0; }

 private:
  static constexpr std::uint64_t kHidden = 1u << 31;  // programs are linked at addresses below it
  inline static std::uint64_t hidden_ = 0;
  std::uint64_t bits_ = 0;
};

// The bytes that one lane accesses.
struct AccessedBytes {
  Region region;
  std::size_t offset;  // from the region's beginning
  unsigned bytes;
};

struct AccessCounts;
// The number of executions of a basic block by warps, and the total number of lanes.
struct BlockExecutions {
  std::uint64_t executions = 0, lanes = 0;

  void add(std::uint32_t by_lanes) {
    ++executions;
    lanes += static_cast<unsigned>(lane_count(by_lanes));
  }
};
// Notes of the listeners about a step, for the next warp that executes it.
struct StepNotes {
  AccessCounts* access = nullptr;
  BlockExecutions* block = nullptr;
  RequestShapes* shapes = nullptr;
};

// The lanes of a warp that execute one access together. addresses[lane] is valid if the lane's bit
// is set in lanes.
struct WarpRequest {
  WarpRequest(Step step, const AddressedArray& array, int warp, std::uint32_t lanes,
              std::uint32_t unchecked_lanes, const std::uintptr_t* addresses, bool approximate,
              StepNotes* notes = nullptr)
      : step(step),
        array(array),
        warp(warp),
        lanes(lanes),
        unchecked_lanes(unchecked_lanes),
        addresses(addresses),
        approximate(approximate),
        notes(notes) {
    if (lanes != ~0u) return;
    if (notes && notes->shapes) {
      shape = &notes->shapes->find(addresses);
      is_regular = shape->is_regular;
      stride = shape->stride;
      return;
    }
    stride = static_cast<std::intptr_t>(addresses[1] - addresses[0]);
    std::uintptr_t difference = 0;  // without a branch in the loop, the compiler vectorises it
    for (int lane = 1; lane < kWarpSize; ++lane) {
      difference |= (addresses[lane] - addresses[lane - 1]) ^ static_cast<std::uintptr_t>(stride);
    }
    is_regular = difference == 0;
  }

  Step step;
  // the first lane's array; the other lanes' arrays are in the same region
  const AddressedArray& array;
  int warp;  // its number in the block
  std::uint32_t lanes;
  std::uint32_t unchecked_lanes;  // lanes whose access has not been checked yet
  const std::uintptr_t* addresses;
  bool approximate;  // the lanes' paths differ, and it is unknown how nvcc's code combines them
  StepNotes* notes;  // nullptr if there is no space for them
  // all lanes of a warp, with a constant distance between consecutive lanes:
  bool is_regular = false;
  std::intptr_t stride = 0;       // in bytes
  RequestShape* shape = nullptr;  // for all lanes of a warp, if it was determined

  unsigned bytes() const { return step.bytes(); }
  bool is_one_stretch() const { return is_regular && stride == bytes(); }
  bool is_at_one_address() const { return is_regular && stride == 0; }
  MemorySpace space() const { return space_of(array.region); }
  int thread(int lane) const { return warp * kWarpSize + lane; }  // its number in the block
  std::size_t offset(int lane) const { return addresses[lane] - array.region_begin; }
};

}  // namespace cuda_simulator
