#pragma once

#include "execution/async_copies.h"
#include "execution/grid.h"
#include "execution/lanes.h"
#include "runtime/stream_order.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator {

class Block;
struct SharedRange;
struct KernelFailure;

// The scope of a memory fence: __threadfence_block() or __threadfence().
enum class FenceScope { block, device };

// Why the runtime refused a copy: for a person, and in a word for programs.
struct CopyRefusal {
  std::string reason, why;
};

// Observes the execution of a grid. The plain build has none. Every call comes from the OS thread
// that runs the block, between two steps of its CUDA threads.
class Tracer {
 public:
  virtual ~Tracer() = default;

  virtual void begin_grid(const Grid& grid, const Block& block) = 0;
  virtual void begin_block(std::uint64_t index) = 0;
  // From now on this thread of the block runs.
  virtual void thread_resumed(int thread) = 0;
  // With the veil (trace/veil.h) the running thread, before it is suspended and when it is resumed,
  // calls toggle_stack() for the part of its stack that its kernel uses.
  virtual bool is_veiled() const = 0;
  virtual void toggle_stack(std::uintptr_t begin, std::uintptr_t end) = 0;
  // A thread has reached a block barrier or its end: it executes no access before the next phase.
  virtual void thread_paused(int thread) = 0;
  // Threads that gave way to others are about to continue, because no other thread can; or because
  // their block does, which has paused.
  virtual void threads_gave_way(bool have_paused) = 0;
  // These lanes met at a shuffle; the tracer sets the results of lanes that take a value from an
  // absent lane. Called after lanes_met().
  virtual void shuffled(int warp, std::uint32_t lanes,
                        std::array<std::uint64_t, kWarpSize>& results) = 0;
  // These lanes met at a warp function. If it is __syncwarp(), their earlier accesses are ordered
  // before the later ones.
  virtual void lanes_met(int warp, std::uint32_t lanes) = 0;
  // The thread has waited for these copies; their data is in shared memory now.
  virtual void async_copies_arrived(int thread, const std::vector<AsyncCopy>& copies,
                                    const void* caller) = 0;
  // A thread uses a cuda::barrier: it initialises it, arrives or waits.
  virtual void barrier_object_used(int thread, const void* object, bool initialises,
                                   const void* caller) = 0;
  // What the thread has done so far comes before what other threads do after acquired().
  virtual void released(int thread, const void* object) = 0;
  virtual void acquired(int thread, const void* object) = 0;
  // All threads of the block wait at a cuda::barrier, and continue.
  virtual void block_met_at_object() = 0;
  virtual void thread_fenced(int thread, FenceScope scope) = 0;
  // A thread waits at a warp function whose mask does not include its own lane.
  virtual void left_out_of_mask(int thread, std::uint32_t mask) = 0;
  // The threads that wait at a barrier continue. Some threads of the block may have ended.
  virtual void barrier_released() = 0;
  virtual void end_block() = 0;
  // These threads have given way. Returns whether some of them wait for another block.
  virtual bool wait_for_memory(const int* threads, int count) = 0;
  // Whether what they wait for has changed, in an interrupted block.
  virtual bool has_changed(std::uint64_t index) const = 0;
  // The block pauses between any two steps of its threads, and another block runs; it continues.
  // `ranges` is the block's shared memory.
  virtual void block_interrupted(const std::vector<SharedRange>& ranges) = 0;
  virtual void block_continues(std::uint64_t index, const std::vector<SharedRange>& ranges) = 0;
  // All blocks that have begun have looked in vain, many times. Returns whether they do nothing
  // else, and reports that. `unstarted`: the number of other blocks.
  virtual bool refuse_endless_wait(std::uint64_t unstarted) = 0;
  // For a cooperative launch: all threads of the block wait for the grid, and another block runs;
  // the block continues; all blocks have arrived.
  virtual void block_suspended(const std::vector<SharedRange>& ranges) = 0;
  virtual void block_resumed(std::uint64_t index, const std::vector<SharedRange>& ranges) = 0;
  virtual void grid_synchronised() = 0;
  // Called after each block: returns true if the remaining blocks would give no more information,
  // so that the grid can end.
  virtual bool has_seen_enough() = 0;
  virtual void end_grid() = 0;

  // None of the block's threads can continue: reports where each of them waits.
  virtual void deadlock() = 0;

  // The running thread ends its grid: from here on it does the simulator's work.
  virtual void stop_recording() = 0;
  // Reports the failure of the kernel. See report_kernel_failure().
  virtual void kernel_failed(const KernelFailure& failure, const void* code) = 0;

  // A launch, a copy or a fill was added to a stream; the calls that follow are its actions. The
  // stream belongs to this device.
  virtual void work_begins(const StreamOrder::Given& given, int device) = 0;
  // A launch was refused: the reason as a sentence and in a word, and the error that it returns.
  virtual void launch_refused(const std::string& reason, const std::string& why,
                              cudaError_t error) = 0;
  // A call of the runtime fails with this error.
  virtual void error_reported(cudaError_t error) = 0;
  // A stream or an event was used with a device other than its own.
  virtual void wrong_device(const std::string& message) = 0;

  // Actions of the runtime: it fills memory, copies (`function` is the runtime's, called by the
  // code before `caller`), or frees. Addresses can be in any memory, including variables and host
  // memory.
  virtual void device_memory_written(std::uintptr_t address, std::size_t bytes) = 0;
  // The same for a fill, and for the writes and reads of NCCL.
  virtual void memory_written(std::uintptr_t address, std::size_t bytes, const char* function,
                              std::uintptr_t caller) = 0;
  virtual void memory_read(std::uintptr_t address, std::size_t bytes, const char* function,
                           std::uintptr_t caller) = 0;
  virtual void memory_copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes,
                             const char* function, std::uintptr_t caller) = 0;
  // A copy was refused, for this reason; its error is reported afterwards.
  virtual void copy_refused(CopyRefusal refusal, const char* function, std::uintptr_t caller) = 0;
  // The bytes that NCCL sends from one device to another; the error of a library's call by the code
  // before `caller`, of this finding_kind; and the place of that code, such as "ring.cu:40:3"
  // (empty if it has none).
  virtual void nccl_moved(int from_device, int to_device, std::uint64_t bytes) = 0;
  virtual void call_failed(const char* kind, const std::string& message, std::uintptr_t caller) = 0;
  virtual std::string place_text(std::uintptr_t caller) = 0;
  // From now on, or until now, host code computes a library's call on arrays in device memory.
  virtual void library_computes(bool computes) = 0;
  // `function` is the runtime function that allocated it: cudaMalloc, cudaMallocHost,
  // cudaMallocManaged, cudaMallocArray.
  virtual void device_memory_allocated(std::uintptr_t address, std::size_t bytes,
                                       const char* function) = 0;
  virtual void device_memory_freed(std::uintptr_t address, std::size_t bytes) = 0;
};

// The simulator is about to access these bytes of a kernel's memory, and does not announce it with
// trace_access(): the veil (trace/veil.h) shows them.
void unveil(const volatile void* address, std::size_t bytes);

// The linker selects it: the plain library returns nullptr, the traced library its tracer.
Tracer* program_tracer();

}  // namespace cuda_simulator
