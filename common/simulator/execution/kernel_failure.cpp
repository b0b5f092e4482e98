#include "execution/kernel_failure.h"

#include "execution/block.h"
#include "execution/crash_messages.h"
#include "trace/tracer.h"

#include "simulator/findings.h"
#include "simulator/group_lanes.h"

#include <cstdio>

namespace cuda_simulator {

void stop_tracing_this_thread() {
  if (Tracer* const tracer = program_tracer()) tracer->stop_recording();
}

void report_kernel_failure(const KernelFailure& failure, const void* code) {
  if (Tracer* const tracer = program_tracer()) {
    tracer->kernel_failed(failure, code);
  } else {
    std::fflush(stdout);
    print_last_words(*current_block, failure.message.c_str());
  }
}

void end_kernel(KernelFailure failure, const void* code) {
  report_kernel_failure(failure, code);
  std::string().swap(failure.message);  // nothing is destroyed on a fiber that is abandoned
  current_block->abandon_grid(failure.error);
}

void refuse_tile_size(unsigned size, const void* caller) {
  stop_tracing_this_thread();
  end_kernel({finding_kind::kGroup,
              "called tiled_partition with a size of " + std::to_string(size) +
                  "; it must be 1, 2, 4, 8, 16 or 32",
              "call", cudaErrorLaunchFailure},
             caller);
}

bool is_cooperative_launch() { return current_block->grid().is_cooperative; }

void synchronise_grid(const void* caller) {
  if (is_cooperative_launch()) return current_block->wait_for_grid(caller);
  stop_tracing_this_thread();
  end_kernel({finding_kind::kGroup,
              "called sync() of a grid that was launched with <<<...>>>: its blocks need not run "
              "at the same time. Launch it with cudaLaunchCooperativeKernel, or end the kernel "
              "there and launch another for what follows",
              "call", cudaErrorLaunchFailure},
             caller);
}

}  // namespace cuda_simulator
