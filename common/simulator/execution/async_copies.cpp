#include "execution/async_copies.h"

#include "execution/block.h"
#include "execution/kernel_failure.h"
#include "runtime/device_memory.h"
#include "trace/tracer.h"

#include "cuda_pipeline_primitives.h"
#include "simulator/atomics.h"
#include "simulator/findings.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

using cuda_simulator::AccessKind;
using cuda_simulator::AsyncCopy;
using cuda_simulator::current_block;

namespace cuda_simulator {

std::vector<AsyncCopy> AsyncCopies::wait_for_all_but(std::size_t batches) {
  const auto end = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const AsyncCopy& copy) {
    return batches_ - copy.batch <= batches;
  });
  std::vector<AsyncCopy> arrived(in_flight_.begin(), end);
  in_flight_.erase(in_flight_.begin(), end);
  return arrived;
}

namespace {

bool is_local(const void* address) {
  return current_block->stacks().contains(reinterpret_cast<std::uintptr_t>(address));
}

void check_arguments(const void* to, const void* from, std::size_t bytes, std::size_t zero_filled,
                     const void* caller) {
  const bool fits = bytes == 4 || bytes == 8 || bytes == 16;
  const bool goes_to_shared =
      !is_local(to) && !DeviceMemory::get().contains(reinterpret_cast<std::uintptr_t>(to));
  if (fits && zero_filled <= bytes && goes_to_shared && !is_local(from)) return;

  stop_tracing_this_thread();
  std::string what = "called __pipeline_memcpy_async ";
  if (!fits) {
    what += "for " + std::to_string(bytes) + " bytes; it can copy 4, 8 or 16 bytes";
  } else if (zero_filled > bytes) {
    what += "with " + std::to_string(zero_filled) + " bytes of zeros, but it copies only " +
            std::to_string(bytes) + " bytes";
  } else if (!goes_to_shared) {
    what += "with a target that is not in shared memory; the target is the first argument";
  } else {
    what += "with a local variable as its source; it copies only from global memory";
  }
  end_kernel({finding_kind::kAsyncCopy, std::move(what), "call", cudaErrorLaunchFailure}, caller);
}

// The hardware has one request for any number of bytes; an access here has a power of two.
void trace_load(const unsigned char* from, std::size_t bytes, const void* caller) {
  for (std::size_t part = kMaxCopyBytes; part > 0; part /= 2) {
    if ((bytes & part) == 0) continue;
    trace_access(from, part, AccessKind::load, caller);
    from += part;
  }
}

}  // namespace
}  // namespace cuda_simulator

void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                             std::size_t zero_filled) {
  const void* const caller = __builtin_return_address(0);
  cuda_simulator::check_arguments(shared, global, bytes, zero_filled, caller);
  const std::size_t read = bytes - zero_filled;
  cuda_simulator::trace_load(static_cast<const unsigned char*>(global), read, caller);
  cuda_simulator::trace_access(shared, bytes, AccessKind::async_copy, caller);
  AsyncCopy copy{shared, {}, static_cast<unsigned>(bytes), 0};
  std::memcpy(copy.data.data(), global, read);
  current_block->async_copies().start(copy);
}

void __pipeline_commit() { current_block->async_copies().end_batch(); }

void __pipeline_wait_prior(std::size_t batches) {
  const auto arrived = current_block->async_copies().wait_for_all_but(batches);
  for (const AsyncCopy& copy : arrived) std::memcpy(copy.to, copy.data.data(), copy.bytes);
  current_block->async_copies_arrived(arrived, __builtin_return_address(0));
}
