#include "nccl/group.h"

#include "nccl/failures.h"
#include "nccl/host_threads.h"
#include "nccl/stream_work.h"

#include <algorithm>
#include <deque>
#include <string>
#include <thread>
#include <utility>

namespace cuda_simulator::nccl {
namespace {

// A rank's part of a group.
struct Part {
  ncclComm_t comm;
  Clique::Batch batch;
  std::vector<StreamWork> works;
};

ncclResult_t pass_on(const Outcome& outcome, std::uintptr_t caller) {
  return outcome.is_unprinted ? refuse(outcome.result, outcome.message, caller) : outcome.result;
}

}  // namespace

Group& Group::of_this_thread() {
  static thread_local Group group;
  return group;
}

ncclResult_t Group::spoil(ncclResult_t result) {
  if (is_open() && spoilt_ == ncclSuccess) spoilt_ = result;
  return result;
}

ncclResult_t Group::end(std::uintptr_t caller) {
  if (!is_open()) {
    return refuse(ncclInvalidUsage, "ncclGroupEnd() is called without an earlier ncclGroupStart().",
                  caller);
  }
  return --depth_ > 0 ? ncclSuccess : make_all();
}

ncclResult_t Group::add_join(ncclComm_t* comm, std::unique_ptr<ncclComm> joining,
                             std::uintptr_t caller) {
  joining_.push_back({comm, std::move(joining), caller});
  return is_open() ? ncclSuccess : make_all();
}

ncclResult_t Group::add_call(ncclComm_t comm, cudaStream_t stream, Call call) {
  asked_.push_back({comm, stream, std::move(call)});
  return is_open() ? ncclSuccess : make_all();
}

ncclResult_t Group::make_all() {
  ncclResult_t result = std::exchange(spoilt_, ncclSuccess);
  if (result == ncclSuccess) result = join_all();
  if (result == ncclSuccess) result = call_all();
  joining_.clear();
  asked_.clear();
  return result;
}

// Each rank waits until all others have joined, so each gets its own thread.
ncclResult_t Group::join_all() {
  std::vector<Outcome> outcomes(joining_.size());
  const auto join = [&](std::size_t i) {
    ncclComm& comm = *joining_[i].joining;
    outcomes[i] = comm.channel->join(comm.rank, comm.ranks, comm.device, comm.devices);
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < joining_.size(); ++i) others.emplace_back([&join, i] { join(i); });
  if (!joining_.empty()) join(0);
  for (std::thread& other : others) other.join();
  ncclResult_t result = ncclSuccess;
  for (std::size_t i = 0; i < joining_.size(); ++i) {
    if (outcomes[i].failed()) {
      result = pass_on(outcomes[i], joining_[i].caller);
    } else {
      *joining_[i].comm = Communicators::get().add(std::move(joining_[i].joining));
    }
  }
  return result;
}

ncclResult_t Group::call_all() {
  // a deque, so that the parts stay in place: other threads use their batches
  std::deque<Part> parts;
  for (Asked& asked : asked_) {
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const Part& known) { return known.comm == asked.comm; });
    if (part == parts.end()) part = parts.insert(part, {asked.comm, {asked.comm->rank, {}}, {}});
    part->works.emplace_back(*asked.comm, asked.stream, asked.call);
    part->batch.calls.push_back(std::move(asked.call));
  }
  for (Part& part : parts) {
    part.batch.done.assign(part.batch.calls.size(), false);
    part.comm->channel->submit(part.batch);
  }
  ncclResult_t result = ncclSuccess;
  for (Part& part : parts) {
    const Outcome outcome = part.comm->channel->wait(part.batch);
    if (outcome.failed()) {
      result = pass_on(outcome, part.batch.calls.front().caller);
      continue;
    }
    for (std::size_t i = 0; i < part.works.size(); ++i) part.works[i].finish(part.batch.calls[i]);
  }
  return result;
}

}  // namespace cuda_simulator::nccl
