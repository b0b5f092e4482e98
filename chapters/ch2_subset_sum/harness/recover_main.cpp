#include "harness/program.h"
#include "recover.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

// 2^30 subsets, and a million sums: nearly all can be reached.
constexpr Problem kManyItems{30, 1'000'003, 8};

// Throws std::runtime_error unless the chosen items, each once, add up to the target.
void check_subset(const std::vector<std::size_t>& subset, const std::vector<int>& items,
                  const Problem& problem) {
  std::vector<bool> is_taken(items.size());
  long long sum = 0;
  for (const std::size_t position : subset) {
    if (position >= items.size() || is_taken[position]) {
      throw std::runtime_error(format("WRONG for %s: item %zu is not there, or is taken twice",
                                      problem.text().c_str(), position));
    }
    is_taken[position] = true;
    sum += items[position];
  }
  if (sum != problem.target) {
    throw std::runtime_error(format("WRONG for %s: the items of the subset add up to %lld",
                                    problem.text().c_str(), sum));
  }
}

// " = 3 + 9 + 5"
std::string sum_text(const std::vector<std::size_t>& subset, const std::vector<int>& items) {
  std::string text = subset.empty() ? " = 0" : "";
  for (const std::size_t position : subset) {
    text += (text.empty() ? " = " : " + ") + std::to_string(items[position]);
  }
  return text;
}

void run(const Program& program, const Problem& problem) {
  require_memory_for(problem, 6.0 * problem.target, program.device);
  const std::vector<int> items = problem.items();
  const bool is_reachable = can_reach(problem);
  const auto subset = recover_subset(items, problem.target);
  if (subset.has_value() != is_reachable) {
    throw std::runtime_error(format("WRONG for %s: the CPU says that there is %s subset",
                                    problem.text().c_str(), is_reachable ? "a" : "no"));
  }
  if (subset) check_subset(*subset, items, problem);
  std::printf("%s: %s\n", program.name.c_str(), problem.text().c_str());
  std::printf("  %d%s\n", problem.target,
              subset ? sum_text(*subset, items).c_str() : ": no subset adds up to it");
}

}  // namespace

int main(int argc, char** argv) {
  return run_with_problem(argc, argv, run, kManyItems, kManyItems);
}
