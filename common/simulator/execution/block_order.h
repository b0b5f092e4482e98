#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuda_simulator {

// The order in which the blocks of a grid start. CUDA promises none, so that no result may depend
// on it; other orders than the usual one show a result that does.
class BlockOrder {
 public:
  // "forward", "reverse", or a number that is the seed of a shuffled order; none for other texts.
  static std::optional<BlockOrder> parse(const std::string& text);
  // What CUDA_SIMULATOR_BLOCK_ORDER says, forward if it is not set. Ends the program if it is
  // nonsense.
  static BlockOrder of_environment();

  // Which of `count` blocks is the one that starts at `position`; both count from 0. Every block
  // has its position.
  std::uint64_t block_at(std::uint64_t position, std::uint64_t count) const;

 private:
  enum class Kind : std::uint8_t { forward, reverse, shuffled };
  explicit BlockOrder(Kind kind, std::uint64_t seed = 0) : kind_(kind), seed_(seed) {}

  Kind kind_;
  std::uint64_t seed_;
};

}  // namespace cuda_simulator
