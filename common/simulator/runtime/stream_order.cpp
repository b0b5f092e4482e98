#include "runtime/stream_order.h"

#include "trace/tracer.h"

#include <algorithm>
#include <utility>

namespace cuda_simulator {
namespace {

thread_local cudaStream_t graph_stream = nullptr;

}  // namespace

GraphStream::GraphStream(cudaStream_t stream) : before_(graph_stream) {
  if (stream) graph_stream = stream;  // a graph inside a graph
}
GraphStream::~GraphStream() { graph_stream = before_; }
bool GraphStream::is_running() { return graph_stream != nullptr; }
cudaStream_t GraphStream::current() { return graph_stream; }

void VectorClock::add(const VectorClock& other) {
  if (last_.size() < other.last_.size()) last_.resize(other.last_.size());
  for (std::size_t i = 0; i < other.last_.size(); ++i)
    last_[i] = std::max(last_[i], other.last_[i]);
}

void VectorClock::add(Work work) {
  if (last_.size() <= work.queue) last_.resize(work.queue + 1);
  last_[work.queue] = std::max(last_[work.queue], work.number);
}

StreamOrder& StreamOrder::get() {
  static StreamOrder& order = *new StreamOrder;  // never destroyed, because streams are not
  return order;
}

std::size_t StreamOrder::find(const Key& key, bool is_default, bool is_blocking) {
  const auto found = queue_of_.find(key);
  if (found != queue_of_.end()) return found->second;
  // Reuses the slot of a stream that has nothing in flight: the lists stay short in a program that
  // creates streams again and again.
  const auto free = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& queue) {
    const auto number = static_cast<std::size_t>(&queue - queues_.data());
    return queue.is_free && host_.includes({number, queue.last});
  });
  const auto place = static_cast<std::size_t>(free - queues_.begin());
  if (free == queues_.end()) queues_.push_back({});
  Queue& queue = queues_[place];
  queue = {key.device, is_default, is_blocking, false, queue.last, {}};
  return queue_of_[key] = place;
}

std::size_t StreamOrder::queue_of(cudaStream_t stream) {
  if (is_default_stream(stream)) return default_queue_of(current_device());
  if (stream == cudaStreamPerThread)
    return find({current_device(), 2, std::this_thread::get_id()}, false, true);
  const CudaSimulatorStream known = Streams::get().find(stream).value_or(CudaSimulatorStream{});
  return find({known.device, reinterpret_cast<std::uintptr_t>(stream), {}}, false,
              known.is_blocking);
}

void StreamOrder::add_device(VectorClock& clock, int device, bool with_non_blocking) const {
  for (const Queue& queue : queues_) {
    if (queue.device == device && (queue.is_blocking || with_non_blocking)) clock.add(queue.clock);
  }
}

// The works that the next work of the queue comes after.
VectorClock StreamOrder::before_next(std::size_t number) {
  const Queue queue = queues_[number];
  VectorClock clock = queue.clock;
  clock.add(host_);
  clock.add(device_waits_for_[static_cast<std::size_t>(queue.device)]);
  if (queue.is_default) {
    add_device(clock, queue.device, /*with_non_blocking=*/false);
  } else if (queue.is_blocking) {
    clock.add(queues_[default_queue_of(queue.device)].clock);
  }
  return clock;
}

StreamOrder::Given StreamOrder::add_work(std::size_t number, VectorClock clock) {
  ++changes_;
  Queue& queue = queues_[number];
  const Work work{number, ++queue.last, queue.is_default};
  clock.add(work);
  queue.clock = clock;
  return {work, std::move(clock)};
}

StreamOrder::Given StreamOrder::give(cudaStream_t stream, const std::vector<int>& devices) {
  if (!stream) stream = graph_stream;
  const std::size_t queue = queue_of(stream);
  VectorClock clock = before_next(queue);
  if (!is_default_stream(stream)) return add_work(queue, std::move(clock));
  for (const int device : devices) clock.add(before_next(default_queue_of(device)));
  Given given = add_work(queue, std::move(clock));
  for (const int device : devices) queues_[default_queue_of(device)].clock.add(given.clock);
  return given;
}

StreamOrder::Given StreamOrder::give_to_all(const std::vector<int>& devices) {
  const std::size_t queue = default_queue_of(current_device());
  VectorClock clock = before_next(queue);
  for (const int device : devices) add_device(clock, device, /*with_non_blocking=*/true);
  Given given = add_work(queue, std::move(clock));
  for (const int device : devices)
    device_waits_for_[static_cast<std::size_t>(device)].add(given.clock);
  return given;
}

void StreamOrder::has_waited(Given& given, const VectorClock& more) {
  given.clock.add(more);
  queues_[given.work.queue].clock.add(more);
}

VectorClock StreamOrder::record(cudaStream_t stream) { return before_next(queue_of(stream)); }

void StreamOrder::host_function_runs(cudaStream_t stream) {
  host_sees(record(graph_stream ? graph_stream : stream));
}

StreamOrder::Given StreamOrder::of_host() const {
  Given given{Work{}, host_};
  given.clock.add(seen_);
  return given;
}

void StreamOrder::stream_waits(cudaStream_t stream, const VectorClock& clock) {
  queues_[queue_of(stream)].clock.add(clock);
}

void StreamOrder::host_waits_for_device(int device) {
  ++changes_;
  add_device(host_, device, /*with_non_blocking=*/true);
}

void StreamOrder::destroyed(cudaStream_t stream) {
  const std::size_t queue = queue_of(stream);
  queues_[queue].is_free = true;
  const auto found = std::find_if(queue_of_.begin(), queue_of_.end(),
                                  [=](const auto& entry) { return entry.second == queue; });
  queue_of_.erase(found);
}

StreamOrder* stream_order() { return program_tracer() ? &StreamOrder::get() : nullptr; }

namespace {

std::recursive_mutex& one_call_at_a_time() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

RuntimeCall::RuntimeCall() {
  if (program_tracer()) lock_ = std::unique_lock<std::recursive_mutex>(one_call_at_a_time());
}
RuntimeCall::~RuntimeCall() = default;

}  // namespace cuda_simulator
