#pragma once

#include "execution/block.h"
#include "program/executable.h"
#include "runtime/device_memory.h"
#include "trace/checks/access_checks.h"
#include "trace/counts/access_counts.h"
#include "trace/counts/element_map.h"
#include "trace/counts/request_example.h"
#include "trace/report/finding_log.h"
#include "trace/report/finding_texts.h"
#include "trace/tracer.h"
#include "trace/warp/diverged_warp.h"
#include "trace/warp/warp_log.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cuda_simulator {

// The thread of a kernel that runs on this OS thread, for the functions that traced code calls at
// every step.
struct RunningLane {
  WarpLog* log;  // nullptr outside a kernel
  int lane;
  std::uintptr_t stacks_begin;  // of the block's threads: their local memory
  std::size_t stacks_bytes;
};
extern __thread RunningLane running_lane;

// While it lives, nothing is recorded. What the tracer itself does on a kernel's behalf may call
// functions of the C++ library, and the linker may have chosen the traced copy of them.
class RecordingPause {
 public:
  RecordingPause() : log_(running_lane.log) { running_lane.log = nullptr; }
  ~RecordingPause() { running_lane.log = log_; }
  RecordingPause(const RecordingPause&) = delete;
  RecordingPause& operator=(const RecordingPause&) = delete;

 private:
  WarpLog* const log_;
};

// Follows every thread of a grid: is each access allowed, does it race or read what nothing wrote,
// what does its warp's request cost, and where do the lanes of a warp part.
class KernelTracer final : public Tracer, private WarpListener {
 public:
  static KernelTracer& get() {
    static KernelTracer& tracer =
        *new KernelTracer;  // never destroyed: the report at exit reads it
    return tracer;
  }

