#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include "simulator/faults.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <thread>
#include <vector>

// Several devices: the memory and state of each, and the use of each other's memory. The tests use
// all devices, even if there is only one.

namespace {

int device_count() {
  int count = 0;
  CUDA_CHECK(cudaGetDeviceCount(&count));
  return count;
}

int current_device() {
  int device = -1;
  CUDA_CHECK(cudaGetDevice(&device));
  return device;
}

// Leaves device 0 as the current one, without peers.
class Devices : public DeviceTest {
 protected:
  void TearDown() override {
    for (int device = 0; device < device_count(); ++device) {
      CUDA_CHECK(cudaSetDevice(device));
      CUDA_CHECK(cudaDeviceSynchronize());
      for (int peer = 0; peer < device_count(); ++peer) cudaDeviceDisablePeerAccess(peer);
    }
    CUDA_CHECK(cudaSetDevice(0));
    cudaGetLastError();
    DeviceTest::TearDown();
  }

  // Calls function(device, peer) for every two devices that can be peers. The device is the current
  // one and can use the peer's memory.
  template <typename Function>
  static void for_each_pair(Function function) {
    for (int device = 0; device < device_count(); ++device) {
      for (int peer = 0; peer < device_count(); ++peer) {
        int can_access = 0;
        CUDA_CHECK(cudaDeviceCanAccessPeer(&can_access, device, peer));
        if (!can_access) continue;
        CUDA_CHECK(cudaSetDevice(device));
        ASSERT_EQ(cudaDeviceEnablePeerAccess(peer, 0), cudaSuccess);
        function(device, peer);
        ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
        ASSERT_EQ(cudaDeviceDisablePeerAccess(peer), cudaSuccess);
      }
    }
  }
};

__global__ void add_kernel(const int* in, int* out, int size, int summand) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) out[i] = in[i] + summand;
}

constexpr int kSize = 1000;

DeviceBuffer<int> on(int device, const std::vector<int>& values) {
  CUDA_CHECK(cudaSetDevice(device));
  return DeviceBuffer<int>(values);
}

std::vector<int> counted_from(int first) {
  return generated<int>(kSize, [=](int i) { return first + i; });
}

TEST_F(Devices, TheEnvironmentSetsTheirNumber) {
  const char* const wanted = std::getenv("CUDA_SIMULATOR_DEVICES");
  EXPECT_EQ(device_count(), wanted ? std::atoi(wanted) : 1);
}

TEST_F(Devices, EachCanBeChosen) {
  for (int device = 0; device < device_count(); ++device) {
    EXPECT_EQ(cudaSetDevice(device), cudaSuccess);
    EXPECT_EQ(current_device(), device);
  }
  EXPECT_EQ(cudaSetDevice(device_count()), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
  EXPECT_EQ(current_device(), device_count() - 1);
}

TEST_F(Devices, EachHostThreadChoosesForItself) {
  const int last = device_count() - 1;
  CUDA_CHECK(cudaSetDevice(last));
  int first_of_thread = -1;
  std::thread([&] { first_of_thread = current_device(); }).join();
  EXPECT_EQ(first_of_thread, 0);
  EXPECT_EQ(current_device(), last);
}

TEST_F(Devices, HaveProperties) {
  for (int device = 0; device < device_count(); ++device) {
    cudaDeviceProp properties;
    ASSERT_EQ(cudaGetDeviceProperties(&properties, device), cudaSuccess);
    int multiprocessors = 0;
    ASSERT_EQ(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
              cudaSuccess);
    EXPECT_EQ(multiprocessors, properties.multiProcessorCount);
  }
  int value = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, device_count()),
            cudaErrorInvalidDevice);
}

TEST_F(Devices, HaveMemoryOfTheirOwn) {
  constexpr std::size_t kBytes = 32 << 20;
  for (int device = 0; device < device_count(); ++device) {
    std::vector<std::size_t> free_before(static_cast<std::size_t>(device_count()));
    const auto free_bytes = [](int of) {
      std::size_t free = 0, total = 0;
      CUDA_CHECK(cudaSetDevice(of));
      CUDA_CHECK(cudaMemGetInfo(&free, &total));
      return free;
    };
    for (int i = 0; i < device_count(); ++i)
      free_before[static_cast<std::size_t>(i)] = free_bytes(i);
    CUDA_CHECK(cudaSetDevice(device));
    void* d_memory = nullptr;
    ASSERT_EQ(cudaMalloc(&d_memory, kBytes), cudaSuccess);
    cudaPointerAttributes attributes;
    ASSERT_EQ(cudaPointerGetAttributes(&attributes, d_memory), cudaSuccess);
    EXPECT_EQ(attributes.device, device);
    EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
    for (int i = 0; i < device_count(); ++i) {
      const std::size_t used = free_before[static_cast<std::size_t>(i)] - free_bytes(i);
      EXPECT_EQ(used >= kBytes, i == device) << i;
    }
    EXPECT_EQ(cudaFree(d_memory), cudaSuccess);  // with any current device
  }
}

