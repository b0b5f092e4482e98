// MPI, step 01: ranks, one process per GPU
//
// This is a separate program. On one computer mpirun starts one process per GPU; on several
// computers srun does. MPI gives each process a number, its rank, and transfers the messages until
// NCCL is initialised. NCCL transfers all later messages. No process uses the GPU of another one.
//
//   make ch10_many_gpus_mpi_ranks
//   mpirun -n 4 build/bin/ch10_many_gpus_mpi_ranks
//
// New in this stage: each process selects a GPU by its rank on this computer. Rank 0 creates the id
// of the communicator, and MPI_Bcast sends it to all ranks. If one process dies, the others would
// wait forever. So they check the communicator while they wait, and after a minute they stop and
// end the whole job.
// docs/clusters.md has the script for many computers.
//
// Requires: NCCL, MPI

#include "nccl_communicators.h"
#include "share_dot.h"

#include "common/cuda_check.h"
#include "common/device_buffer.h"

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

constexpr std::size_t kSize = 100'003;  // a prime: no number of processes divides it
constexpr std::chrono::seconds kPatience{60};

// Owns MPI from the first call to the last call, and has the rank of this process.
struct Mpi {
  Mpi(int* argc, char*** argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm host;  // the processes that share this computer's memory
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank_on_host);
    MPI_Comm_size(host, &ranks_on_host);
    MPI_Comm_free(&host);
  }
  ~Mpi() { MPI_Finalize(); }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  int rank = 0, ranks = 1, rank_on_host = 0, ranks_on_host = 1;
};

// Owns this process's communicator in the group of all processes.
class Communicator {
 public:
  Communicator(const Mpi& mpi) {
    ncclUniqueId id;
    if (mpi.rank == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    MPI_Bcast(&id, sizeof(id), MPI_BYTE, /*root=*/0, MPI_COMM_WORLD);
    check_nccl(ncclCommInitRank(&one_, mpi.ranks, id, mpi.rank), "ncclCommInitRank");
  }
  ~Communicator() { ncclCommDestroy(one_); }  // unchecked: a destructor must not throw
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  ncclComm_t get() const { return one_; }

  // Waits for the stream. Throws if another rank has failed, or after a minute.
  void wait_for(cudaStream_t stream) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (cudaError_t state; (state = cudaStreamQuery(stream)) != cudaSuccess;) {
      if (state != cudaErrorNotReady) CUDA_CHECK(state);
      ncclResult_t error = ncclSuccess;
      check_nccl(ncclCommGetAsyncError(one_, &error), "ncclCommGetAsyncError");
      check_nccl(error, "another rank");
      if (std::chrono::steady_clock::now() > end) {
        throw std::runtime_error("the other ranks have not answered for a minute");
      }
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  ncclComm_t one_ = nullptr;
};

// The GPU of this process: its number is the rank of the process on this host.
static Gpu own_gpu(const Mpi& mpi) {
  int there = 0;
  CUDA_CHECK(cudaGetDeviceCount(&there));
  if (mpi.rank_on_host >= there) {
    throw std::runtime_error(std::to_string(mpi.ranks_on_host) + " processes on this host, and " +
                             std::to_string(there) +
                             " GPU(s): start at most one process a GPU on each host");
  }
  Gpu gpu{mpi.rank_on_host, nullptr, nullptr};
  CUDA_CHECK(cudaSetDevice(gpu.device));
  CUDA_CHECK(cudaStreamCreate(&gpu.stream));
  return gpu;
}

// Computes with a = 1, 2, ..., n and b = 2 a: integers, so the sum is exact in any order.
static void run(const Mpi& mpi) {
  const Gpu gpu = own_gpu(mpi);
  const Communicator communicator(mpi);
  const auto ranks = static_cast<std::size_t>(mpi.ranks), rank = static_cast<std::size_t>(mpi.rank);
  const std::size_t begin = share_begin(kSize, ranks, rank);
  std::vector<double> h_a, h_b;
  for (std::size_t i = begin; i < share_begin(kSize, ranks, rank + 1); ++i) {
    h_a.push_back(static_cast<double>(i + 1));
    h_b.push_back(2 * h_a.back());
  }
  const DeviceBuffer<double> d_a(h_a), d_b(h_b);
  DeviceBuffer<double> d_dot(1);
  DeviceBuffer<char> d_workspace(kWorkspaceBytes);
  d_workspace.fill_bytes(0);

  queue_share_dot(d_a.data(), d_b.data(), h_a.size(), d_dot.data(), d_workspace.data(), gpu.stream);
  check_nccl(ncclAllReduce(d_dot.data(), d_dot.data(), 1, ncclDouble, ncclSum, communicator.get(),
                           gpu.stream),
             "ncclAllReduce");
  communicator.wait_for(gpu.stream);

  const double dot = d_dot.to_host().front();
  constexpr double n = kSize, expected = n * (n + 1) * (2 * n + 1) / 3;
  std::printf("rank %d of %d, GPU %d of its host: elements %zu to %zu, the sum of all is %.0f\n",
              mpi.rank, mpi.ranks, gpu.device, begin, begin + h_a.size(), dot);
  if (dot != expected) throw std::runtime_error("WRONG: expected " + std::to_string(expected));
  CUDA_CHECK(cudaStreamDestroy(gpu.stream));
}

int main(int argc, char** argv) {
  const Mpi mpi(&argc, &argv);
  // Only the simulator reads this variable: one device per process of this host.
  setenv("CUDA_SIMULATOR_DEVICES", std::to_string(mpi.ranks_on_host).c_str(), /*overwrite=*/0);
  try {
    run(mpi);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rank %d of %d: %s\n", mpi.rank, mpi.ranks, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);  // ends the other ranks too: they would wait
  }
  return 1;
}
