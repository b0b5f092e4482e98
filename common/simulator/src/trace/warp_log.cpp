#include "trace/warp_log.h"

#include "trace/line_table.h"

#include <map>
#include <tuple>

namespace cuda_simulator {
namespace {

// One number for all copies of an access: an optimiser that duplicates code gives one source
// position several addresses.
std::uintptr_t canonical_code(std::uintptr_t code) {
  static std::map<std::uintptr_t, std::uintptr_t> known;
  static std::map<SourcePosition, std::uintptr_t> first_at;
  const auto found = known.find(code);
  if (found != known.end()) return found->second;
  const SourcePosition position = LineTable::get().find(code - 1);
  const std::uintptr_t canonical =
      position.line > 0 ? first_at.emplace(position, code).first->second : code;
  return known[code] = canonical;
}

}  // namespace

WarpLog::Row& WarpLog::add_row(AccessKey key, std::uint32_t lanes) {
  if (row_count_ == rows_.size()) rows_.emplace_back();
  Row& row = rows_[row_count_++];
  row.key = key;
  row.lanes = lanes;
  row.approximate = false;
  return row;
}

void WarpLog::clear() {
  row_count_ = 0;
  steps_.fill(0);
  for (std::uint32_t lanes = strayed_; lanes != 0; lanes &= lanes - 1)
    own_[__builtin_ctz(lanes)].clear();
  strayed_ = 0;
}

// Lanes that took different paths meet again where they make the same access of the source: their
// k-th execution of it is taken to be one request. Where no lane executes it twice, that is what
// the hardware does; where one does, it is a guess, and marked.
void WarpLog::regroup() {
  using Place = std::tuple<std::uintptr_t, unsigned, AccessKind, MemorySpace>;
  struct Group {
    std::size_t first_step;
    Row row;
  };
  std::map<std::pair<Place, std::size_t>, Group> groups;
  std::map<Place, std::size_t> most_executions;

  for (int lane = 0; lane < kWarpSize; ++lane) {
    std::map<Place, std::size_t> executions;
    for (std::size_t step = 0; step < steps_[lane]; ++step) {
      const std::size_t shared_steps = steps_[lane] - own_[lane].size();
      const AccessKey key =
          step < shared_steps ? rows_[step].key : own_[lane][step - shared_steps].key;
      const std::uintptr_t address = step < shared_steps ? rows_[step].addresses[lane]
                                                         : own_[lane][step - shared_steps].address;
      const Place place{canonical_code(key.code()), key.bytes(), key.kind(), key.space()};
      const std::size_t execution = executions[place]++;
      Group& group = groups.emplace(std::pair(place, execution), Group{step, {key, 0, false, {}}})
                         .first->second;
      group.row.lanes |= 1u << lane;
      group.row.addresses[lane] = address;
      most_executions[place] = std::max(most_executions[place], execution + 1);
    }
  }

  std::multimap<std::size_t, const Row*> in_order;
  for (auto& [key, group] : groups) {
    group.row.approximate = most_executions[key.first] > 1;
    in_order.emplace(group.first_step, &group.row);
  }
  row_count_ = 0;
  for (const auto& [step, row] : in_order) add_row(row->key, row->lanes) = *row;
}

}  // namespace cuda_simulator