TEST_F(Devices, RunKernelsOnTheirOwnMemory) {
  for (int device = 0; device < device_count(); ++device) {
    const DeviceBuffer<int> d_in = on(device, counted_from(device));
    DeviceBuffer<int> d_out(kSize);
    add_kernel<<<4, 256>>>(d_in.data(), d_out.data(), kSize, 5);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(d_out.to_host(), counted_from(device + 5));
  }
}

__global__ void reverse_kernel(int* data) {
  __shared__ int values[64];
  values[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = values[63 - threadIdx.x];
}

TEST_F(Devices, EachHasAHostThread) {
  std::vector<std::thread> threads;
  std::vector<std::vector<int>> results(static_cast<std::size_t>(device_count()));
  for (int device = 0; device < device_count(); ++device) {
    threads.emplace_back([&results, device] {
      DeviceBuffer<int> d_data = on(device, generated<int>(64, [=](int i) { return device + i; }));
      for (int round = 0; round < 5; ++round) reverse_kernel<<<1, 64>>>(d_data.data());
      results[static_cast<std::size_t>(device)] = d_data.to_host();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int device = 0; device < device_count(); ++device) {
    EXPECT_EQ(results[static_cast<std::size_t>(device)],
              generated<int>(64, [=](int i) { return device + 63 - i; }));
  }
}

TEST_F(Devices, AKernelReadsAPeersMemory) {
  for_each_pair([](int device, int peer) {
    const DeviceBuffer<int> d_in = on(peer, counted_from(peer));
    DeviceBuffer<int> d_out = on(device, std::vector<int>(kSize));
    add_kernel<<<4, 256>>>(d_in.data(), d_out.data(), kSize, 100);
    EXPECT_EQ(d_out.to_host(), counted_from(peer + 100)) << device << " reads from " << peer;
  });
}

TEST_F(Devices, AKernelWritesAPeersMemory) {
  for_each_pair([](int device, int peer) {
    DeviceBuffer<int> d_out = on(peer, std::vector<int>(kSize));
    const DeviceBuffer<int> d_in = on(device, counted_from(device));
    add_kernel<<<4, 256>>>(d_in.data(), d_out.data(), kSize, 7);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT_EQ(d_out.to_host(), counted_from(device + 7)) << device << " writes to " << peer;
  });
}

TEST_F(Devices, APoolGivesAPeerAccess) {
  for_each_pair([](int device, int peer) {
    ASSERT_EQ(cudaDeviceDisablePeerAccess(peer), cudaSuccess);
    cudaMemPool_t pool = nullptr;
    ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, peer), cudaSuccess);
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, device},
                                cudaMemAccessFlagsProtReadWrite};
    ASSERT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
    int* d_in = nullptr;
    CUDA_CHECK(cudaSetDevice(peer));
    CUDA_CHECK(cudaMallocAsync(&d_in, kSize * sizeof(int), nullptr));
    CUDA_CHECK(cudaMemset(d_in, 0, kSize * sizeof(int)));
    CUDA_CHECK(cudaDeviceSynchronize());
    DeviceBuffer<int> d_out = on(device, std::vector<int>(kSize));
    add_kernel<<<4, 256>>>(d_in, d_out.data(), kSize, 100);
    EXPECT_EQ(d_out.to_host(), std::vector<int>(kSize, 100)) << device << " reads from " << peer;
    EXPECT_EQ(cudaFree(d_in), cudaSuccess);
    access.flags = cudaMemAccessFlagsProtNone;
    EXPECT_EQ(cudaMemPoolSetAccess(pool, &access, 1), cudaSuccess);
    ASSERT_EQ(cudaDeviceEnablePeerAccess(peer, 0), cudaSuccess);
  });
}

TEST_F(Devices, PeerAccessIsEnabledOnceAndInOneDirection) {
  for_each_pair([](int device, int peer) {
    EXPECT_EQ(cudaDeviceEnablePeerAccess(peer, 0), cudaErrorPeerAccessAlreadyEnabled);
    CUDA_CHECK(cudaSetDevice(peer));
    EXPECT_EQ(cudaDeviceDisablePeerAccess(device), cudaErrorPeerAccessNotEnabled);
    cudaGetLastError();
  });
}

TEST_F(Devices, ADeviceIsNotItsOwnPeer) {
  int can_access = -1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can_access, 0, 0), cudaSuccess);
  EXPECT_EQ(can_access, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(device_count(), 0), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can_access, 0, device_count()), cudaErrorInvalidDevice);
}

