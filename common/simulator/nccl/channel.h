#pragma once

#include "nccl/clique.h"

#include <memory>
#include <string>
#include <vector>

namespace cuda_simulator::nccl {

// The connection of a rank to the clique, in its own process or in another one.
class Channel {
 public:
  virtual ~Channel() = default;

  // Returns the devices of all ranks in `devices`, once all ranks have joined.
  virtual Outcome join(int rank, int ranks, int device, std::vector<int>& devices) = 0;
  // Starts the calls of the batch, which must stay valid until wait() returns.
  virtual void submit(Clique::Batch& batch) = 0;
  virtual Outcome wait(Clique::Batch& batch) = 0;
  // The rank makes no more calls; `why` is for example "has destroyed its communicator".
  virtual void leave(const std::string& why) = 0;
  virtual ncclResult_t state() = 0;
};

class LocalChannel final : public Channel {
 public:
  explicit LocalChannel(std::shared_ptr<Clique> clique) : clique_(std::move(clique)) {}

  Outcome join(int rank, int ranks, int device, std::vector<int>& devices) override;
  void submit(Clique::Batch& batch) override { clique_->submit(batch); }
  Outcome wait(Clique::Batch& batch) override;
  void leave(const std::string& why) override { clique_->leave(rank_, why); }
  ncclResult_t state() override { return clique_->state(); }

 private:
  const std::shared_ptr<Clique> clique_;
  int rank_ = 0;
};

}  // namespace cuda_simulator::nccl
