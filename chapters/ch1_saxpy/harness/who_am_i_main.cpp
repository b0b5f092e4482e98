#include "harness/problem.h"
#include "who_am_i.h"

#include "common/device_buffer.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace {

constexpr int kShown = 64;  // elements; the others are checked too

class WhoAmI final : public Problem, public ArrayOptions {
 public:
  static Sizes<ArraySize> sizes(const Asked& asked, bool) {
    const ArraySize size{asked.n.value_or(20), asked.threads.value_or(8)};
    return {size, size};
  }
  static MemoryNeed memory_need(const ArraySize& size, bool) {
    return arrays_of(size.n, /*on_device=*/3, /*on_host=*/4);
  }

  // The arrays start as -1, which is not the number of a thread.
  WhoAmI(const ArraySize& size, std::uint64_t)
      : size_(size), d_block_(size.n), d_thread_(size.n), d_element_(size.n) {
    for (DeviceBuffer<int>* array : {&d_block_, &d_thread_, &d_element_}) array->fill_bytes(0xff);
  }

  void run() override {
    launch_with(size_.threads, [&] {
      who_am_i(d_block_.data(), d_thread_.data(), d_element_.data(), size_.n, size_.threads);
    });
  }

  std::string check() override {
    const auto [n, threads] = size_;
    const std::vector<int> block = d_block_.to_host(), thread = d_thread_.to_host(),
                           element = d_element_.to_host();
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
                               std::to_string(i / threads) +
                               ". (-1 means that no thread wrote it.)");
    }
    return all_right(n);
  }

 private:
  ArraySize size_;
  DeviceBuffer<int> d_block_, d_thread_, d_element_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<WhoAmI>(argc, argv); }
