#include "nccl/clique.h"

#include "nccl/element_types.h"
#include "nccl/failures.h"
#include "nccl/host_threads.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cuda_simulator::nccl {
namespace {

constexpr auto kGlance = std::chrono::milliseconds(50);
constexpr double kQuietS = 0.3;  // a wait fails only if nothing has happened for this long

std::string rank_text(int rank) { return "rank " + std::to_string(rank); }

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Clique::Clique(int ranks, bool is_of_one_process)
    : ranks_(ranks),
      is_of_one_process_(is_of_one_process),
      seats_(static_cast<std::size_t>(ranks)) {}

void Clique::has_replied(int rank) {
  const std::lock_guard<std::mutex> lock(mutex_);
  seats_[static_cast<std::size_t>(rank)].awaits_reply = false;
}

bool Clique::owes_replies() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::any_of(seats_.begin(), seats_.end(), [&](const Seat& seat) {
    return seat.awaits_reply && (failure_.failed() || (!seat.batch && absent_ranks().empty()));
  });
}

std::vector<int> Clique::absent_ranks() const {
  std::vector<int> absent;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (seats_[static_cast<std::size_t>(rank)].state == State::absent) absent.push_back(rank);
  }
  return absent;
}

ncclResult_t Clique::state() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_.result;
}

std::vector<int> Clique::devices() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int> devices;
  for (const Seat& seat : seats_) devices.push_back(seat.member.device);
  return devices;
}

Outcome Clique::join(int rank, int ranks, const Member& member,
                     const std::function<bool()>& is_alive) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (failure_.failed()) return failure_for(member);
  const std::string who = "ncclCommInitRank of " + rank_text(rank);
  if (ranks != ranks_) {
    fail(ncclInvalidArgument, who + " is called for " + std::to_string(ranks) +
                                  " ranks, but by another rank with the same id for " +
                                  std::to_string(ranks_) + ". All must pass the same number.");
    return failure_for(member);
  }
  Seat& seat = seats_[static_cast<std::size_t>(rank)];
  if (seat.state != State::absent) {
    fail(ncclInvalidArgument, who +
                                  " is called a second time with the same id. Each rank needs a "
                                  "different number, starting at 0.");
    return failure_for(member);
  }
  for (int other = 0; other < ranks_; ++other) {
    const Seat& taken = seats_[static_cast<std::size_t>(other)];
    if (taken.state == State::absent || taken.member.device != member.device) continue;
    fail(ncclInvalidUsage,
         who + " is for device " + std::to_string(member.device) + ", and so is " +
             rank_text(other) +
             ". Each rank needs a different device: call cudaSetDevice first, and make sure that "
             "there are enough devices (CUDA_SIMULATOR_DEVICES).");
    return failure_for(member);
  }
  seat.state = State::idle;
  seat.member = member;
  seat.awaits_reply = !member.is_of_this_process;
  changed_.notify_all();
  const auto begin = std::chrono::steady_clock::now();
  const auto waiting = member.is_of_this_process ? std::make_unique<WaitingThread>() : nullptr;
  while (!failure_.failed() && !absent_ranks().empty()) {
    changed_.wait_for(lock, kGlance);
    if (!is_alive()) {
      seat.state = State::gone;
      fail(ncclRemoteError, "the process of " + rank_text(rank) + " has ended.");
    }
    const std::vector<int> absent = absent_ranks();
    if (!failure_.failed() && !absent.empty())
      check_patience(rank, "ncclCommInitRank", absent, seconds_since(begin));
  }
  // After all have joined, other ranks may continue and fail before this thread wakes up.
  return absent_ranks().empty() ? Outcome{} : failure_for(member);
}

void Clique::submit(Batch& batch) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Seat& seat = seats_[static_cast<std::size_t>(batch.rank)];
  if (failure_.failed()) return;
  if (seat.state == State::waiting) {
    fail(ncclInvalidUsage, "two threads use the communicator of " + rank_text(batch.rank) +
                               " at the same time. They must use it one at a time.");
    return;
  }
  seat.batch = &batch;
  seat.state = State::waiting;
  seat.awaits_reply = !seat.member.is_of_this_process;
  advance();
}

