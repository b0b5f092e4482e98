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
#include <set>

namespace cuda_simulator {

// Finds the memory of an address in a kernel, and whether the access is permitted.
class MemoryMap {
 public:
  explicit MemoryMap(const FindingReporter& reporter)
      : reporter_(reporter), device_(DeviceMemory::get()), executable_(Executable::get()) {}

  void begin_grid(const Block& block);

  // Returns the array of an access; nothing for memory that is not recorded. Reports a forbidden
  // access, and then does not return.
  std::optional<AddressedArray> array_of(Step step, std::uintptr_t address);

  // Ends the program if host code is about to dereference a pointer to device memory, unless it
  // computes a library's call, which may use what is allocated. Returns whether it is about to use
  // memory that kernels can use too.
  bool check_host_access(std::uintptr_t address, AccessKind kind, std::uintptr_t code) const;

  // The bytes of the __shared__ variables that the grid has accessed.
  std::size_t accessed_shared_bytes() const;

  void library_computes(bool computes) { library_computes_ = computes; }

  // A kernel constructs an object with this table of virtual functions.
  void kernel_constructs(std::uintptr_t table) {
    kernels_tables_.insert(executable_.variable_at(table));
  }

  // A description of these bytes for the reader.
  AccessedMemory described(const AccessedBytes& accessed) const;
  NamedArray named(const AddressedArray& array) const;

  // The running thread is about to throw an exception that is stored there: host memory, but its
  // access is not an error.
  void exception_allocated(std::uintptr_t address, std::size_t bytes) {
    exception_thread_ = block_->thread();
    exception_begin_ = address;
    exception_bytes_ = bytes;
  }
  void exception_reported() { exception_bytes_ = 0; }

  static constexpr std::size_t kMaxSharedBytes = std::size_t{2}
                                                 << 30;  // the limit of the linker's addresses

 private:
  void locate_shared_memory();
  void check_constant(Step step, std::uintptr_t address) const;
  AddressedArray shared_array_of(Step step, std::size_t offset);
  AddressedArray variable_of(Step step, std::uintptr_t address) const;
  [[noreturn]] void refuse_device_access(std::uintptr_t address, Step step) const;
  // Returns unless an index that has overflowed explains the address.
  void refuse_overflowed_index(std::uintptr_t address, Step step) const;
  const Allocation* nearest_argument(std::uintptr_t address) const;
  [[noreturn]] void refuse_peer_access(int peer, Step step) const;

  const FindingReporter& reporter_;
  const DeviceMemory& device_;
  const Executable& executable_;
  const Block* block_ = nullptr;
  std::uintptr_t shared_begin_ = 0;  // the OS thread's block of thread-local variables
  std::size_t shared_bytes_ = 0, dynamic_offset_ = 0, dynamic_bytes_ = 0;
  const Symbol* last_shared_ = nullptr;
  std::set<const Symbol*> accessed_shared_;
  std::set<const Symbol*> kernels_tables_;
  bool library_computes_ = false;
  std::uintptr_t exception_begin_ = 0;
  std::size_t exception_bytes_ = 0;
  int exception_thread_ = 0;
};

}  // namespace cuda_simulator
