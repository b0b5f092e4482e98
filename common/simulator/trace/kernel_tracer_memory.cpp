// Which memory an address is of, and whether it may be accessed.

#include "trace/kernel_tracer.h"

#include <string>

extern "C" {
// The linker's names for the ends of the section of __constant__ variables, if there are any.
extern const char __start_cuda_constant[] __attribute__((weak));
extern const char __stop_cuda_constant[] __attribute__((weak));
}

namespace cuda_simulator {
namespace {

constexpr std::uintptr_t kNullPageBytes = 1 << 16;

}  // namespace

std::optional<AddressedArray> KernelTracer::array_of(Step step, std::uintptr_t address) {
  if (memory_.contains(address)) {
    const Allocation& allocation = memory_.on_page_of(address);
    if (allocation.freed || !allocation.holds(address, step.bytes())) {
      refuse_device_access(address, step);
    }
    return AddressedArray{Region::device, allocation.kind == MemoryKind::device, memory_.begin(),
                          allocation.begin, allocation.bytes};
  }
  if (address - shared_begin_ < shared_bytes_) {
    return shared_array_of(step, address - shared_begin_);
  }
  const Grid& grid = block_->grid();
  const auto arguments = reinterpret_cast<std::uintptr_t>(grid.arguments);
  if (address - arguments < grid.arguments_bytes) return std::nullopt;
  if (executable_.in_writable_data(address)) return variable_of(step, address);
  if (executable_.in_image(address)) return std::nullopt;  // a constant that the compiler laid down
  if (address < kNullPageBytes) {
    refuse("null_pointer", "a null pointer. Was the memory allocated, and did cudaMalloc succeed?",
           cudaErrorIllegalAddress, step);
  }
  if (address - exception_begin_ < exception_bytes_) return std::nullopt;
  refuse("host_pointer",
         "an address that is not device memory. Was a host pointer passed to the kernel, in place "
         "of one from cudaMalloc? Or does the kernel allocate memory itself (new, malloc, "
         "std::vector)? That is not simulated.",
         cudaErrorIllegalAddress, step);
}

AddressedArray KernelTracer::shared_array_of(Step step, std::size_t offset) {
  if (offset - dynamic_offset_ < kMaxDynamicSharedBytes) {
    if (offset - dynamic_offset_ + step.bytes() > dynamic_bytes_) {
      refuse("out_of_bounds",
             "byte " + std::to_string(offset - dynamic_offset_) +
                 " of extern __shared__ memory; the launch gave the block " +
                 count_of(dynamic_bytes_, "byte") +
                 " of it (the third argument between <<< and >>>).",
             cudaErrorIllegalAddress, step);
    }
    return {Region::shared, true, shared_begin_, shared_begin_ + dynamic_offset_, dynamic_bytes_};
  }
  if (!last_shared_ || !last_shared_->holds(offset)) last_shared_ = executable_.shared_at(offset);
  if (!last_shared_ || offset + step.bytes() > last_shared_->begin + last_shared_->bytes) {
    const Symbol* const nearest = executable_.nearest_shared(offset);
    refuse("out_of_bounds",
           nearest ? outside_shared_text(*nearest, offset)
                   : "an access to shared memory; the kernel has none.",
           cudaErrorIllegalAddress, step);
  }
  return {Region::shared, true, shared_begin_, shared_begin_ + last_shared_->begin,
          last_shared_->bytes};
}

AddressedArray KernelTracer::variable_of(Step step, std::uintptr_t address) {
  const auto constant_begin = reinterpret_cast<std::uintptr_t>(__start_cuda_constant);
  const auto constant_end = reinterpret_cast<std::uintptr_t>(__stop_cuda_constant);
  const bool is_constant = address - constant_begin < constant_end - constant_begin;
  const Symbol* const variable = executable_.variable_at(address);
  if (!variable || address + step.bytes() > variable->begin + variable->bytes) {
    refuse("out_of_bounds", "an access outside every __device__ or __constant__ variable.",
           cudaErrorIllegalAddress, step);
  }
  if (is_constant && without_volatile(step.kind()) != AccessKind::load) {
    refuse("out_of_bounds", "a kernel may only read __constant__ memory: " + variable->name() + ".",
           cudaErrorIllegalAddress, step);
  }
  return {is_constant ? Region::constant : Region::variables, false,
          executable_.writable_data_begin(), variable->begin, variable->bytes};
}

void KernelTracer::on_host_access(std::uintptr_t address, AccessKind kind, std::uintptr_t code) {
  const DeviceMemory& memory = get().memory_;
  if (memory.contains(address) && memory.on_page_of(address).kind == MemoryKind::device) {
    get().refuse_host_access(kind, code);
  }
}

}  // namespace cuda_simulator
