#include "harness/problem.h"
#include "print_warps.h"

namespace {

struct GridSize {
  int blocks, threads;
};

// Shows the kernel's lines to the reader; the exercise's tests check them.
class PrintWarps final : public Problem {
 public:
  struct Asked {
    std::optional<int> blocks, threads;
  };
  static std::vector<OptionHelp> options() {
    return {{"--blocks B", "blocks of the grid"}, {"--threads T", "threads of a block"}};
  }
  static Asked parse(Options& options) {
    const auto blocks = options.integer<int>("--blocks", 1, 1000);
    return {blocks, options.integer<int>("--threads", 1, 1 << 20)};
  }
  static Sizes<GridSize> sizes(const Asked& asked, bool) {
    const GridSize size{asked.blocks.value_or(3), asked.threads.value_or(40)};
    return {size, size};
  }
  static MemoryNeed memory_need(const GridSize&, bool) {
    return {"the output of kernels", 1 << 20, 1 << 20, [](double) { return std::string(); }};
  }

  PrintWarps(const GridSize& size, std::uint64_t) : size_(size) {}

  void run() override { print_warps(size_.blocks, size_.threads); }

  std::string check() override {
    return format("%d blocks of %d threads: %d lines should be above", size_.blocks, size_.threads,
                  size_.blocks * ((size_.threads + 31) / 32));
  }

 private:
  GridSize size_;
};

}  // namespace

int main(int argc, char** argv) { return run_program<PrintWarps>(argc, argv); }
