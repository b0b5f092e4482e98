// What the tracer says when something is wrong.

#include "execution/kernel_failure.h"
#include "program/learners_code.h"
#include "program/line_table.h"
#include "trace/kernel_tracer.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace cuda_simulator {

Finding::Place KernelTracer::place(std::uintptr_t code, const char* operation, int thread) const {
  const SourcePosition position = learners_position(code);
  const uint3 t = block_->grid().thread_index(thread),
              b = block_->grid().block_index(block_->index());
  return {position.file,   position.line, position.column, operation, {t.x, t.y, t.z},
          {b.x, b.y, b.z}, true};
}

void KernelTracer::refuse(const char* kind, const std::string& message, cudaError_t error,
                          Step step) {
  const char* const operation = step.is_access() ? name_of(step.kind()) : "loop";
  std::uintptr_t code = in_learners_code(step.code());
  if (code == 0) code = innermost_learners_code();
  FindingLog::get().add({kind,
                         block_->grid().kernel_name,
                         message,
                         {place(code ? code : step.code(), operation, block_->thread())}});
  current_block->abandon_grid(error);
}

void KernelTracer::refuse_device_access(std::uintptr_t address, Step step) {
  const Allocation* const nearest = memory_.nearest(address);
  if (!nearest) {
    refuse("out_of_bounds", "nothing has been allocated with cudaMalloc.", cudaErrorIllegalAddress,
           step);
  }
  if (nearest->freed && nearest->holds(address, 1)) {
    refuse("freed_memory", "memory that cudaFree has already taken back.", cudaErrorIllegalAddress,
           step);
  }
  refuse("out_of_bounds", describe_distance(*nearest, address, step.bytes()) + ".",
         cudaErrorIllegalAddress, step);
}

void KernelTracer::kernel_failed(const KernelFailure& failure, const void* code) {
  exception_bytes_ = 0;
  const std::uintptr_t at =
      code ? reinterpret_cast<std::uintptr_t>(code) : innermost_learners_code();
  FindingLog::get().add({failure.kind,
                         block_->grid().kernel_name,
                         "a thread " + failure.message + ".",
                         {place(at, failure.operation, block_->thread())}});
}

// A real GPU's memory is not in the host's address space: the program would crash here.
void KernelTracer::refuse_host_access(AccessKind kind, std::uintptr_t code) {
  const SourcePosition position = LineTable::get().find(code - 1);
  Finding::Place where{position.file, position.line, position.column, name_of(kind), {}, {}, false};
  FindingLog::get().add(
      {"device_pointer_on_host",
       "",
       "host code uses a pointer to device memory. Only a kernel can follow it; copy the data "
       "with cudaMemcpy first.",
       {where}});
  std::exit(1);
}

void KernelTracer::on_array_index(Finding finding) {
  const bool in_kernel = current_block && current_block->in_kernel();
  const RecordingPause pause;
  Finding::Place& where = finding.places.front();
  where.in_kernel = in_kernel;
  if (in_kernel) {
    finding.kernel = block_->grid().kernel_name;
    const Finding::Place here = place(1, "index", block_->thread());
    std::copy_n(here.thread, 3, where.thread);
    std::copy_n(here.block, 3, where.block);
  }
  FindingLog::get().add(std::move(finding));
  if (in_kernel) current_block->abandon_grid(cudaErrorIllegalAddress);
}

AccessedMemory KernelTracer::memory_of(const AccessChecks::Access& access) const {
  const auto in_variable = [&](MemorySpace space, const Symbol& variable, std::uintptr_t address) {
    return AccessedMemory{space, variable.own_name(), variable.bytes, address - variable.begin,
                          access.bytes};
  };
  switch (access.region) {
    case Region::device: {
      const std::uintptr_t address = memory_.begin() + access.offset;
      const Allocation& allocation = memory_.on_page_of(address);
      return {MemorySpace::global, "an allocation of " + count_of(allocation.bytes, "byte"),
              allocation.bytes, address - allocation.begin, access.bytes};
    }
    case Region::variables: {
      const std::uintptr_t address = executable_.writable_data_begin() + access.offset;
      return in_variable(MemorySpace::global, *executable_.variable_at(address), address);
    }
    case Region::constant:
    case Region::shared:
      break;
  }
  if (const Symbol* const variable = executable_.shared_at(access.offset))
    return in_variable(MemorySpace::shared, *variable, access.offset);
  return {MemorySpace::shared, "extern __shared__ memory", dynamic_bytes_,
          access.offset - dynamic_offset_, access.bytes};
}

