#include "trace/checks/updates.h"

#include "trace/report/finding_log.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>

namespace cuda_simulator {
namespace {

// The column, from 0, at which the expression to the left of an assignment's operator begins.
std::size_t target_begin(const std::string& line, std::size_t operator_at) {
  std::size_t at = operator_at, depth = 0;
  while (at > 0 && line[at - 1] == ' ') --at;
  for (; at > 0; --at) {
    const char c = line[at - 1];
    if (c == ')' || c == ']') ++depth;
    if (c == '(' || c == '[') {
      if (depth == 0) break;
      --depth;
    }
    const bool is_part =
        std::isalnum(static_cast<unsigned char>(c)) || std::strchr("_*.->:()[]", c);
    if (depth == 0 && !is_part) break;
  }
  return at;
}

// Whether the store is that of an operator such as `+=` or `++`, which also loads its target.
bool is_compound(char operation) {
  return operation != '\0' && std::strchr("+-*/%&|^<>", operation);
}

// Whether an access reads or writes what the store's statement updates, by the text of their line:
// with `+=` and its relatives it is at the operator or to the left of it; with `=` it repeats the
// expression to the left.
bool accesses_the_target(const Finding::Place& access, const Finding::Place& store) {
  const std::string line = source_line(store);
  const auto access_at = static_cast<std::size_t>(access.column - 1);
  const auto operator_at = static_cast<std::size_t>(store.column - 1);
  if (access.column < 1 || store.column < 1) return false;
  if (std::max(access_at, operator_at) >= line.size()) return false;  // the file has changed
  const std::size_t begin = target_begin(line, operator_at);
  if (is_compound(line[operator_at])) return access_at >= begin && access_at <= operator_at;
  const std::size_t end = line.find_last_not_of(' ', operator_at - 1) + 1;
  return begin < end && access_at > operator_at &&
         line.compare(access_at, end - begin, line, begin, end - begin) == 0;
}

}  // namespace

Update update_of(const RaceDetector::Race& race, const WarpRequest& request, std::size_t offset,
                 const Finding::Place& earlier, const Finding::Place& later) {
  if (earlier.line != later.line || earlier.file != later.file) return Update::none;
  const auto loads_or_stores = [](AccessKind kind) {
    return kind == AccessKind::load || kind == AccessKind::store;
  };
  if (!loads_or_stores(race.earlier.kind) || !loads_or_stores(race.later.kind)) return Update::none;
  const bool loads_first = race.earlier.kind == AccessKind::load;
  // The thread that has loaded is about to store too, if it is in the same request.
  const int lane = race.earlier.thread - request.thread(0);
  if (loads_first && race.earlier.block == race.later.block && lane >= 0 && lane < kWarpSize &&
      (request.lanes >> lane & 1) != 0) {
    return request.offset(lane) == offset ? Update::same : Update::neighbour;
  }
  const bool is_same =
      loads_first ? accesses_the_target(earlier, later) : accesses_the_target(later, earlier);
  return is_same ? Update::same : Update::none;
}

}  // namespace cuda_simulator
