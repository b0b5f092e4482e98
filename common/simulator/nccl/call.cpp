#include "nccl/call.h"

#include "nccl/element_types.h"

#include <cstring>

namespace cuda_simulator::nccl {
namespace {

bool reduces(Function function) {
  return function == Function::all_reduce || function == Function::reduce ||
         function == Function::reduce_scatter;
}
bool has_root(Function function) {
  return function == Function::reduce || function == Function::broadcast;
}

const char* part(const void* buffer, std::size_t index, std::size_t bytes) {
  return static_cast<const char*>(buffer) + index * bytes;
}

std::vector<const void*> parts_of(const std::vector<Call*>& calls, std::size_t index,
                                  std::size_t bytes) {
  std::vector<const void*> parts;
  for (const Call* const call : calls) parts.push_back(part(call->send, index, bytes));
  return parts;
}

void move(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0 && to != from) std::memmove(to, from, bytes);
}

// A buffer may overlap another rank's: all results are computed before any is stored.
void reduce_to(const std::vector<Call*>& calls) {
  const Call& first = *calls.front();
  const std::size_t count = first.count, bytes = count * bytes_of(first.type);
  const bool scatters = first.function == Function::reduce_scatter;
  std::vector<std::vector<char>> results(scatters ? calls.size() : 1, std::vector<char>(bytes));
  for (std::size_t i = 0; i < results.size(); ++i)
    reduce(results[i].data(), parts_of(calls, i, bytes), count, first.type, first.operation);
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    const bool receives =
        first.function != Function::reduce || static_cast<int>(rank) == first.root;
    if (receives) move(calls[rank]->receive, results[scatters ? rank : 0].data(), bytes);
  }
}

void gather(const std::vector<Call*>& calls) {
  const std::size_t bytes = calls.front()->count * bytes_of(calls.front()->type);
  for (const Call* const to : calls) {
    for (std::size_t rank = 0; rank < calls.size(); ++rank)
      move(static_cast<char*>(to->receive) + rank * bytes, calls[rank]->send, bytes);
  }
}

}  // namespace

const char* name_of(Function function) {
  switch (function) {
    case Function::all_reduce:
      return "ncclAllReduce";
    case Function::reduce:
      return "ncclReduce";
    case Function::broadcast:
      return "ncclBroadcast";
    case Function::all_gather:
      return "ncclAllGather";
    case Function::reduce_scatter:
      return "ncclReduceScatter";
    case Function::send:
      return "ncclSend";
    case Function::receive:
      return "ncclRecv";
  }
  return "";
}

std::string describe(const Call& call) {
  std::string text = std::string(name_of(call.function)) + " of " + std::to_string(call.count) +
                     " elements (" + name_of(call.type);
  if (reduces(call.function)) text += std::string(", ") + name_of(call.operation);
  if (has_root(call.function)) text += ", root " + std::to_string(call.root);
  text += ")";
  if (call.function == Function::send) text += " to rank " + std::to_string(call.root);
  if (call.function == Function::receive) text += " from rank " + std::to_string(call.root);
  return text;
}

bool agree(const Call& a, const Call& b) {
  return a.function == b.function && a.count == b.count && a.type == b.type &&
         (!reduces(a.function) || a.operation == b.operation) &&
         (!has_root(a.function) || a.root == b.root);
}

std::size_t send_bytes(const Call& call, int rank, int ranks) {
  const std::size_t bytes = call.count * bytes_of(call.type);
  switch (call.function) {
    case Function::reduce_scatter:
      return bytes * static_cast<std::size_t>(ranks);
    case Function::broadcast:
      return rank == call.root ? bytes : 0;
    case Function::receive:
      return 0;
    default:
      return bytes;
  }
}

std::size_t receive_bytes(const Call& call, int rank, int ranks) {
  const std::size_t bytes = call.count * bytes_of(call.type);
  switch (call.function) {
    case Function::all_gather:
      return bytes * static_cast<std::size_t>(ranks);
    case Function::reduce:
      return rank == call.root ? bytes : 0;
    case Function::send:
      return 0;
    default:
      return bytes;
  }
}

std::uint64_t bytes_to_next(const Call& call, int rank, int ranks) {
  if (ranks == 1) return 0;
  const std::uint64_t count = call.count, n = static_cast<std::uint64_t>(ranks);
  const std::uint64_t bytes = bytes_of(call.type);
  // The all-reduce sends n chunks around the ring; the first chunks are one element longer.
  const auto chunk = [=](int index) {
    return count / n + (static_cast<std::uint64_t>(index % ranks) < count % n ? 1 : 0);
  };
  switch (call.function) {
    case Function::all_reduce:  // all chunks but one as partial sums, and all but one as results
      return (2 * count - chunk(rank + 1) - chunk(rank + 2)) * bytes;
    case Function::reduce_scatter:
    case Function::all_gather:
      return (n - 1) * count * bytes;
    case Function::broadcast:
      return (rank + 1) % ranks == call.root ? 0 : count * bytes;
    case Function::reduce:
      return rank == call.root ? 0 : count * bytes;
    case Function::send:
    case Function::receive:
      break;
  }
  return 0;
}

void perform(const std::vector<Call*>& calls) {
  const Call& first = *calls.front();
  if (first.function == Function::all_gather) {
    gather(calls);
  } else if (first.function == Function::broadcast) {
    const Call& root = *calls[static_cast<std::size_t>(first.root)];
    for (const Call* const call : calls)
      move(call->receive, root.send, first.count * bytes_of(first.type));
  } else {
    reduce_to(calls);
  }
  const auto comes_after = [](Call& receiver, const Call& sender) {
    receiver.received.add(sender.clock);
  };
  for (std::size_t to = 0; to < calls.size(); ++to) {
    for (std::size_t from = 0; from < calls.size(); ++from) {
      const bool to_root = first.function == Function::reduce && static_cast<int>(to) != first.root;
      const bool from_root =
          first.function == Function::broadcast && static_cast<int>(from) != first.root;
      if (!to_root && !from_root) comes_after(*calls[to], *calls[from]);
    }
  }
}

void perform(Call& send, Call& receive) {
  move(receive.receive, send.send, send.count * bytes_of(send.type));
  receive.received.add(send.clock);
}

}  // namespace cuda_simulator::nccl
