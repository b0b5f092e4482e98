#pragma once

#include "block.h"
#include "trace/access.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuda_simulator {

// Finds two accesses to one byte of shared memory, by two threads of a block, at least one of them
// a store, with no barrier between: the result depends on which comes first. Two atomic accesses do
// not race. Threads of one warp need a __syncwarp() or another warp function between.
//
// Each word of 4 bytes remembers its last writer and its last readers in two different warps. An
// atomic access is both: the writer that it replaces may be another thread's atomic access.
class RaceDetector {
 public:
  struct Access {
    std::uint32_t code = 0;  // programs are linked below 4 GB
    std::uint32_t phase = 0;
    std::uint32_t warp_time = 0;
    std::uint16_t thread = 0;
    AccessKind kind = AccessKind::load;
    std::uint8_t bytes_mask = 0;  // which of the word's 4 bytes
  };
  struct Race {
    Access earlier, later;
  };

  // `words` is the shared memory's size in words of 4 bytes.
  explicit RaceDetector(std::size_t words) : words_(words) {}

  void begin_block();
  void barrier();
  void warp_synchronised(int warp, std::uint32_t lanes, bool all_live_lanes);

  // The race of this access with an earlier one, if there is one.
  std::optional<Race> check(std::size_t offset, std::size_t bytes, AccessKind kind, int thread,
                            std::uintptr_t code);

 private:
  struct Word {
    Access writer;
    std::array<Access, 2> readers;
  };
  // A warp's clock counts its warp functions; all_lanes_met and lanes_met say when lanes last met.
  struct WarpOrder {
    std::uint32_t time = 0, all_lanes_met = 0;
    bool some_lanes_met = false;
    std::array<std::array<std::uint32_t, kWarpSize>, kWarpSize> lanes_met{};
  };

  const Access* conflict(const Word& word, const Access& access) const;
  bool unordered(const Access& earlier, const Access& later) const;
  static void remember(Word& word, const Access& access);

  std::vector<Word> words_;
  std::array<WarpOrder, kMaxWarps> warps_;
  std::uint32_t phase_ = 0;  // counts block barriers and blocks: no two phases share accesses
};

}  // namespace cuda_simulator
