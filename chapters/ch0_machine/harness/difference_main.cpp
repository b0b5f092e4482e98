#include "difference.h"
#include "harness/problem.h"

#include <cstddef>
#include <cstdlib>

namespace {

class Difference final : public Problem, public NumbersOptions {
 public:
  Difference(const NumbersSize& size, std::uint64_t seed)
      : threads_(size.threads),
        h_a_(random_numbers(size.n, seed)),
        h_b_(random_numbers(size.n, seed + 1)),
        h_d_(size.n, kUnwritten) {}

  void run() override {
    absolute_difference(h_a_.data(), h_b_.data(), h_d_.data(), static_cast<int>(h_a_.size()),
                        threads_);
  }

  std::string check() override {
    std::vector<int> expected(h_a_.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = std::abs(h_a_[i] - h_b_[i]);
    return shown_and_right(h_d_, expected);
  }

 private:
  int threads_;
  std::vector<int> h_a_, h_b_, h_d_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Difference>(argc, argv); }
