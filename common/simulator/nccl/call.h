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

// What one rank asks for, in one call.
struct Call {
  Function function;
  std::uint64_t count = 0;  // elements, as the call has it
  ncclDataType_t type = ncclFloat;
  ncclRedOp_t operation = ncclSum;
  int root = 0;  // or the peer of a send or a receive
  // Of this process. A rank that receives nothing, or sends nothing, has a null pointer.
  const void* send = nullptr;
  void* receive = nullptr;
  std::uintptr_t caller = 0;  // a return address
  // Of who waits for whom: what the call comes after; what it has come after when it is done.
  Knowledge knows = {}, received = {};

  bool is_between_two() const {
    return function == Function::send || function == Function::receive;
  }
};

const char* name_of(Function function);  // "ncclAllReduce"
// "ncclReduce of 4 floats (ncclSum, root 0)"; "ncclSend of 1 int32 to rank 2".
std::string describe(const Call& call);
// Whether two ranks mean the same collective call.
bool agree(const Call& a, const Call& b);

// What a rank reads and writes, among `ranks` of them.
std::size_t send_bytes(const Call& call, int rank, int ranks);
std::size_t receive_bytes(const Call& call, int rank, int ranks);

// What a rank sends to the next one, in bytes, if the call goes around a ring of all ranks. 0 for a
// send, which goes to its peer, and for a receive.
std::uint64_t bytes_to_next(const Call& call, int rank, int ranks);

// Makes a collective call on all ranks' memory, one call for each rank.
void perform(const std::vector<Call*>& calls);
// The same for a send and the receive that belongs to it.
void perform(Call& send, Call& receive);

}  // namespace cuda_simulator::nccl
