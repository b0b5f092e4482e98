#pragma once

#include "execution/grid.h"
#include "runtime/device_memory.h"
#include "trace/checks/access_checks.h"

#include "simulator/last_stores.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace cuda_simulator {

// Remembers the sources of copies to host arrays, to find the threads that stored their elements.
class CopiedElements {
 public:
  void begin_grid(const Grid& grid);
  // A copy or a fill has written these bytes, after everything that kernels did until now.
  void written_by_host(std::uintptr_t address, std::size_t bytes, Epoch now);
  void copied_to_host(std::uintptr_t to, std::uintptr_t from, std::size_t bytes);

  std::vector<std::string> writers_of(const HostElements& elements,
                                      const AccessChecks& checks) const;

 private:
  static constexpr std::size_t kMostCopies = 64, kMostWritten = 1024;

  struct Copy {
    std::uintptr_t to, from;
    std::size_t bytes;
  };
  struct Range {
    std::uintptr_t begin, end;
    Epoch written;
  };
  // The device memory that was copied to the elements' array and has not changed since; 0 if there
  // is none.
  std::uintptr_t source_of(const HostElements& elements) const;
  std::string writer_of(std::uintptr_t address, const AccessChecks& checks) const;

  const DeviceMemory& device_ = DeviceMemory::get();
  Grid last_grid_{"", {}, {}, 0, 0, nullptr, nullptr, 0, *BlockOrder::parse("forward"), 0};
  std::deque<Copy> copies_;    // the most recent ones, the newest first
  std::deque<Range> written_;  // the most recent ones, the newest first
  Epoch last_forgotten_ = 0;   // the newest epoch of the forgotten elements of written_
};

}  // namespace cuda_simulator
