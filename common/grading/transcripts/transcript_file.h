#pragma once

#include <cstddef>
#include <cstdint>

// The file that WORKBOOK_TRANSCRIPT names. For each call it has a CallHead; the text of its
// exception; for each allocation that existed when the call started, its size, the number of bytes
// up to the last one that is not zero afterwards, and those bytes (workspaces are large and mostly
// zero); the bytes of the result.

constexpr std::size_t kMaxTextBytes = 65536;

enum class Ending : std::uint32_t { returned, threw_cuda_error, threw_invalid_argument, threw };

struct CallHead {
  Ending ending;
  std::uint32_t thrown_code;  // of a CudaError
  std::uint32_t last_error;   // cudaGetLastError() after the call would return this
  std::uint32_t text_bytes;
  std::uint64_t allocations, result_bytes;
  std::uint64_t handled_by_host;  // bytes: simulator/snapshot.h
};
