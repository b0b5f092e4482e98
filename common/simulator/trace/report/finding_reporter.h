#pragma once

#include "execution/block.h"
#include "execution/kernel_failure.h"
#include "trace/report/finding_log.h"
#include "trace/warp/access.h"

#include "simulator/error_codes.h"
#include "simulator/findings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cuda_simulator {

// The place of an action of host code. `code` is a return address.
Finding::Place host_place(std::uintptr_t code, const char* operation);

// Adds errors of the running kernel to the FindingLog, with the kernel's name and places in the
// learner's source. Codes are return addresses.
class FindingReporter {
 public:
  // caller: the code that called the library, if the kernel is one of a library; otherwise 0.
  void begin_grid(const Block& block, std::uintptr_t caller) {
    block_ = &block;
    caller_ = caller;
  }

  Finding::Place place(std::uintptr_t code, const char* operation, int thread) const {
    return place(code, operation, thread, block_->index());
  }
  Finding::Place place(std::uintptr_t code, const char* operation, int thread,
                       std::uint64_t block) const;
  // The place where a thread of the running block waits.
  Finding::Place wait_place(int thread) const;

  void report(const char* kind, std::string message, std::vector<Finding::Place> places,
              std::string facts = "") const;
  // Prints a warning, once for each place. It is not a finding.
  void warn(std::string message, Finding::Place place) const;
  // The same as report() for a finding that an access, or a pair of accesses, may cause many times:
  // `make_finding` returns message, places and facts, and is called only for the first.
  template <typename MakeFinding>
  void report_repeated(const char* kind, std::uintptr_t code, std::uintptr_t other_code,
                       MakeFinding make_finding) const {
    const char* const kernel = block_->grid().kernel_name;
    const FindingLog::Key key{kind, kernel, code, other_code};
    if (FindingLog::get().add_repeat(key)) return;
    auto [message, places, facts] = make_finding();
    FindingLog::get().add({kind, kernel, std::move(message), std::move(places), 1, facts}, key);
  }
  // Reports a forbidden step of the running thread, and ends the grid with `error`.
  [[noreturn]] void refuse(const char* kind, const std::string& message, cudaError_t error,
                           Step step, const std::string& facts = "") const;
  // `code` is nullptr if it must be searched on the stack.
  void report_failure(const KernelFailure& failure, const void* code) const;
  // An index outside an array whose length is known to the compiler, in a kernel or in host code.
  // Ends the grid if it was in a kernel.
  void report_array_index(Finding finding) const;

 private:
  const Block* block_ = nullptr;
  std::uintptr_t caller_ = 0;
};

}  // namespace cuda_simulator
