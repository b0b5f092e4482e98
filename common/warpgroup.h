#pragma once

// Wrappers for PTX instructions without a C++ function: wgmma, the tensor core instruction of a
// warpgroup (four warps), and the barriers, copies and fences that it needs.

#include <cuda_runtime.h>

#include <cstdint>

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// A barrier in shared memory: some threads arrive at it, other threads wait for it. A phase is
// complete when all have arrived; a wait names the parity of the phase that it waits for.
using Barrier = std::uint64_t;

__device__ inline void init(Barrier& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
               "r"(arrivals)
               : "memory");
}
__device__ inline void arrive(Barrier& barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(
                   shared_address(&barrier))
               : "memory");
}
// Arrives, and makes the barrier also wait for `bytes` bytes of bulk copies.
__device__ inline void arrive_and_expect(Barrier& barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&barrier)),
      "r"(bytes)
      : "memory");
}
__device__ inline void wait(Barrier& barrier, int parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra AGAIN; }" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}

// Starts a copy of `bytes` contiguous bytes, a multiple of 16, from global to shared memory. The
// thread continues at once; the copy arrives at the barrier when it is complete.
__device__ inline void start_bulk_copy(void* shared, const void* global, unsigned bytes,
                                       Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(&barrier))
      : "memory");
}

// Makes this thread's writes to shared memory visible to tensor core instructions that a barrier
// orders after them.
__device__ inline void fence_for_tensor_cores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// More or fewer registers per thread of a warpgroup: a warpgroup can get the registers that another
// one has released.
template <int kRegisters>
__device__ inline void request_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// The descriptor that wgmma requires for a matrix in shared memory: rows of 128 bytes, whose
// 16-byte chunks are permuted by the row's last three bits, in groups of 8 rows, 1024 bytes apart.
// `first` can be inside the first row; that row starts at a multiple of 1024 bytes.
//
// Source: PTX ISA, Asynchronous Warpgroup Level Matrix Instructions, Matrix Descriptor Format.
__device__ inline std::uint64_t matrix_descriptor(const void* first) {
  constexpr std::uint64_t kSwizzle128Bytes = std::uint64_t{1} << 62;
  constexpr std::uint64_t kGroupStride = std::uint64_t{1024 / 16} << 32;
  constexpr std::uint64_t kUnused = std::uint64_t{1} << 16;
  return kSwizzle128Bytes | kGroupStride | kUnused | (shared_address(first) & 0x3ffff) / 16;
}

// Starts c = a b, or c += a b with `adds`: a 64 x 8 matrix times an 8 x 128 matrix of TF32 numbers.
// a and c are in the warpgroup's registers, 16 rows per warp, like the fragments of mma.sync. b is
// in shared memory, column by column. The result is complete after wait_for_mma().
__device__ inline void start_mma(float (&c)[64], const float (&a)[4], std::uint64_t b, bool adds) {
  asm volatile(
      "{ .reg .pred adds; setp.ne.b32 adds, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
      "}, {%64, %65, %66, %67}, %68, adds, 1, 1; }"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]),
        "+f"(c[7]), "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]),
        "+f"(c[14]), "+f"(c[15]), "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]),
        "+f"(c[21]), "+f"(c[22]), "+f"(c[23]), "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]),
        "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]), "+f"(c[32]), "+f"(c[33]), "+f"(c[34]),
        "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]), "+f"(c[40]), "+f"(c[41]),
        "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]), "+f"(c[48]),
        "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]),
        "+f"(c[63])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "l"(b), "r"(static_cast<int>(adds)));
}

// After this fence wgmma owns the registers of its operands. The fragments of `a` are named first.
// Otherwise the compiler could compute some of them after the fence; it would then add its own
// fences, which ptxas reports as C7519.
template <int kFragments>
__device__ inline void name_registers(float (&a)[kFragments][4]) {
#pragma unroll
  for (int i = 0; i < kFragments; ++i) {
    asm volatile("" : "+f"(a[i][0]), "+f"(a[i][1]), "+f"(a[i][2]), "+f"(a[i][3])::"memory");
  }
}
template <int... kFragments>
__device__ inline void fence_registers_for_mma(float (&... a)[kFragments][4]) {
  (name_registers(a), ...);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// Waits until `c` is complete. The compiler cannot see this dependency, so each register is named.
__device__ inline void wait_for_mma(float (&c)[64]) {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(c[i])::"memory");
}