  void begin_grid(const Grid& grid, const Block& block) override;
  void begin_block(std::uint64_t index) override;
  void thread_resumed(int thread) override;
  void thread_paused(int thread) override;
  void threads_gave_way() override;
  void warp_synchronised(int warp, std::uint32_t lanes) override;
  void async_copies_arrived(int thread, const std::vector<AsyncCopy>& copies,
                            const void* caller) override;
  void thread_fenced(int thread, FenceScope scope) override;
  void left_out_of_mask(int thread, std::uint32_t mask) override;
  void barrier_released() override;
  void end_block() override;
  void end_grid() override { report_unwritten(Region::device); }
  void deadlock() override;
  void stop_recording() override { running_lane.log = nullptr; }
  void kernel_failed(const KernelFailure& failure, const void* code) override;
  void device_memory_written(std::uintptr_t address, std::size_t bytes) override;
  void memory_copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes,
                     const char* function, std::uintptr_t caller) override;
  void device_memory_freed(std::uintptr_t address, std::size_t bytes) override;

  // An access that the code before `code` is about to make. Does not return if it must not be made.
  static void on_access(std::uintptr_t address, unsigned bytes, AccessKind kind,
                        std::uintptr_t code) {
    const RunningLane& running = running_lane;
    if (!running.log) return on_host_access(address, kind, code);
    if (address - running.stacks_begin < running.stacks_bytes) return;  // local memory
    const Step step(code, bytes, kind);
    if (!running.log->follow(running.lane, step, address)) add_to_log(step, address);
  }
  // The running thread enters the basic block that begins before `code`.
  static void on_basic_block(std::uintptr_t code) {
    const RunningLane& running = running_lane;
    if (!running.log) return;
    const Step step = Step::basic_block(code);
    if (!running.log->follow(running.lane, step)) add_to_log(step);
  }
  // A number that changes with every step of the running thread; 0 outside kernels' own code.
  static std::uint64_t position_in_kernel() {
    const RunningLane& running = running_lane;
    if (!running.log) return 0;
    return get().counts_->threads_run << 32 | running.log->length(running.lane) << 5 |
           static_cast<unsigned>(running.lane);
  }
  // The running thread, now at `code`, has made no step for seconds.
  void on_silence(std::uintptr_t code);
  // An index outside an array whose length the compiler knows.
  void on_array_index(Finding finding);

  // A kernel is about to throw what it stores there.
  void exception_allocated(std::uintptr_t address, std::size_t bytes) {
    exception_begin_ = address;
    exception_bytes_ = bytes;
  }

  const std::vector<std::unique_ptr<KernelCounts>>& kernels() const { return kernels_; }

 private:
  static constexpr int kNoWarp = -1;

  KernelTracer();

  void on_request(const WarpRequest& request) override;
  void on_block(std::uintptr_t code, std::uint32_t lanes) override;
  void on_parting(std::uintptr_t code, std::uintptr_t next) override;

  // What the functions above leave to others, so that they need not save registers.
  static void on_host_access(std::uintptr_t address, AccessKind kind, std::uintptr_t code);
  static void add_to_log(Step access, std::uintptr_t address);
  static void add_to_log(Step basic_block);

  void add_access(Step step, std::uintptr_t address);
  void add_basic_block(Step step);
  void drain(int warp, bool approximate = false);
  std::uint32_t waiting_lanes(int warp) const;
  void count_steps(std::uint64_t steps, std::uintptr_t code);
  void check_now(int warp);
  void check(const WarpRequest& request, int warp);
  void check_one(const WarpLog::LaneStep& access, int lane, int warp);
  void locate_shared_memory();

  // The array of an access, which must be allowed; nothing for memory that is of no interest.
  std::optional<AddressedArray> array_of(Step step, std::uintptr_t address);
  AddressedArray shared_array_of(Step step, std::size_t offset);
  AddressedArray variable_of(Step step, std::uintptr_t address);

  [[noreturn]] void refuse(const char* kind, const std::string& message, cudaError_t error,
                           Step step);
  [[noreturn]] void refuse_device_access(std::uintptr_t address, Step step);
  [[noreturn]] void refuse_host_access(AccessKind kind, std::uintptr_t code);
  void report_race(const RaceDetector::Race& race, const AccessChecks::Access& access);
  void report_unwritten(Region region);
  void report_unwritten_copy(std::uintptr_t from, std::size_t bytes, const char* function,
                             std::uintptr_t caller);
  void report_different_functions(int warp, std::uint32_t lanes);
  AccessedMemory memory_of(const AccessChecks::Access& access) const;
  Finding::Place place(std::uintptr_t code, const char* operation, int thread) const;
  Finding::Place place(const RaceDetector::Access& access) const;
  Finding::Place wait_place(int thread) const;

  static bool elements_wanted();
  TracedArray named(const AddressedArray& array) const;
  void keep_example(AccessCounts& counts, const WarpRequest& request) const;
  void follow_elements(const WarpRequest& request);
  // nullptr if the kernel has more arrays than are followed, or the memory is of no interest.
  ElementMap* element_map(Step step, std::uintptr_t address);

  const Block* block_ = nullptr;
  const DeviceMemory& memory_;
  const Executable& executable_;
  std::uintptr_t shared_begin_ = 0;  // the OS thread's block of thread-local variables
  std::size_t shared_bytes_ = 0, dynamic_offset_ = 0, dynamic_bytes_ = 0;
  const Symbol* last_shared_ = nullptr;
  std::uintptr_t exception_begin_ = 0;
  std::size_t exception_bytes_ = 0;

  std::array<WarpLog, kMaxWarps> logs_;
  struct WarpState {
    int running_lanes;
    std::uint32_t slice;  // steps after which a lane gives way to the others
    // The code where the lanes stood when the log was last drained: at the beginning of a basic
    // block, or behind a barrier in the middle of one.
    std::uintptr_t stands_at;
  };
  std::array<WarpState, kMaxWarps> warps_{};
  int draining_warp_ = 0;
  int releasing_warp_ = kNoWarp;  // of the running thread, if what it does may be a release
  std::uint64_t steps_ = 0;       // that the block has made since a thread last ended
  const std::uint64_t step_limit_;

  AccessChecks checks_;
  bool follows_elements_ = false;  // of the running grid
  KernelCounts* counts_ = nullptr;
  std::vector<std::unique_ptr<KernelCounts>> kernels_;
};

}  // namespace cuda_simulator
