#include "nccl/rendezvous.h"

#include "nccl/host_threads.h"
#include "nccl/messages.h"
#include "nccl/remote_channel.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace cuda_simulator::nccl {
namespace {

constexpr char kPrefix[] = "cuda-simulator-nccl-";
constexpr auto kLongestFarewell = std::chrono::seconds(5);

// The ids of this process, and their cliques once a rank has passed the number of ranks.
class Ids {
 public:
  static Ids& get() {
    static Ids& ids = *new Ids;  // never destroyed: threads may outlive main()
    return ids;
  }
  void add(const std::string& id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cliques_[id] = {getpid(), nullptr};
  }
  // Returns nullptr if the id belongs to another process.
  std::shared_ptr<Clique> clique_of(const std::string& id, int ranks) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = cliques_.find(id);
    if (found == cliques_.end() || found->second.process != getpid()) return nullptr;
    std::shared_ptr<Clique>& clique = found->second.clique;
    if (!clique) clique = std::make_shared<Clique>(ranks, /*is_of_one_process=*/false);
    return clique;
  }
  bool owe_replies() {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [id, entry] : cliques_) {
      if (entry.process == getpid() && entry.clique && entry.clique->owes_replies()) return true;
    }
    return false;
  }

 private:
  struct Entry {
    pid_t process;  // a forked process has a copy of the list but none of the threads
    std::shared_ptr<Clique> clique;
  };
  // A thread that serves a rank may hold the lock when the process forks.
  Ids() {
    pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                   [] { get().mutex_.unlock(); });
  }
  std::mutex mutex_;
  std::map<std::string, Entry> cliques_;
};

// An address without a file: the system removes it when the last process that listens there ends.
socklen_t make_address(const std::string& id, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, id.data(), id.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + id.size());
}

// Acts for a rank of another process until that rank leaves or ends.
void serve(const Socket& socket, const std::string& id) {
  JoinRequest request;
  if (!socket.receive(request) || request.ranks < 1 || request.rank < 0 ||
      request.rank >= request.ranks)
    return;
  const std::shared_ptr<Clique> clique = Ids::get().clique_of(id, request.ranks);
  const int rank = request.rank, ranks = clique->ranks();
  const auto is_alive = [&] { return socket.has_other_end(); };
  const Outcome joined =
      clique->join(rank, request.ranks, {request.device, request.program, false}, is_alive);
  const std::vector<int> devices = clique->devices();
  bool is_there = send_results(socket, {rank, {}}, ranks, joined) && !joined.failed() &&
                  socket.send(devices.data(), devices.size() * sizeof(int));
  clique->has_replied(rank);
  while (is_there) {
    Clique::Batch batch{rank, {}};
    std::vector<std::vector<char>> data;
    is_there = receive_batch(socket, batch, ranks, data);
    if (is_there && batch.calls.empty()) {
      clique->leave(rank, "has destroyed its communicator");
      return;
    }
    if (!is_there) break;
    clique->submit(batch);
    const Outcome outcome = clique->wait(batch, is_alive);
    is_there = send_results(socket, batch, ranks, outcome);
    clique->has_replied(rank);
  }
  if (!joined.failed()) clique->leave(rank, "belongs to a process that has ended");
}

// Runs as long as the process, because an id can be used at any time.
void accept_ranks(const Socket& listener, const std::string& id) {
  const OwnThread own;
  for (;;) {
    const int file = accept4(listener.file(), nullptr, nullptr, SOCK_CLOEXEC);
    if (file < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    std::thread([socket = Socket(file), id] {
      const OwnThread also_own;
      serve(socket, id);
    }).detach();
  }
}

std::string random_text() {
  std::random_device device;
  char text[40];
  std::snprintf(text, sizeof text, "%d-%08x%08x%08x", getpid(), device(), device(), device());
  return text;
}

Socket connect_to_name(const std::string& id) {
  sockaddr_un address;
  const socklen_t bytes = make_address(id, address);
  Socket socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open() ||
      connect(socket.file(), reinterpret_cast<sockaddr*>(&address), bytes) != 0)
    return Socket();
  return socket;
}

}  // namespace

ncclResult_t make_unique_id(ncclUniqueId& id) {
  const std::string name = kPrefix + random_text();
  std::memset(id.internal, 0, sizeof id.internal);
  std::memcpy(id.internal, name.data(), name.size());
  sockaddr_un address;
  const socklen_t bytes = make_address(name, address);
  Socket listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  constexpr int kMostWaiting = 64;
  if (!listener.is_open() ||
      bind(listener.file(), reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
      listen(listener.file(), kMostWaiting) != 0)
    return ncclSystemError;
  Ids::get().add(name);
  static const int at_exit = std::atexit(send_last_replies);
  static_cast<void>(at_exit);
  try {
    std::thread([listener = std::move(listener), name] { accept_ranks(listener, name); }).detach();
  } catch (const std::system_error&) {
    return ncclSystemError;
  }
  return ncclSuccess;
}

std::unique_ptr<Channel> connect_to(const ncclUniqueId& id, int ranks, std::string& why_not) {
  const std::string name(id.internal, strnlen(id.internal, sizeof id.internal));
  if (name.rfind(kPrefix, 0) != 0 || name.size() > 100) {
    why_not =
        "the unique id was not created by ncclGetUniqueId. One rank must call ncclGetUniqueId and "
        "send all bytes of the id to the other ranks.";
    return nullptr;
  }
  if (const auto clique = Ids::get().clique_of(name, ranks))
    return std::make_unique<LocalChannel>(clique);
  Socket socket = connect_to_name(name);
  if (!socket.is_open()) {
    why_not = "the process that created the unique id has ended, or runs on another host.";
    return nullptr;
  }
  return std::make_unique<RemoteChannel>(std::move(socket));
}

void send_last_replies() {
  const auto end = std::chrono::steady_clock::now() + kLongestFarewell;
  while (Ids::get().owe_replies() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

}  // namespace cuda_simulator::nccl
