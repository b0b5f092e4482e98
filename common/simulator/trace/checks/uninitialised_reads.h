#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace cuda_simulator {

// Reads of unwritten memory, kept until it is certain that they do not race. If two threads have no
// barrier between them, the reader may run first here by luck; then the race must be reported
// instead.
template <typename Read>
class UninitialisedReads {
 public:
  void add(std::uint64_t word, const Read& read) {
    index_of_.emplace(word, reads_.size());
    reads_.push_back({read, true});
  }
  void forget(std::uint64_t word) {
    const auto [first, end] = index_of_.equal_range(word);
    for (auto found = first; found != end; ++found) reads_[found->second].counts = false;
    index_of_.erase(first, end);
  }
  // Calls report(read) for each remaining read, in the order in which they were executed.
  template <typename Report>
  void report_all(Report report) {
    for (const Entry& entry : reads_) {
      if (entry.counts) report(entry.read);
    }
    reads_.clear();
    index_of_.clear();
  }

 private:
  struct Entry {
    Read read;
    bool counts;
  };
  std::vector<Entry> reads_;
  std::unordered_multimap<std::uint64_t, std::size_t> index_of_;
};

}  // namespace cuda_simulator
