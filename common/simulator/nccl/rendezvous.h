#pragma once

#include "nccl/channel.h"

#include <nccl.h>

#include <memory>
#include <string>

namespace cuda_simulator::nccl {

// Creates an id, and lets ranks of other processes join with it as long as this process runs.
// Returns ncclSystemError if the system cannot create a socket.
ncclResult_t make_unique_id(ncclUniqueId& id);

// Connects to the clique of an id; returns nullptr, and the reason, if there is none.
std::unique_ptr<Channel> connect_to(const ncclUniqueId& id, int ranks, std::string& why_not);

// Waits (for a limited time) until the results of their calls have been sent to ranks of other
// processes.
void send_last_replies();

}  // namespace cuda_simulator::nccl
