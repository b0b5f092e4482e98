#pragma once

#include "nccl/channel.h"
#include "nccl/messages.h"

namespace cuda_simulator::nccl {

// The connection to a clique in the process that created the unique id.
class RemoteChannel final : public Channel {
 public:
  explicit RemoteChannel(Socket socket) : socket_(std::move(socket)) {}

  Outcome join(int rank, int ranks, int device, std::vector<int>& devices) override;
  void submit(Clique::Batch& batch) override;
  Outcome wait(Clique::Batch& batch) override;
  void leave(const std::string& why) override;
  ncclResult_t state() override { return state_; }

 private:
  Outcome lost();

  Socket socket_;
  int ranks_ = 0;
  ncclResult_t state_ = ncclSuccess;
  bool is_lost_ = false;
};

}  // namespace cuda_simulator::nccl
