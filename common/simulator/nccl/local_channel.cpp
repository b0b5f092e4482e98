#include "nccl/channel.h"
#include "nccl/failures.h"

namespace cuda_simulator::nccl {
namespace {

bool is_alive() { return true; }  // this process is alive

}  // namespace

Outcome LocalChannel::join(int rank, int ranks, int device, std::vector<int>& devices) {
  rank_ = rank;
  const Outcome outcome = clique_->join(rank, ranks, {device, program_file(), true}, is_alive);
  devices = clique_->devices();
  return outcome;
}

Outcome LocalChannel::wait(Clique::Batch& batch) { return clique_->wait(batch, is_alive); }

}  // namespace cuda_simulator::nccl
