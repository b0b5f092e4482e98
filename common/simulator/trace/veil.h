#pragma once

#include "execution/grid.h"
#include "execution/shared_memory.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_simulator {

// CUDA_SIMULATOR_VEIL=1: while a grid runs, the memory that its threads share shows garbage, and a
// copy elsewhere has its contents. An announced load or store shows its own bytes until the next
// one, or until the basic block ends: one instruction can do both, and its store can be announced
// first. So an access that no hook announces, and that no count or check sees, loads garbage, or
// stores what is lost.
class Veil {
 public:
  Veil();

  bool is_on() const { return is_on_; }
  void begin_grid(const Grid& grid);
  // Returns whether the veiled memory has changed without an announced store.
  bool end_grid();

  // The running thread is about to execute an access that was announced.
  void access_follows(std::uintptr_t begin, std::size_t bytes, bool stores) {
    if (is_active_) show(stores ? store_ : load_, stores ? load_ : store_, {begin, bytes, stores});
  }
  // Where the value of these bytes is.
  std::uintptr_t behind(std::uintptr_t begin, std::size_t bytes) const;
  // The running thread enters another basic block, or pauses.
  void close() {
    close(load_);
    close(store_);
  }
  void next_thread();
  // A thread is suspended, and resumed later: what it has on its stack concerns no other thread.
  void toggle_stack(std::uintptr_t begin, std::uintptr_t end) const;

  // For blocks that wait for their grid: shared memory is about to be saved; another block begins;
  // shared memory has been restored.
  void show_shared();
  void hide_shared() {
    if (shows_shared_) shared_restored();
  }
  void shared_restored();

 private:
  struct Range {
    std::uintptr_t begin;
    std::size_t bytes;

    std::uintptr_t end() const { return begin + bytes; }
    bool holds(std::uintptr_t address) const { return address - begin < bytes; }
  };
  struct Window : Range {
    bool stores;
    std::ptrdiff_t to_copy;

    Window(std::uintptr_t begin = 0, std::size_t bytes = 0, bool stores = false)
        : Range{begin, bytes}, stores(stores), to_copy(0) {}
    bool overlaps(const Window& other) const { return begin < other.end() && other.begin < end(); }
  };
  // What a word shows: the same each time, but unknown.
  struct Garbage {
    std::uint64_t key, factor;

    std::uint64_t of(std::uintptr_t word) const {
      const std::uint64_t product = (word ^ key) * factor;
      return product ^ product >> 32;
    }
  };
  // One of the memories, and its copy, which is as far from it for each byte.
  struct Memory {
    Range whole{0, 0};
    std::ptrdiff_t to_copy = 0;
    std::vector<Range> veiled;  // sorted
    std::size_t last = 0;       // in `veiled`: where the last access was

    const Range* veiled_at(std::uintptr_t address);
  };

  void show(Window& window, Window& other, Window bytes);
  void open(Window& window, const Window& bytes);
  void close(Window& window);
  void veil(Memory& memory, Range whole, std::vector<Range> ranges);
  void hide(const Memory& memory) const;
  void reveal(const Memory& memory);
  void fill(Range range) const;
  bool is_untouched(Range range) const;

  static std::vector<Range> waiting_frames(std::uintptr_t begin, Range arguments);

  bool is_on_, is_active_ = false, shows_shared_ = false, is_touched_ = false;
  Garbage garbage_{};
  std::uint64_t random_ = 1;
  Memory device_, shared_, variables_, frames_;
  std::vector<Range> variable_ranges_;
  Range arguments_{0, 0};
  std::vector<unsigned char> given_;  // the arguments' bytes
  Window load_, store_;
};

}  // namespace cuda_simulator
