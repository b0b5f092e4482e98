#include "common/harness/operation.h"

#include "common/cuda_check.h"
#include "common/harness/cpu_baseline.h"
#include "common/harness/options.h"
#include "common/harness/plain_copy.h"
#include "common/harness/read_probe.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <utility>

// Linked only with programs that compute on the CPU.
[[gnu::weak]] unsigned cpu_threads();

namespace {

template <typename T>
bool same_value(T a, T b) {
  if (std::memcmp(&a, &b, sizeof a) == 0) return true;
  return std::isnan(static_cast<double>(a)) && std::isnan(static_cast<double>(b));
}

template <typename T>
bool is_near(T value, double right, double bound) {
  const auto actual = static_cast<double>(value);
  if (actual == right || (std::isnan(actual) && std::isnan(right))) return true;
  return std::isfinite(actual - right) && std::abs(actual - right) <= bound;
}

}  // namespace

template <typename T>
void Array<T>::expect(std::vector<T> right) {
  if (right.size() != count) throw std::logic_error(name + ": as many right values as elements");
  const auto values = std::make_shared<const std::vector<T>>(std::move(right));
  expect([values](T value, std::size_t i) { return same_value(value, (*values)[i]); },
         [values](std::size_t i) { return static_cast<double>((*values)[i]); });
}

template <typename T>
void Array<T>::expect(std::vector<T> right, double bound) {
  if (right.size() != count) throw std::logic_error(name + ": as many right values as elements");
  const auto values = std::make_shared<const std::vector<T>>(std::move(right));
  expect(
      [values, bound](T value, std::size_t i) {
        return is_near(value, static_cast<double>((*values)[i]), bound);
      },
      [values](std::size_t i) { return static_cast<double>((*values)[i]); });
  bound_ = bound;
}

template <typename T>
void Array<T>::expect(std::vector<double> right, std::vector<double> bounds) {
  if (right.size() != count) throw std::logic_error(name + ": as many right values as elements");
  expect_at({}, std::move(right), std::move(bounds));
}

template <typename T>
void Array<T>::expect_at(std::vector<std::size_t> elements, std::vector<double> right,
                         std::vector<double> bounds) {
  const auto values = std::make_shared<const std::vector<double>>(std::move(right));
  const auto limits = std::make_shared<const std::vector<double>>(std::move(bounds));
  expect([values, limits](T value,
                          std::size_t i) { return is_near(value, (*values)[i], (*limits)[i]); },
         [values](std::size_t i) { return (*values)[i]; });
  if (elements.size() < count) chosen_ = std::move(elements);
}

template <typename T>
void Array<T>::expect(std::function<bool(T value, std::size_t i)> is_right,
                      std::function<double(std::size_t i)> right) {
  bound_ = 0;
  is_right_ = std::move(is_right);
  right_ = std::move(right);
  chosen_.clear();
}

template <typename T>
void Array<T>::allocate(bool in_host_memory, std::size_t before, std::size_t after) {
  if (is_returned()) return;
  if (in_host_memory && memory == Memory::kDevice) memory = Memory::kHost;
  allocated_ = before + count + after;
  if (memory == Memory::kDevice) {
    in_device_memory_ = DeviceBuffer<T>(allocated_);
    memory_ = in_device_memory_.data();
  } else if (memory == Memory::kHost) {
    in_host_memory_.reset(new T[allocated_], std::default_delete<T[]>());
    memory_ = in_host_memory_.get();
  } else {
    CUDA_CHECK(cudaMallocHost(&memory_, std::max<std::size_t>(allocated_, 1) * sizeof(T)));
    in_host_memory_.reset(memory_, [](T* pinned) { cudaFreeHost(pinned); });
  }
  data_ = allocated_ > 0 ? memory_ + before : nullptr;
}

template <typename T>
void Array<T>::fill_surroundings(int byte) {
  if (memory == Memory::kDevice) return in_device_memory_.fill_bytes(byte);
  std::memset(static_cast<void*>(memory_), byte, allocated_ * sizeof(T));
}

template <typename T>
std::vector<T> Array<T>::with_surroundings() const {
  if (memory == Memory::kDevice) return in_device_memory_.to_host();
  return {memory_, memory_ + allocated_};
}

