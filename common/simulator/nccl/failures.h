#pragma once

#include <nccl.h>

#include <cstdint>
#include <string>

namespace cuda_simulator::nccl {

// Reports the error of a call, and makes sure that the program's exit code shows it. `caller` is
// the return address of the call. Returns `result`.
ncclResult_t refuse(ncclResult_t result, const std::string& message, std::uintptr_t caller);
// The message of the calling thread's last error.
const std::string& last_refusal();

// The place of a call, such as "ring.cu:40:3"; empty in the plain build, which has no line table.
std::string place_text(std::uintptr_t caller);
// A number that identifies the file that this process runs.
std::uint64_t program_file();

}  // namespace cuda_simulator::nccl
