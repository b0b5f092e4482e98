#include "execution/kernel_failure.h"

#include "execution/block.h"
#include "execution/crash_messages.h"
#include "trace/tracer.h"

#include "simulator/findings.h"
#include "simulator/group_lanes.h"

#include <cstdio>
#include <utility>

namespace cuda_simulator {

void stop_tracing_this_thread() {
  if (Tracer* const tracer = program_tracer()) tracer->stop_recording();
}

void report_kernel_failure(const KernelFailure& failure, const void* code) {
  if (Tracer* const tracer = program_tracer()) {
    tracer->kernel_failed(failure, code);
  } else {
    std::fflush(stdout);
    print_failure(*current_block, failure.message.c_str());
  }
}

void end_kernel(KernelFailure failure, const void* code) {
  report_kernel_failure(failure, code);
  std::string().swap(failure.message);  // destructors never run on an abandoned fiber
  current_block->abandon_grid(failure.error);
}

namespace {

// The caller must have stopped tracing: composing the message can run code that a traced file also
// contains.
[[noreturn]] void end_misused_group(std::string message, const void* caller) {
  end_kernel({finding_kind::kGroup, std::move(message), "call", cudaErrorLaunchFailure}, caller);
}

}  // namespace

void refuse_tile_size(unsigned size, const void* caller) {
  stop_tracing_this_thread();
  end_misused_group("called tiled_partition with a size of " + std::to_string(size) +
                        "; it must be 1, 2, 4, 8, 16 or 32",
                    caller);
}

void refuse_shuffle_width(int width, const void* caller) {
  stop_tracing_this_thread();
  end_misused_group("called a shuffle with a width of " + std::to_string(width) +
                        "; it must be 1, 2, 4, 8, 16 or 32 (the number of lanes that exchange "
                        "values)",
                    caller);
}

void refuse_grid_as_thread_group(const void* caller) {
  stop_tracing_this_thread();
  end_misused_group(
      "used a thread_group that was created from a grid_group: on a GPU its sync() does not wait "
      "for the other blocks. Use the grid_group itself",
      caller);
}

bool is_cooperative_launch() { return current_block->grid().is_cooperative; }

void synchronise_grid(const void* caller) {
  if (is_cooperative_launch()) return current_block->wait_for_grid(caller);
  stop_tracing_this_thread();
  end_misused_group(
      "called sync() of a grid that was launched with <<<...>>>: its blocks do not have to run at "
      "the same time. Launch it with cudaLaunchCooperativeKernel, or split the kernel into two "
      "launches",
      caller);
}

}  // namespace cuda_simulator
