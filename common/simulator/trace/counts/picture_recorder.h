#pragma once

#include "execution/block.h"
#include "trace/counts/access_counts.h"
#include "trace/counts/element_map.h"
#include "trace/memory_map.h"
#include "trace/warp/access.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cuda_simulator {

// The number of elements in a row of global memory, if CUDA_SIMULATOR_COLUMNS sets it.
std::optional<std::size_t> chosen_columns();

// Keeps single requests and elements, for pictures.
class PictureRecorder {
 public:
  explicit PictureRecorder(MemoryMap& memory) : memory_(memory) {}

  // Elements are recorded in a kernel's first launch, if CUDA_SIMULATOR_ELEMENTS requests it.
  void begin_grid(const Block& block, KernelCounts& kernel);

  // The request becomes the example of an access.
  void keep_example(AccessCounts& counts, const WarpRequest& request) const;
  void follow_elements(const WarpRequest& request) {
    if (follows_elements_) add_to_elements(request);
  }

 private:
  void add_to_elements(const WarpRequest& request);
  // Returns nullptr if the kernel has more arrays than are recorded, or if the memory is not drawn.
  ElementMap* element_map(Step step, std::uintptr_t address);

  MemoryMap& memory_;
  const Block* block_ = nullptr;
  KernelCounts* kernel_ = nullptr;
  bool follows_elements_ = false;  // in the running grid
};

}  // namespace cuda_simulator
