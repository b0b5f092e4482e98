#include "common/device_buffer.h"
#include "tests/simulator/run_kernel.h"
#include "tests/support/device_test.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nccl.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

// NCCL's calls, with one rank per device: the data that arrives on each rank.

namespace {

class Nccl : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    CUDA_CHECK(cudaGetDeviceCount(&ranks));
    comms.resize(static_cast<std::size_t>(ranks));
    ASSERT_EQ(ncclCommInitAll(comms.data(), ranks, nullptr), ncclSuccess);
    for (int rank = 0; rank < ranks; ++rank) {
      CUDA_CHECK(cudaSetDevice(rank));
      cudaStream_t stream = nullptr;
      CUDA_CHECK(cudaStreamCreate(&stream));
      streams.push_back(stream);
    }
  }
  void TearDown() override {
    for (int rank = 0; rank < ranks; ++rank) {
      CUDA_CHECK(cudaSetDevice(rank));
      CUDA_CHECK(cudaStreamDestroy(stream(rank)));
      EXPECT_EQ(ncclCommDestroy(comm(rank)), ncclSuccess);
    }
    CUDA_CHECK(cudaSetDevice(0));
    DeviceTest::TearDown();
  }

  ncclComm_t comm(int rank) const { return comms[static_cast<std::size_t>(rank)]; }
  cudaStream_t stream(int rank) const { return streams[static_cast<std::size_t>(rank)]; }
  void wait() const {
    for (const cudaStream_t stream : streams) ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }

  // A buffer on each rank's device, filled by value(rank, i).
  template <typename T, typename Value>
  std::vector<DeviceBuffer<T>> buffers(std::size_t size, Value value) const {
    std::vector<DeviceBuffer<T>> buffers;
    for (int rank = 0; rank < ranks; ++rank) {
      CUDA_CHECK(cudaSetDevice(rank));
      buffers.emplace_back(
          generated<T>(size, [&](int i) { return static_cast<T>(value(rank, i)); }));
    }
    return buffers;
  }
  // Calls function(rank) for each rank in one group, and waits.
  void in_group(const std::function<ncclResult_t(int)>& function) const {
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int rank = 0; rank < ranks; ++rank) ASSERT_EQ(function(rank), ncclSuccess);
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
    wait();
  }

  int ranks = 0;
  std::vector<ncclComm_t> comms;
  std::vector<cudaStream_t> streams;
};

template <typename T>
T& at(std::vector<T>& values, int rank) {
  return values[static_cast<std::size_t>(rank)];
}

constexpr std::size_t kSize = 1001;  // not a multiple of the number of ranks

int value_of(int rank, int i) { return 10 * rank + i % 7; }

TEST_F(Nccl, HasItsRanks) {
  for (int rank = 0; rank < ranks; ++rank) {
    int count = 0, device = -1, user_rank = -1;
    EXPECT_EQ(ncclCommCount(comm(rank), &count), ncclSuccess);
    EXPECT_EQ(ncclCommCuDevice(comm(rank), &device), ncclSuccess);
    EXPECT_EQ(ncclCommUserRank(comm(rank), &user_rank), ncclSuccess);
    EXPECT_EQ(count, ranks);
    EXPECT_EQ(device, rank);
    EXPECT_EQ(user_rank, rank);
    ncclResult_t error = ncclInternalError;
    EXPECT_EQ(ncclCommGetAsyncError(comm(rank), &error), ncclSuccess);
    EXPECT_EQ(error, ncclSuccess);
  }
}

TEST_F(Nccl, HasAVersionAndTexts) {
  int version = 0;
  EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_GE(version, 20000);
  EXPECT_STREQ(ncclGetErrorString(ncclSuccess), "no error");
  EXPECT_STREQ(ncclGetErrorString(ncclRemoteError),
               "remote process exited or there was a network error");
}

TEST_F(Nccl, AllReduceSums) {
  auto d_in = buffers<float>(kSize, value_of);
  auto d_out = buffers<float>(kSize, [](int, int) { return -1; });
  in_group([&](int rank) {
    return ncclAllReduce(at(d_in, rank).data(), at(d_out, rank).data(), kSize, ncclFloat, ncclSum,
                         comm(rank), stream(rank));
  });
  const auto expected = generated<float>(
      kSize, [&](int i) { return 10 * ranks * (ranks - 1) / 2 + ranks * (i % 7); });
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_out, rank).to_host(), expected);
    EXPECT_EQ(at(d_in, rank).to_host(),
              generated<float>(kSize, [=](int i) { return value_of(rank, i); }));
  }
}

