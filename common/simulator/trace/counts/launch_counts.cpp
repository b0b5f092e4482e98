#include "trace/counts/launch_counts.h"

#include <algorithm>
#include <iterator>

namespace cuda_simulator {

KernelCounts& LaunchCounts::begin_grid(const Block& block) {
  block_ = &block;
  kernel_ = &counts_of(block.grid());
  ++kernel_->launches;
  busiest_warp_.begin_grid();
  pictures_.begin_grid(block, *kernel_);
  return *kernel_;
}

KernelCounts& LaunchCounts::counts_of(const Grid& grid) {
  TracedKernels& kernels = grid.of_library ? library_kernels_ : kernels_;
  const auto known = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const auto& kernel) { return kernel->is_for(grid); });
  if (known != kernels.end()) return **known;
  kernels.push_back(std::make_unique<KernelCounts>());
  KernelCounts& kernel = *kernels.back();
  kernel.name = grid.kernel_name;
  kernel.blocks = grid.blocks;
  kernel.block = grid.block;
  kernel.static_shared_bytes = grid.static_shared_bytes;
  kernel.dynamic_shared_bytes = grid.dynamic_shared_bytes;
  return kernel;
}

void LaunchCounts::forget() {
  std::move(kernels_.begin(), kernels_.end(), std::back_inserter(forgotten_));
  kernels_.clear();
}

void LaunchCounts::begin_block() {
  busiest_warp_.begin_block();
  ++kernel_->blocks_run;
  kernel_->threads_run += static_cast<unsigned>(block_->grid().threads_per_block());
}

void LaunchCounts::count_divergence(std::uintptr_t code, std::uintptr_t next) {
  BasicBlockCounts& counts = kernel_->basic_block(code);
  ++counts.divergences;
  if (counts.next_code == 0 || next < counts.next_code) counts.next_code = next;
}

}  // namespace cuda_simulator
