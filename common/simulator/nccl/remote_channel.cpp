#include "nccl/remote_channel.h"

#include "nccl/failures.h"

namespace cuda_simulator::nccl {

Outcome RemoteChannel::lost() {
  is_lost_ = true;
  state_ = ncclRemoteError;
  return {ncclRemoteError, "the process that created the unique id has ended."};
}

Outcome RemoteChannel::join(int rank, int ranks, int device, std::vector<int>& devices) {
  ranks_ = ranks;
  Outcome outcome;
  if (!socket_.send(JoinRequest{rank, ranks, device, program_file()}) ||
      !receive_results(socket_, {rank, {}}, ranks, outcome))
    return lost();
  devices.resize(static_cast<std::size_t>(ranks));
  if (!outcome.failed() && !socket_.receive(devices.data(), devices.size() * sizeof(int)))
    return lost();
  return outcome;
}

void RemoteChannel::submit(Clique::Batch& batch) {
  if (!is_lost_ && !send_batch(socket_, batch, ranks_)) is_lost_ = true;
}

Outcome RemoteChannel::wait(Clique::Batch& batch) {
  Outcome outcome;
  if (!receive_results(socket_, batch, ranks_, outcome)) return lost();
  state_ = outcome.result;
  return outcome;
}

void RemoteChannel::leave(const std::string&) {
  if (!is_lost_) send_batch(socket_, {0, {}}, ranks_);
  is_lost_ = true;
}

}  // namespace cuda_simulator::nccl
