#pragma once

#include <cstdint>

// The direction numbers of Sobol's sequence, for words of 32 and 64 bits.

namespace cuda_simulator {

inline constexpr unsigned kSobolDimensions = 21;

template <typename Word>
using DirectionVectors = Word[sizeof(Word) * 8];

// The vectors of all dimensions, which are NVIDIA's. The memory after them cannot be read, because
// NVIDIA's table has 20,000 dimensions.
template <typename Word>
DirectionVectors<Word>* direction_vectors();

// The element of the sequence at an index: the exclusive or of the vectors in its Gray code
// (Antonov and Saleev 1979).
template <typename Word>
Word sobol(const DirectionVectors<Word>& vectors, Word index) {
  Word word = 0;
  for (Word gray = index ^ index >> 1, bit = 0; gray != 0; gray >>= 1, ++bit)
    if (gray & 1) word ^= vectors[bit];
  return word;
}

}  // namespace cuda_simulator
