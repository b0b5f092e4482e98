#include "trace/report/report_pictures.h"

#include "trace/counts/picture_recorder.h"
#include "trace/report/json_text.h"

#include <algorithm>
#include <ostream>

namespace cuda_simulator {
namespace {

constexpr std::size_t kShownRows = 32, kShownColumns = 32;
constexpr std::size_t kBankRowBytes = 128;  // one word from each bank

std::string block_index(std::uint64_t block, const KernelCounts& kernel) {
  const dim3& grid = kernel.blocks;
  return triple(static_cast<unsigned>(block % grid.x),
                static_cast<unsigned>(block / grid.x % grid.y),
                static_cast<unsigned>(block / grid.x / grid.y));
}

struct Rows {
  std::size_t columns;
  bool known;  // false: the rows are chosen for readability
};

// The row length from CUDA_SIMULATOR_COLUMNS for global memory, or from the accesses. Otherwise a
// row holds a warp's elements, or in shared memory one word from each bank.
Rows rows_of(const ElementMap& elements) {
  const bool is_shared = elements.array().space == MemorySpace::shared;
  if (const auto columns = chosen_columns(); columns && !is_shared) return {*columns, true};
  if (const std::size_t bytes = elements.row_bytes(); bytes > 0)
    return {bytes / elements.element_bytes(), true};
  const bool by_banks = is_shared && elements.element_bytes() >= 4;
  return {by_banks ? kBankRowBytes / elements.element_bytes() : kWarpSize, false};
}

void write_touch(std::ostream& out, const ElementMap::Touch& touch, const KernelCounts& kernel) {
  if (!touch.known) {
    out << "null";
    return;
  }
  out << '[' << block_index(touch.block, kernel) << ',' << touch.thread << ','
      << (touch.several ? "true" : "false") << ']';
}

// The first columns of the first rows; null if there was no such access.
void write_touches(std::ostream& out, const std::vector<ElementMap::Touch>& touches,
                   std::size_t columns, const KernelCounts& kernel) {
  if (touches.empty()) {
    out << "null";
    return;
  }
  out << '[';
  for (std::size_t row = 0; row < kShownRows && row * columns < touches.size(); ++row) {
    out << (row > 0 ? ",\n[" : "\n[");
    const std::size_t first = row * columns;
    const std::size_t shown = std::min({columns, kShownColumns, touches.size() - first});
    for (std::size_t column = 0; column < shown; ++column) {
      if (column > 0) out << ',';
      write_touch(out, touches[first + column], kernel);
    }
    out << ']';
  }
  out << ']';
}

}  // namespace

void write_example(std::ostream& out, const RequestExample& example, const KernelCounts& kernel) {
  out << "{\"block\":" << block_index(example.block, kernel) << ",\"warp\":" << example.warp
      << ",\"approximate\":" << (example.approximate ? "true" : "false")
      << ",\"sectors\":" << example.sectors << ",\"wavefronts\":" << example.wavefronts
      << ",\"array\":" << quoted(example.array.name) << ",\"array_bytes\":" << example.array.bytes
      << ",\"begin_in_line\":" << example.begin_in_line() << ",\"offsets\":[";
  for (int lane = 0; lane < kWarpSize; ++lane) {
    if (lane > 0) out << ',';
    if (example.lanes >> lane & 1) {
      out << example.offset_bytes[lane];
    } else {
      out << "null";
    }
  }
  out << "]}";
}

void write_elements(std::ostream& out, const ElementMap& elements, const KernelCounts& kernel) {
  const auto [columns, known] = rows_of(elements);
  out << "{\"memory\":\"" << name_of(elements.array().space)
      << "\",\"array\":" << quoted(elements.array().name)
      << ",\"array_bytes\":" << elements.array().bytes
      << ",\"element_bytes\":" << elements.element_bytes() << ",\"columns\":" << columns
      << ",\"has_rows\":" << (known ? "true" : "false") << ",\"loads\":";
  write_touches(out, elements.loads(), columns, kernel);
  out << ",\"stores\":";
  write_touches(out, elements.stores(), columns, kernel);
  out << '}';
}

}  // namespace cuda_simulator
