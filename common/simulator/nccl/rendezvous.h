#pragma once

#include "nccl/channel.h"

#include <nccl.h>

#include <memory>
#include <string>

namespace cuda_simulator::nccl {

// Makes an id, and lets ranks of other processes join with it for as long as this process runs.
// ncclSystemError if the system gives no socket.
ncclResult_t make_unique_id(ncclUniqueId& id);

// The way to the clique of an id; nullptr, and why, if there is none.
std::unique_ptr<Channel> connect_to(const ncclUniqueId& id, int ranks, std::string& why_not);

// Waits until ranks of other processes have been told how their calls ended; not for long.
void send_last_replies();

}  // namespace cuda_simulator::nccl
