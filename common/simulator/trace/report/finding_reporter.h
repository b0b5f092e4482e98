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

// The place of what host code does. `code` is a return address.
Finding::Place host_place(std::uintptr_t code, const char* operation);

// Puts what is wrong with the running kernel into the FindingLog, with the kernel's name and places
// in the learner's source. Codes are return addresses.
class FindingReporter {
 public:
  void begin_grid(const Block& block) { block_ = &block; }

  Finding::Place place(std::uintptr_t code, const char* operation, int thread) const {
    return place(code, operation, thread, block_->index());
  }
  Finding::Place place(std::uintptr_t code, const char* operation, int thread,
                       std::uint64_t block) const;
  // Where a thread of the running block waits.
  Finding::Place wait_place(int thread) const;

  void report(const char* kind, std::string message, std::vector<Finding::Place> places) const;
  // The same for what is found of an access, or between two, again and again: `make_finding` gives
  // message, places and facts, and is called for the first time only.
  template <typename MakeFinding>
  void report_repeated(const char* kind, std::uintptr_t code, std::uintptr_t other_code,
                       MakeFinding make_finding) const {
    const char* const kernel = block_->grid().kernel_name;
    const FindingLog::Key key{kind, kernel, code, other_code};
    if (FindingLog::get().add_repeat(key)) return;
    auto [message, places, facts] = make_finding();
    FindingLog::get().add({kind, kernel, std::move(message), std::move(places), 1, facts}, key);
  }
  // Of a step of the running thread that must not be made: ends the grid with `error`.
  [[noreturn]] void refuse(const char* kind, const std::string& message, cudaError_t error,
                           Step step, const std::string& facts = "") const;
  // `code` is nullptr if it has to be looked for on the stack.
  void report_failure(const KernelFailure& failure, const void* code) const;
  // An index outside an array whose length the compiler knows, in a kernel or in host code. Ends
  // the grid if it was in a kernel.
  void report_array_index(Finding finding) const;

 private:
  const Block* block_ = nullptr;
};

}  // namespace cuda_simulator
