// Launches: check the configuration, then run the blocks on the OS threads.

#include "execution/block.h"
#include "execution/crash_messages.h"
#include "execution/grid.h"
#include "execution/kernel_failure.h"
#include "execution/resident_blocks.h"
#include "execution/worker_pool.h"
#include "program/executable.h"
#include "program/launched_kernel.h"
#include "runtime/devices.h"
#include "runtime/error_state.h"
#include "runtime/kernel_limits.h"
#include "runtime/launch_log.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"
#include "runtime/streams.h"
#include "trace/tracer.h"

#include "simulator/findings.h"
#include "simulator/launch.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace cuda_simulator {
namespace {

struct KnownKernel {
  std::string name;
  const Symbol* function;  // nullptr if it is not known
  std::size_t static_shared_bytes;
};

// A kernel's name is the text in the launch, unless that is a variable: then it is the function's
// name.
const KnownKernel& known_kernel(LaunchedKernel launched, void (*thread_body)(void*)) {
  static std::map<std::tuple<const char*, const void*, void (*)(void*)>, KnownKernel> known;
  const std::tuple key{launched.text, launched.function, thread_body};
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  std::string name = launched.text;
  const Symbol* const symbol =
      Executable::get().function_at(reinterpret_cast<std::uintptr_t>(launched.function));
  if (symbol && base_name(symbol->name()) != base_name(name)) name = base_name(symbol->name());
  const Symbol* const function = symbol ? symbol : launched_kernel(thread_body, name);
  const std::size_t bytes =
      function ? static_shared_bytes(*function) : static_shared_bytes(name, thread_body);
  return known[key] = {std::move(name), function, bytes};
}

void run_blocks(Grid& grid, std::atomic<std::uint64_t>& next_block, std::uint64_t blocks_at_once) {
  Block& block = Block::of_this_thread(program_tracer());
  watch_for_crashes_on_this_thread();
  block.begin_grid(grid);
  const std::uint64_t count = grid.block_count();
  for (;;) {
    const std::uint64_t first = next_block.fetch_add(blocks_at_once, std::memory_order_relaxed);
    if (first >= count) break;
    const std::uint64_t last = std::min(count, first + blocks_at_once);
    for (std::uint64_t n = first;
         n < last && grid.error.load(std::memory_order_relaxed) == cudaSuccess; ++n) {
      block.run(n);
    }
  }
  block.end_grid();
}

// Runs blocks that can wait for each other, on one OS thread: shared memory belongs to the OS
// thread, and blocks must return to theirs.
void run_together(Grid& grid) {
  Block& block = Block::of_this_thread(program_tracer());
  watch_for_crashes_on_this_thread();
  block.begin_grid(grid);
  ResidentBlocks(block, program_tracer()).run();
  block.end_grid();
}

// A launch in a captured stream: it runs when the graph is launched.
cudaError_t capture_launch(LaunchConfiguration configuration, LaunchedKernel launched,
                           void (*thread_body)(void*), const void* arguments,
                           std::size_t arguments_bytes) {
  const cudaStream_t stream = std::exchange(configuration.stream, nullptr);
  // The arguments are copied byte by byte, because the graph may be launched later and several
  // times.
  std::vector<std::max_align_t> copy((arguments_bytes + sizeof(std::max_align_t) - 1) /
                                     sizeof(std::max_align_t));
  std::memcpy(copy.data(), arguments, arguments_bytes);
  const auto run = [=]() mutable {
    run_grid(configuration, launched, thread_body, copy.data(), arguments_bytes);
  };
  StreamCapture::get().take(stream, run, cudaGraphNodeTypeKernel);
  return cudaSuccess;
}

// A launch goes to a stream of the current device.
cudaError_t check_stream(cudaStream_t stream, const std::string& kernel_name) {
  const auto known = Streams::get().find(stream);
  if (known && known->device == current_device()) return cudaSuccess;
  std::string refusal = kernel_name + " cannot be launched: ";
  if (known) {
    refusal += "its stream belongs to device " + std::to_string(known->device) +
               ", but the current device is " + std::to_string(current_device()) +
               ". Call cudaSetDevice(" + std::to_string(known->device) + ") before the launch.";
    if (Tracer* const tracer = program_tracer()) tracer->wrong_device(refusal);
  } else {
    refusal += "its stream is not valid, or was destroyed.";
  }
  std::fprintf(stderr, "CUDA simulator: %s\n", refusal.c_str());
  LaunchLog::get().refused({refusal, "stream"}, cudaErrorInvalidResourceHandle);
  return cudaErrorInvalidResourceHandle;
}

}  // namespace