Outcome Clique::wait(Batch& batch, const std::function<bool()>& is_alive) {
  std::unique_lock<std::mutex> lock(mutex_);
  Seat& seat = seats_[static_cast<std::size_t>(batch.rank)];
  const auto begin = std::chrono::steady_clock::now();
  const auto is_done = [&] { return !open_call(batch); };
  const bool is_own = seat.member.is_of_this_process;
  const auto waiting = is_own ? std::make_unique<WaitingThread>() : nullptr;
  while (!is_done() && !failure_.failed()) {
    changed_.wait_for(lock, kGlance);
    if (is_done() || failure_.failed()) break;
    if (!is_alive()) {
      fail(ncclRemoteError, "the process of " + rank_text(batch.rank) + " has ended.");
      break;
    }
    if (const Call* const open = open_call(batch)) {
      check_patience(batch.rank, name_of(open->function), missing_for(*open, batch.rank),
                     seconds_since(begin));
    }
  }
  const bool done = is_done();
  if (seat.batch == &batch) seat.batch = nullptr;
  return done ? Outcome{} : failure_for(seat.member);
}

void Clique::leave(int rank, const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Seat& seat = seats_[static_cast<std::size_t>(rank)];
  if (seat.state == State::gone) return;
  seat.state = State::gone;
  seat.why_gone = why;
  look_for_missing();
  changed_.notify_all();
}

const Call* Clique::open_call(const Batch& batch) const {
  const auto open = std::find(batch.done.begin(), batch.done.end(), false);
  return open == batch.done.end()
             ? nullptr
             : &batch.calls[static_cast<std::size_t>(open - batch.done.begin())];
}

std::size_t Clique::first_collective(const Batch& batch) {
  std::size_t i = 0;
  while (i < batch.calls.size() && (batch.done[i] || batch.calls[i].is_between_two())) ++i;
  return i;
}

std::size_t Clique::first_to(const Batch& batch, Function function, int peer) const {
  std::size_t i = 0;
  const auto is_it = [&](const Call& call) {
    return call.function == function && call.root == peer;
  };
  while (i < batch.calls.size() && (batch.done[i] || !is_it(batch.calls[i]))) ++i;
  return i;
}

void Clique::advance() {
  while (!failure_.failed() && (advance_collective() || advance_between_two())) {
  }
  finish_batches();
  if (!failure_.failed()) look_for_missing();
  changed_.notify_all();
}

// Executes a collective call when all ranks have made it. Ranks that have made different calls
// would wait for each other forever.
bool Clique::advance_collective() {
  std::vector<Call*> calls;
  std::vector<std::pair<Batch*, std::size_t>> places;
  int first_rank = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    Batch* const batch = seats_[static_cast<std::size_t>(rank)].batch;
    if (!batch) continue;
    const std::size_t i = first_collective(*batch);
    if (i == batch->calls.size()) continue;
    Call* const call = &batch->calls[i];
    if (calls.empty()) first_rank = rank;
    if (!calls.empty() && !agree(*calls.front(), *call)) {
      fail(ncclInvalidUsage,
           "the ranks' calls do not match: " + described_call(first_rank, *calls.front()) +
               ", but " + described_call(rank, *call) +
               ". All ranks must make the same collective calls, with the same counts and types, "
               "in the same order. On a GPU these calls never return, or the result is wrong.");
      return false;
    }
    calls.push_back(call);
    places.emplace_back(batch, i);
  }
  if (static_cast<int>(calls.size()) < ranks_) return false;
  perform(calls);
  for (const auto& [batch, i] : places) batch->done[i] = true;
  return true;
}

bool Clique::advance_between_two() {
  for (Seat& seat : seats_) {
    if (!seat.batch) continue;
    for (std::size_t i = 0; i < seat.batch->calls.size(); ++i) {
      const bool is_open_send =
          !seat.batch->done[i] && seat.batch->calls[i].function == Function::send;
      if (is_open_send && send_to_peer(*seat.batch, i)) return true;
      if (failure_.failed()) return false;
    }
  }
  return false;
}

// Sends to one peer are received in order, so only the first of them is checked.
bool Clique::send_to_peer(Batch& batch, std::size_t index) {
  Call& send = batch.calls[index];
  if (first_to(batch, Function::send, send.root) != index) return false;
  Batch* const peer = seats_[static_cast<std::size_t>(send.root)].batch;
  if (!peer) return false;
  const std::size_t at = first_to(*peer, Function::receive, batch.rank);
  if (at == peer->calls.size()) return false;
  Call& receive = peer->calls[at];
  if (send.count != receive.count || send.type != receive.type) {
    fail(ncclInvalidUsage,
         "a send and its receive do not match: " + described_call(batch.rank, send) + ", but " +
             described_call(send.root, receive) +
             ". Both must have the same count and the same type.");
    return false;
  }
  perform(send, receive);
  batch.done[index] = peer->done[at] = true;
  return true;
}

