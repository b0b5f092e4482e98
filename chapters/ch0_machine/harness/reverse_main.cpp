#include "harness/problem.h"
#include "reverse.h"

#include "common/device_buffer.h"

namespace {

class Reversing final : public Problem, public NumbersOptions {
 public:
  Reversing(const NumbersSize& size, std::uint64_t seed)
      : threads_(size.threads),
        h_in_(random_numbers(size.n, seed)),
        d_in_(h_in_),
        d_out_(std::vector<int>(size.n, kUnwritten)) {}

  void run() override {
    reverse(d_in_.data(), d_out_.data(), static_cast<int>(h_in_.size()), threads_);
  }

  std::string check() override {
    return shown_and_right(d_out_.to_host(), {h_in_.rbegin(), h_in_.rend()});
  }

 private:
  int threads_;
  std::vector<int> h_in_;
  DeviceBuffer<int> d_in_, d_out_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<Reversing>(argc, argv); }
