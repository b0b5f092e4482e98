// The functions that the compiler calls in traced code: at every access (-fsanitize=thread), at
// every basic block (-fsanitize-coverage=trace-pc) and for every array index (-fsanitize=bounds).
// These functions replace those of the sanitizers.

#include "execution/kernel_failure.h"
#include "program/learners_code.h"
#include "runtime/device_memory.h"
#include "trace/kernel_tracer.h"

#include "simulator/findings.h"
#include "simulator/local_arrays.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using cuda_simulator::AccessKind;
using cuda_simulator::DeviceMemory;
using cuda_simulator::Finding;
using cuda_simulator::KernelTracer;

// The properties of RunningLane::follow()'s types that translate/inline_steps.py depends on.
using cuda_simulator::AccessRow;
using cuda_simulator::PathStep;
using cuda_simulator::RunningLane;
static_assert(offsetof(PathStep, step) == 0 && offsetof(PathStep, begin) == 8 &&
              offsetof(PathStep, reach) == 16 && offsetof(PathStep, row) == 24 &&
              sizeof(PathStep) == 32 && offsetof(AccessRow, addresses) == 0 &&
              offsetof(RunningLane, next) == 0 && offsetof(RunningLane, lane) == 16 &&
              offsetof(RunningLane, stacks_begin) == 24 &&
              offsetof(RunningLane, skipped_bytes) == 40);

constexpr unsigned kWordBytes = 4, kDoubleWordBytes = 8;

void announce(const void* address, unsigned bytes, AccessKind kind, const void* code) {
  KernelTracer::on_access(reinterpret_cast<std::uintptr_t>(address), bytes, kind,
                          reinterpret_cast<std::uintptr_t>(code));
}

void access_follows(const void* address, std::size_t bytes, AccessKind kind) {
  KernelTracer::access_follows(reinterpret_cast<std::uintptr_t>(address), bytes, kind);
}

__attribute__((noinline)) void veiled_access(const void* address, unsigned bytes, AccessKind kind,
                                             const void* code) {
  announce(address, bytes, kind, code);
  access_follows(address, bytes, kind);
}

// The usual case in a function without calls, which does not have to save registers.
void access(const void* address, unsigned bytes, AccessKind kind, const void* code) {
  if (KernelTracer::is_program_veiled()) return veiled_access(address, bytes, kind, code);
  announce(address, bytes, kind, code);
}

// An object whose alignment is less than its size, or whose size is not that of a register: a GPU
// accesses it in several parts. The parts are double words if the addresses permit, otherwise
// words, otherwise bytes.
void access_in_parts(const void* address, std::size_t bytes, AccessKind kind, const void* code) {
  const auto both = reinterpret_cast<std::uintptr_t>(address) | bytes;
  const unsigned part = both % kDoubleWordBytes == 0 && bytes > 2 * kDoubleWordBytes
                            ? kDoubleWordBytes
                        : both % kWordBytes == 0 ? kWordBytes
                                                 : 1;
  for (std::size_t done = 0; done < bytes; done += part) {
    announce(static_cast<const char*>(address) + done, part, kind, code);
  }
  access_follows(address, bytes, kind);
}

// An atomic access of host code, such as the poll of a flag that a kernel sets.
void host_atomic(const volatile void* address, unsigned bytes, const void* code) {
  if (!cuda_simulator::running_lane.log)
    access(const_cast<const void*>(address), bytes, AccessKind::volatile_load, code);
}

void copy_in_pieces(const void* to, const void* from, std::size_t bytes, const void* code) {
  access_in_parts(from, bytes, AccessKind::load, code);
  access_in_parts(to, bytes, AccessKind::store, code);
}

// The code before `code` is a kernel's, not a container's of the C++ library: nvcc refuses those.
bool is_of_kernel(const void* code) {
  if (!cuda_simulator::running_lane.log) return false;
  const cuda_simulator::RecordingPause pause;
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  return cuda_simulator::in_learners_code(address) == address;
}

void* allocate_in_heap(std::size_t bytes) {
  const cuda_simulator::RecordingPause pause;
  return DeviceMemory::get().allocate_in_heap(bytes);
}