TEST_F(Nccl, AllReduceInPlace) {
  auto d_data = buffers<double>(kSize, value_of);
  in_group([&](int rank) {
    double* const data = at(d_data, rank).data();
    return ncclAllReduce(data, data, kSize, ncclDouble, ncclMax, comm(rank), stream(rank));
  });
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_data, rank).to_host(),
              generated<double>(kSize, [&](int i) { return value_of(ranks - 1, i); }));
  }
}

// Each operation over the values 3, 4, 5, ... of the ranks.
template <typename T>
class NcclTypes : public Nccl {
 public:
  void expect_all_operations(ncclDataType_t type) {
    double sum = 0, product = 1;
    for (int rank = 0; rank < ranks; ++rank) {
      sum += 3 + rank;
      product *= 3 + rank;
    }
    const double mean = std::is_integral_v<T> ? std::floor(sum / ranks) : sum / ranks;
    expect(type, ncclSum, sum);
    expect(type, ncclProd, static_cast<double>(static_cast<T>(product)));
    expect(type, ncclMax, 2 + ranks);
    expect(type, ncclMin, 3);
    expect(type, ncclAvg, mean);
  }

 private:
  void expect(ncclDataType_t type, ncclRedOp_t operation, double expected) {
    auto d_data = buffers<T>(65, [](int rank, int) { return 3 + rank; });
    in_group([&](int rank) {
      return ncclAllReduce(at(d_data, rank).data(), at(d_data, rank).data(), 65, type, operation,
                           comm(rank), stream(rank));
    });
    // A half cannot store a third exactly; three roundings can cause an error of 2 units.
    const double bound = operation == ncclAvg && !std::is_integral_v<T> ? 0.05 : 0;
    for (int rank = 0; rank < ranks; ++rank) {
      for (const T value : at(d_data, rank).to_host())
        ASSERT_NEAR(static_cast<double>(static_cast<float>(value)), expected, bound)
            << type << " " << operation;
    }
  }
};
using NcclOfInt8 = NcclTypes<std::int8_t>;
using NcclOfUint8 = NcclTypes<std::uint8_t>;
using NcclOfInt32 = NcclTypes<std::int32_t>;
using NcclOfUint32 = NcclTypes<std::uint32_t>;
using NcclOfInt64 = NcclTypes<std::int64_t>;
using NcclOfUint64 = NcclTypes<std::uint64_t>;
using NcclOfHalf = NcclTypes<__half>;
using NcclOfFloat = NcclTypes<float>;
using NcclOfDouble = NcclTypes<double>;
using NcclOfBfloat16 = NcclTypes<__nv_bfloat16>;
TEST_F(NcclOfInt8, AllOperations) { expect_all_operations(ncclInt8); }
TEST_F(NcclOfUint8, AllOperations) { expect_all_operations(ncclUint8); }
TEST_F(NcclOfInt32, AllOperations) { expect_all_operations(ncclInt32); }
TEST_F(NcclOfUint32, AllOperations) { expect_all_operations(ncclUint32); }
TEST_F(NcclOfInt64, AllOperations) { expect_all_operations(ncclInt64); }
TEST_F(NcclOfUint64, AllOperations) { expect_all_operations(ncclUint64); }
TEST_F(NcclOfHalf, AllOperations) { expect_all_operations(ncclHalf); }
TEST_F(NcclOfFloat, AllOperations) { expect_all_operations(ncclFloat); }
TEST_F(NcclOfDouble, AllOperations) { expect_all_operations(ncclDouble); }
TEST_F(NcclOfBfloat16, AllOperations) { expect_all_operations(ncclBfloat16); }

