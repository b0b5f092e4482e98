#include "trace/kernel_tracer.h"

#include "trace/line_table.h"
#include "trace/report.h"

#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

extern "C" {
extern __thread char cuda_simulator_dynamic_shared[];
// The linker's names for the ends of the section of __constant__ variables, if there are any.
extern const char __start_cuda_constant[] __attribute__((weak));
extern const char __stop_cuda_constant[] __attribute__((weak));
}

namespace cuda_simulator {
namespace {

constexpr std::uintptr_t kNullPageBytes = 1 << 16;
constexpr std::size_t kMaxSharedBytes = 1 << 20;  // thread-local variables of any program here

}  // namespace

KernelTracer& KernelTracer::get() {
  static KernelTracer& tracer = *new KernelTracer;  // never destroyed: the report at exit reads it
  return tracer;
}

KernelTracer::KernelTracer()
    : memory_(DeviceMemory::get()),
      executable_(Executable::get()),
      checks_(kMaxSharedBytes, DeviceMemory::kReservedBytes, executable_.writable_data_bytes()) {
  std::atexit([] { finish_report(KernelTracer::get()); });
}

void KernelTracer::begin_grid(const Grid& grid, const Block& block) {
  block_ = &block;
  locate_shared_memory();
  checks_.begin_grid();
  dynamic_bytes_ = grid.dynamic_shared_bytes;
  const auto known = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const auto& kernel) { return kernel->is_for(grid); });
  if (known != kernels_.end()) {
    counts_ = known->get();
  } else {
    kernels_.push_back(std::make_unique<KernelCounts>());
    counts_ = kernels_.back().get();
    counts_->name = grid.kernel_name;
    counts_->blocks = grid.blocks;
    counts_->block = grid.block;
    counts_->static_shared_bytes = grid.static_shared_bytes;
    counts_->dynamic_shared_bytes = grid.dynamic_shared_bytes;
  }
  ++counts_->launches;
}

void KernelTracer::locate_shared_memory() {
  struct Range {
    std::uintptr_t begin;
    std::size_t bytes;
  } range{0, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
          *static_cast<Range*>(data) = {reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data),
                                        info->dlpi_phdr[i].p_memsz};
        }
        return 1;  // the program itself comes first
      },
      &range);
  shared_begin_ = range.begin;
  shared_bytes_ = std::min(range.bytes, kMaxSharedBytes);
  dynamic_offset_ = reinterpret_cast<std::uintptr_t>(cuda_simulator_dynamic_shared) - shared_begin_;
}

void KernelTracer::begin_block(std::uint64_t) {
  ++counts_->blocks_run;
  const int threads = block_->grid().threads_per_block();
  counts_->threads_run += static_cast<unsigned>(threads);
  for (int first = 0; first < threads; first += kWarpSize) {
    running_lanes_[first / kWarpSize] = std::min(kWarpSize, threads - first);
  }
  checks_.begin_block();
}

void KernelTracer::thread_paused(int thread) {
  const int warp = thread / kWarpSize;
  if (--running_lanes_[warp] == 0) drain(warp);
}

void KernelTracer::thread_fenced(int thread) {
  settle_races();
  checks_.fence(thread);
}

void KernelTracer::settle_races() {
  checks_.settle(
      [this](const auto& race, const AccessChecks::Access& access) { report_race(race, access); });
}

void KernelTracer::warp_synchronised(int warp, std::uint32_t lanes) {
  settle_races();
  const bool all = lanes == block_->live_lanes_of(warp);
  checks_.warp_synchronised(warp, lanes, all);
  if (all) drain(warp);
}

void KernelTracer::drain(int warp) {
  logs_[warp].drain(
      [&](const WarpRequest& request) { counts_->accesses[request.key.bits()].add(request); });
}

