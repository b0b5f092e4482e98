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

// One thing that a queue was given: a launch, a copy, a fill, a call of NCCL. A queue is a stream,
// a device's default one included, and numbers its works from 1.
struct Work {
  std::size_t queue = 0;
  std::uint64_t number = 0;
  bool in_default_stream = false;
};

// Up to which work of each queue something knows: what it comes after.
class Knowledge {
 public:
  void add(const Knowledge& other);
  void add(Work work);
  bool includes(Work work) const {
    return work.queue < last_.size() && work.number <= last_[work.queue];
  }

 private:
  std::vector<std::uint64_t> last_;
};

// Who waits for whom, in the traced build: work of one queue comes after what was there before it;
// after works of another queue only if something makes it wait. That is an event, the host that has
// waited, or the default stream, which waits for the blocking streams of its device and they for
// it. All host threads count as one: how they wait for each other is not seen.
//
// The simulator runs each work before the call returns; what this says is what a GPU may do.
class StreamOrder {
 public:
  static StreamOrder& get();

  struct Given {
    Work work;
    Knowledge knows;  // what the work comes after, itself included
  };
  // A stream gets work. What is given to a default stream counts as given to that of each of
  // `devices` too: a copy that two devices take part in waits for both.
  Given give(cudaStream_t stream, const std::vector<int>& devices = {});
  // Waits for all that these devices were given, and all that they are given later waits for it.
  Given give_to_all(const std::vector<int>& devices);
  // The work has come after more than its queue's, as when it has received something.
  void has_waited(Given& given, const Knowledge& more);

  // What an event that is recorded in the stream stands for.
  Knowledge record(cudaStream_t stream);
  void stream_waits(cudaStream_t stream, const Knowledge& knowledge);
  void host_waits(const Knowledge& knowledge) { host_.add(knowledge); }
  void host_waits_for_stream(cudaStream_t stream) { host_.add(record(stream)); }
  void host_waits_for_device(int device);
  // The stream's place may be another's soon.
  void destroyed(cudaStream_t stream);

  // Whether all work to come will be after this one.
  bool is_behind_all(Work work) const { return host_.includes(work); }

 private:
  struct Key {
    int device;
    std::uintptr_t stream;   // 0: the device's default stream
    std::thread::id thread;  // of cudaStreamPerThread
    bool operator<(const Key& other) const {
      return std::tie(device, stream, thread) < std::tie(other.device, other.stream, other.thread);
    }
  };
  struct Queue {
    int device;
    bool is_default, is_blocking, is_free;
    std::uint64_t last;
    Knowledge knows;
  };

  std::size_t queue_of(cudaStream_t stream);
  std::size_t default_queue_of(int device) { return find({device, 0, {}}, true, true); }
  std::size_t find(const Key& key, bool is_default, bool is_blocking);
  Knowledge before_next(std::size_t queue);
  void know_device(Knowledge& knowledge, int device, bool with_non_blocking) const;
  Given add_work(std::size_t queue, Knowledge knows);

  std::map<Key, std::size_t> queue_of_;
  std::vector<Queue> queues_;
  Knowledge host_;
  std::array<Knowledge, kMostDevices> device_waits_for_;
};

// While it lives, what its thread gives to a default stream goes to this one: a graph's works,
// which have no stream of their own.
class GraphStream {
 public:
  explicit GraphStream(cudaStream_t stream);
  ~GraphStream();
  GraphStream(const GraphStream&) = delete;
  GraphStream& operator=(const GraphStream&) = delete;

  // Whether this thread runs a graph's works, in a stream that is not the default one.
  static bool is_running();

 private:
  const cudaStream_t before_;
};

// nullptr in the plain build, which does not follow who waits for whom.
StreamOrder* stream_order();

// A call of the runtime. The traced build keeps one account of everything, so there host threads
// call one after another; the plain build's calls do not wait for each other.
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
