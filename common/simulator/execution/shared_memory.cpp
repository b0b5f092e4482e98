#include "execution/shared_memory.h"

#include "program/executable.h"

#include <link.h>

#include <cstring>
#include <numeric>

extern "C" {
extern __thread char cuda_simulator_dynamic_shared[];
}

namespace cuda_simulator {

ThreadLocalBlock thread_local_block() {
  ThreadLocalBlock block{0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
          *static_cast<ThreadLocalBlock*>(data) = {
              reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data), info->dlpi_phdr[i].p_memsz};
        }
        return 1;  // the program itself is first
      },
      &block);
  return block;
}

std::vector<SharedRange> shared_ranges(std::size_t dynamic_bytes) {
  std::vector<SharedRange> ranges;
  for (const Symbol& variable : Executable::get().shared()) {
    ranges.push_back({variable.begin, variable.bytes});
  }
  if (dynamic_bytes > 0) {
    const auto begin = reinterpret_cast<std::uintptr_t>(cuda_simulator_dynamic_shared);
    ranges.push_back({begin - thread_local_block().begin, dynamic_bytes});
  }
  return ranges;
}

std::vector<unsigned char> save_shared_memory(const std::vector<SharedRange>& ranges) {
  const auto add = [](std::size_t sum, const SharedRange& range) { return sum + range.bytes; };
  std::vector<unsigned char> contents(
      std::accumulate(ranges.begin(), ranges.end(), std::size_t{0}, add));
  const auto* const from = reinterpret_cast<const unsigned char*>(thread_local_block().begin);
  unsigned char* to = contents.data();
  for (const SharedRange& range : ranges) {
    std::memcpy(to, from + range.offset, range.bytes);
    to += range.bytes;
  }
  return contents;
}

void restore_shared_memory(const std::vector<SharedRange>& ranges,
                           const std::vector<unsigned char>& contents) {
  auto* const to = reinterpret_cast<unsigned char*>(thread_local_block().begin);
  const unsigned char* from = contents.data();
  for (const SharedRange& range : ranges) {
    std::memcpy(to + range.offset, from, range.bytes);
    from += range.bytes;
  }
}

}  // namespace cuda_simulator
