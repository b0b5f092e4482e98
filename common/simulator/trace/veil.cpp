#include "trace/veil.h"

#include "program/environment.h"
#include "program/executable.h"
#include "runtime/device_memory.h"

#include <sys/mman.h>
#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

extern "C" void* __libc_stack_end;  // of the first OS thread

namespace cuda_simulator {
namespace {

constexpr std::size_t kMostStackBytes = 16 << 20;
constexpr std::size_t kPadBytes = sizeof(std::uint64_t), kProbedBytes = 16;

// A number below `count`, from 32 random bits; faster than a division.
std::size_t part_of(std::size_t count, std::uint64_t bits) { return count * bits >> 32; }

unsigned char* at(std::uintptr_t address) { return reinterpret_cast<unsigned char*>(address); }

template <std::size_t kBytes>
using Constant = std::integral_constant<std::size_t, kBytes>;

// Calls act(address, bytes, offset) for the part of each word. The usual numbers of bytes are
// constants, so that no function is called to copy or compare them.
template <typename Act>
void for_each_part(std::uintptr_t begin, std::uintptr_t end, Act act) {
  while (begin < end) {
    for (; begin % kPadBytes == 0 && begin + kPadBytes <= end; begin += kPadBytes) {
      act(begin, Constant<kPadBytes>{}, std::size_t{0});
    }
    if (begin == end) return;
    const std::size_t offset = begin % kPadBytes;
    const std::size_t bytes = std::min<std::size_t>(kPadBytes - offset, end - begin);
    if (bytes == kPadBytes / 2) {
      act(begin, Constant<kPadBytes / 2>{}, offset);
    } else {
      act(begin, bytes, offset);
    }
    begin += bytes;
  }
}

}  // namespace

Veil::Veil() : is_on_(environment_switch("CUDA_SIMULATOR_VEIL", false)) {
  if (is_on_ && getrandom(&garbage_, sizeof garbage_, 0) != sizeof garbage_) {
    std::fputs("CUDA simulator: the system has no random numbers for CUDA_SIMULATOR_VEIL.\n",
               stderr);
    std::exit(2);
  }
  garbage_.factor |= 1;
  random_ = garbage_.key;
}

// Not for the kernels of a library: the functions that replace it are not traced.
void Veil::begin_grid(const Grid& grid) {
  if (!is_on_ || grid.of_library) return;
  std::vector<Range> ranges;
  const DeviceMemory& device = DeviceMemory::get();
  for (const Allocation& allocation : device.live()) {
    ranges.push_back({allocation.begin, allocation.bytes});
  }
  veil(device_, {device.begin(), DeviceMemory::kReservedBytes}, std::exchange(ranges, {}));

  const ThreadLocalBlock block = thread_local_block();
  for (const SharedRange& range : shared_ranges(grid.dynamic_shared_bytes)) {
    ranges.push_back({block.begin + range.offset, range.bytes});
  }
  veil(shared_, {block.begin, block.bytes}, std::exchange(ranges, {}));

  const Executable& program = Executable::get();
  if (variable_ranges_.empty()) {
    for (const Symbol& variable : program.writable_variables()) {
      variable_ranges_.push_back({variable.begin, variable.bytes});
    }
  }
  veil(variables_, {program.writable_data_begin(), program.writable_data_bytes()},
       variable_ranges_);

  // All threads read the same arguments, which are in one of the frames, or belong to a graph.
  arguments_ = {reinterpret_cast<std::uintptr_t>(grid.arguments), grid.arguments_bytes};
  given_.assign(at(arguments_.begin), at(arguments_.end()));
  const auto end_of_stack = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  veil(frames_, {end_of_stack - kMostStackBytes, kMostStackBytes},
       waiting_frames(grid.callers_frames, arguments_));
  is_active_ = true;
  shows_shared_ = is_touched_ = false;
}

bool Veil::end_grid() {
  if (!is_active_) return false;
  close();
  hide_shared();
  const auto is_freed = [](const Range& range) {  // by the kernel
    return DeviceMemory::get().on_page_of(range.begin).freed;
  };
  auto& allocations = device_.veiled;
  allocations.erase(std::remove_if(allocations.begin(), allocations.end(), is_freed),
                    allocations.end());
  for (const Memory* const memory : {&device_, &shared_, &variables_, &frames_}) reveal(*memory);
  is_active_ = false;
  return is_touched_;
}

// The part of the host's stack above the frame that runs the grid, without the kernel's arguments.
// None for an OS thread that the program has started.
std::vector<Veil::Range> Veil::waiting_frames(std::uintptr_t begin, Range arguments) {
  const auto end = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
  const Range frames{begin, end - begin};
  if (begin >= end || frames.bytes > kMostStackBytes) return {};
  if (!frames.holds(arguments.begin)) return {frames};
  return {{begin, arguments.begin - begin}, {arguments.end(), end - arguments.end()}};
}

void Veil::veil(Memory& memory, Range whole, std::vector<Range> ranges) {
  if (memory.whole.begin != whole.begin) {  // the first grid, or another OS thread's shared memory
    void* const copy = mmap(nullptr, whole.bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED) {
      std::fputs("CUDA simulator: there are not enough addresses for CUDA_SIMULATOR_VEIL.\n",
                 stderr);
      std::exit(2);
    }
    memory.to_copy = static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(copy)) -
                     static_cast<std::ptrdiff_t>(whole.begin);
    memory.whole = whole;
  }
  const auto is_before = [](const Range& a, const Range& b) { return a.begin < b.begin; };
  std::sort(ranges.begin(), ranges.end(), is_before);
  memory.veiled = std::move(ranges);
  memory.last = 0;
  hide(memory);
}

