#include "harness/program.h"
#include "who_am_i.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

namespace {

constexpr int kShown = 64;  // elements; the others are checked all the same

// The arrays start as -1, which no thread is.
void check_who_am_i(int n, int threads) {
  const std::vector<int> nobody(n, -1);
  DeviceBuffer<int> d_block(nobody), d_thread(nobody), d_element(nobody);
  who_am_i(d_block.data(), d_thread.data(), d_element.data(), n, threads);
  CUDA_CHECK(cudaDeviceSynchronize());
  const std::vector<int> block = d_block.to_host(), thread = d_thread.to_host(),
                         element = d_element.to_host();

  std::printf("  at  element  block  thread\n");
  for (int i = 0; i < std::min(n, kShown); ++i) {
    std::printf("%4d  %7d  %5d  %6d\n", i, element[i], block[i], thread[i]);
  }
  if (n > kShown) std::printf(" ...\n");
  std::fflush(stdout);  // before the message, which goes to stderr
  for (int i = 0; i < n; ++i) {
    if (element[i] == i && block[i] == i / threads && thread[i] == i % threads) continue;
    throw std::runtime_error("WRONG: element " + std::to_string(i) + " belongs to thread " +
                             std::to_string(i % threads) + " of block " +
                             std::to_string(i / threads) + ". (-1 is: nobody wrote here.)");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Operation operation{check_who_am_i, {3, 4}};
  operation.checked_n = 20;
  operation.threads = 8;
  return run_program(operation, argc, argv);
}
