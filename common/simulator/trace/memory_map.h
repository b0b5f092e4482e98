#pragma once

#include "execution/block.h"
#include "program/executable.h"
#include "runtime/device_memory.h"
#include "trace/counts/named_array.h"
#include "trace/report/finding_reporter.h"
#include "trace/report/finding_texts.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuda_simulator {

// Which memory of a kernel an address is of, and whether it may be accessed.
class MemoryMap {
 public:
  explicit MemoryMap(const FindingReporter& reporter)
      : reporter_(reporter), device_(DeviceMemory::get()), executable_(Executable::get()) {}

  void begin_grid(const Block& block);

  // The array of an access; nothing for memory that is of no interest. Reports an access that is
  // not allowed, and does not return then.
  std::optional<AddressedArray> array_of(Step step, std::uintptr_t address);

  // Ends the program if host code is about to follow a pointer to device memory.
  void check_host_access(std::uintptr_t address, AccessKind kind, std::uintptr_t code) const;

  // What a reader knows as these bytes, which are of an array.
  AccessedMemory described(const AccessedBytes& accessed) const;
  NamedArray named(const AddressedArray& array) const;

  // A kernel is about to throw what it stores there: memory of the host's, but no mistake in
  // itself.
  void exception_allocated(std::uintptr_t address, std::size_t bytes) {
    exception_begin_ = address;
    exception_bytes_ = bytes;
  }
  void exception_reported() { exception_bytes_ = 0; }

  static constexpr std::size_t kMaxSharedBytes = std::size_t{2}
                                                 << 30;  // what the linker can address

 private:
  void locate_shared_memory();
  AddressedArray shared_array_of(Step step, std::size_t offset);
  AddressedArray variable_of(Step step, std::uintptr_t address) const;
  [[noreturn]] void refuse_device_access(std::uintptr_t address, Step step) const;
  [[noreturn]] void refuse_peer_access(int peer, Step step) const;

  const FindingReporter& reporter_;
  const DeviceMemory& device_;
  const Executable& executable_;
  const Block* block_ = nullptr;
  std::uintptr_t shared_begin_ = 0;  // the OS thread's block of thread-local variables
  std::size_t shared_bytes_ = 0, dynamic_offset_ = 0, dynamic_bytes_ = 0;
  const Symbol* last_shared_ = nullptr;
  std::uintptr_t exception_begin_ = 0;
  std::size_t exception_bytes_ = 0;
};

}  // namespace cuda_simulator
