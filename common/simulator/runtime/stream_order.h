#pragma once

#include "runtime/devices.h"
#include "runtime/streams.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

namespace cuda_simulator {

// One work of a queue: a launch, a copy, a fill, or an NCCL call. A queue is a stream or a device's
// default stream; its works are numbered from 1.
struct Work {
  std::size_t queue = 0;
  std::uint64_t number = 0;
  bool in_default_stream = false;
};

// A vector clock: for each queue, the last work that something comes after.
class VectorClock {
 public:
  void add(const VectorClock& other);
  void add(Work work);
  bool includes(Work work) const {
    return work.queue < last_.size() && work.number <= last_[work.queue];
  }

 private:
  std::vector<std::uint64_t> last_;
};

// The order of works in the traced build. A work comes after all earlier works of its queue. It
// comes after works of another queue only if something makes it wait: an event, a wait of the host,
// or the default stream (it and the blocking streams of its device wait for each other). All host
// threads count as one, because the order between them is not visible.
// The simulator runs each work before the call returns; this class describes what a GPU could do.
class StreamOrder {
 public:
  static StreamOrder& get();

  struct Given {
    Work work;
    VectorClock clock;  // the works that this one comes after, and itself
  };
  // Adds work to a stream. Work in a default stream also counts as work in the default stream of
  // each of `devices`: a copy that involves two devices waits for both.
  Given give(cudaStream_t stream, const std::vector<int>& devices = {});
  // Adds work that waits for all earlier works of these devices; all their later works wait for it.
  Given give_to_all(const std::vector<int>& devices);
  // The work has also waited for works of other queues, for example when it received data.
  void has_waited(Given& given, const VectorClock& more);

  // The works that an event comes after, when it is recorded in the stream.
  VectorClock record(cudaStream_t stream);
  void stream_waits(cudaStream_t stream, const VectorClock& clock);
  void host_waits(const VectorClock& clock) {
    ++changes_;
    host_.add(clock);
  }
  void host_waits_for_stream(cudaStream_t stream) { host_waits(record(stream)); }
  void host_waits_for_device(int device);
  // The stream's slot may soon be reused.
  void destroyed(cudaStream_t stream);

  // The host sees the results of these works: it has read a flag that they set, or a function that
  // comes after them runs (cudaLaunchHostFunc), which may inform the rest of the program.
  void host_sees(const VectorClock& clock) {
    ++changes_;
    seen_.add(clock);
  }
  void host_function_runs(cudaStream_t stream);
  // The works that the host has waited for or seen, and a number that changes when there are more.
  Given of_host() const;
  std::uint64_t changes() const { return changes_; }

  // Returns whether all future works come after this one.
  bool is_behind_all(Work work) const { return host_.includes(work); }

 private:
  struct Key {
    int device;
    std::uintptr_t stream;   // 0: the device's default stream
    std::thread::id thread;  // for cudaStreamPerThread
    bool operator<(const Key& other) const {
      return std::tie(device, stream, thread) < std::tie(other.device, other.stream, other.thread);
    }
  };
  struct Queue {
    int device;
    bool is_default, is_blocking, is_free;
    std::uint64_t last;
    VectorClock clock;
  };

  std::size_t queue_of(cudaStream_t stream);
  std::size_t default_queue_of(int device) { return find({device, 0, {}}, true, true); }
  std::size_t find(const Key& key, bool is_default, bool is_blocking);
  VectorClock before_next(std::size_t queue);
  void add_device(VectorClock& clock, int device, bool with_non_blocking) const;
  Given add_work(std::size_t queue, VectorClock clock);

  std::map<Key, std::size_t> queue_of_;
  std::vector<Queue> queues_;
  VectorClock host_, seen_;
  std::uint64_t changes_ = 0;
  std::array<VectorClock, kMostDevices> device_waits_for_;
};

// While the object lives, works that its thread adds to a default stream go to this stream. It is
// used for the works of a graph, which have no stream of their own.
class GraphStream {
 public:
  explicit GraphStream(cudaStream_t stream);
  ~GraphStream();
  GraphStream(const GraphStream&) = delete;
  GraphStream& operator=(const GraphStream&) = delete;

  // Returns whether this thread runs the works of a graph in a stream other than the default
  // stream.
  static bool is_running();
  static cudaStream_t current();  // nullptr: the default stream

 private:
  const cudaStream_t before_;
};

// nullptr in the plain build, which does not record the order of works.
StreamOrder* stream_order();

// A call of the runtime. The traced build keeps one common record, so there the calls of host
// threads are serialised. In the plain build they do not wait for each other.
class RuntimeCall {
 public:
  RuntimeCall();
  ~RuntimeCall();
  RuntimeCall(const RuntimeCall&) = delete;
  RuntimeCall& operator=(const RuntimeCall&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

}  // namespace cuda_simulator
