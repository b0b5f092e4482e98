#include "simulator/library_work.h"

#include "runtime/copies.h"
#include "runtime/device_memory.h"
#include "runtime/error_state.h"
#include "runtime/launch_log.h"
#include "runtime/stream_capture.h"
#include "runtime/stream_order.h"
#include "runtime/streams.h"
#include "trace/tracer.h"

#include "simulator/findings.h"
#include "simulator/say_once.h"

#include <algorithm>
#include <cstdint>

namespace cuda_simulator {
namespace {

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

std::size_t span_bytes(const LibraryArray& array) {
  if (array.row_bytes == 0 || array.count == 0) return 0;
  return (array.count - 1) * array.pitch + array.row_bytes;
}

// Returns whether the whole array can be used; reports the error otherwise.
bool is_allocated(const LibraryArray& array, const LibraryCall& call) {
  const std::size_t bytes = span_bytes(array);
  if (bytes == 0 || lies_on(Side::device, array.begin, bytes)) return true;
  const std::uintptr_t address = address_of(array.begin);
  const std::string use = std::string(call.function) + " uses " + std::to_string(bytes) +
                          " bytes of its argument " + array.name + ", but ";
  const DeviceMemory& memory = DeviceMemory::get();
  if (!array.begin) {
    report_library_error(call, finding_kind::kNullPointer, use + "that is a null pointer.");
  } else if (!memory.contains(address)) {
    report_library_error(call, finding_kind::kHostPointer,
                         use + "that is not in device memory. Allocate it with cudaMalloc.");
  } else if (const Allocation& allocation = memory.on_page_of(address);
             allocation.freed && allocation.holds(address, 1)) {
    report_library_error(call, finding_kind::kFreedMemory,
                         use + "that memory was already released with cudaFree.");
  } else {
    const std::size_t left = allocation.holds(address, 1) ? allocation.end() - address : 0;
    report_library_error(call, finding_kind::kOutOfBounds,
                         use + "only " + std::to_string(left) +
                             " bytes are allocated from there. Compare the sizes, strides and "
                             "leading dimensions of the call with those of cudaMalloc.");
  }
  return false;
}

using Use = void (Tracer::*)(std::uintptr_t, std::size_t, const char*, std::uintptr_t);

// Informs the tracer of each row; rows without gaps are one range.
void trace(Use use, const std::vector<LibraryArray>& arrays, const LibraryCall& call) {
  Tracer* const tracer = program_tracer();
  if (!tracer) return;
  for (const LibraryArray& array : arrays) {
    const bool is_dense = array.count == 1 || array.pitch == array.row_bytes;
    const std::size_t bytes = is_dense ? span_bytes(array) : array.row_bytes;
    for (std::size_t row = 0; row < (is_dense ? 1 : array.count) && bytes > 0; ++row) {
      (tracer->*use)(address_of(array.begin) + row * array.pitch, bytes, call.function,
                     address_of(call.caller));
    }
  }
}

cudaError_t do_now(cudaStream_t stream, const LibraryWork& work) {
  const RuntimeCall one_at_a_time;
  if (ErrorState::get().lost() != cudaSuccess) return report(cudaSuccess);
  const auto known = Streams::get().find(stream);
  // A library returns its own errors; cudaGetLastError() does not see them.
  if (!known) return cudaErrorInvalidResourceHandle;
  LaunchLog::get().hide();  // a library chooses its own launches
  if (ErrorState::get().launch_fails()) return cudaErrorLaunchOutOfResources;
  if (StreamOrder* const order = stream_order()) {
    const auto given = order->give(stream);
    program_tracer()->work_begins(given, known->device);
    if (work.host_waits) order->host_waits(given.clock);
  }
  for (const auto* const arrays : {&work.reads, &work.writes}) {
    for (const LibraryArray& array : *arrays) {
      if (is_allocated(array, work.call)) continue;
      ErrorState::get().lose_context(cudaErrorIllegalAddress);
      return report(cudaSuccess);
    }
  }
  trace(&Tracer::memory_read, work.reads, work.call);
  Tracer* const tracer = program_tracer();
  if (tracer) tracer->library_computes(true);
  work.compute();
  if (tracer) tracer->library_computes(false);
  trace(&Tracer::memory_written, work.writes, work.call);
  return report(cudaSuccess);
}

}  // namespace

cudaError_t add_library_work(cudaStream_t stream, const LibraryWork& work) {
  return captured_or_done(
      stream, [=](cudaStream_t on) { return do_now(on, work); }, cudaGraphNodeTypeKernel);
}

void report_library_error(const LibraryCall& call, const char* kind, const std::string& message) {
  if (Tracer* const tracer = program_tracer()) {
    const RuntimeCall one_at_a_time;
    tracer->call_failed(kind, message, address_of(call.caller));
  } else {
    say_once(message + " To see the line, run ./workbook inspect.", message);
  }
}

bool is_host_memory(const void* pointer, std::size_t bytes) {
  return lies_on(Side::host, pointer, bytes);
}

void say_computed(const LibraryCall& call, const std::string& library, const std::string& by) {
  const std::string agent = by.empty() ? "" : " by " + by;
  say_once(std::string(call.function) + " was computed" + agent + " on the CPU, without counts.",
           library + agent);
}

}  // namespace cuda_simulator