TEST_F(Nccl, ReduceGivesTheRootTheSum) {
  for (int root = 0; root < ranks; ++root) {
    auto d_in = buffers<int>(kSize, value_of);
    auto d_out = buffers<int>(kSize, [](int, int) { return -1; });
    in_group([&](int rank) {
      int* const receive = rank == root ? at(d_out, rank).data() : nullptr;
      return ncclReduce(at(d_in, rank).data(), receive, kSize, ncclInt, ncclMin, root, comm(rank),
                        stream(rank));
    });
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(at(d_out, rank).to_host(),
                generated<int>(kSize, [&](int i) { return rank == root ? value_of(0, i) : -1; }));
    }
  }
}

TEST_F(Nccl, BroadcastGivesAllTheRootsData) {
  for (int root = 0; root < ranks; ++root) {
    auto d_data = buffers<int>(kSize, value_of);
    in_group([&](int rank) {
      return ncclBcast(at(d_data, rank).data(), kSize - 1, ncclInt, root, comm(rank), stream(rank));
    });
    for (int rank = 0; rank < ranks; ++rank) {
      auto expected = generated<int>(kSize, [=](int i) { return value_of(root, i); });
      expected.back() = value_of(rank, kSize - 1);
      EXPECT_EQ(at(d_data, rank).to_host(), expected);
    }
  }
}

TEST_F(Nccl, AllGatherPutsTheRanksPartsInOrder) {
  const std::size_t part = 33;
  const std::size_t all = part * static_cast<std::size_t>(ranks);
  auto d_in = buffers<int>(part, value_of);
  auto d_out = buffers<int>(all, [](int, int) { return -1; });
  in_group([&](int rank) {
    return ncclAllGather(at(d_in, rank).data(), at(d_out, rank).data(), part, ncclInt, comm(rank),
                         stream(rank));
  });
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_out, rank).to_host(),
              generated<int>(all, [](int i) { return value_of(i / 33, i % 33); }));
  }
}

TEST_F(Nccl, AllGatherInPlace) {
  const std::size_t part = 20;
  const std::size_t all = part * static_cast<std::size_t>(ranks);
  auto d_data = buffers<int>(all, [](int rank, int i) { return i / 20 == rank ? i : -1; });
  in_group([&](int rank) {
    int* const data = at(d_data, rank).data();
    return ncclAllGather(data + 20 * rank, data, part, ncclInt, comm(rank), stream(rank));
  });
  for (int rank = 0; rank < ranks; ++rank)
    EXPECT_EQ(at(d_data, rank).to_host(), generated<int>(all, [](int i) { return i; }));
}

TEST_F(Nccl, ReduceScatterGivesEachRankItsPartOfTheSum) {
  const std::size_t part = 17;
  auto d_in = buffers<int>(part * static_cast<std::size_t>(ranks), value_of);
  auto d_out = buffers<int>(part, [](int, int) { return -1; });
  in_group([&](int rank) {
    return ncclReduceScatter(at(d_in, rank).data(), at(d_out, rank).data(), part, ncclInt, ncclSum,
                             comm(rank), stream(rank));
  });
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_out, rank).to_host(), generated<int>(part, [&](int i) {
                return 10 * ranks * (ranks - 1) / 2 + ranks * ((17 * rank + i) % 7);
              }));
  }
}

TEST_F(Nccl, SendAndReceiveAroundARing) {
  auto d_in = buffers<int>(kSize, value_of);
  auto d_out = buffers<int>(kSize, [](int, int) { return -1; });
  in_group([&](int rank) {
    const ncclResult_t sent = ncclSend(at(d_in, rank).data(), kSize, ncclInt, (rank + 1) % ranks,
                                       comm(rank), stream(rank));
    if (sent != ncclSuccess) return sent;
    return ncclRecv(at(d_out, rank).data(), kSize, ncclInt, (rank + ranks - 1) % ranks, comm(rank),
                    stream(rank));
  });
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_out, rank).to_host(), generated<int>(kSize, [&](int i) {
                return value_of((rank + ranks - 1) % ranks, i);
              }));
  }
}

