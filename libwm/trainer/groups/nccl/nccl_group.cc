#include "libwm/trainer/groups/nccl/nccl_group.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>

#include "libwm/trainer/groups/nccl/comm.h"
#include "libwm/trainer/groups/store.h"

namespace wm::groups {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
constexpr auto kSpin = 200us;     // a short wait keeps its CPU
constexpr auto kPause = 50us;     // between two looks of a longer one
constexpr auto kQuietLimit = 1s;  // for a broken one to become fit to be shrunk
constexpr std::size_t kPiece = std::size_t{64} << 20;  // of a message, in bytes

void must(cudaError_t code, const char* what) {
  if (code != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(code));
}

ncclConfig_t non_blocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

// A stream and a buffer on the device, of one group: they end with it, when nothing runs there.
class Lane {
 public:
  explicit Lane(int device) : device_(device) {
    must(cudaSetDevice(device_), "choosing the device");
    must(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~Lane() {
    cudaSetDevice(device_);
    cudaStreamDestroy(stream_);
    cudaFree(data_);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  cudaStream_t stream() const { return stream_; }
  // At least `bytes` of the device's memory; nothing is under way there.
  void* space(std::size_t bytes) {
    must(cudaSetDevice(device_), "choosing the device");
    if (bytes <= size_) return data_;
    must(cudaFree(data_), "giving memory back");
    data_ = nullptr, size_ = 0;
    must(cudaMalloc(&data_, bytes), "allocating the device's memory");
    size_ = bytes;
    return data_;
  }

 private:
  const int device_;
  cudaStream_t stream_ = nullptr;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

class NcclGroup final : public Group {
 public:
  NcclGroup(Plan plan, std::shared_ptr<Comm> comm, int device)
      : Group(std::move(plan)), comm_(std::move(comm)), lane_(device) {}
  ~NcclGroup() override {
    comm_->abort();
    comm_->quiet(kLeaveLimit);  // nothing of it runs on the device any more
  }

  bool sum(std::span<double> values) override {
    return guarded([&] {
      auto* data = lane_.space(values.size_bytes());
      put(data, values.data(), values.size_bytes());
      auto reduce = [&](ncclComm_t comm) {
        return ncclAllReduce(data, data, values.size(), ncclDouble, ncclSum, comm, lane_.stream());
      };
      return comm_->ask(reduce) && finish() && get(values.data(), data, values.size_bytes());
    });
  }
  bool send(std::span<const char> bytes, int rank) override {
    return in_pieces(bytes.size(), [&](void* data, std::size_t at, std::size_t size) {
      put(data, bytes.data() + at, size);
      auto give = [&](ncclComm_t comm) {
        return ncclSend(data, size, ncclChar, rank, comm, lane_.stream());
      };
      return comm_->ask(give) && finish();
    });
  }
  bool receive(std::span<char> bytes, int rank) override {
    return in_pieces(bytes.size(), [&](void* data, std::size_t at, std::size_t size) {
      auto take = [&](ncclComm_t comm) {
        return ncclRecv(data, size, ncclChar, rank, comm, lane_.stream());
      };
      return comm_->ask(take) && finish() && get(bytes.data() + at, data, size);
    });
  }
  bool overlaps() const override { return false; }

  void abort() override { comm_->abort(); }
  bool dead() const override { return comm_->dead(); }
  void leave() override { comm_->finalize(kLeaveLimit); }

 private:
  template <class Work>
  bool guarded(Work work) {
    if (dead()) return false;
    try {
      return work();
    } catch (const std::exception&) {  // of CUDA: this member cannot go on in this group
      return false;
    }
  }
  template <class Work>
  bool in_pieces(std::size_t size, Work work) {
    return guarded([&] {
      bool good = true;
      for (std::size_t at = 0; good && at < size; at += kPiece) {
        auto piece = std::min(kPiece, size - at);
        good = work(lane_.space(piece), at, piece);
      }
      return good;
    });
  }
  void put(void* to, const void* from, std::size_t bytes) {
    must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, lane_.stream()),
         "copying to the device");
  }
  bool get(void* to, const void* from, std::size_t bytes) {
    must(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, lane_.stream()),
         "copying from the device");
    return finish();
  }
  // Waits for the device; false when the communicator is broken first.
  bool finish() {
    for (auto began = Clock::now();;) {
      auto device = cudaStreamQuery(lane_.stream());
      if (device != cudaSuccess && device != cudaErrorNotReady) return false;
      auto answer = comm_->look(device == cudaSuccess);
      if (answer != Answer::Working) return answer == Answer::Ready;
      Clock::now() - began < kSpin ? std::this_thread::yield()
                                   : std::this_thread::sleep_for(kPause);
    }
  }

  const std::shared_ptr<Comm> comm_;
  Lane lane_;
};

// An attempt to connect: where to look whether it is still wanted.
struct Attempt {
  const Plan& plan;
  const std::atomic<bool>& cancelled;
  Clock::time_point deadline = Clock::now() + kConnectLimit;

  bool over() const { return cancelled || Clock::now() > deadline; }
  std::uint64_t key() const { return std::uint64_t{plan.lead} << 32 | plan.epoch; }
  // Waits for a communicator on its way. The library's words when it does not come.
  std::string wait(ncclComm_t comm) const {
    auto state = ncclInProgress;
    while (ncclCommGetAsyncError(comm, &state) == ncclSuccess && state == ncclInProgress) {
      if (over()) return "a member did not come in time";
      std::this_thread::sleep_for(1ms);
    }
    return state == ncclSuccess ? "" : ncclGetErrorString(state);
  }
};

class NcclBackend final : public Backend {
 public:
  NcclBackend(std::unique_ptr<StoreServer> server, int device)
      : server_(std::move(server)), device_(device) {}

