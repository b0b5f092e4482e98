// All-reduce, step 04: a mailbox: a number and its flag in one store
//
// In all_reduce/03_one_shot.cu the blocks meet twice, and for each meeting a flag crosses the link
// after a fence. Here each thread stores its float into its mailboxes on the other GPUs. The same
// store of 8 bytes contains a sequence number, so a thread that sees the sequence number also sees
// the float. A thread polls the mailboxes on its own GPU until the messages with the expected
// sequence number have arrived.
//
// No GPU reads the array of another GPU, so no GPU waits until other GPUs have read its array. A
// mailbox has two slots, used alternately. A GPU sends its third message only after it has received
// the second message of each other GPU, which was sent after the first message had been read.
//
// Cost: a GPU sends 8 bytes per float to each of G - 1 GPUs, twice the size of the float; but a
// result waits for a single store. The kernel needs peer access, and all blocks run at once.
//
// Requires: a GPU

#include "all_reduce/all_reduce.h"
#include "peer_access.h"

#include "common/cuda_check.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

constexpr unsigned kThreads = 128;
constexpr unsigned kMaxBlocks = 128;  // an H200 has 132 multiprocessors: all run at once
constexpr unsigned kMailboxes = kThreads * kMaxBlocks;  // per GPU: one per thread

// The lower half is a float, the upper half is the sequence number.
using Message = unsigned long long;

// The workspace of a GPU.
struct Post {
  std::uint32_t sent[kMailboxes];  // the number of messages that a thread has sent to each GPU
  Message received[2][kMostGpus][kMailboxes];
};
static_assert(sizeof(Post) <= kAllReduceWorkspaceBytes);

struct Posts {
  Post* of[kMostGpus];
};

__global__ void all_reduce_mailbox_kernel(Posts posts, unsigned own, unsigned count,
                                          const float* in, float* out, std::size_t size) {
  const unsigned mailbox = blockIdx.x * kThreads + threadIdx.x;
  Post& post = *posts.of[own];
  std::uint32_t number = post.sent[mailbox];
  for (std::size_t i = mailbox; i < size; i += std::size_t{gridDim.x} * kThreads) {
    const float value = in[i];
    number += 1;
    const Message message = Message{number} << 32 | __float_as_uint(value);
    for (unsigned g = 0; g < count; ++g) {
      if (g == own) continue;
      *static_cast<volatile Message*>(&posts.of[g]->received[number % 2][own][mailbox]) = message;
    }
    float sum = 0;
    for (unsigned g = 0; g < count; ++g) {  // the same order on all GPUs, so the same bits
      Message answer = g == own ? message : 0;
      while (answer >> 32 != number) {
        answer = *static_cast<volatile Message*>(&post.received[number % 2][g][mailbox]);
      }
      sum += __uint_as_float(static_cast<unsigned>(answer));
    }
    out[i] = sum;
  }
  post.sent[mailbox] = number;
}

void all_reduce(const std::vector<Gpu>& gpus, const std::vector<const float*>& d_in,
                const std::vector<float*>& d_out, std::size_t size,
                const std::vector<void*>& d_workspaces) {
  require_peer_access(gpus, "ch10_many_gpus_all_reduce_ring");
  Posts posts{};
  for (std::size_t g = 0; g < gpus.size(); ++g) posts.of[g] = static_cast<Post*>(d_workspaces[g]);
  const auto blocks = static_cast<unsigned>(
      std::clamp<std::size_t>((size + kThreads - 1) / kThreads, 1, kMaxBlocks));
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    CUDA_CHECK(cudaSetDevice(gpus[g].device));
    all_reduce_mailbox_kernel<<<blocks, kThreads, 0, gpus[g].stream>>>(
        posts, static_cast<unsigned>(g), static_cast<unsigned>(gpus.size()), d_in[g], d_out[g],
        size);
    CUDA_CHECK(cudaGetLastError());
  }
}
