#pragma once

#include "trace/report/finding_reporter.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// Which bytes of the threads' local arrays are written, of those arrays that translate/
// local_arrays.py picks out.
class LocalArrays {
 public:
  explicit LocalArrays(const FindingReporter& reporter) : reporter_(reporter) {}

  bool is_empty() const { return arrays_.empty(); }
  void begin_grid() { arrays_.clear(); }  // of threads that did not come to their end
  void begins(std::uintptr_t array, std::size_t bytes, const char* name, bool by_thread);
  void ends(std::uintptr_t array);
  // An access of a thread to its local memory. Reports a read of what the thread has not written;
  // from then on that counts as written.
  void access(Step step, std::uintptr_t address);

 private:
  struct Array {
    std::uintptr_t begin;
    std::size_t bytes;
    const char* name;
    bool by_thread;
    std::vector<bool> written;  // for each byte

    bool holds(std::uintptr_t address) const { return address - begin < bytes; }
  };
  static bool can_read(const Array& array, std::size_t offset, std::size_t end);
  void report(const Array& array, Step step, std::size_t offset) const;

  const FindingReporter& reporter_;
  std::vector<std::vector<Array>> arrays_;  // of each thread of a block, by its number
};

}  // namespace cuda_simulator
