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

// How a call ended: its result and, if that is no success, what was wrong, in words.
struct Outcome {
  ncclResult_t result = ncclSuccess;
  std::string message;
  bool is_news = true;  // nobody in this process has been told before

  bool failed() const { return result != ncclSuccess; }
};

// Where the ranks of a communicator meet, in the process that they share or that made the unique
// id. It matches their calls, has them performed as soon as all of a call are there, and says what
// would wait for ever on a GPU. Used by several threads: one for each rank that waits.
class Clique {
 public:
  // is_of_one_process: no rank can come from another one.
  Clique(int ranks, bool is_of_one_process);

  // What a rank has called and waits for.
  struct Batch {
    int rank;
    std::vector<Call> calls;
    std::vector<bool> done = std::vector<bool>(calls.size());
  };
  struct Member {
    int device = 0;
    std::uint64_t program = 0;  // the file that it runs: only one's code addresses are known
    bool is_of_this_process = true;
  };

  // A rank enters, and waits for all others. `is_alive` is asked now and then.
  Outcome join(int rank, int ranks, const Member& member, const std::function<bool()>& is_alive);
  // Of all ranks, once all have joined.
  std::vector<int> devices() const;

  // The calls of a rank; they must stay until wait() is over.
  void submit(Batch& batch);
  Outcome wait(Batch& batch, const std::function<bool()>& is_alive);
  // The rank makes no more calls, for this reason: "has ended".
  void leave(int rank, const std::string& why);

  // Of a rank of another process: the answer to what it last asked for has been sent.
  void has_replied(int rank);
  // Whether an answer is known and has not been sent.
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
  // The first call of a kind that is not done; the batch's size if there is none.
  static std::size_t first_collective(const Batch& batch);
  std::size_t first_to(const Batch& batch, Function function, int peer) const;
  void look_for_missing();
  void finish_batches();
  void fail(ncclResult_t result, std::string message);
  std::string said_by(int rank, const Call& call) const;  // "rank 1 calls ncclSend of ... (a.cu:5)"
  std::vector<int> missing_for(const Call& call, int rank) const;
  std::string names(const std::vector<int>& ranks) const;
  // Gives up a wait that no thread of this process can end, or that lasts too long.
  void check_patience(int rank, const char* function, const std::vector<int>& missing,
                      double waited_s);
  std::vector<int> absent_ranks() const;
  const Call* open_call(const Batch& batch) const;

  Outcome tell_failure(const Member& member);

  const int ranks_;
  const bool is_of_one_process_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Seat> seats_;
  Outcome failure_;
};

}  // namespace cuda_simulator::nccl