void free_in_heap(void* pointer, const char* function, const void* code) {
  if (!pointer) return;
  DeviceMemory::Freed freed;
  {
    const cuda_simulator::RecordingPause pause;
    freed = DeviceMemory::get().free(pointer, /*from_heap=*/true);
  }
  if (freed == DeviceMemory::Freed::yes) return;
  cuda_simulator::stop_tracing_this_thread();
  const bool is_second = freed == DeviceMemory::Freed::already_freed;
  cuda_simulator::end_kernel(
      {is_second ? cuda_simulator::finding_kind::kFreedMemory
                 : cuda_simulator::finding_kind::kHostPointer,
       std::string("called ") + function +
           (is_second ? " for memory that was already freed"
                      : " with a pointer that neither malloc nor new has returned in a kernel"),
       function, cudaErrorIllegalAddress},
      code);
}

// The compiler's descriptions of an index that is out of bounds (in the layout of the UB
// sanitizer).
struct SanitizerLocation {
  const char* file;
  std::uint32_t line, column;
};
struct SanitizerType {
  std::uint16_t kind, info;
  char name[1];
};
struct OutOfBoundsData {
  SanitizerLocation location;
  const SanitizerType *array, *index;
};

std::string index_text(const OutOfBoundsData& data, std::uintptr_t index) {
  const bool is_signed = data.index->info & 1;
  const unsigned bits = 1u << (data.index->info >> 1);
  if (!is_signed) return std::to_string(index);
  return std::to_string(static_cast<std::int64_t>(index << (64 - bits)) >> (64 - bits));
}

}  // namespace

namespace cuda_simulator {

LocalArray::LocalArray(std::uintptr_t array, std::size_t bytes, LocalArrayText text)
    : array_(running_lane.log && bytes != 0 ? array : 0) {
  if (array_ == 0) return;  // host code, or written by constructors
  const RecordingPause pause;
  KernelTracer::get().local_arrays().begins(array, bytes, text);
  running_lane.skipped_bytes = 0;
}

LocalArray::~LocalArray() {
  if (array_ == 0 || !running_lane.log) return;
  const RecordingPause pause;
  KernelTracer::get().local_arrays().ends(array_);
}

}  // namespace cuda_simulator

#define CALLER __builtin_return_address(0)
#define ACCESS_HOOKS(bytes)                                                                      \
  void __tsan_read##bytes(void* address) { access(address, bytes, AccessKind::load, CALLER); }   \
  void __tsan_write##bytes(void* address) { access(address, bytes, AccessKind::store, CALLER); } \
  void __tsan_volatile_read##bytes(void* address) {                                              \
    access(address, bytes, AccessKind::volatile_load, CALLER);                                   \
  }                                                                                              \
  void __tsan_volatile_write##bytes(void* address) {                                             \
    access(address, bytes, AccessKind::volatile_store, CALLER);                                  \
  }                                                                                              \
  void __tsan_unaligned_read##bytes(void* address) {                                             \
    access_in_parts(address, bytes, AccessKind::load, CALLER);                                   \
  }                                                                                              \
  void __tsan_unaligned_write##bytes(void* address) {                                            \
    access_in_parts(address, bytes, AccessKind::store, CALLER);                                  \
  }

// Host code in a .cu file, including the C++ library, uses atomics; they are not accesses of a
// kernel. It may poll a flag that a kernel sets.
#define ATOMIC_HOOKS(bits)                                                                        \
  std::uint##bits##_t __tsan_atomic##bits##_load(const volatile std::uint##bits##_t* p, int) {    \
    host_atomic(p, sizeof *p, CALLER);                                                            \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                               \
  void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* p, std::uint##bits##_t v, int) { \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                     \
  }                                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_exchange(volatile std::uint##bits##_t* p,             \
                                                     std::uint##bits##_t v, int) {                \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                           \
  }                                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_add(volatile std::uint##bits##_t* p,            \
                                                      std::uint##bits##_t v, int) {               \
    host_atomic(p, sizeof *p, CALLER);                                                            \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_sub(volatile std::uint##bits##_t* p,            \
                                                      std::uint##bits##_t v, int) {               \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_and(volatile std::uint##bits##_t* p,            \
                                                      std::uint##bits##_t v, int) {               \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_or(volatile std::uint##bits##_t* p,             \
                                                     std::uint##bits##_t v, int) {                \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                             \
  }                                                                                               \
  std::uint##bits##_t __tsan_atomic##bits##_fetch_xor(volatile std::uint##bits##_t* p,            \
                                                      std::uint##bits##_t v, int) {               \
    return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                               \
  int __tsan_atomic##bits##_compare_exchange_strong(                                              \
      volatile std::uint##bits##_t* p, std::uint##bits##_t* e, std::uint##bits##_t v, int, int) { \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
  }                                                                                               \
  int __tsan_atomic##bits##_compare_exchange_weak(                                                \
      volatile std::uint##bits##_t* p, std::uint##bits##_t* e, std::uint##bits##_t v, int, int) { \
    return __atomic_compare_exchange_n(p, e, v, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
  }