void Veil::hide(const Memory& memory) const {
  for (const Range& range : memory.veiled) {
    std::memcpy(at(range.begin + memory.to_copy), at(range.begin), range.bytes);
    fill(range);
  }
}

void Veil::reveal(const Memory& memory) {
  for (const Range& range : memory.veiled) {
    if (!is_untouched(range)) is_touched_ = true;
    std::memcpy(at(range.begin), at(range.begin + memory.to_copy), range.bytes);
  }
}

void Veil::show_shared() {
  if (!is_active_) return;
  close();
  reveal(shared_);
  shows_shared_ = true;
}

void Veil::shared_restored() {
  if (!is_active_) return;
  hide(shared_);
  shows_shared_ = false;
}

const Veil::Range* Veil::Memory::veiled_at(std::uintptr_t address) {
  if (!whole.holds(address) || veiled.empty()) return nullptr;
  if (veiled[last].holds(address)) return &veiled[last];
  const auto after =
      std::upper_bound(veiled.begin(), veiled.end(), address,
                       [](std::uintptr_t a, const Range& range) { return a < range.begin; });
  if (after == veiled.begin() || !(after - 1)->holds(address)) return nullptr;
  last = static_cast<std::size_t>(after - 1 - veiled.begin());
  return &veiled[last];
}

void Veil::show(Window& window, Window& other, Window bytes) {
  close(window);
  if (other.bytes != 0 && other.overlaps(bytes)) {
    const std::uintptr_t begin = std::min(other.begin, bytes.begin);
    bytes = Window(begin, std::max(other.end(), bytes.end()) - begin, true);
    close(other);
  }
  open(window, bytes);
}

void Veil::open(Window& window, const Window& bytes) {
  for (Memory* const memory : {&device_, &shared_, &variables_}) {
    const Range* const range = memory->veiled_at(bytes.begin);
    if (!range) continue;
    window = bytes;
    window.bytes = std::min(bytes.bytes, range->end() - bytes.begin);
    window.to_copy = memory->to_copy;
    if (!is_untouched(window)) is_touched_ = true;
    std::memcpy(at(window.begin), at(window.begin + window.to_copy), window.bytes);
    return;
  }
}

void Veil::close(Window& window) {
  if (window.bytes == 0) return;
  unsigned char* const copy = at(window.begin + window.to_copy);
  if (window.stores) {
    std::memcpy(copy, at(window.begin), window.bytes);
  } else if (std::memcmp(copy, at(window.begin), window.bytes) != 0) {
    is_touched_ = true;
  }
  fill(window);
  window.bytes = 0;
}

std::uintptr_t Veil::behind(std::uintptr_t begin, std::size_t bytes) const {
  const Window asked(begin, bytes);
  if (!is_active_ || load_.overlaps(asked) || store_.overlaps(asked)) return begin;
  for (const Memory* const memory : {&device_, &shared_, &variables_}) {
    if (memory->whole.holds(begin)) return begin + memory->to_copy;
  }
  return begin;
}

// What one thread leaves in shared memory without an announcement can be gone when its grid ends,
// so a few bytes are checked now: all of them would take too long.
void Veil::next_thread() {
  if (!is_active_) return;
  close();
  if (std::memcmp(given_.data(), at(arguments_.begin), given_.size()) != 0) is_touched_ = true;
  if (shared_.veiled.empty()) return;
  random_ = random_ * 6364136223846793005 + 1442695040888963407;
  const Range& range = shared_.veiled[part_of(shared_.veiled.size(), random_ >> 32)];
  const std::size_t offset =
      part_of(range.bytes / kProbedBytes + 1, random_ << 11 >> 32) * kProbedBytes;
  if (offset >= range.bytes) return;
  if (!is_untouched({range.begin + offset, std::min(kProbedBytes, range.bytes - offset)}))
    is_touched_ = true;
}

// Two words at a time: frames are aligned, and threads wait often.
void Veil::toggle_stack(std::uintptr_t begin, std::uintptr_t end) const {
  if (!is_active_) return;
  __extension__ using Product = unsigned __int128;
  const auto [key, factor] = garbage_;
  for (auto* word = reinterpret_cast<std::uint64_t*>(begin);
       reinterpret_cast<std::uintptr_t>(word + 2) <= end; word += 2) {
    const auto address = reinterpret_cast<std::uintptr_t>(word);
    const Product product = static_cast<Product>(address ^ key) * factor;
    const auto high = static_cast<std::uint64_t>(product >> 64);
    word[0] ^= static_cast<std::uint64_t>(product) ^ high >> 32;
    word[1] ^= high;
  }
}

void Veil::fill(Range range) const {
  const Garbage garbage = garbage_;  // no store can change this copy
  for_each_part(range.begin, range.end(), [&](auto address, auto bytes, auto offset) {
    const std::uint64_t value = garbage.of(address - offset);
    std::memcpy(at(address), reinterpret_cast<const char*>(&value) + offset, bytes);
  });
}

bool Veil::is_untouched(Range range) const {
  bool is_same = true;
  for_each_part(range.begin, range.end(), [&](auto address, auto bytes, auto offset) {
    const std::uint64_t value = garbage_.of(address - offset);
    is_same &= std::memcmp(at(address), reinterpret_cast<const char*>(&value) + offset, bytes) == 0;
  });
  return is_same;
}

}  // namespace cuda_simulator
