#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuda_simulator {

// The order in which the blocks of a grid start. CUDA promises none, so no result may depend on it;
// an unusual order reveals a result that does.
class BlockOrder {
 public:
  // Parses "forward", "reverse", or a number (the seed of a shuffled order); other texts give none.
  static std::optional<BlockOrder> parse(const std::string& text);
  // The value of CUDA_SIMULATOR_BLOCK_ORDER; forward if it is not set. Ends the program if the
  // value is invalid.
  static BlockOrder of_environment();

  // Returns which of `count` blocks starts at `position`; both count from 0. Every block has one
  // position.
  std::uint64_t block_at(std::uint64_t position, std::uint64_t count) const;

  // Whether blocks also interrupt each other: on a GPU they run at the same time.
  bool interleaves() const { return kind_ != Kind::forward; }

  // Returns which of a block's `count` threads starts at `position`. If the blocks start in
  // reverse, the threads do too: CUDA promises no order of threads either.
  int thread_at(int position, int count) const {
    return kind_ == Kind::reverse ? count - 1 - position : position;
  }

 private:
  enum class Kind : std::uint8_t { forward, reverse, shuffled };
  explicit BlockOrder(Kind kind, std::uint64_t seed = 0) : kind_(kind), seed_(seed) {}

  Kind kind_;
  std::uint64_t seed_;
};

}  // namespace cuda_simulator
