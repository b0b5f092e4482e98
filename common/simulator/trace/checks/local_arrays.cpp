#include "trace/checks/local_arrays.h"

#include "execution/block.h"
#include "trace/report/finding_texts.h"

#include "simulator/findings.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace cuda_simulator {

void LocalArrays::begins(std::uintptr_t array, std::size_t bytes, const LocalArrayText& text) {
  const auto thread = static_cast<std::size_t>(current_block->thread());
  if (arrays_.size() <= thread) arrays_.resize(thread + 1);
  arrays_[thread].push_back({array, bytes, text, std::vector<bool>(bytes, text.is_set)});
}

// A thread's arrays end in the reverse of their order of creation. The arrays of other blocks,
// which wait for the grid, have other addresses.
void LocalArrays::ends(std::uintptr_t array) {
  const auto thread = static_cast<std::size_t>(current_block->thread());
  if (thread >= arrays_.size()) return;
  std::vector<Array>& own = arrays_[thread];
  const auto found =
      std::find_if(own.rbegin(), own.rend(), [&](const Array& a) { return a.begin == array; });
  if (found != own.rend()) own.erase(std::next(found).base());
}

const char* LocalArrays::access(Step step, std::uintptr_t address) {
  const auto thread = static_cast<std::size_t>(current_block->thread());
  if (thread >= arrays_.size()) return nullptr;
  for (Array& array : arrays_[thread]) {
    if (!array.holds(address)) continue;
    const std::size_t offset = address - array.begin;
    const AccessKind kind = without_volatile(step.kind());
    const std::size_t end = std::min<std::size_t>(offset + step.bytes(), array.bytes);
    if (kind != AccessKind::store && !can_read(array, offset, end)) report(array, step, offset);
    std::fill(array.written.begin() + static_cast<std::ptrdiff_t>(offset),
              array.written.begin() + static_cast<std::ptrdiff_t>(end), true);
    return array.text.by_data ? array.text.name : nullptr;
  }
  return nullptr;
}

// One written byte of a double word is enough: the others may be unused bytes of a structure.
bool LocalArrays::can_read(const Array& array, std::size_t offset, std::size_t end) {
  constexpr std::size_t kDoubleWordBytes = 8;
  const auto at = [&](std::size_t byte) {
    return array.written.begin() + static_cast<std::ptrdiff_t>(byte);
  };
  for (std::size_t begin = offset; begin < end; begin += kDoubleWordBytes) {
    const std::size_t part_end = std::min(begin + kDoubleWordBytes, end);
    if (std::find(at(begin), at(part_end), true) == at(part_end)) return false;
  }
  return true;
}

void LocalArrays::report(const Array& array, Step step, std::size_t offset) const {
  reporter_.report_repeated(finding_kind::kUninitialised, step.code(), 0, [&] {
    const std::string element = element_text(offset, step.bytes(), array.bytes) + array.text.name;
    return std::tuple(
        unwritten_local_text(element, array.text.name, array.text.by_thread),
        std::vector{reporter_.place(step.code(), name_of(step.kind()), current_block->thread())},
        std::string("memory=local array=") + array.text.name +
            (array.text.by_thread ? " index=thread" : " index=other"));
  });
}

}  // namespace cuda_simulator
