#include "program/learners_code.h"

#include "program/executable.h"

#include <unwind.h>

#include <algorithm>
#include <string>

namespace cuda_simulator {
namespace {

bool is_learners(const SourcePosition& position) {
  return !position.file.empty() && position.file.rfind("/usr/", 0) != 0 &&
         position.file.find("/simulator/include/") == std::string::npos &&
         position.file.find("/simulator/thrust/") == std::string::npos &&
         position.file.find("/include/cccl/") == std::string::npos;
}

_Unwind_Reason_Code stop_in_learners_code(_Unwind_Context* context, void* found) {
  // After a signal this is the instruction's own address, not the address after a call.
  int is_exact = 0;
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
  const std::uintptr_t code = in_learners_code(is_exact ? address + 1 : address);
  if (code == 0) return _URC_NO_REASON;
  *static_cast<std::uintptr_t*>(found) = code;
  return _URC_NORMAL_STOP;
}

}  // namespace

std::uintptr_t in_learners_code(std::uintptr_t code) {
  const LineTable& lines = LineTable::get();
  if (is_learners(lines.find(code - 1))) return code;
  const Symbol* const function = Executable::get().function_at(code - 1);
  if (!function) return 0;
  for (std::uintptr_t before = code - 1; before > function->begin; --before) {
    if (is_learners(lines.find(before - 1))) return before;
  }
  return 0;
}

SourcePosition learners_position(std::uintptr_t code) {
  const std::uintptr_t learners = in_learners_code(code);
  return LineTable::get().find((learners ? learners : code) - 1);
}

std::uintptr_t calling_learners_code(std::uintptr_t caller) {
  const SourcePosition position = LineTable::get().find(caller - 1);
  if (position.file.empty() || is_learners(position)) return caller;
  const std::uintptr_t code = innermost_learners_code();
  return code ? code : caller;
}

std::uintptr_t innermost_launch() {
  const std::uintptr_t code = innermost_learners_code();
  const Symbol* const function = code ? Executable::get().function_at(code - 1) : nullptr;
  for (std::uintptr_t before = code; function && before > function->begin; --before) {
    const SourcePosition position = LineTable::get().find(before - 1);
    const std::size_t dot = position.file.rfind('.');
    const bool is_header = position.file.compare(std::min(dot, position.file.size()), 2, ".h") == 0;
    if (is_learners(position) && !is_header) return before;
  }
  return code;
}

std::uintptr_t innermost_learners_code() {
  std::uintptr_t found = 0;
  _Unwind_Backtrace(stop_in_learners_code, &found);
  return found;
}

}  // namespace cuda_simulator
