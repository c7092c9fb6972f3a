// Role: an NCCL library and the part of CUDA's runtime that groups over NCCL use, for tests on
// machines without a GPU: the "device" is this process's memory, a stream is a thread, members talk
// over TCP on loopback. Built as libnccl-stub.so. What it keeps of the real ones: calls return
// before they are done; an operation that lost its peer stays on the device, with an asynchronous
// error, until the communicator is aborted or revoked; sums are the same bits on all members.
// $WM_STUB_NCCL=noshrink makes ncclCommShrink fail. A shrink says so on stderr.
//
//   rank 0's listener ◄─ rank, port ─ all;  ─ ports of all ─►   then each connects to all below it
#include <arpa/inet.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using Flag = std::atomic<bool>;
struct Ended : std::runtime_error {
  Ended() : runtime_error("the peer has ended") {}
};

// ---- sockets ----------------------------------------------------------------------------

int listen_on(std::uint16_t& port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  if (::bind(fd, reinterpret_cast<sockaddr*>(&at), size) != 0 || ::listen(fd, 64) != 0)
    throw Ended();
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&at), &size);
  port = ntohs(at.sin_port);
  return fd;
}

int dial(std::uint16_t port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  at.sin_port = htons(port);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) return fd;
  ::close(fd);
  throw Ended();
}

void wait_for(int fd, short what, const Flag& stop) {
  for (pollfd at{fd, what, 0}; ::poll(&at, 1, 5) <= 0;)
    if (stop) throw Ended();
}

int visitor(int listener, const Flag& stop) {
  wait_for(listener, POLLIN, stop);
  return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
}

void put(int fd, const void* data, std::size_t size, const Flag& stop) {
  for (auto* at = static_cast<const char*>(data); size;) {
    wait_for(fd, POLLOUT, stop);
    auto sent = ::send(fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) throw Ended();
    if (sent > 0) at += sent, size -= static_cast<std::size_t>(sent);
  }
}

void take(int fd, void* data, std::size_t size, const Flag& stop) {
  for (auto* at = static_cast<char*>(data); size;) {
    wait_for(fd, POLLIN, stop);
    auto got = ::recv(fd, at, size, MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) throw Ended();
    if (got > 0) at += got, size -= static_cast<std::size_t>(got);
  }
}

struct Seat {
  std::int32_t rank;
  std::uint32_t port;
};

// Serves one unique id: every rank says where it listens, all are told of all.
void serve_id(int listener, const std::shared_ptr<Flag>& stop) {
  try {
    std::vector<int> guests;
    std::vector<std::uint32_t> ports;
    for (std::int32_t world = 1; static_cast<std::int32_t>(guests.size()) < world;) {
      int fd = visitor(listener, *stop);
      Seat seat{};
      take(fd, &world, sizeof world, *stop);
      take(fd, &seat, sizeof seat, *stop);
      ports.resize(static_cast<std::size_t>(world));
      ports[static_cast<std::size_t>(seat.rank)] = seat.port;
      guests.push_back(fd);
    }
    for (int fd : guests) put(fd, ports.data(), ports.size() * sizeof ports[0], *stop), ::close(fd);
  } catch (const Ended&) {  // a member died: the others wait for it until they give up
  }
  ::close(listener);
}

}  // namespace

// ---- streams: a thread each -------------------------------------------------------------

struct CUstream_st {
  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::function<void()>> work;
  bool busy = false, ended = false;
  std::thread thread{[this] { run(); }};

  void post(std::function<void()> one) {
    std::lock_guard hold(lock);
    work.push_back(std::move(one));
    changed.notify_all();
  }
  void run() {
    for (std::unique_lock hold(lock);;) {
      changed.wait(hold, [this] { return ended || !work.empty(); });
      if (work.empty()) return;
      auto one = std::move(work.front());
      work.pop_front();
      busy = true;
      hold.unlock();
      one();
      hold.lock();
      busy = false;
      changed.notify_all();
    }
  }
  bool idle() {
    std::lock_guard hold(lock);
    return !busy && work.empty();
  }
};

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "stub CUDA error"; }
cudaError_t cudaMalloc(void** data, size_t size) { return *data = std::malloc(size), cudaSuccess; }
cudaError_t cudaFree(void* data) { return std::free(data), cudaSuccess; }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned) {
  return *made = new CUstream_st, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  {
    std::lock_guard hold(stream->lock);
    stream->ended = true;
    stream->changed.notify_all();
  }
  stream->thread.join();
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return stream->idle() ? cudaSuccess : cudaErrorNotReady;
}
// From pageable memory the real one has read the source before it returns, too.
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind,
                            cudaStream_t stream) {
  stream->post([=] { std::memcpy(to, from, size); });
  return cudaSuccess;
}
}

// ---- communicators ------------------------------------------------------------------------

struct ncclComm {
  int rank = 0, world = 1, listener = -1;
  std::vector<std::uint32_t> ports;  // of all ranks' listeners
  std::vector<int> peers;            // connections by rank
  Flag stop{false};
  std::atomic<ncclResult_t> state{ncclInProgress};
  std::atomic<int> running{0};  // operations on the device
  std::thread maker;            // connects, or waits for a revoke

