#include "nccl/messages.h"

#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

namespace cuda_simulator::nccl {
namespace {

// All sockets of this process; a forked child closes them.
class OpenFiles {
 public:
  static OpenFiles& get() {
    static OpenFiles& files = *new OpenFiles;  // never destroyed: threads may outlive main()
    return files;
  }
  void add(int file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_.push_back(file);
  }
  void remove(int file) {
    const std::lock_guard<std::mutex> lock(mutex_);
    files_.erase(std::remove(files_.begin(), files_.end(), file), files_.end());
  }

 private:
  OpenFiles() {
    pthread_atfork([] { get().mutex_.lock(); }, [] { get().mutex_.unlock(); },
                   [] {
                     for (const int file : get().files_) ::close(file);
                     get().files_.clear();
                     get().mutex_.unlock();
                   });
  }
  std::mutex mutex_;
  std::vector<int> files_;
};

}  // namespace

Socket::Socket(int file) : file_(file) {
  if (file_ >= 0) OpenFiles::get().add(file_);
}
Socket::~Socket() { close(); }
Socket::Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
Socket& Socket::operator=(Socket&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

void Socket::close() {
  if (file_ < 0) return;
  OpenFiles::get().remove(file_);
  ::close(file_);
  file_ = -1;
}

bool Socket::send(const void* data, std::size_t bytes) const {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(file_, next, bytes, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    next += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool Socket::receive(void* data, std::size_t bytes) const {
  char* next = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t received = ::recv(file_, next, bytes, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    next += received;
    bytes -= static_cast<std::size_t>(received);
  }
  return true;
}

bool Socket::has_other_end() const {
  pollfd state{file_, POLLRDHUP, 0};
  return poll(&state, 1, 0) <= 0 || (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

bool Socket::send_text(const std::string& text) const {
  return send(text.size()) && send(text.data(), text.size());
}

bool Socket::receive_text(std::string& text) const {
  std::size_t size = 0;
  if (!receive(size)) return false;
  text.resize(size);
  return receive(text.data(), size);
}

bool send_batch(const Socket& socket, const Clique::Batch& batch, int ranks) {
  bool sent = socket.send(batch.calls.size());
  for (const Call& call : batch.calls) {
    sent = sent &&
           socket.send(CallHead{call.function, call.count, call.type, call.operation, call.root,
                                call.caller}) &&
           socket.send(call.send, send_bytes(call, batch.rank, ranks));
  }
  return sent;
}

bool receive_batch(const Socket& socket, Clique::Batch& batch, int ranks,
                   std::vector<std::vector<char>>& data) {
  std::size_t count = 0;
  if (!socket.receive(count)) return false;
  data.resize(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    CallHead head;
    if (!socket.receive(head)) return false;
    Call call{head.function, head.count, head.type, head.operation, head.root};
    call.caller = head.caller;
    std::vector<char>&sent = data[2 * i], &received = data[2 * i + 1];
    sent.resize(send_bytes(call, batch.rank, ranks));
    received.resize(receive_bytes(call, batch.rank, ranks));
    if (!socket.receive(sent.data(), sent.size())) return false;
    call.send = sent.data();
    call.receive = received.data();
    batch.calls.push_back(std::move(call));
  }
  batch.done.assign(count, false);
  return true;
}

bool send_results(const Socket& socket, const Clique::Batch& batch, int ranks,
                  const Outcome& outcome) {
  bool sent = socket.send(outcome.result) && socket.send_text(outcome.message);
  if (outcome.failed()) return sent;
  for (const Call& call : batch.calls)
    sent = sent && socket.send(call.receive, receive_bytes(call, batch.rank, ranks));
  return sent;
}

bool receive_results(const Socket& socket, const Clique::Batch& batch, int ranks,
                     Outcome& outcome) {
  if (!socket.receive(outcome.result) || !socket.receive_text(outcome.message)) return false;
  if (outcome.failed()) return true;
  for (const Call& call : batch.calls) {
    if (!socket.receive(call.receive, receive_bytes(call, batch.rank, ranks))) return false;
  }
  return true;
}

}  // namespace cuda_simulator::nccl
