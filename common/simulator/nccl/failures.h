#pragma once

#include <nccl.h>

#include <cstdint>
#include <string>

namespace cuda_simulator::nccl {

// Says what is wrong with a call, and sees to it that the program does not end well. `caller` is
// the return address of the call. Gives back `result`.
ncclResult_t refuse(ncclResult_t result, const std::string& message, std::uintptr_t caller);
// What the calling thread's last refusal said.
const std::string& last_refusal();

// The place of a call, "ring.cu:40:3"; empty in the plain build, which has no lines.
std::string place_text(std::uintptr_t caller);
// A number for the file that this process runs.
std::uint64_t program_file();

}  // namespace cuda_simulator::nccl