cudaError_t run_grid(const LaunchConfiguration& configuration, LaunchedKernel launched,
                     void (*thread_body)(void*), void* arguments, std::size_t arguments_bytes) {
  if (current_block && current_block->in_kernel()) {
    stop_tracing_this_thread();
    end_kernel({finding_kind::kLaunchInKernel,
                std::string("launches ") + launched.text +
                    " from inside a kernel, which is not simulated. Launch it from the host",
                "launch", cudaErrorNotSupported},
               nullptr);
  }
  const RuntimeCall one_call_at_a_time;
  static std::mutex one_grid_at_a_time;
  const std::lock_guard<std::mutex> lock(one_grid_at_a_time);

  static const BlockOrder order = BlockOrder::of_environment();
  if (ErrorState::get().lost() != cudaSuccess) return ErrorState::get().lost();
  const KnownKernel& kernel = known_kernel(launched, thread_body);
  const cudaError_t error = !launched.of_library && ErrorState::get().launch_fails()
                                ? cudaErrorLaunchOutOfResources
                                : check_configuration(configuration, kernel.name, kernel.function,
                                                      kernel.static_shared_bytes);
  if (error != cudaSuccess) return ErrorState::get().report(error);
  if (const cudaError_t refused = check_stream(configuration.stream, kernel.name)) {
    return ErrorState::get().report(refused);
  }
  if (const cudaError_t refused = StreamCapture::get().forbid_default_stream(configuration.stream))
    return ErrorState::get().report(refused);
  if (StreamCapture::get().captures(configuration.stream)) {
    return ErrorState::get().report(
        capture_launch(configuration, launched, thread_body, arguments, arguments_bytes));
  }
  if (launched.of_library) {
    LaunchLog::get().launched_by_library();  // no test limits or counts them
  } else {
    if (LaunchLog::get().is_over_limit(kernel.name))
      return ErrorState::get().report(cudaErrorLaunchOutOfResources);
    LaunchLog::get().launched(configuration.grid, configuration.block);
  }
  if (StreamOrder* const all = stream_order())
    program_tracer()->work_begins(all->give(configuration.stream), current_device());

  Grid grid{kernel.name.c_str(),
            configuration.grid,
            configuration.block,
            kernel.static_shared_bytes,
            configuration.dynamic_shared_bytes,
            thread_body,
            arguments,
            arguments_bytes,
            order,
            current_device(),
            configuration.is_cooperative,
            launched.of_library,
            reinterpret_cast<std::uintptr_t>(__builtin_dwarf_cfa())};
  std::atomic<std::uint64_t> next_block{0};
  const std::uint64_t count = grid.block_count();
  // Tracing keeps one common record, so it runs on one OS thread.
  const int workers = program_tracer() ? 1 : WorkerPool::get().size();
  if (grid.is_cooperative || program_tracer()) {
    run_together(grid);
  } else if (workers == 1 || count == 1) {
    run_blocks(grid, next_block, count);
  } else {
    const std::uint64_t blocks_at_once =
        std::max<std::uint64_t>(1, count / (8 * static_cast<std::uint64_t>(workers)));
    WorkerPool::get().run([&] { run_blocks(grid, next_block, blocks_at_once); });
  }
  if (grid.error != cudaSuccess) ErrorState::get().lose_context(grid.error);
  return cudaSuccess;
}

}  // namespace cuda_simulator