void KernelTracer::barrier_released() {
  ++counts_->barriers;
  const int threads = block_->grid().threads_per_block();
  settle_races();
  report_unwritten(Region::shared);
  checks_.barrier(threads);
  int first = -1, elsewhere = -1, waiting = 0;
  for (int t = 0; t < threads; ++t) {
    if (block_->state(t) == Block::ThreadState::ended) continue;
    ++running_lanes_[t / kWarpSize];
    ++waiting;
    if (first < 0) first = t;
    if (block_->waits_at(t) != block_->waits_at(first)) elsewhere = t;
  }
  const auto position = [&](int t) {
    return LineTable::get().find(reinterpret_cast<std::uintptr_t>(block_->waits_at(t)) - 1);
  };
  const auto wait_place = [&](int t) {
    return place(reinterpret_cast<std::uintptr_t>(block_->waits_at(t)), "wait", t);
  };
  if (waiting < threads) {
    Finding finding{"barrier",
                    block_->grid().kernel_name,
                    "only " + std::to_string(waiting) + " of " + count_of(threads, "thread") +
                        " of the block reach this __syncthreads(); the others have returned. All "
                        "must reach it: "
                        "put the return or the if around the work, not around the barrier.",
                    {wait_place(first)}};
    FindingLog::get().add(std::move(finding));
  }
  if (elsewhere >= 0 && !(position(first) == position(elsewhere))) {
    FindingLog::get().add(
        {"barrier",
         block_->grid().kernel_name,
         "threads of one block wait at two different __syncthreads(): a barrier inside an if "
         "or a loop must be reached by all threads or by none.",
         {wait_place(first), wait_place(elsewhere)}});
  }
}

void KernelTracer::end_block() {
  settle_races();
  report_unwritten(Region::shared);
  for (WarpLog& log : logs_) log.clear();  // of a grid that was abandoned
}

void KernelTracer::deadlock() {
  Finding finding{
      "deadlock",
      block_->grid().kernel_name,
      "no thread of the block can go on: some wait at a barrier that the others never reach.",
      {}};
  std::vector<SourcePosition> seen;
  for (int t = 0; t < block_->grid().threads_per_block(); ++t) {
    if (block_->state(t) == Block::ThreadState::ended) continue;
    const auto code = reinterpret_cast<std::uintptr_t>(block_->waits_at(t));
    const SourcePosition position = LineTable::get().find(code - 1);
    if (std::find(seen.begin(), seen.end(), position) != seen.end()) continue;
    seen.push_back(position);
    finding.places.push_back(place(code, "wait", t));
  }
  FindingLog::get().add(std::move(finding));
}

void KernelTracer::on_access(std::uintptr_t address, unsigned bytes, AccessKind kind,
                             std::uintptr_t code) {
  Block* const block = current_block;
  if (!block || !block->in_kernel()) {
    if (memory_.contains(address) && memory_.on_page_of(address).kind == MemoryKind::device) {
      refuse_host_access(kind, code);
    }
    return;
  }
  if (block->stacks().contains(address)) return;  // local memory
  MemorySpace space = MemorySpace::global;
  AccessChecks::Access access{Region::device, true, kind, bytes, address - memory_.begin(), code};
  if (memory_.contains(address)) {
    const Allocation& allocation = memory_.on_page_of(address);
    if (__builtin_expect(allocation.freed || !allocation.holds(address, bytes), 0)) {
      refuse_device_access(address, bytes, kind, code);
    }
    access.may_be_unwritten = allocation.kind == MemoryKind::device;
  } else if (address - shared_begin_ < shared_bytes_) {
    space = MemorySpace::shared;
    access.region = Region::shared;
    access.offset = address - shared_begin_;
    refuse_outside_shared_array(access.offset, bytes, kind, code);
  } else if (is_variable(address, bytes, kind, code, &space)) {
    access.region = Region::variables;
    access.offset = address - executable_.writable_data_begin();
    access.may_be_unwritten = false;
  } else {
    return;
  }
  if (__builtin_expect((address & (bytes - 1)) != 0, 0)) {
    refuse("misaligned",
           "an access of " + std::to_string(bytes) + " bytes must be at a multiple of " +
               std::to_string(bytes) + "; this address is " + std::to_string(address % bytes) +
               " past one.",
           cudaErrorMisalignedAddress, kind, code);
  }
  const int thread = block->thread();
  if (space != MemorySpace::constant) {
    checks_.check_race(access, thread, [this](const auto& race, const AccessChecks::Access& of) {
      report_race(race, of);
    });
    checks_.check_written(access, thread);
  }
  const AccessKind counted_as = is_atomic(kind) ? AccessKind::atomic : kind;
  logs_[thread / kWarpSize].record(thread % kWarpSize, AccessKey(code, bytes, counted_as, space),
                                   address);
}