extern "C" {

ACCESS_HOOKS(1)
ACCESS_HOOKS(2)
ACCESS_HOOKS(4)
ACCESS_HOOKS(8)
ACCESS_HOOKS(16)
ATOMIC_HOOKS(8)
ATOMIC_HOOKS(16)
ATOMIC_HOOKS(32)
ATOMIC_HOOKS(64)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}

void __tsan_read_range(void* address, std::size_t bytes) {
  access_in_parts(address, bytes, AccessKind::load, CALLER);
}
void __tsan_write_range(void* address, std::size_t bytes) {
  access_in_parts(address, bytes, AccessKind::store, CALLER);
}
// The functions that traced code calls for memcpy and so on (simulator/traced_memory.h).
void* cuda_simulator_memcpy(void* destination, const void* source, std::size_t bytes) {
  copy_in_pieces(destination, source, bytes, CALLER);
  return std::memcpy(destination, source, bytes);
}
void* cuda_simulator_mempcpy(void* destination, const void* source, std::size_t bytes) {
  copy_in_pieces(destination, source, bytes, CALLER);
  return static_cast<char*>(std::memcpy(destination, source, bytes)) + bytes;
}
void* cuda_simulator_memmove(void* destination, const void* source, std::size_t bytes) {
  copy_in_pieces(destination, source, bytes, CALLER);
  return std::memmove(destination, source, bytes);
}
void* cuda_simulator_memset(void* destination, int value, std::size_t bytes) {
  access_in_parts(destination, bytes, AccessKind::store, CALLER);
  return std::memset(destination, value, bytes);
}
int cuda_simulator_memcmp(const void* left, const void* right, std::size_t bytes) {
  access_in_parts(left, bytes, AccessKind::load, CALLER);
  access_in_parts(right, bytes, AccessKind::load, CALLER);
  // the window of a store, because that of the load shows only one of them
  access_follows(left, bytes, AccessKind::store);
  return std::memcmp(left, right, bytes);
}

// The functions that traced code calls for malloc, free, new and delete (translate/heap_calls.py).
void* cuda_simulator_malloc(std::size_t bytes) {
  return is_of_kernel(CALLER) ? allocate_in_heap(bytes) : std::malloc(bytes);
}
void cuda_simulator_free(void* pointer) {
  if (!is_of_kernel(CALLER)) return std::free(pointer);
  free_in_heap(pointer, "free", CALLER);
}
void* cuda_simulator_new(std::size_t bytes) {
  return is_of_kernel(CALLER) ? allocate_in_heap(bytes) : ::operator new(bytes);
}
void cuda_simulator_delete(void* pointer) {
  if (!is_of_kernel(CALLER)) return ::operator delete(pointer);
  free_in_heap(pointer, "delete", CALLER);
}

void __sanitizer_cov_trace_pc() {
  KernelTracer::on_basic_block_entry(reinterpret_cast<std::uintptr_t>(CALLER));
}

// so that a program without a launch also writes a report
void __tsan_init() { KernelTracer::get(); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
// A constructor stores the pointer to the table of virtual functions.
void __tsan_vptr_update(void** address, void* table) {
  KernelTracer::on_construction(reinterpret_cast<std::uintptr_t>(table));
  access(address, sizeof *address, AccessKind::store, CALLER);
}
void __tsan_vptr_read(void**) {}

void __ubsan_handle_out_of_bounds(OutOfBoundsData* data, std::uintptr_t index) {
  const cuda_simulator::RecordingPause pause;
  const SanitizerLocation& at = data->location;
  Finding::Place where;
  where.file = at.file;
  where.line = static_cast<int>(at.line);
  where.column = static_cast<int>(at.column);
  where.operation = "index";
  KernelTracer::get().on_array_index({cuda_simulator::finding_kind::kArrayIndex,
                                      "",
                                      "index " + index_text(*data, index) +
                                          " is outside the array of type " + data->array->name +
                                          ".",
                                      {where}});
}

}  // extern "C"
