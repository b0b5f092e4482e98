#include "trace/checks/copied_elements.h"

#include "trace/report/finding_log.h"

#include <algorithm>
#include <cstring>

namespace cuda_simulator {

void CopiedElements::begin_grid(const Grid& grid) {
  last_grid_.blocks = grid.blocks;
  last_grid_.block = grid.block;
  last_grid_.order = grid.order;
}

void CopiedElements::written_by_host(std::uintptr_t address, std::size_t bytes, Epoch now) {
  if (written_.size() == kMostWritten) {
    last_forgotten_ = written_.back().written;
    written_.pop_back();
  }
  written_.push_front({address, address + bytes, now});
}

void CopiedElements::copied_to_host(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  if (copies_.size() == kMostCopies) copies_.pop_back();
  copies_.push_front({to, from, bytes});
}

std::uintptr_t CopiedElements::source_of(const HostElements& elements) const {
  const auto array = reinterpret_cast<std::uintptr_t>(elements.array);
  const auto copy = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& one) {
    return one.to == array && one.bytes == elements.array_bytes;
  });
  if (copy == copies_.end()) return 0;
  const Allocation& allocation = device_.on_page_of(copy->from);
  if (allocation.freed || !allocation.holds(copy->from, copy->bytes)) return 0;
  const auto from = reinterpret_cast<const void*>(copy->from);
  return std::memcmp(from, elements.array, copy->bytes) == 0 ? copy->from : 0;
}

std::string CopiedElements::writer_of(std::uintptr_t address, const AccessChecks& checks) const {
  using By = RaceDetector::LastStore::By;
  const RaceDetector::LastStore store = checks.last_store(address - device_.begin());
  const auto by_host = std::find_if(written_.begin(), written_.end(), [&](const Range& range) {
    return range.begin <= address && address < range.end;
  });
  const bool is_overwritten = by_host != written_.end() && by_host->written >= store.epoch;
  if (store.by == By::no_thread || is_overwritten) return "-";
  if (store.by == By::unknown || store.epoch <= last_forgotten_) return "?";
  if (store.by == By::atomic_function) return "atomic";
  if (store.by == By::earlier_launch) return "earlier";
  const uint3 thread = last_grid_.thread_index(store.thread);
  const uint3 block = last_grid_.block_index(store.block);
  return "thread " + index_word({thread.x, thread.y, thread.z}) + " block " +
         index_word({block.x, block.y, block.z});
}

std::vector<std::string> CopiedElements::writers_of(const HostElements& elements,
                                                    const AccessChecks& checks) const {
  const std::uintptr_t source = source_of(elements);
  if (source == 0) return {};
  std::vector<std::string> writers;
  for (std::size_t i = elements.first; i < elements.first + elements.count; ++i) {
    writers.push_back(writer_of(source + i * elements.element_bytes, checks));
  }
  return writers;
}

}  // namespace cuda_simulator
