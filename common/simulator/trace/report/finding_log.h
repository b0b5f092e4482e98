#pragma once

#include "program/line_table.h"
#include "simulator/findings.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cuda_simulator {

// Collects findings: the first of a kind at a place is printed at once, repeats are counted.
class FindingLog {
 public:
  static FindingLog& get();

  // Returns the finding's number, which is good for count_again() until take() is called.
  std::size_t add(Finding finding);
  void count_again(std::size_t number) { ++findings_[number].count; }
  // How often take() was called.
  unsigned taken() const { return taken_; }
  const std::vector<Finding>& all() const { return findings_; }
  std::vector<Finding> take();

 private:
  std::vector<Finding> findings_;
  std::map<std::string, std::size_t> index_by_identity_;
  unsigned taken_ = 0;
};

}  // namespace cuda_simulator