  std::string rendezvous() const override { return server_->address(); }
  void use_key(const std::string& key) override { server_->use_key(key); }

  std::shared_ptr<Group> connect(const Plan& plan, const std::atomic<bool>& cancelled,
                                 std::string& why) override {
    try {
      must(cudaSetDevice(device_), "choosing the device");
      Attempt attempt{plan, cancelled};
      auto old = take_broken();
      auto store = StoreClient::open(
          plan.rendezvous, "wm/" + std::to_string(plan.lead) + "/" + std::to_string(plan.epoch),
          server_->key(), attempt.deadline, cancelled);
      if (!store) throw std::runtime_error("rank 0 at " + plan.rendezvous + kNoMember);
      auto making = agree(*store, plan, old ? old->as : Bringing{});
      auto* made = making.shrink ? shrink(attempt, *old, making) : fresh(attempt, *store);
      auto comm =
          std::make_shared<Comm>(made, device_, Bringing{attempt.key(), plan.rank, plan.world});
      remember(comm);
      return std::make_shared<NcclGroup>(plan, comm, device_);
    } catch (const std::exception& error) {
      why = error.what();
      return nullptr;
    }
  }

 private:
  // What all members bring, and what follows from it, alike on all.
  static Making agree(StoreClient& store, const Plan& plan, const Bringing& own) {
    if (!store.set("here/" + std::to_string(plan.rank), pack(own)))
      throw std::runtime_error("rank 0's store is gone");
    std::vector<Bringing> all;
    for (int rank = 0; rank < plan.world; ++rank) {
      auto text = store.get("here/" + std::to_string(rank));
      auto one = text ? unpack_bringing(*text) : std::nullopt;
      if (!one)
        throw std::runtime_error("member " + std::to_string(rank) + " did not come in time");
      all.push_back(*one);
    }
    return choose_making(all);
  }

  ncclComm_t fresh(const Attempt& attempt, StoreClient& store) const {
    ncclUniqueId id{};
    std::span<char> bytes(id.internal);
    if (attempt.plan.rank == 0) {
      if (auto code = ncclGetUniqueId(&id); code != ncclSuccess)
        throw std::runtime_error(ncclGetErrorString(code));
      if (!store.set("id", {bytes.begin(), bytes.end()}))
        throw std::runtime_error("rank 0's store is gone");
    } else {
      auto found = store.get("id");
      if (!found || found->size() != bytes.size())
        throw std::runtime_error("rank 0 gave no id in time");
      std::copy(found->begin(), found->end(), bytes.begin());
    }
    auto config = non_blocking();
    ncclComm_t comm = nullptr;
    auto code = ncclCommInitRankConfig(&comm, attempt.plan.world, id, attempt.plan.rank, &config);
    return come(attempt, comm, code);
  }

  // The old one must be out of its call before the new one is there to be asked.
  ncclComm_t shrink(const Attempt& attempt, Comm& old, const Making& making) const {
    ncclComm_t comm = nullptr;
    std::string why = "the broken communicator is gone";
    auto excluded = making.excluded;
    bool good = old.spend(kQuietLimit, [&](ncclComm_t parent) {
      auto config = non_blocking();
      auto code = newer().shrink(parent, excluded.data(), static_cast<int>(excluded.size()), &comm,
                                 &config, 0);
      bool begun = code == ncclSuccess || code == ncclInProgress;
      why = begun ? attempt.wait(parent) : ncclGetErrorString(code);
      if (why.empty()) comm = come(attempt, comm, ncclInProgress);
      return why.empty();
    });
    if (good) return comm;
    throw std::runtime_error("shrinking: " + why);
  }

  // `comm` when it is ready; ended else.
  static ncclComm_t come(const Attempt& attempt, ncclComm_t comm, ncclResult_t code) {
    bool begun = comm && (code == ncclSuccess || code == ncclInProgress);
    auto why = begun ? attempt.wait(comm) : ncclGetErrorString(code);
    if (why.empty()) return comm;
    if (comm) ncclCommAbort(comm);
    throw std::runtime_error(why);
  }

  // The newest that is revoked, if any. It is given once: another attempt may be under way.
  std::shared_ptr<Comm> take_broken() {
    std::lock_guard hold(lock_);
    for (auto at = made_.rbegin(); at != made_.rend(); ++at)
      if ((*at)->quiet(kQuietLimit)) {
        auto found = *at;
        made_.erase(std::next(at).base());
        return found;
      }
    return nullptr;
  }
  // What is broken now is never brought again: the new one stands for it.
  void remember(std::shared_ptr<Comm> comm) {
    std::lock_guard hold(lock_);
    std::erase_if(made_, [](const auto& one) { return one->dead(); });
    made_.push_back(std::move(comm));
  }

  const std::unique_ptr<StoreServer> server_;
  const int device_;
  std::mutex lock_;
  std::vector<std::shared_ptr<Comm>> made_;  // under lock_
};

}  // namespace

std::unique_ptr<Backend> make_nccl(const std::string& host, int device, std::string& why) {
  int count = 0;
  auto code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess || count <= device) {
    why = code == cudaSuccess
              ? "no CUDA device " + std::to_string(device) + " of " + std::to_string(count)
              : std::string("no CUDA device: ") + cudaGetErrorString(code);
    return nullptr;
  }
  auto server = StoreServer::open(host);
  if (!server) {
    why = "cannot listen at " + host;
    return nullptr;
  }
  return std::make_unique<NcclBackend>(std::move(server), device);
}

}  // namespace wm::groups
