#include "libraries/sobol.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

namespace cuda_simulator {
namespace {

// A primitive polynomial of degree `degree`, with its inner coefficients as bits, and the first
// direction numbers: Joe and Kuo 2008, "Constructing Sobol sequences with better two-dimensional
// projections", from the second dimension on.
struct Dimension {
  unsigned degree, coefficients, first[7];
};
constexpr Dimension kDimensions[kSobolDimensions - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

template <typename Word>
void fill(unsigned dimension, DirectionVectors<Word>& vectors) {
  constexpr unsigned kBits = sizeof(Word) * 8;
  for (unsigned i = 0; i < kBits; ++i) {
    const Word highest = Word{1} << (kBits - 1 - i);
    if (dimension == 0) {
      vectors[i] = highest;
      continue;
    }
    const auto& [degree, coefficients, first] = kDimensions[dimension - 1];
    if (i < degree) {
      vectors[i] = first[i] * highest;
      continue;
    }
    vectors[i] = vectors[i - degree] ^ vectors[i - degree] >> degree;
    for (unsigned k = 1; k < degree; ++k)
      if (coefficients >> (degree - 1 - k) & 1) vectors[i] ^= vectors[i - k];
  }
}

template <typename Word>
DirectionVectors<Word>* make_table() {
  constexpr std::size_t kBytes = kSobolDimensions * sizeof(DirectionVectors<Word>);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = (kBytes + page - 1) / page * page;
  char* const memory = static_cast<char*>(
      mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) return nullptr;
  mprotect(memory + bytes, page, PROT_NONE);
  auto* const table = reinterpret_cast<DirectionVectors<Word>*>(memory + bytes - kBytes);
  for (unsigned dimension = 0; dimension < kSobolDimensions; ++dimension)
    fill<Word>(dimension, table[dimension]);
  return table;
}

}  // namespace

template <typename Word>
DirectionVectors<Word>* direction_vectors() {
  static DirectionVectors<Word>* const table = make_table<Word>();
  return table;
}
template DirectionVectors<unsigned>* direction_vectors<unsigned>();
template DirectionVectors<unsigned long long>* direction_vectors<unsigned long long>();

}  // namespace cuda_simulator
