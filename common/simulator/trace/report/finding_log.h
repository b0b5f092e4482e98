#pragma once

#include "program/line_table.h"
#include "simulator/findings.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cuda_simulator {

// "5"; also "5:1" or "5:1:2" if the other coordinates are not 0.
std::string index_word(const unsigned (&index)[3]);

// The line of the source at a place.
std::string source_line(const Finding::Place& place);

// Collects findings: the first of a kind at a place is printed immediately, repeats are counted.
class FindingLog {
 public:
  static FindingLog& get();

  // A kind, a kernel's name, and the code addresses of one or two accesses: all occurrences with
  // the same key are one finding.
  using Key = std::tuple<const char*, const char*, std::uintptr_t, std::uintptr_t>;

  // Returns the index of the finding, or kAccepted if a comment in the source accepts it.
  std::size_t add(Finding finding);
  void add(Finding finding, const Key& key) { index_by_key_[key] = add(std::move(finding)); }
  // Counts a repeat of the finding with this key, without composing its text. Returns false if
  // there is none.
  bool add_repeat(const Key& key);
  const std::vector<Finding>& all() const { return findings_; }
  std::vector<Finding> take();

 private:
  static constexpr std::size_t kAccepted = static_cast<std::size_t>(-1);

  std::vector<Finding> findings_;
  std::map<std::string, std::size_t> index_by_identity_;
  std::map<Key, std::size_t> index_by_key_;
};

// "(5,0,0)"
std::string coordinates(const unsigned (&index)[3]);

}  // namespace cuda_simulator