void KernelTracer::device_memory_written(std::uintptr_t address, std::size_t bytes) {
  if (memory_.contains(address)) checks_.device_written(address - memory_.begin(), bytes);
}

void KernelTracer::device_memory_freed(std::uintptr_t address, std::size_t bytes) {
  checks_.device_freed(address - memory_.begin(), bytes);
}

void KernelTracer::refuse_outside_shared_array(std::size_t offset, unsigned bytes, AccessKind kind,
                                               std::uintptr_t code) {
  if (offset - dynamic_offset_ < kMaxDynamicSharedBytes) {
    if (offset - dynamic_offset_ + bytes > dynamic_bytes_) {
      refuse("out_of_bounds",
             "byte " + std::to_string(offset - dynamic_offset_) +
                 " of extern __shared__ memory; the launch gave the block " +
                 count_of(dynamic_bytes_, "byte") +
                 " of it (the third argument between <<< and >>>).",
             cudaErrorIllegalAddress, kind, code);
    }
  } else {
    if (!last_shared_ || !last_shared_->holds(offset)) last_shared_ = executable_.shared_at(offset);
    if (!last_shared_ || offset + bytes > last_shared_->begin + last_shared_->bytes) {
      refuse("out_of_bounds", "an access to shared memory outside every __shared__ array.",
             cudaErrorIllegalAddress, kind, code);
    }
  }
}

bool KernelTracer::is_variable(std::uintptr_t address, unsigned bytes, AccessKind kind,
                               std::uintptr_t code, MemorySpace* space) {
  const Grid& grid = block_->grid();
  if (address - reinterpret_cast<std::uintptr_t>(grid.arguments) < grid.arguments_bytes)
    return false;
  if (executable_.in_writable_data(address)) {
    const auto constant_begin = reinterpret_cast<std::uintptr_t>(__start_cuda_constant);
    const auto constant_end = reinterpret_cast<std::uintptr_t>(__stop_cuda_constant);
    if (address - constant_begin < constant_end - constant_begin) *space = MemorySpace::constant;
    const Symbol* const variable = executable_.variable_at(address);
    if (!variable || address + bytes > variable->begin + variable->bytes) {
      refuse("out_of_bounds", "an access outside every __device__ or __constant__ variable.",
             cudaErrorIllegalAddress, kind, code);
    }
    if (*space == MemorySpace::constant && kind != AccessKind::load) {
      refuse("out_of_bounds",
             "a kernel may only read __constant__ memory: " + variable->name() + ".",
             cudaErrorIllegalAddress, kind, code);
    }
    return true;
  }
  if (executable_.in_image(address)) return false;  // a constant that the compiler laid down
  if (address < kNullPageBytes) {
    refuse("null_pointer", "a null pointer. Was the memory allocated, and did cudaMalloc succeed?",
           cudaErrorIllegalAddress, kind, code);
  }
  refuse("host_pointer",
         "an address that is not device memory. Was a host pointer passed to the kernel, in place "
         "of one from "
         "cudaMalloc?",
         cudaErrorIllegalAddress, kind, code);
}

Tracer* program_tracer() { return &KernelTracer::get(); }

void trace_access(const volatile void* address, std::size_t bytes, AccessKind kind,
                  const void* caller) {
  KernelTracer::get().on_access(reinterpret_cast<std::uintptr_t>(address),
                                static_cast<unsigned>(bytes), kind,
                                reinterpret_cast<std::uintptr_t>(caller));
}

}  // namespace cuda_simulator
