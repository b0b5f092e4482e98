#include "execution/block_order.h"

#include "program/environment.h"

namespace cuda_simulator {
namespace {

// The mixing function of Steele, Lea and Flood (SplitMix64): each bit of the result depends on all
// bits.
std::uint64_t mixed(std::uint64_t bits) {
  bits += 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

// A permutation of the numbers of 2 * half_bits bits, by a Feistel network. Each round can be
// undone, so two different numbers never map to the same one. It needs no memory, which matters
// because grids are large.
std::uint64_t permuted(std::uint64_t number, int half_bits, std::uint64_t seed) {
  constexpr int kRounds = 4;
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = number >> half_bits, right = number & mask;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t key = mixed(seed + static_cast<std::uint64_t>(round));
    const std::uint64_t next = left ^ (mixed(key ^ right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits | right;
}

}  // namespace

std::optional<BlockOrder> BlockOrder::parse(const std::string& text) {
  if (text == "forward") return BlockOrder(Kind::forward);
  if (text == "reverse") return BlockOrder(Kind::reverse);
  if (const auto seed = whole_number(text)) return BlockOrder(Kind::shuffled, *seed);
  return std::nullopt;
}

BlockOrder BlockOrder::of_environment() {
  constexpr const char* kName = "CUDA_SIMULATOR_BLOCK_ORDER";
  const auto text = environment(kName);
  if (!text) return BlockOrder(Kind::forward);
  if (const auto order = parse(*text)) return *order;
  refuse_environment(kName, *text,
                     "forward, reverse, or an integer (the seed of a shuffled order)");
}

std::uint64_t BlockOrder::block_at(std::uint64_t position, std::uint64_t count) const {
  switch (kind_) {
    case Kind::forward:
      return position;
    case Kind::reverse:
      return count - 1 - position;
    case Kind::shuffled:
      break;
  }
  if (count < 2) return position;
  const int bits = 64 - __builtin_clzll(count - 1);
  const int half_bits = (bits + 1) / 2;
  // A number outside the range is permuted again. It comes back inside, because it began inside.
  std::uint64_t block = position;
  do {
    block = permuted(block, half_bits, seed_);
  } while (block >= count);
  return block;
}

}  // namespace cuda_simulator