template <typename T>
void Array<T>::write(cudaStream_t stream) {
  if (is_returned()) return;
  const std::size_t bytes = count * sizeof(T);
  const bool has_data = is_input() || !host.empty();
  if (has_data && host.size() != count) {
    throw std::logic_error(name +
                           format(": fill() gives it %zu of %zu elements", host.size(), count));
  }
  if (count == 0) return;
  if (in_host_memory_) {
    // A computer with several processors keeps memory near the core that writes to it first.
    for_each_chunk(
        count, cpu_threads ? cpu_threads() : 1, [&](unsigned, std::size_t first, std::size_t last) {
          const std::size_t chunk_bytes = (last - first) * sizeof(T);
          if (has_data) {
            std::memcpy(static_cast<void*>(data_ + first), host.data() + first, chunk_bytes);
          } else {
            std::memset(static_cast<void*>(data_ + first), unwritten, chunk_bytes);
          }
        });
  } else if (has_data) {
    CUDA_CHECK(cudaMemcpyAsync(data_, host.data(), bytes, cudaMemcpyHostToDevice, stream));
  } else {
    CUDA_CHECK(cudaMemsetAsync(data_, unwritten, bytes, stream));
  }
}

template <typename T>
std::vector<T> Array<T>::now() const {
  if (is_returned()) return read_();
  if (in_host_memory_) return {data_, data_ + count};
  std::vector<T> elements(count);
  if (count > 0) {
    CUDA_CHECK(cudaMemcpy(elements.data(), data_, count * sizeof(T), cudaMemcpyDeviceToHost));
  }
  return elements;
}

// In pieces that stay in the caches.
template <typename T>
bool Array<T>::is_unchanged() const {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::vector<T> piece(std::min(count, kPiece));
  for (std::size_t first = 0; first < count; first += kPiece) {
    const std::size_t bytes = std::min(kPiece, count - first) * sizeof(T);
    CUDA_CHECK(cudaMemcpy(piece.data(), data_ + first, bytes, cudaMemcpyDefault));
    if (std::memcmp(piece.data(), host.data() + first, bytes) != 0) return false;
  }
  return true;
}

template <typename T>
void Array<T>::exchange_memory(Array& other) {
  std::swap(in_device_memory_, other.in_device_memory_);
  std::swap(in_host_memory_, other.in_host_memory_);
  std::swap(allocated_, other.allocated_);
  std::swap(memory_, other.memory_);
  std::swap(data_, other.data_);
}

template <typename T>
std::optional<Mismatch> Array<T>::mismatch() const {
  Mismatch mismatch{compared(), 0};
  std::mutex mutex;
  const unsigned threads = compared() > 100'000 ? cpu_cores() : 1;
  for_each_chunk(compared(), threads, [&](unsigned, std::size_t begin, std::size_t end) {
    Mismatch of_chunk{compared(), 0};
    for (std::size_t i = end; i-- > begin;) {
      if (is_right_(result[element(i)], i)) continue;
      of_chunk = {i, of_chunk.count + 1};
    }
    const std::lock_guard<std::mutex> lock(mutex);
    mismatch = {std::min(mismatch.first, of_chunk.first), mismatch.count + of_chunk.count};
  });
  return mismatch.count > 0 ? std::optional(mismatch) : std::nullopt;
}

template class Array<float>;
template class Array<double>;
template class Array<int>;
template class Array<unsigned>;
template class Array<long long>;
template class Array<unsigned long long>;
template class Array<char>;
template class Array<std::uint8_t>;

Yardstick plain_copy(Computation& computation) {
  AnyArray source = computation.arrays.front();
  for (const AnyArray& array : computation.arrays) {
    const bool is_in_place = std::visit([](auto* a) { return a->role == Role::kInPlace; }, array);
    if (is_in_place) source = array;
  }
  return std::visit(
      [](auto* array) -> Yardstick {
        const std::size_t bytes = static_cast<std::size_t>(array->bytes());
        const bool is_on_device = array->memory == Memory::kDevice;
        const bool is_in_place = array->role == Role::kInPlace && is_on_device;
        const auto other = std::make_shared<DeviceBuffer<char>>(bytes);
        if (is_in_place) {
          CUDA_CHECK(cudaMemcpy(other->data(), array->host.data(), bytes, cudaMemcpyHostToDevice));
        }
        const auto stand_in = std::make_shared<DeviceBuffer<char>>(is_on_device ? 0 : bytes);
        stand_in->fill_bytes(0);
        const auto queue = [=] {
          void* const here = is_on_device ? static_cast<void*>(array->data()) : stand_in->data();
          if (is_in_place) return queue_copy(here, other->data(), bytes);
          queue_copy(other->data(), here, bytes);
        };
        return {"plain copy", "copy", queue, [bytes] { return 2 * static_cast<double>(bytes); }};
      },
      source);
}

