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

// Whom a memory fence is for: __threadfence_block() or __threadfence().
enum class FenceScope { block, device };

// Watches a grid run. The plain build has none. Every call comes from the OS thread that runs the
// block, between two steps of its CUDA threads.
class Tracer {
 public:
  virtual ~Tracer() = default;

  virtual void begin_grid(const Grid& grid, const Block& block) = 0;
  virtual void begin_block(std::uint64_t index) = 0;
  // From now on this thread of the block runs.
  virtual void thread_resumed(int thread) = 0;
  // A thread reached a block barrier or its end: it makes no access before the next phase.
  virtual void thread_paused(int thread) = 0;
  // Threads that gave way to others are about to go on, as nobody else can.
  virtual void threads_gave_way() = 0;
  // These lanes met at a shuffle; what those get that take from a lane that is not among them is up
  // to the tracer. After warp_synchronised().
  virtual void shuffled(int warp, std::uint32_t lanes,
                        std::array<std::uint64_t, kWarpSize>& results) = 0;
  // These lanes met at a warp function: what they did before is ordered against what follows.
  virtual void warp_synchronised(int warp, std::uint32_t lanes) = 0;
  // The thread has waited for these; what they brought is in shared memory now.
  virtual void async_copies_arrived(int thread, const std::vector<AsyncCopy>& copies,
                                    const void* caller) = 0;
  virtual void thread_fenced(int thread, FenceScope scope) = 0;
  // A thread waits at a warp function whose mask does not name its own lane.
  virtual void left_out_of_mask(int thread, std::uint32_t mask) = 0;
  // The threads that wait at a barrier go on. Some of the block may have ended.
  virtual void barrier_released() = 0;
  virtual void end_block() = 0;
  // Of a cooperative launch: all threads of the block wait for the grid, and another block has its
  // turn; it goes on; all blocks have come. `ranges` is what the block has of shared memory.
  virtual void block_suspended(const std::vector<SharedRange>& ranges) = 0;
  virtual void block_resumed(std::uint64_t index, const std::vector<SharedRange>& ranges) = 0;
  virtual void grid_synchronised() = 0;
  // Asked after each block: whether what the others do would tell nothing, and the grid may end.
  virtual bool has_seen_enough() = 0;
  virtual void end_grid() = 0;

  // Where each waiting thread waits, when none of the block's threads can go on.
  virtual void deadlock() = 0;

  // The thread that is running ends its grid: what it does from here on is the simulator's work.
  virtual void stop_recording() = 0;
  // What it did. See report_kernel_failure().
  virtual void kernel_failed(const KernelFailure& failure, const void* code) = 0;

  // A stream has been given a launch, a copy or a fill, and the calls that follow are what it does.
  // The stream is of this device.
  virtual void work_begins(const StreamOrder::Given& given, int device) = 0;
  // A stream or an event was used with another device than its own.
  virtual void wrong_device(const std::string& message) = 0;

  // What the runtime does: it fills memory, copies (`function` is the runtime's, called by the code
  // before `caller`), or frees. Addresses are of any memory, variables and the host's included.
  virtual void device_memory_written(std::uintptr_t address, std::size_t bytes) = 0;
  // The same of a fill; of what NCCL writes and reads.
  virtual void memory_written(std::uintptr_t address, std::size_t bytes, const char* function,
                              std::uintptr_t caller) = 0;
  virtual void memory_read(std::uintptr_t address, std::size_t bytes, const char* function,
                           std::uintptr_t caller) = 0;
  virtual void memory_copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes,
                             const char* function, std::uintptr_t caller) = 0;
  // The same of a copy that is refused, with the reason; its error is reported after that.
  virtual void copy_refused(std::string reason, const char* function, std::uintptr_t caller) = 0;
  // What NCCL sends from one device to another; what is wrong with a call of it, made by the code
  // before `caller`; and that code's place, "ring.cu:40:3", empty if it has none.
  virtual void nccl_moved(int from_device, int to_device, std::uint64_t bytes) = 0;
  virtual void nccl_failed(const std::string& message, std::uintptr_t caller) = 0;
  virtual std::string place_text(std::uintptr_t caller) = 0;
  // `function` is what allocated it, of the runtime's: cudaMalloc, cudaMallocHost,
  // cudaMallocManaged.
  virtual void device_memory_allocated(std::uintptr_t address, std::size_t bytes,
                                       const char* function) = 0;
  virtual void device_memory_freed(std::uintptr_t address, std::size_t bytes) = 0;
};

// The linker is the switch: the plain library returns nullptr, the traced one its tracer.
Tracer* program_tracer();

}  // namespace cuda_simulator
