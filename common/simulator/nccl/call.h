#pragma once

#include "runtime/stream_order.h"

#include <nccl.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cuda_simulator::nccl {

enum class Function : std::uint8_t {
  all_reduce,
  reduce,
  broadcast,
  all_gather,
  reduce_scatter,
  send,
  receive
};

// One call of one rank.
struct Call {
  Function function;
  std::uint64_t count = 0;  // in elements, as passed to the call
  ncclDataType_t type = ncclFloat;
  ncclRedOp_t operation = ncclSum;
  int root = 0;  // or the peer of a send or a receive
  // Buffers in this process; null for a rank that receives nothing or sends nothing.
  const void* send = nullptr;
  void* receive = nullptr;
  std::uintptr_t caller = 0;  // a return address
  // For the order of streams: what the call comes after, and what it has waited for when it is
  // done.
  VectorClock clock = {}, received = {};

  bool is_between_two() const {
    return function == Function::send || function == Function::receive;
  }
};

const char* name_of(Function function);  // "ncclAllReduce"
// "ncclReduce of 4 floats (ncclSum, root 0)"; "ncclSend of 1 int32 to rank 2".
std::string describe(const Call& call);
// Returns whether two ranks make the same collective call.
bool agree(const Call& a, const Call& b);

// The bytes that a rank of `ranks` ranks reads and writes.
std::size_t send_bytes(const Call& call, int rank, int ranks);
std::size_t receive_bytes(const Call& call, int rank, int ranks);

// The bytes that a rank sends to the next rank if the call uses a ring of all ranks. 0 for a send,
// which goes to its peer, and for a receive.
std::uint64_t bytes_to_next(const Call& call, int rank, int ranks);

// Executes a collective call on the memory of all ranks; one call per rank.
void perform(const std::vector<Call*>& calls);
// Executes a send and its receive.
void perform(Call& send, Call& receive);

}  // namespace cuda_simulator::nccl
