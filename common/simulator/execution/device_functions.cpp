// The functions that kernels call by CUDA's names: barriers, warp functions, dynamic shared memory.

#include "execution/block.h"
#include "trace/tracer.h"

#include "simulator/keywords.h"
#include "simulator/launch.h"
#include "simulator/warp_functions.h"

#include <chrono>

extern "C" {
// The rewriter's `extern __shared__` at namespace scope is an array by this name.
alignas(1024) __thread char cuda_simulator_dynamic_shared[cuda_simulator::kMaxDynamicSharedBytes];
}

using cuda_simulator::current_block;
using cuda_simulator::FenceScope;
using cuda_simulator::Reduction;
using cuda_simulator::WarpCall;

void __syncthreads() { cuda_simulator::synchronise_block(__builtin_return_address(0)); }

int __syncthreads_count(int predicate) {
  return current_block->wait_at_barrier(predicate != 0, __builtin_return_address(0)).count;
}

int __syncthreads_and(int predicate) {
  const auto votes = current_block->wait_at_barrier(predicate != 0, __builtin_return_address(0));
  return votes.count == votes.arrived;
}

int __syncthreads_or(int predicate) {
  return current_block->wait_at_barrier(predicate != 0, __builtin_return_address(0)).count > 0;
}

void __syncwarp(unsigned mask) {
  cuda_simulator::synchronise_warp(mask, __builtin_return_address(0));
}

void __threadfence() { current_block->fence(FenceScope::device); }
void __threadfence_block() { current_block->fence(FenceScope::block); }
void __threadfence_system() { current_block->fence(FenceScope::device); }

unsigned __activemask() { return cuda_simulator::active_mask(__builtin_return_address(0)); }

unsigned __ballot_sync(unsigned mask, int predicate) {
  return cuda_simulator::ballot(mask, predicate != 0, __builtin_return_address(0));
}

int __all_sync(unsigned mask, int predicate) {
  return cuda_simulator::ballot(mask, predicate == 0, __builtin_return_address(0)) == 0;
}

int __any_sync(unsigned mask, int predicate) {
  return cuda_simulator::ballot(mask, predicate != 0, __builtin_return_address(0)) != 0;
}

namespace {

unsigned reduce(unsigned mask, unsigned value, Reduction reduction, const void* caller) {
  return static_cast<unsigned>(current_block->wait_at_warp_call(
      {WarpCall::Operation::reduce, reduction, mask, 0, value}, caller));
}

}  // namespace

unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, Reduction::add, __builtin_return_address(0));
}

int __reduce_add_sync(unsigned mask, int value) {
  return static_cast<int>(
      reduce(mask, static_cast<unsigned>(value), Reduction::add, __builtin_return_address(0)));
}

unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, Reduction::min_unsigned, __builtin_return_address(0));
}

int __reduce_min_sync(unsigned mask, int value) {
  return static_cast<int>(
      reduce(mask, static_cast<unsigned>(value), Reduction::min, __builtin_return_address(0)));
}

unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, Reduction::max_unsigned, __builtin_return_address(0));
}

int __reduce_max_sync(unsigned mask, int value) {
  return static_cast<int>(
      reduce(mask, static_cast<unsigned>(value), Reduction::max, __builtin_return_address(0)));
}

unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, Reduction::bit_and, __builtin_return_address(0));
}

unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, Reduction::bit_or, __builtin_return_address(0));
}

unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return reduce(mask, value, Reduction::bit_xor, __builtin_return_address(0));
}

void __nanosleep(unsigned) {}

void __trap() { current_block->abandon_grid(cudaErrorLaunchFailure); }

long long clock64() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

namespace cuda_simulator {

int lane() { return current_block->lane(); }

bool in_device_code() { return current_block && current_block->in_kernel(); }

void synchronise_block(const void* caller) { current_block->wait_at_barrier(false, caller); }

void synchronise_warp(unsigned mask, const void* caller) {
  current_block->wait_at_warp_call({WarpCall::Operation::synchronise, {}, mask}, caller);
}

unsigned active_mask(const void* caller) {
  return static_cast<unsigned>(
      current_block->wait_at_warp_call({WarpCall::Operation::active_mask, {}, 0}, caller));
}

unsigned ballot(unsigned mask, bool predicate, const void* caller) {
  return static_cast<unsigned>(current_block->wait_at_warp_call(
      {WarpCall::Operation::ballot, {}, mask, 0, predicate}, caller));
}

std::uint64_t shuffle(unsigned mask, std::uint64_t value, int source, const void* caller) {
  return current_block->wait_at_warp_call({WarpCall::Operation::shuffle, {}, mask, source, value},
                                          caller);
}

unsigned match_any(unsigned mask, std::uint64_t value, const void* caller) {
  return static_cast<unsigned>(
      current_block->wait_at_warp_call({WarpCall::Operation::match, {}, mask, 0, value}, caller));
}

void* dynamic_shared_memory() { return cuda_simulator_dynamic_shared; }

}  // namespace cuda_simulator
