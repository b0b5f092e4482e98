#include "nccl/stream_work.h"

#include "trace/tracer.h"

#include <cstdint>

namespace cuda_simulator::nccl {

StreamWork::StreamWork(const ncclComm& comm, cudaStream_t stream, Call& call) : comm_(comm) {
  Tracer* const tracer = program_tracer();
  if (!tracer) return;
  const RuntimeCall one_at_a_time;
  const DeviceChoice choice(comm.device);
  given_ = StreamOrder::get().give(stream);
  call.clock = given_.clock;
  tracer->work_begins(given_, comm.device);
  if (const std::size_t bytes = send_bytes(call, comm.rank, comm.ranks)) {
    tracer->memory_read(reinterpret_cast<std::uintptr_t>(call.send), bytes, name_of(call.function),
                        call.caller);
  }
}

void StreamWork::finish(const Call& call) {
  Tracer* const tracer = program_tracer();
  if (!tracer) return;
  const RuntimeCall one_at_a_time;
  const DeviceChoice choice(comm_.device);
  StreamOrder::get().has_waited(given_, call.received);
  tracer->work_begins(given_, comm_.device);
  if (const std::size_t bytes = receive_bytes(call, comm_.rank, comm_.ranks)) {
    tracer->memory_written(reinterpret_cast<std::uintptr_t>(call.receive), bytes,
                           name_of(call.function), call.caller);
  }
  const auto device_of = [&](int rank) { return comm_.devices[static_cast<std::size_t>(rank)]; };
  if (call.function == Function::send && call.root != comm_.rank) {
    tracer->nccl_moved(comm_.device, device_of(call.root),
                       send_bytes(call, comm_.rank, comm_.ranks));
  } else if (const std::uint64_t bytes = bytes_to_next(call, comm_.rank, comm_.ranks)) {
    tracer->nccl_moved(comm_.device, device_of((comm_.rank + 1) % comm_.ranks), bytes);
  }
}

}  // namespace cuda_simulator::nccl
