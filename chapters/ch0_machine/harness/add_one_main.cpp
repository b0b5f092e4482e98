#include "add_one.h"
#include "harness/problem.h"

#include "common/device_buffer.h"

namespace {

class AddOne final : public Problem, public NumbersOptions {
 public:
  AddOne(const NumbersSize& size, std::uint64_t seed)
      : threads_(size.threads), h_x_(random_numbers(size.n, seed)), d_x_(h_x_) {}

  void run() override { add_one(d_x_.data(), static_cast<int>(h_x_.size()), threads_); }

  std::string check() override {
    std::vector<int> expected = h_x_;
    for (int& number : expected) ++number;
    return shown_and_right(d_x_.to_host(), expected);
  }

 private:
  int threads_;
  std::vector<int> h_x_;
  DeviceBuffer<int> d_x_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<AddOne>(argc, argv); }
