#include "harness/problem.h"
#include "machine.h"

namespace {

class Doubling final : public Problem, public NumbersOptions {
 public:
  Doubling(const NumbersSize& size, std::uint64_t seed)
      : threads_(size.threads), h_x_(random_numbers(size.n, seed)), h_y_(size.n, kUnwritten) {}

  void run() override {
    double_on_gpu(h_x_.data(), h_y_.data(), static_cast<int>(h_x_.size()), threads_);
  }

  std::string check() override {
    std::vector<int> expected = h_x_;
    for (int& number : expected) number *= 2;
    return shown_and_right(h_y_, expected);
  }

 private:
  int threads_;
  std::vector<int> h_x_, h_y_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Doubling>(argc, argv); }
