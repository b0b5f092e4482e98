#include "execution/device_heap.h"

#include "execution/block.h"
#include "execution/kernel_failure.h"
#include "program/executable.h"
#include "runtime/device_memory.h"

#include "simulator/findings.h"
#include "simulator/library_kernels.h"
#include "simulator/say_once.h"

#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <string>

namespace cuda_simulator {
namespace {

constexpr std::size_t kGranularity = 16;      // bytes
constexpr std::size_t kMostPieces = 1 << 19;  // half of what DeviceMemory can list

struct Heap {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> bytes_of;  // by the address of a live piece
  std::size_t limit = 8 << 20;                     // CUDA's default
  std::size_t used = 0, pieces = 0;                // bytes that live; pieces since the start
  std::map<const void*, bool> is_library;          // by the return address of a caller
};

Heap& heap() {
  static Heap& heap = *new Heap;  // never destroyed: a program's own objects may end after it
  return heap;
}

// Whether the caller is a function of the C++ library. The linker may give the simulator and a
// kernel the same copy of such a function, and CUDA does not allow them in kernels.
bool is_of_library(const void* caller) {
  const std::lock_guard<std::mutex> lock(heap().mutex);
  const auto known = heap().is_library.find(caller);
  if (known != heap().is_library.end()) return known->second;
  const Symbol* const function =
      Executable::get().function_at(reinterpret_cast<std::uintptr_t>(caller) - 1);
  const std::string name = function ? function->mangled : "";
  const auto begins_with = [&](const char* text) { return name.rfind(text, 0) == 0; };
  return heap().is_library[caller] = begins_with("_ZNSt") || begins_with("_ZNKSt") ||
                                     begins_with("_ZSt") || begins_with("_ZN9__gnu_cxx");
}

bool is_kernel(const void* caller) {
  return current_block && current_block->in_kernel() && !is_of_library(caller);
}

// Null if the heap is full, as on a GPU.
void* allocate_on_heap(std::size_t bytes) {
  Heap& all = heap();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const std::size_t rounded = (bytes + kGranularity - 1) / kGranularity * kGranularity;
  if (bytes == 0 || rounded < bytes || rounded > all.limit - all.used) return nullptr;
  if (all.pieces == kMostPieces) {
    say_once("kernels have allocated " + std::to_string(kMostPieces) +
                 " pieces of memory with new or malloc. The simulator has no more: use "
                 "cudaMalloc, or allocate larger pieces.",
             "heap");
    return nullptr;
  }
  void* const memory = DeviceMemory::get().allocate(bytes, MemoryKind::device);
  if (!memory) return nullptr;
  ++all.pieces;
  all.used += rounded;
  all.bytes_of[reinterpret_cast<std::uintptr_t>(memory)] = rounded;
  return memory;
}

bool free_on_heap(void* memory) {
  Heap& all = heap();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto piece = all.bytes_of.find(reinterpret_cast<std::uintptr_t>(memory));
  if (piece == all.bytes_of.end()) return false;
  all.used -= piece->second;
  all.bytes_of.erase(piece);
  free_in_kernel(memory);
  return true;
}

// Frees memory that a kernel has allocated. Returns whether it is that, or no other memory either.
bool is_freed_on_heap(void* memory, const char* function, const void* caller) {
  if (!memory || free_on_heap(memory)) return true;
  if (!is_kernel(caller)) return false;
  stop_tracing_this_thread();
  end_kernel({finding_kind::kFreedMemory,
              std::string("calls ") + function +
                  " for memory that is already freed, or that no malloc or new of a kernel has "
                  "returned",
              "call", cudaErrorIllegalAddress},
             caller);
}

}  // namespace

std::size_t heap_limit() {
  const std::lock_guard<std::mutex> lock(heap().mutex);
  return heap().limit;
}

void set_heap_limit(std::size_t bytes) {
  const std::lock_guard<std::mutex> lock(heap().mutex);
  heap().limit = bytes > heap().used ? bytes : heap().used;
}

void forget_heap() {
  const std::lock_guard<std::mutex> lock(heap().mutex);
  heap().bytes_of.clear();
  heap().used = 0;
}

bool is_on_heap(const void* pointer) {
  const std::lock_guard<std::mutex> lock(heap().mutex);
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto after = heap().bytes_of.upper_bound(address);
  if (after == heap().bytes_of.begin()) return false;
  const auto [begin, bytes] = *std::prev(after);
  return address - begin < bytes;
}

}  // namespace cuda_simulator

// The functions of a .cu file, with the names that simulator/device_heap.h gives them.
extern "C" {

void* cuda_simulator_new(std::size_t bytes) {
  if (cuda_simulator::is_kernel(__builtin_return_address(0)))
    return cuda_simulator::allocate_on_heap(bytes > 0 ? bytes : 1);
  return ::operator new(bytes);
}

void* cuda_simulator_new_array(std::size_t bytes) {
  if (cuda_simulator::is_kernel(__builtin_return_address(0)))
    return cuda_simulator::allocate_on_heap(bytes > 0 ? bytes : 1);
  return ::operator new[](bytes);
}

void* cuda_simulator_malloc(std::size_t bytes) {
  if (cuda_simulator::is_kernel(__builtin_return_address(0)))
    return cuda_simulator::allocate_on_heap(bytes);
  return std::malloc(bytes);
}

void cuda_simulator_delete(void* memory) {
  if (!cuda_simulator::is_freed_on_heap(memory, "delete", __builtin_return_address(0)))
    ::operator delete(memory);
}

void cuda_simulator_delete_array(void* memory) {
  if (!cuda_simulator::is_freed_on_heap(memory, "delete[]", __builtin_return_address(0)))
    ::operator delete[](memory);
}

void cuda_simulator_free(void* memory) {
  if (!cuda_simulator::is_freed_on_heap(memory, "free", __builtin_return_address(0)))
    std::free(memory);
}
}
