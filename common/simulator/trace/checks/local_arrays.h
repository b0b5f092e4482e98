#pragma once

#include "trace/report/finding_reporter.h"
#include "trace/warp/access.h"

#include "simulator/local_arrays.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Records the written bytes of the threads' local arrays, for the arrays that
// translate/local_arrays.py selects.
class LocalArrays {
 public:
  explicit LocalArrays(const FindingReporter& reporter) : reporter_(reporter) {}

  bool is_empty() const { return arrays_.empty(); }
  void begin_grid() { arrays_.clear(); }  // removes arrays of threads that did not reach their end
  void begins(std::uintptr_t array, std::size_t bytes, const LocalArrayText& text);
  void ends(std::uintptr_t array);
  // A thread accesses its local memory. A read of unwritten bytes is reported; from then on they
  // count as written. Returns the array if it is indexed by data.
  const char* access(Step step, std::uintptr_t address);

 private:
  struct Array {
    std::uintptr_t begin;
    std::size_t bytes;
    LocalArrayText text;
    std::vector<bool> written;  // one per byte

    bool holds(std::uintptr_t address) const { return address - begin < bytes; }
  };
  static bool can_read(const Array& array, std::size_t offset, std::size_t end);
  void report(const Array& array, Step step, std::size_t offset) const;

  const FindingReporter& reporter_;
  std::vector<std::vector<Array>> arrays_;  // by thread number in the block
};

}  // namespace cuda_simulator
