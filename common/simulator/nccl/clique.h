#pragma once

#include "nccl/call.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cuda_simulator::nccl {

// The result of a call and, if it failed, a message that explains the error.
struct Outcome {
  ncclResult_t result = ncclSuccess;
  std::string message;
  bool is_unprinted = true;  // not yet printed in this process

  bool failed() const { return result != ncclSuccess; }
};

// The meeting point of a communicator's ranks, in the process that they share or that created the
// unique id. It matches their calls, executes a call as soon as all its parts are there, and
// reports calls that would wait forever on a GPU. Several threads use it: one per waiting rank.
class Clique {
 public:
  // is_of_one_process: no rank can be in another process.
  Clique(int ranks, bool is_of_one_process);

  // Calls that a rank has made and waits for.
  struct Batch {
    int rank;
    std::vector<Call> calls;
    std::vector<bool> done = std::vector<bool>(calls.size());
  };
  struct Member {
    int device = 0;
    // the file that it runs: code addresses are known only in this process's file
    std::uint64_t program = 0;
    bool is_of_this_process = true;
  };

  // A rank joins, and waits for all others. `is_alive` is called now and then.
  Outcome join(int rank, int ranks, const Member& member, const std::function<bool()>& is_alive);
  // The devices of all ranks, once all have joined.
  std::vector<int> devices() const;

  // Submits the calls of a rank, which must stay valid until wait() returns.
  void submit(Batch& batch);
  Outcome wait(Batch& batch, const std::function<bool()>& is_alive);
  // The rank makes no more calls; `why` is for example "has ended".
  void leave(int rank, const std::string& why);

  // The reply to the last request of a rank in another process has been sent.
  void has_replied(int rank);
  // Returns whether a reply is ready but not yet sent.
  bool owes_replies() const;

  int ranks() const { return ranks_; }
  ncclResult_t state() const;

 private:
  enum class State { absent, idle, waiting, gone };
  struct Seat {
    State state = State::absent;
    Member member;
    Batch* batch = nullptr;
    bool awaits_reply = false;  // in another process
    std::string why_gone;
  };

  void advance();
  bool advance_collective();
  bool advance_between_two();
  bool send_to_peer(Batch& batch, std::size_t index);
  // The index of the first call of a kind that is not done; the batch's size if there is none.
  static std::size_t first_collective(const Batch& batch);
  std::size_t first_to(const Batch& batch, Function function, int peer) const;
  void look_for_missing();
  void finish_batches();
  void fail(ncclResult_t result, std::string message);
  std::string described_call(int rank,
                             const Call& call) const;  // "rank 1 calls ncclSend of ... (a.cu:5)"
  std::vector<int> missing_for(const Call& call, int rank) const;
  std::string names(const std::vector<int>& ranks) const;
  // Ends a wait that no thread of this process can end, or that takes too long.
  void check_patience(int rank, const char* function, const std::vector<int>& missing,
                      double waited_s);
  std::vector<int> absent_ranks() const;
  const Call* open_call(const Batch& batch) const;

  Outcome failure_for(const Member& member);

  const int ranks_;
  const bool is_of_one_process_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Seat> seats_;
  Outcome failure_;
};

}  // namespace cuda_simulator::nccl