void Clique::finish_batches() {
  for (Seat& seat : seats_) {
    if (!seat.batch || open_call(*seat.batch)) continue;
    seat.batch = nullptr;
    seat.state = State::idle;
  }
}

// The ranks whose call is missing for this one to continue.
std::vector<int> Clique::missing_for(const Call& call, int rank) const {
  if (call.is_between_two()) return {call.root};
  std::vector<int> missing;
  for (int other = 0; other < ranks_; ++other) {
    const Batch* const batch = seats_[static_cast<std::size_t>(other)].batch;
    const bool has_called = batch && first_collective(*batch) < batch->calls.size();
    if (other != rank && !has_called) missing.push_back(other);
  }
  return missing;
}

// Fails if a rank that others wait for has left, or waits for something else itself.
void Clique::look_for_missing() {
  bool all_wait = true;
  std::string open_calls;
  for (int rank = 0; rank < ranks_; ++rank) {
    const Seat& seat = seats_[static_cast<std::size_t>(rank)];
    const Call* const open = seat.batch ? open_call(*seat.batch) : nullptr;
    if (!open) {
      all_wait &= seat.state == State::gone;
      continue;
    }
    for (const int missing : missing_for(*open, rank)) {
      const Seat& other = seats_[static_cast<std::size_t>(missing)];
      if (other.state != State::gone) continue;
      fail(ncclRemoteError, described_call(rank, *open) + " and waits for " + rank_text(missing) +
                                ", which " + other.why_gone + ".");
      return;
    }
    open_calls += (open_calls.empty() ? "" : "; ") + described_call(rank, *open);
  }
  if (!all_wait || open_calls.empty()) return;
  fail(
      ncclInvalidUsage,
      "deadlock: all ranks wait for each other: " + open_calls +
          ". A send needs a receive in the other rank, and a collective call needs a call by every "
          "rank. If two ranks send to each other, make both calls of a rank between "
          "ncclGroupStart() and ncclGroupEnd().");
}

void Clique::check_patience(int rank, const char* function, const std::vector<int>& missing,
                            double waited_s) {
  if (missing.empty()) return;
  const bool only_own = std::all_of(seats_.begin(), seats_.end(), [](const Seat& seat) {
    return seat.state == State::absent || seat.member.is_of_this_process;
  });
  const bool all_known = std::none_of(missing.begin(), missing.end(), [&](int other) {
    return seats_[static_cast<std::size_t>(other)].state == State::absent;
  });
  const std::string waits = std::string(function) + " of " + rank_text(rank) + " waits for " +
                            names(missing) + ", which " + (missing.size() == 1 ? "has" : "have") +
                            " not called it";
  const std::string remedy =
      " If one thread controls several ranks, it must make the calls of all of them between "
      "ncclGroupStart() and ncclGroupEnd().";
  if (only_own && (all_known || is_of_one_process_) && waited_s > kQuietS && !is_a_thread_left()) {
    fail(ncclInvalidUsage, waits + ". No other thread of the program can still call it." + remedy);
  } else if (waited_s > patience_s()) {
    fail(ncclInternalError,
         waits + ". It has waited for " + std::to_string(static_cast<int>(waited_s)) +
             " seconds; CUDA_SIMULATOR_NCCL_SECONDS sets this limit." + (only_own ? remedy : ""));
  }
}

std::string Clique::names(const std::vector<int>& ranks) const {
  if (ranks.size() == 1) return rank_text(ranks.front());
  std::string text = "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const bool is_last = i + 1 == ranks.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + std::to_string(ranks[i]);
  }
  return text;
}

std::string Clique::described_call(int rank, const Call& call) const {
  const std::uint64_t own = program_file();
  const bool is_known = seats_[static_cast<std::size_t>(rank)].member.program == own;
  const std::string place = is_known ? place_text(call.caller) : "";
  return rank_text(rank) + " calls " + describe(call) + (place.empty() ? "" : " (" + place + ")");
}

// The first of this process's ranks prints the failure; every other process prints it itself.
Outcome Clique::failure_for(const Member& member) {
  Outcome told = failure_;
  if (member.is_of_this_process) failure_.is_unprinted = false;
  return told;
}

// All ranks get the first failure, because later ones may be its consequences.
void Clique::fail(ncclResult_t result, std::string message) {
  if (failure_.failed()) return;
  failure_ = {result, std::move(message)};
  changed_.notify_all();
}

}  // namespace cuda_simulator::nccl
