#pragma once

#include "block.h"
#include "device_memory.h"
#include "executable.h"
#include "trace/access_checks.h"
#include "trace/access_counts.h"
#include "trace/finding_log.h"
#include "trace/finding_texts.h"
#include "trace/warp_log.h"
#include "tracer.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace cuda_simulator {

// Follows every access of a grid: is it allowed, does it race or read what nothing wrote, and what
// does its warp's request cost.
class KernelTracer final : public Tracer {
 public:
  static KernelTracer& get();

  void begin_grid(const Grid& grid, const Block& block) override;
  void begin_block(std::uint64_t index) override;
  void thread_paused(int thread) override;
  void warp_synchronised(int warp, std::uint32_t lanes) override;
  void thread_fenced(int thread) override;
  void barrier_released() override;
  void end_block() override;
  void end_grid() override { report_unwritten(Region::device); }
  void deadlock() override;
  void device_memory_written(std::uintptr_t address, std::size_t bytes) override;
  void device_memory_freed(std::uintptr_t address, std::size_t bytes) override;

  // An access that the code before `code` is about to make. Does not return if it must not be made.
  void on_access(std::uintptr_t address, unsigned bytes, AccessKind kind, std::uintptr_t code);
  // An index outside an array whose length the compiler knows.
  void on_array_index(Finding finding);

  const std::vector<std::unique_ptr<KernelCounts>>& kernels() const { return kernels_; }

 private:
  KernelTracer();

  using Region = AccessChecks::Region;

  void refuse_outside_shared_array(std::size_t offset, unsigned bytes, AccessKind kind,
                                   std::uintptr_t code);
  // Whether the address is of a __device__ or __constant__ variable; false if it is of no interest.
  bool is_variable(std::uintptr_t address, unsigned bytes, AccessKind kind, std::uintptr_t code,
                   MemorySpace* space);
  void drain(int warp);
  [[noreturn]] void refuse(const char* kind, const std::string& message, cudaError_t error,
                           AccessKind access, std::uintptr_t code);
  [[noreturn]] void refuse_device_access(std::uintptr_t address, unsigned bytes, AccessKind kind,
                                         std::uintptr_t code);
  [[noreturn]] void refuse_host_access(AccessKind kind, std::uintptr_t code);
  void report_race(const RaceDetector::Race& race, const AccessChecks::Access& access);
  void settle_races();
  void report_unwritten(AccessChecks::Region region);
  AccessedMemory memory_of(const AccessChecks::Access& access) const;
  Finding::Place place(std::uintptr_t code, const char* operation, int thread) const;
  Finding::Place place(const RaceDetector::Access& access) const;
  void locate_shared_memory();

  const Block* block_ = nullptr;
  const DeviceMemory& memory_;
  const Executable& executable_;
  std::uintptr_t shared_begin_ = 0;  // the OS thread's block of thread-local variables
  std::size_t shared_bytes_ = 0, dynamic_offset_ = 0, dynamic_bytes_ = 0;
  const Symbol* last_shared_ = nullptr;

  std::array<WarpLog, kMaxWarps> logs_;
  std::array<int, kMaxWarps> running_lanes_{};
  AccessChecks checks_;
  KernelCounts* counts_ = nullptr;
  std::vector<std::unique_ptr<KernelCounts>> kernels_;
};

}  // namespace cuda_simulator