Finding::Place KernelTracer::place(const RaceDetector::Access& access) const {
  Finding::Place found = place(access.code, name_of(access.kind), access.thread);
  const uint3 b = block_->grid().block_index(access.block);
  found.block[0] = b.x, found.block[1] = b.y, found.block[2] = b.z;
  return found;
}

Finding::Place KernelTracer::wait_place(int thread) const {
  return place(reinterpret_cast<std::uintptr_t>(block_->waits_at(thread)), "wait", thread);
}

void KernelTracer::left_out_of_mask(int thread, std::uint32_t mask) {
  const RecordingPause pause;
  FindingLog::get().add(
      {"barrier", block_->grid().kernel_name, left_out_text(mask), {wait_place(thread)}});
}

// CUDA asks for one function, not for one place: both sides of an if may have a call of it.
void KernelTracer::report_different_functions(int warp, std::uint32_t lanes) {
  const int first = warp * kWarpSize + __builtin_ctz(lanes);
  int other = first;
  for_each_lane(lanes, [&](int lane) {
    const int thread = warp * kWarpSize + lane;
    if (block_->waits_at(thread) == block_->waits_at(first)) return;
    const WarpCall &a = block_->warp_call_of(first), &b = block_->warp_call_of(thread);
    if (a.operation != b.operation || a.reduction != b.reduction) other = thread;
  });
  if (other == first) return;
  FindingLog::get().add({"barrier",
                         block_->grid().kernel_name,
                         "lanes of one warp wait for each other at two different warp functions: "
                         "what these give is undefined. All lanes that a mask names must call the "
                         "same function with it.",
                         {wait_place(first), wait_place(other)}});
}

void KernelTracer::report_race(const RaceDetector::Race& race, const AccessChecks::Access& access) {
  Finding::Place first = place(race.earlier), second = place(race.later);
  // In the order of the source: which of them ran first here means nothing, and the same two
  // accesses the other way round are the same race.
  if (std::tie(second.file, second.line, second.column) <
      std::tie(first.file, first.line, first.column)) {
    std::swap(first, second);
  }
  FindingLog::get().add({"race",
                         block_->grid().kernel_name,
                         race_text(race, memory_of(access)),
                         {std::move(first), std::move(second)}});
}

void KernelTracer::report_unwritten(Region region) {
  checks_.report_unwritten(region, [&](const AccessChecks::UnwrittenRead& read) {
    FindingLog::get().add({"uninitialised",
                           block_->grid().kernel_name,
                           read.is_copied ? early_read_text(memory_of(read.access))
                                          : unwritten_text(memory_of(read.access)),
                           {place(read.by)}});
  });
}

void KernelTracer::report_unwritten_copy(std::uintptr_t from, std::size_t bytes,
                                         const char* function, std::uintptr_t caller) {
  const auto found = checks_.read_by_host(from - memory_.begin(), bytes);
  if (!found) return;
  const Allocation& allocation = memory_.on_page_of(from);
  const std::uintptr_t begin = memory_.begin() + found->offset;
  Finding finding{"uninitialised",
                  "",
                  unwritten_copy_text(function, allocation, begin - allocation.begin, found->bytes),
                  {}};
  const SourcePosition position = LineTable::get().find(caller - 1);
  if (!position.file.empty()) {
    finding.places.push_back(
        {position.file, position.line, position.column, "copy", {}, {}, false});
  }
  FindingLog::get().add(std::move(finding));
}

}  // namespace cuda_simulator