Yardstick input_read(Computation& computation) {
  double bytes = 0;
  for_each_array(computation,
                 [&](auto* array) { bytes += array->is_input() ? array->bytes() : 0; });
  const std::size_t doubles = static_cast<std::size_t>(bytes) / sizeof(double);
  const auto memory = std::make_shared<DeviceBuffer<double>>(doubles);
  const auto unused = std::make_shared<DeviceBuffer<unsigned>>(1);
  memory->fill_bytes(0);
  return {"read probe", "read_probe",
          [=] { read_probe(memory->data(), memory->size(), unused->data()); },
          [bytes] { return bytes; }};
}

std::string Extent::name() const {
  return {option + std::strlen("--"), std::strcspn(option, " ") - std::strlen("--")};
}
std::string Choice::name() const { return option + std::strlen("--"); }
std::string Choice::word(std::size_t i) const {
  return values[i].option + std::strlen(option) + std::strlen(" ");
}

std::vector<Shape> shapes_of(const std::vector<std::size_t>& sizes) {
  std::vector<Shape> shapes;
  for (const std::size_t size : sizes) shapes.push_back({size});
  return shapes;
}

std::optional<std::string> refusal_of(const Operation& operation, const Shape& shape) {
  if (!operation.refuse) return std::nullopt;
  try {
    operation.refuse(shape);
    return std::nullopt;
  } catch (const UsageError& error) {
    return error.what();
  }
}

Shape complete(const Operation& operation, Shape shape) {
  if (operation.extents.empty()) throw std::logic_error("describe_operation() gives no extents.");
  if (operation.shapes.empty()) {
    throw std::logic_error("describe_operation() gives no shapes, and the tests need some.");
  }
  if (!operation.make) throw std::logic_error("describe_operation() gives no `make`.");
  if (shape.size() < operation.extents.size()) {
    throw std::logic_error(
        format("a shape has %zu sizes, and describe_operation() gives %zu extents.", shape.size(),
               operation.extents.size()));
  }
  shape.resize(operation.extents.size() + operation.choices.size());
  return shape;
}

bool is_on_cpu(const Computation& computation) {
  bool is_on_cpu = true;
  for_each_array(computation, [&](auto* array) {
    if (array->memory == Memory::kDevice) is_on_cpu = false;
  });
  return is_on_cpu;
}

void read_results(Computation& computation) {
  computation.expect();
  for_each_array(computation, [](auto* array) {
    if (!array->is_output()) return;
    if (!array->is_checked()) {
      throw std::logic_error("nothing checks the output `" + array->name +
                             "`: call its expect() in expect().");
    }
    array->result = array->now();
  });
}

bool is_right(const Computation& computation) {
  bool is_right = true;
  for_each_array(computation, [&](auto* array) {
    if (array->is_output() && array->mismatch()) is_right = false;
  });
  return is_right;
}

void require_right(Computation& computation) {
  for_each_array(computation, [&](auto* array) {
    if (array->role == Role::kInput && !array->is_unchanged()) {
      throw std::runtime_error("WRONG: the function changed its input `" + array->name + "`.");
    }
    if (!array->is_output()) return;
    const auto mismatch = array->mismatch();
    if (!mismatch) return;
    const std::size_t i = array->element(mismatch->first);
    throw std::runtime_error(format(
        "WRONG for %s: %zu of %zu elements differ. The first is %s[%zu]%s: expected %s, got %s%s.",
        computation.text().c_str(), mismatch->count, array->compared(), array->name.c_str(), i,
        computation.place_of(i).c_str(), printed(array->right(mismatch->first), 17).c_str(),
        printed_exactly(array->result[i]).c_str(),
        computation.about_wrong(i, static_cast<double>(array->result[i])).c_str()));
  });
}
