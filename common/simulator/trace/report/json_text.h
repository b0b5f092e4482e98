#pragma once

#include <iterator>
#include <ostream>
#include <string>

namespace cuda_simulator {

// Building blocks of JSON texts.

std::string quoted(const std::string& text);

// "[1,2,3]"
std::string triple(unsigned x, unsigned y, unsigned z);

// Writes each element of a range with `write`, commas between.
template <typename Range, typename Write>
void write_list(std::ostream& out, const Range& range, Write write) {
  out << '[';
  for (auto it = std::begin(range); it != std::end(range); ++it) {
    if (it != std::begin(range)) out << ',';
    out << '\n';
    write(*it);
  }
  out << ']';
}

}  // namespace cuda_simulator