TEST_F(Nccl, EveryRankSendsToEveryRank) {
  constexpr std::size_t kPart = 5;
  const std::size_t all = kPart * static_cast<std::size_t>(ranks);
  auto d_in = buffers<int>(all, [](int rank, int i) { return 1000 * rank + i; });
  auto d_out = buffers<int>(all, [](int, int) { return -1; });
  in_group([&](int rank) {
    for (int peer = 0; peer < ranks; ++peer) {
      const ncclResult_t sent = ncclSend(at(d_in, rank).data() + 5 * peer, kPart, ncclInt, peer,
                                         comm(rank), stream(rank));
      const ncclResult_t received = ncclRecv(at(d_out, rank).data() + 5 * peer, kPart, ncclInt,
                                             peer, comm(rank), stream(rank));
      if (sent != ncclSuccess || received != ncclSuccess) return ncclInternalError;
    }
    return ncclSuccess;
  });
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_out, rank).to_host(),
              generated<int>(all, [=](int i) { return 1000 * (i / 5) + 5 * rank + i % 5; }));
  }
}

TEST_F(Nccl, SeveralCallsInOneGroup) {
  auto d_a = buffers<int>(10, value_of);
  auto d_b = buffers<float>(20, value_of);
  in_group([&](int rank) {
    const ncclResult_t first = ncclAllReduce(at(d_a, rank).data(), at(d_a, rank).data(), 10,
                                             ncclInt, ncclSum, comm(rank), stream(rank));
    if (first != ncclSuccess) return first;
    return ncclAllReduce(at(d_b, rank).data(), at(d_b, rank).data(), 20, ncclFloat, ncclMax,
                         comm(rank), stream(rank));
  });
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_a, rank).to_host().front(), 10 * ranks * (ranks - 1) / 2);
    EXPECT_EQ(at(d_b, rank).to_host().front(), 10 * (ranks - 1));
  }
}

TEST_F(Nccl, AThreadForEachRankNeedsNoGroup) {
  auto d_data = buffers<int>(kSize, value_of);
  std::vector<std::thread> threads;
  std::vector<ncclResult_t> results(static_cast<std::size_t>(ranks), ncclInternalError);
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      for (int round = 0; round < 3; ++round) {
        at(results, rank) = ncclAllReduce(at(d_data, rank).data(), at(d_data, rank).data(), kSize,
                                          ncclInt, ncclMax, comm(rank), stream(rank));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  wait();
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(results, rank), ncclSuccess);
    EXPECT_EQ(at(d_data, rank).to_host(),
              generated<int>(kSize, [&](int i) { return value_of(ranks - 1, i); }));
  }
}

__global__ void double_kernel(int* data, int size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < size) data[i] *= 2;
}

TEST_F(Nccl, IsInTheOrderOfItsStreams) {
  auto d_data = buffers<int>(kSize, value_of);
  const auto launch = [&](int rank) {
    CUDA_CHECK(cudaSetDevice(rank));
    double_kernel<<<4, 256, 0, stream(rank)>>>(at(d_data, rank).data(), kSize);
    CUDA_CHECK(cudaGetLastError());
  };
  for (int rank = 0; rank < ranks; ++rank) launch(rank);
  in_group([&](int rank) {
    int* const data = at(d_data, rank).data();
    return ncclAllReduce(data, data, kSize, ncclInt, ncclMax, comm(rank), stream(rank));
  });
  for (int rank = 0; rank < ranks; ++rank) launch(rank);
  wait();
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(at(d_data, rank).to_host(),
              generated<int>(kSize, [&](int i) { return 4 * value_of(ranks - 1, i); }));
  }
}

TEST_F(Nccl, ACallWithoutElementsDoesNothing) {
  EXPECT_EQ(ncclAllReduce(nullptr, nullptr, 0, ncclFloat, ncclSum, comm(0), stream(0)),
            ncclSuccess);
}

TEST_F(Nccl, RanksCanJoinByAUniqueId) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  std::vector<ncclComm_t> joined(static_cast<std::size_t>(ranks));
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) {
    CUDA_CHECK(cudaSetDevice(ranks - 1 - rank));
    ASSERT_EQ(ncclCommInitRank(&at(joined, rank), ranks, id, rank), ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  for (int rank = 0; rank < ranks; ++rank) {
    int device = -1;
    EXPECT_EQ(ncclCommCuDevice(at(joined, rank), &device), ncclSuccess);
    EXPECT_EQ(device, ranks - 1 - rank);
    EXPECT_EQ(ncclCommDestroy(at(joined, rank)), ncclSuccess);
  }
}

}  // namespace
