#pragma once

#include "execution/block.h"
#include "program/learners_code.h"
#include "trace/checks/access_findings.h"
#include "trace/checks/barrier_findings.h"
#include "trace/checks/failed_calls.h"
#include "trace/checks/local_arrays.h"
#include "trace/checks/shuffled_values.h"
#include "trace/checks/unfreed_memory.h"
#include "trace/counts/launch_counts.h"
#include "trace/counts/link_counts.h"
#include "trace/counts/step_recorder.h"
#include "trace/memory_map.h"
#include "trace/report/finding_reporter.h"
#include "trace/tracer.h"
#include "trace/veil.h"
#include "trace/warp/running_lane.h"
#include "trace/warp/warp_listener.h"
#include "trace/warp/warp_recorder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuda_simulator {

// Follows every thread of a grid: it finds forbidden accesses, races, reads of unwritten memory,
// the cost of requests, and diverging lanes. It owns the parts that do this work, and makes sure
// that they get the events in the right order: accesses are checked before any later event is
// ordered after them.
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
  bool is_veiled() const override { return veil_.is_on(); }
  void toggle_stack(std::uintptr_t begin, std::uintptr_t end) override {
    veil_.toggle_stack(begin, end);
  }
  void thread_paused(int thread) override;
  void threads_gave_way(bool have_paused) override;
  void shuffled(int warp, std::uint32_t lanes,
                std::array<std::uint64_t, kWarpSize>& results) override {
    const RecordingPause pause;
    shuffled_.met(warp, lanes, results);
  }
  void lanes_met(int warp, std::uint32_t lanes) override;
  void async_copies_arrived(int thread, const std::vector<AsyncCopy>& copies,
                            const void* caller) override;
  void barrier_object_used(int thread, const void* object, bool initialises,
                           const void* caller) override;
  void released(int thread, const void* object) override;
  void acquired(int thread, const void* object) override;
  void block_met_at_object() override;
  void thread_fenced(int thread, FenceScope scope) override;
  void left_out_of_mask(int thread, std::uint32_t mask) override;
  void barrier_released() override;
  void end_block() override;
  void block_suspended(const std::vector<SharedRange>& ranges) override;
  void block_resumed(std::uint64_t index, const std::vector<SharedRange>& ranges) override;
  bool wait_for_memory(const int* threads, int count) override;
  bool has_changed(std::uint64_t index) const override;
  void block_interrupted(const std::vector<SharedRange>& ranges) override;
  void block_continues(std::uint64_t index, const std::vector<SharedRange>& ranges) override;
  bool refuse_endless_wait(std::uint64_t unstarted) override;
  void grid_synchronised() override { accesses_.grid_synchronised(); }
  bool has_seen_enough() override;
  void end_grid() override;
  void deadlock() override;
  void stop_recording() override { running_lane.end(); }
  void kernel_failed(const KernelFailure& failure, const void* code) override;
  void work_begins(const StreamOrder::Given& given, int device) override {
    accesses_.work_begins(given, device);
  }
  void launch_refused(const std::string& reason, const std::string& why,
                      cudaError_t error) override {
    const std::uintptr_t caller = innermost_launch();
    accesses_.launch_refused(reason, why, error, caller);
    failed_calls_.launch_refused(reason, why, caller);
  }
  void wrong_device(const std::string& message) override;
  void device_memory_written(std::uintptr_t address, std::size_t bytes) override {
    accesses_.device_memory_written(address, bytes);
  }
  void memory_written(std::uintptr_t address, std::size_t bytes, const char* function,
                      std::uintptr_t caller) override {
    accesses_.memory_written(address, bytes, function, calling_learners_code(caller));
  }
  void memory_read(std::uintptr_t address, std::size_t bytes, const char* function,
                   std::uintptr_t caller) override {
    accesses_.memory_read(address, bytes, function, calling_learners_code(caller));
  }
  void memory_copied(std::uintptr_t to, std::uintptr_t from, std::size_t bytes,
                     const char* function, std::uintptr_t caller) override {
    links_.count_copy(to, from, bytes);
    accesses_.memory_copied(to, from, bytes, function, calling_learners_code(caller));
  }
  void copy_refused(CopyRefusal refusal, const char* function, std::uintptr_t caller) override {
    failed_calls_.copy_refused(std::move(refusal), function, calling_learners_code(caller));
  }
  void error_reported(cudaError_t error) override { failed_calls_.error_reported(error); }
  std::vector<Finding> take_refused_copies() { return failed_calls_.take_copies(); }
  void nccl_moved(int from_device, int to_device, std::uint64_t bytes) override {
    links_.count_nccl(from_device, to_device, bytes);
  }
  void call_failed(const char* kind, const std::string& message, std::uintptr_t caller) override;
  std::string place_text(std::uintptr_t caller) override;
  void library_computes(bool computes) override {
    memory_.library_computes(computes);
    library_computed_ = true;
  }
  void device_memory_allocated(std::uintptr_t address, std::size_t bytes,
                               const char* function) override {
    unfreed_memory_.allocated(address, bytes, function);
    accesses_.device_memory_allocated(address);
  }
  void device_memory_freed(std::uintptr_t address, std::size_t bytes) override {
    unfreed_memory_.freed(address);
    accesses_.device_memory_freed(address, bytes);
  }

  // An access that the code before `code` is about to execute. Does not return if it is forbidden.
  static void on_access(std::uintptr_t address, unsigned bytes, AccessKind kind,
                        std::uintptr_t code) {
    const Step step(code, bytes, kind);
    if (!running_lane.follow(step, address)) on_other_access(step, address);
  }
  static void before_atomic(std::uintptr_t address);
  // The access of the last announcement follows: the veil shows its bytes.
  static void access_follows(std::uintptr_t address, std::size_t bytes, AccessKind kind) {
    if (is_veiled_ && running_lane.log)
      made_->veil_.access_follows(address, bytes, without_volatile(kind) != AccessKind::load);
  }
  // The running thread enters the basic block that begins before `code`.
  static void on_basic_block_entry(std::uintptr_t code) {
    is_veiled_ ? on_veiled_entry(code) : follow_entry(code);
  }
  static bool is_program_veiled() { return is_veiled_; }
  // An object with this table of virtual functions is constructed.
  static void on_construction(std::uintptr_t table) {
    if (running_lane.log) made_->memory_.kernel_constructs(table);
  }
  // A number that changes with every step of the running thread; 0 outside the code of kernels.
  static std::uint64_t position_in_kernel() {
    const RunningLane& running = running_lane;
    if (!running.log) return 0;
    const std::uint64_t of_thread = get().counts_.threads_run() << 32 |
                                    running.log->length(static_cast<int>(running.lane)) << 5 |
                                    running.lane;
    return of_thread ^ reinterpret_cast<std::uintptr_t>(running.next);
  }
  // The running thread, now at `code`, has executed no step for seconds.
  void on_watchdog(std::uintptr_t code);
  // An index outside an array whose length is known to the compiler. Recording is paused.
  void on_array_index(Finding finding) { reporter_.report_array_index(std::move(finding)); }
  LocalArrays& local_arrays() { return local_arrays_; }
  Veil& veil() { return veil_; }
  // A kernel is about to throw an exception that is stored there.
  void exception_allocated(std::uintptr_t address, std::size_t bytes) {
    memory_.exception_allocated(address, bytes);
  }

  std::vector<std::string> writers_of(const HostElements& elements) const {
    return accesses_.writers_of(elements);
  }

  void count_from_here() {
    counts_.forget();
    links_ = {};
  }
  LinkCounts& links() { return links_; }
  const LinkCounts& links() const { return links_; }
  const TracedKernels& kernels() const { return counts_.kernels(); }
  // The program ends with this exit code.
  void at_exit(int status) const;

 private:
  static constexpr int kNoWarp = -1;

  KernelTracer();

  void on_request(const WarpRequest& request) override;
  void on_basic_block(std::uintptr_t code, std::uint32_t lanes, StepNotes* notes) override;
  void on_divergence(std::uintptr_t code, std::uintptr_t next, int warp,
                     const std::vector<std::uint32_t>& ways) override;

  // The rare cases of the functions above, in a separate function, so that those do not have to
  // save registers.
  __attribute__((noinline)) static void on_other_access(Step access, std::uintptr_t address);
  __attribute__((noinline)) static void on_other_basic_block(Step block);
  __attribute__((noinline)) static void on_veiled_entry(std::uintptr_t code);
  static void follow_entry(std::uintptr_t code) {
    const Step step = Step::basic_block(code);
    if (!running_lane.follow(step)) on_other_basic_block(step);
  }

  // The running block has its stacks: decides whether accesses to them need their hooks.
  void stacks_changed() {
    running_lane.skipped_bytes = local_arrays_.is_empty() ? running_lane.stacks_bytes : 0;
  }

  // Where the value of these bytes is, behind a veil or not.
  const void* value_at(std::uintptr_t address, std::size_t bytes) const {
    return reinterpret_cast<const void*>(veil_.behind(address, bytes));
  }
  void check_missed_barriers(int thread);
  // The block's threads have all arrived at a barrier of the block or the grid, and are about to
  // continue.
  void all_have_arrived(bool at_grid);
  // An event is about to order some lanes of a warp: their earlier accesses must be checked first.
  void check_now(int warp);

  // The result of get(), once it exists. Its construction may access memory through functions that
  // the linker took from traced code.
  inline static KernelTracer* made_ = nullptr;
  inline static bool is_veiled_ = false;

  const Block* block_ = nullptr;
  FindingReporter reporter_;
  MemoryMap memory_{reporter_};
  Veil veil_;
  LaunchCounts counts_{memory_};
  LinkCounts links_;
  StepRecorder steps_{memory_};
  AccessFindings accesses_{memory_, reporter_};
  BarrierFindings barriers_{reporter_};
  ShuffledValues shuffled_{reporter_, veil_};
  LocalArrays local_arrays_{reporter_};
  FailedCalls failed_calls_;
  UnfreedMemory unfreed_memory_;
  bool library_computed_ = false;
  WarpRecorder recorder_{memory_, reporter_, *this};
  // Interrupted blocks, by their numbers.
  struct OfBlock {
    std::unique_ptr<WarpRecorder::OfBlock> paths;
    AccessChecks::OfBlock accesses;
    BarrierFindings::OfBlock barriers;
    std::unique_ptr<ShuffledValues::OfBlock> shuffled;
  };
  std::map<std::uint64_t, OfBlock> interrupted_;
  int releasing_warp_ = kNoWarp;  // the running thread's warp, if the thread may execute a release
};

}  // namespace cuda_simulator
