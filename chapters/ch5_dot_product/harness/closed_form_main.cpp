#include "closed_form.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"
#include "common/harness/program.h"

#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t kDefaultSize = 33 * 1024;

unsigned long long run_integer_dot(std::size_t n) {
  std::vector<unsigned> h_a, h_b;
  for (unsigned i = 1; i <= n; ++i) {
    h_a.push_back(i);
    h_b.push_back(2 * i);
  }
  const DeviceBuffer<unsigned> d_a(h_a), d_b(h_b);
  DeviceBuffer<unsigned long long> d_dot(1);
  d_dot.fill_bytes(0xff);
  integer_dot(d_a.data(), d_b.data(), d_dot.data(), n);
  CUDA_CHECK(cudaDeviceSynchronize());  // an error inside the kernel shows here
  return d_dot.to_host().front();
}

std::size_t parse(Options& options) {
  return options.integer<std::size_t>("--size", 1, kMaxClosedForm).value_or(kDefaultSize);
}

// Shows both answers, also wrong ones.
void run(const Program& program, std::size_t n) {
  refuse_csv(program);
  const unsigned long long dot = run_integer_dot(n), closed = closed_form(n);
  std::printf("%s: a = 1, 2, ..., %zu, b = 2 a\n  kernel       %llu\n  closed form  %llu\n",
              program.name.c_str(), n, dot, closed);
  std::fflush(stdout);  // before the message, which goes to stderr
  if (dot != closed) {
    throw std::runtime_error("WRONG: the two answers differ. Which one is correct?");
  }
}

}  // namespace

int main(int argc, char** argv) {
  return program_main(argc, argv, {{"--size N", "n, the largest element of a"}}, parse, run);
}
