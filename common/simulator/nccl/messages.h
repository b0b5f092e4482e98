#pragma once

#include "nccl/clique.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// The messages between a rank and the clique in another process of the same host, through a Unix
// socket. Both run the same simulator, so numbers are sent in their memory representation.

namespace cuda_simulator::nccl {

// One end of a connection. A forked child closes it; otherwise the connection would stay open after
// this process has ended.
class Socket {
 public:
  explicit Socket(int file = -1);
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket& operator=(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  bool is_open() const { return file_ >= 0; }
  int file() const { return file_; }
  // Each returns false if the other end is closed.
  bool send(const void* data, std::size_t bytes) const;
  bool receive(void* data, std::size_t bytes) const;
  bool has_other_end() const;

  template <typename T>
  bool send(const T& value) const {
    return send(&value, sizeof value);
  }
  template <typename T>
  bool receive(T& value) const {
    return receive(&value, sizeof value);
  }
  bool send_text(const std::string& text) const;
  bool receive_text(std::string& text) const;

 private:
  void close();
  int file_ = -1;
};

struct JoinRequest {
  int rank, ranks, device;
  std::uint64_t program;
};

// A call without its data; then its data.
struct CallHead {
  Function function;
  std::uint64_t count;
  ncclDataType_t type;
  ncclRedOp_t operation;
  int root;
  std::uintptr_t caller;
};

// After joining: a batch of 0 calls means that the rank leaves.
bool send_batch(const Socket& socket, const Clique::Batch& batch, int ranks);
// `data` holds the data that the rank sends, and has space for the data that it receives; the sent
// data comes first.
bool receive_batch(const Socket& socket, Clique::Batch& batch, int ranks,
                   std::vector<std::vector<char>>& data);
bool send_results(const Socket& socket, const Clique::Batch& batch, int ranks,
                  const Outcome& outcome);
bool receive_results(const Socket& socket, const Clique::Batch& batch, int ranks, Outcome& outcome);

}  // namespace cuda_simulator::nccl
