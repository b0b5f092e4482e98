#include "execution/async_copies.h"

#include "execution/block.h"
#include "execution/kernel_failure.h"
#include "runtime/device_memory.h"
#include "trace/tracer.h"

#include "cuda_pipeline_primitives.h"
#include "simulator/atomics.h"
#include "simulator/barrier_objects.h"
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

bool is_shared(const void* address) {
  return !is_local(address) &&
         !DeviceMemory::get().contains(reinterpret_cast<std::uintptr_t>(address));
}

void check_arguments(const void* to, const void* from, std::size_t bytes, std::size_t zero_filled,
                     const void* caller) {
  const bool fits = bytes == 4 || bytes == 8 || bytes == 16;
  const bool goes_to_shared = is_shared(to);
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
void traced_load(unsigned char* to, const unsigned char* from, std::size_t bytes,
                 const void* caller) {
  for (std::size_t part = kMaxCopyBytes; part > 0; part /= 2) {
    if ((bytes & part) == 0) continue;
    trace_access(from, part, AccessKind::load, caller);
    std::memcpy(to, from, part);
    from += part;
    to += part;
  }
}

// Copies a power of two of at most 16 bytes.
void copy_piece(unsigned char* to, const unsigned char* from, std::size_t bytes, bool later,
                const BarrierState* barrier, const void* caller) {
  trace_access(from, bytes, AccessKind::load, caller);
  trace_access(to, bytes, later ? AccessKind::async_copy : AccessKind::store, caller);
  if (!later) {
    std::memcpy(to, from, bytes);
    return;
  }
  AsyncCopy copy{to, {}, static_cast<unsigned>(bytes), 0};
  std::memcpy(copy.data.data(), from, bytes);
  if (barrier) {
    current_block->start_copy({barrier, current_block->thread(), caller, copy});
  } else {
    current_block->async_copies().start(copy);
  }
}

}  // namespace

void copy_asynchronously(void* to, const void* from, const CopyPart& part,
                         const BarrierState* barrier, const void* caller) {
  const std::uintptr_t addresses =
      reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if ((addresses | part.bytes) % part.alignment != 0) {
    stop_tracing_this_thread();
    const std::string alignment = std::to_string(part.alignment);
    end_kernel({finding_kind::kAsyncCopy,
                "called memcpy_async with cuda::aligned_size_t<" + alignment +
                    ">, but an address or the size is not a multiple of " + alignment,
                "call", cudaErrorLaunchFailure},
               caller);
  }
  const bool later = is_shared(to) && !is_local(from);
  const std::size_t together = addresses | kMaxCopyBytes, unit = together & -together;
  for (std::size_t begin = part.rank * unit; begin < part.bytes; begin += part.members * unit) {
    const std::size_t bytes = std::min(unit, part.bytes - begin);
    std::size_t done = begin;
    for (std::size_t piece = unit; piece > 0; piece /= 2) {
      if ((bytes & piece) == 0) continue;
      copy_piece(static_cast<unsigned char*>(to) + done,
                 static_cast<const unsigned char*>(from) + done, piece, later, barrier, caller);
      done += piece;
    }
  }
}

void wait_for_batches(std::size_t batches, const void* caller) {
  const auto arrived = current_block->async_copies().wait_for_all_but(batches);
  for (const AsyncCopy& copy : arrived) {
    unveil(copy.to, copy.bytes);
    std::memcpy(copy.to, copy.data.data(), copy.bytes);
  }
  current_block->async_copies_arrived(arrived, caller);
}

}  // namespace cuda_simulator

void __pipeline_memcpy_async(void* shared, const void* global, std::size_t bytes,
                             std::size_t zero_filled) {
  const void* const caller = __builtin_return_address(0);
  cuda_simulator::check_arguments(shared, global, bytes, zero_filled, caller);
  AsyncCopy copy{shared, {}, static_cast<unsigned>(bytes), 0};
  cuda_simulator::traced_load(copy.data.data(), static_cast<const unsigned char*>(global),
                              bytes - zero_filled, caller);
  cuda_simulator::trace_access(shared, bytes, AccessKind::async_copy, caller);
  current_block->async_copies().start(copy);
}

void __pipeline_commit() { current_block->async_copies().end_batch(); }

void __pipeline_wait_prior(std::size_t batches) {
  cuda_simulator::wait_for_batches(batches, __builtin_return_address(0));
}