  int& peer(int at) { return peers[static_cast<std::size_t>(at)]; }
  void make(std::function<void()> work) {
    if (maker.joinable()) maker.join();
    maker = std::thread([this, work = std::move(work)] {
      try {
        work();
        state = ncclSuccess;
      } catch (const Ended&) {
        state = ncclRemoteError;
      }
    });
  }
  // Everybody dials all below; `generation` keeps apart what comes to one listener.
  void mesh(std::uint64_t generation) {
    peers.assign(static_cast<std::size_t>(world), -1);
    for (int to = 0; to < rank; ++to) {
      peer(to) = dial(static_cast<std::uint16_t>(ports[static_cast<std::size_t>(to)]));
      std::uint64_t hello[2] = {generation, static_cast<std::uint64_t>(rank)};
      put(peer(to), hello, sizeof hello, stop);
    }
    for (int missing = world - rank - 1; missing;) {
      int fd = visitor(listener, stop);
      std::uint64_t hello[2];
      take(fd, hello, sizeof hello, stop);
      if (hello[0] != generation || hello[1] >= static_cast<std::uint64_t>(world)) {
        ::close(fd);
        continue;
      }
      peer(static_cast<int>(hello[1])) = fd;
      --missing;
    }
  }
  // An operation on the stream; broken, it stays there until the end of the communicator.
  void launch(cudaStream_t stream, std::function<void()> work) {
    ++running;
    stream->post([this, work = std::move(work)] {
      try {
        work();
      } catch (const Ended&) {
        if (!stop) state = ncclRemoteError;
        while (!stop) ::usleep(1000);
      }
      --running;
    });
  }
  void quiesce() {
    stop = true;
    while (running) ::usleep(500);
  }
  ~ncclComm() {
    quiesce();
    if (maker.joinable()) maker.join();
    for (int fd : peers)
      if (fd >= 0) ::close(fd);
    if (listener >= 0) ::close(listener);
  }
};

extern "C" {

const char* ncclGetErrorString(ncclResult_t code) {
  return code == ncclRemoteError ? "stub: the peer has ended" : "stub: NCCL error";
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::uint16_t port = 0;
  int listener = listen_on(port);
  std::memset(id, 0, sizeof *id);
  std::memcpy(id->internal, &port, sizeof port);
  std::thread([listener] { serve_id(listener, std::make_shared<Flag>(false)); }).detach();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* made, int world, ncclUniqueId id, int rank,
                                    ncclConfig_t*) {
  auto* comm = *made = new ncclComm;
  comm->rank = rank, comm->world = world;
  std::uint16_t root = 0, own = 0;
  std::memcpy(&root, id.internal, sizeof root);
  comm->listener = listen_on(own);
  comm->make([=] {
    int fd = dial(root);
    std::int32_t size = world;
    Seat seat{rank, own};
    put(fd, &size, sizeof size, comm->stop);
    put(fd, &seat, sizeof seat, comm->stop);
    comm->ports.resize(static_cast<std::size_t>(world));
    take(fd, comm->ports.data(), comm->ports.size() * sizeof(std::uint32_t), comm->stop);
    ::close(fd);
    comm->mesh(0);
  });
  return ncclInProgress;
}

ncclResult_t ncclCommShrink(ncclComm_t parent, int* excluded, int count, ncclComm_t* made,
                            ncclConfig_t*, int) {
  const char* fault = std::getenv("WM_STUB_NCCL");
  if (fault && std::strcmp(fault, "noshrink") == 0) return ncclInternalError;
  auto* comm = *made = new ncclComm;
  std::uint64_t generation = 1;
  for (int at = 0, next = 0; at < parent->world; ++at) {
    if (next < count && excluded[next] == at) {
      ++next, generation = generation * 31 + static_cast<std::uint64_t>(at);
      continue;
    }
    if (at == parent->rank) comm->rank = static_cast<int>(comm->ports.size());
    comm->ports.push_back(parent->ports[static_cast<std::size_t>(at)]);
  }
  comm->world = static_cast<int>(comm->ports.size());
  comm->listener = std::exchange(parent->listener, -1);
  std::fprintf(stderr, "stub NCCL: shrinks %d to %d\n", parent->world, comm->world);
  comm->make([=] { comm->mesh(generation); });
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  return *state = comm->state, ncclSuccess;
}
ncclResult_t ncclCommRevoke(ncclComm_t comm, int) {
  comm->stop = true;
  comm->state = ncclInProgress;
  comm->make([=] { comm->quiesce(); });
  return ncclInProgress;
}
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  comm->state = ncclInProgress;
  comm->make([=] {
    while (comm->running && !comm->stop) ::usleep(500);
  });
  return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) { return delete comm, ncclSuccess; }
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  comm->stop = true;
  return delete comm, ncclSuccess;
}

// Rank 0 adds up in the order of ranks and tells all: the same bits everywhere.
ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t, ncclRedOp_t,
                           ncclComm_t comm, cudaStream_t stream) {
  comm->launch(stream, [=] {
    auto size = count * sizeof(double);
    if (comm->rank != 0) {
      put(comm->peer(0), from, size, comm->stop);
      return take(comm->peer(0), to, size, comm->stop);
    }
    std::vector<double> sum(count), more(count);
    std::memcpy(sum.data(), from, size);
    for (int rank = 1; rank < comm->world; ++rank) {
      take(comm->peer(rank), more.data(), size, comm->stop);
      for (std::size_t i = 0; i < count; ++i) sum[i] += more[i];
    }
    for (int rank = 1; rank < comm->world; ++rank)
      put(comm->peer(rank), sum.data(), size, comm->stop);
    std::memcpy(to, sum.data(), size);
  });
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t, int rank, ncclComm_t comm,
                      cudaStream_t stream) {
  comm->launch(stream, [=] { put(comm->peer(rank), from, count, comm->stop); });
  return ncclSuccess;
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t, int rank, ncclComm_t comm,
                      cudaStream_t stream) {
  comm->launch(stream, [=] { take(comm->peer(rank), to, count, comm->stop); });
  return ncclSuccess;
}
}
