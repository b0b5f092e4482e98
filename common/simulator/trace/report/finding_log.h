#pragma once

#include "program/line_table.h"
#include "simulator/findings.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cuda_simulator {

// Collects findings: the first of a kind at a place is printed at once, repeats are counted.
class FindingLog {
 public:
  static FindingLog& get();

  void add(Finding finding);
  const std::vector<Finding>& all() const { return findings_; }
  std::vector<Finding> take();

 private:
  std::vector<Finding> findings_;
  std::map<std::string, std::size_t> index_by_identity_;
};

}  // namespace cuda_simulator
