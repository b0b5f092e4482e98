#include "harness/problem.h"
#include "recover.h"

#include <stdexcept>

namespace {

class Recover final : public Problem, public TableOptions {
 public:
  static Sizes<TableSize> sizes(const Asked& asked, bool) {
    const TableSize size = asked.otherwise({30, 100'003, 8});  // 2^30 subsets: most sums can be
    return {size, size};
  }
  static MemoryNeed memory_need(const TableSize& size, bool) {
    return table_need(size, 6.0 * size.target);
  }

  Recover(const TableSize& size, std::uint64_t) : size_(size), items_(size.items()) {}

  void run() override { subset_ = recover_subset(items_, size_.target); }

  std::string check() override {
    const bool is_reachable = can_reach(size_);
    if (subset_.has_value() != is_reachable) {
      throw std::runtime_error(format("WRONG for %s: on the CPU there is %s subset",
                                      size_.text().c_str(), is_reachable ? "a" : "no"));
    }
    if (subset_) check_subset();
    return format("%s\n  %d%s", size_.text().c_str(), size_.target,
                  subset_ ? sum_text().c_str() : ": no subset adds up to it");
  }

 private:
  // Throws std::runtime_error unless the chosen items, each once, add up to the target.
  void check_subset() const {
    std::vector<bool> is_taken(items_.size());
    long long sum = 0;
    for (const std::size_t position : *subset_) {
      if (position >= items_.size() || is_taken[position]) {
        throw std::runtime_error(format("WRONG for %s: item %zu does not exist, or is taken twice",
                                        size_.text().c_str(), position));
      }
      is_taken[position] = true;
      sum += items_[position];
    }
    if (sum != size_.target) {
      throw std::runtime_error(format("WRONG for %s: the items of the subset add up to %lld",
                                      size_.text().c_str(), sum));
    }
  }

  // " = 3 + 9 + 5"
  std::string sum_text() const {
    std::string text = subset_->empty() ? " = 0" : "";
    for (const std::size_t position : *subset_) {
      text += (text.empty() ? " = " : " + ") + std::to_string(items_[position]);
    }
    return text;
  }

  TableSize size_;
  std::vector<int> items_;
  std::optional<std::vector<std::size_t>> subset_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Recover>(argc, argv); }