TEST_F(Devices, SomeCannotBePeers) {
  const char* const peers = std::getenv("CUDA_SIMULATOR_PEER_ACCESS");
  if (!peers || *peers != '0' || device_count() < 2) GTEST_SKIP() << "these may be peers";
  int can_access = -1;
  EXPECT_EQ(cudaDeviceCanAccessPeer(&can_access, 0, 1), cudaSuccess);
  EXPECT_EQ(can_access, 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessUnsupported);
}

TEST_F(Devices, ATestEndsPeerAccess) {
  for_each_pair([](int, int peer) {
    cuda_simulator::set_peer_access(false);
    EXPECT_EQ(cudaDeviceDisablePeerAccess(peer), cudaErrorPeerAccessNotEnabled);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(peer, 0), cudaErrorPeerAccessUnsupported);
    cuda_simulator::set_peer_access(true);
    EXPECT_EQ(cudaDeviceEnablePeerAccess(peer, 0), cudaSuccess);
    cudaGetLastError();
  });
}

TEST_F(Devices, AttributesOfTwo) {
  int value = -1;
  EXPECT_EQ(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, device_count()),
            cudaErrorInvalidDevice);
  for_each_pair([](int device, int peer) {
    int supported = -1;
    EXPECT_EQ(cudaDeviceGetP2PAttribute(&supported, cudaDevP2PAttrAccessSupported, device, peer),
              cudaSuccess);
    EXPECT_EQ(supported, 1);
  });
}

TEST_F(Devices, CopyToEachOther) {  // with peer access or without
  const int count = device_count();
  for (int from = 0; from < count; ++from) {
    const int to = (from + 1) % count;
    const DeviceBuffer<int> d_from = on(from, counted_from(from));
    DeviceBuffer<int> d_to = on(to, std::vector<int>(kSize));
    EXPECT_EQ(cudaMemcpyPeer(d_to.data(), to, d_from.data(), from, 999 * sizeof(int)), cudaSuccess);
    std::vector<int> expected = counted_from(from);
    expected.back() = 0;
    EXPECT_EQ(d_to.to_host(), expected);
    EXPECT_EQ(cudaMemcpy(d_to.data(), d_from.data(), kSize * sizeof(int), cudaMemcpyDefault),
              cudaSuccess);
    EXPECT_EQ(d_to.to_host(), counted_from(from));
  }
}

TEST_F(Devices, CopyToEachOtherInAStream) {
  const int count = device_count();
  for (int from = 0; from < count; ++from) {
    const int to = (from + 1) % count;
    DeviceBuffer<int> d_to = on(to, std::vector<int>(kSize));
    const DeviceBuffer<int> d_from = on(from, counted_from(from));
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreate(&stream));
    EXPECT_EQ(cudaMemcpyPeerAsync(d_to.data(), to, d_from.data(), from, d_to.size_bytes(), stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(d_to.to_host(), counted_from(from));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
}

TEST_F(Devices, ACopyNamesDevicesThatExist) {
  DeviceBuffer<int> d_a(10), d_b(10);
  d_a.fill_bytes(0);
  EXPECT_EQ(cudaMemcpyPeer(d_b.data(), 0, d_a.data(), device_count(), 40), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaMemcpyPeer(d_b.data(), -1, d_a.data(), 0, 40), cudaErrorInvalidDevice);
}

TEST_F(Devices, AStreamWaitsForAnotherDevicesEvent) {
  const int last = device_count() - 1;
  DeviceBuffer<int> d_there = on(last, counted_from(0));
  const DeviceBuffer<int> d_here = on(0, counted_from(3));
  cudaStream_t here = nullptr, there = nullptr;
  cudaEvent_t event = nullptr;
  CUDA_CHECK(cudaStreamCreate(&here));
  CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CUDA_CHECK(cudaSetDevice(last));
  CUDA_CHECK(cudaStreamCreate(&there));
  EXPECT_EQ(cudaMemcpyPeerAsync(d_there.data(), last, d_here.data(), 0, d_here.size_bytes(), here),
            cudaSuccess);  // a copy can use a stream of a device that is not current
  EXPECT_EQ(cudaEventRecord(event, here), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(there, event), cudaSuccess);
  add_kernel<<<4, 256, 0, there>>>(d_there.data(), d_there.data(), kSize, 1);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(there), cudaSuccess);
  EXPECT_EQ(d_there.to_host(), counted_from(4));
  CUDA_CHECK(cudaStreamDestroy(here));
  CUDA_CHECK(cudaStreamDestroy(there));
  CUDA_CHECK(cudaEventDestroy(event));
}

TEST_F(Devices, AStreamHasADevice) {
  for (int device = 0; device < device_count(); ++device) {
    CUDA_CHECK(cudaSetDevice(device));
    cudaStream_t stream = nullptr;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaSetDevice(0));
    int found = -1;
    EXPECT_EQ(cudaStreamGetDevice(stream, &found), cudaSuccess);
    EXPECT_EQ(found, device);
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
}

}  // namespace
