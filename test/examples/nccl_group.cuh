// Role: the communicators of an elastic NCCL program: Group is one epoch's, IdStore hands out
// the unique ids of those that this member is rank 0 of, Member hears the agent, builds planned
// groups in the background and aborts broken ones. Included by nccl_train.cu only.
#pragma once

#include <ifaddrs.h>
#include <nccl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "commands/gpu/check.cuh"
#include "commands/gpu/rendezvous.cuh"
#include "libwm/trainer/wmtrainer.h"

namespace example {

using wm::gpu::devices_or_skip;
using wm::gpu::DeviceArray;
using wm::gpu::must;
using wm::gpu::Place;

inline std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

/// One epoch's communicator. comm is null for one member alone.
struct Group {
  std::uint32_t epoch = 0;
  int rank = 0, world = 1;
  bool has_state = true;  ///< W-6: only the first `survivors` members have any
  bool leaver = false, withdrawn = false;
  ncclComm_t comm = nullptr;
  std::atomic<bool> aborted{false};

  ~Group() {
    if (comm && !aborted) ncclCommAbort(comm);  // destroy would wait for slower members
  }
  /// From any thread: a collective that blocks returns. W-8
  void abort() {
    if (comm && !aborted.exchange(true)) ncclCommAbort(comm);
  }
};

/// Waits for the stream; false when the group is broken.
inline bool finish(Group& group, cudaStream_t stream) {
  while (!group.aborted) {
    cudaError_t state = cudaStreamQuery(stream);
    if (state == cudaSuccess) return !group.aborted;
    ncclResult_t trouble = ncclSuccess;
    bool good = state == cudaErrorNotReady && ncclCommGetAsyncError(group.comm, &trouble) == ncclSuccess &&
                (trouble == ncclSuccess || trouble == ncclInProgress);
    if (!good) return false;
    std::this_thread::yield();
  }
  return false;
}

/// Sums in place over the group. False: broken, nothing may be used.
inline bool reduce(Group& group, double* data, std::size_t count, cudaStream_t stream) {
  if (!group.comm) return cudaStreamSynchronize(stream) == cudaSuccess;
  auto code = ncclAllReduce(data, data, count, ncclDouble, ncclSum, group.comm, stream);
  return (code == ncclSuccess || code == ncclInProgress) && finish(group, stream);
}

/// One number of every member, in rank order; empty: broken.
inline std::vector<double> gather(Group& group, double own, cudaStream_t stream) {
  std::vector<double> all(static_cast<std::size_t>(group.world), 0.0);
  all[static_cast<std::size_t>(group.rank)] = own;
  DeviceArray<double> on_device(all.size());
  on_device.fill(all);
  if (!reduce(group, on_device.get(), all.size(), stream)) return {};
  return on_device.read();
}

/// The numeric address that peers reach this process at: of the interface that the job uses.
inline std::string own_address() {
  const char* interface = std::getenv("NCCL_SOCKET_IFNAME");
  ifaddrs* list = nullptr;
  std::string found = "127.0.0.1";
  if (!interface || ::getifaddrs(&list) != 0) return found;
  for (auto* at = list; at; at = at->ifa_next) {
    if (!at->ifa_addr || at->ifa_addr->sa_family != AF_INET) continue;
    if (std::string(at->ifa_name) != interface) continue;
    char text[INET_ADDRSTRLEN] = {};
    ::inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(at->ifa_addr)->sin_addr, text,
                sizeof(text));
    found = text;
  }
  ::freeifaddrs(list);
  return found;
}

/// Serves the unique ids of epochs whose rank 0 lives here. W-1, W-4
class IdStore {
 public:
  IdStore() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_ANY);
    socklen_t size = sizeof(at);
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0 ||
        ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
      wm::gpu::die("rendezvous", "cannot listen");
    address_ = own_address() + ":" + std::to_string(ntohs(at.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~IdStore() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  const std::string& address() const { return address_; }

  ncclUniqueId id_of(std::uint64_t key) {
    std::lock_guard lock(mutex_);
    auto [at, fresh] = ids_.try_emplace(key);
    if (fresh) ncclGetUniqueId(&at->second);
    return at->second;
  }
  /// Asks another member's store. False: it does not answer now.
  static bool ask(const std::string& address, std::uint64_t key, ncclUniqueId& id) {
    auto colon = address.rfind(':');
    Place place;
    place.address = address.substr(0, colon);
    place.port = std::atoi(address.c_str() + colon + 1);
    auto at = wm::gpu::address_of(place);
    int peer = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool got = ::connect(peer, reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0 &&
               ::send(peer, &key, sizeof(key), MSG_NOSIGNAL) == sizeof(key) &&
               ::recv(peer, &id, sizeof(id), MSG_WAITALL) == sizeof(id);
    ::close(peer);
    return got;
  }

 private:
  void serve() {
    for (int peer; (peer = ::accept(listener_, nullptr, nullptr)) >= 0; ::close(peer)) {
      timeval limit{2, 0};  // a mute visitor must not keep the others out
      ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
      std::uint64_t key = 0;
      if (::recv(peer, &key, sizeof(key), MSG_WAITALL) != sizeof(key)) continue;
      auto id = id_of(key);
      (void)!::send(peer, &id, sizeof(id), MSG_NOSIGNAL);
    }
  }
  int listener_ = -1;
  std::string address_;
  std::mutex mutex_;
  std::map<std::uint64_t, ncclUniqueId> ids_;
  std::thread thread_;
};

/// This worker's side of the membership. hear() runs in a thread of its own; the rest is the
/// training thread's.
class Member {
 public:
  Member(wm_trainer* link, std::uint32_t task) : link_(link), task_(task) {
    alone_ = std::getenv("WM_ELASTIC_SOCKET") == nullptr;
    if (alone_) return;
    store_ = std::make_unique<IdStore>();
    thread_ = std::thread([this] { hear(); });
    wm_trainer_ready(link_, store_->address().c_str());
  }
  ~Member() {
    wm_trainer_stop(link_);
    if (thread_.joinable()) thread_.join();
    cancel_ = true;
    if (connect_.joinable()) connect_.join();
  }

  /// The next group when there is none: W-7, W-8. Null: this member is to leave, ask leaves().
  std::unique_ptr<Group> wait_group(std::uint64_t step) {
    if (alone_) return std::make_unique<Group>();
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return pending_ || leave_ || broken_ > answered_; });
      if (leave_) std::exit(0);
      if (broken_ > answered_) {
        answered_ = broken_;
        wm_trainer_faulted(link_, answered_, step, "told so");
      }
      auto group = std::move(pending_);
      if (!group || group->withdrawn || group->leaver) continue;
      current_ = group.get();
      return group;
    }
  }
  void entered(Group& group, std::uint64_t step) {
    wm_trainer_switched(link_, group.epoch, step, -1);
  }
  void paused(Group& group, std::uint64_t step, std::int64_t ns) {
    wm_trainer_switched(link_, group.epoch, step, ns);
  }
  void left(Group& group) { wm_trainer_left(link_, group.epoch); }
  void done(std::uint64_t step) { wm_trainer_done(link_, step); }
  void fault(Group& group, std::uint64_t step) {
    group.abort();
    std::lock_guard lock(mutex_);
    current_ = nullptr;
    answered_ = std::max(answered_, group.epoch);
    pending_.reset();
    wm_trainer_faulted(link_, group.epoch, step, "a collective failed");
  }

  bool leaves() const { return leave_; }
  /// W-10: false when told to leave meanwhile.
  bool stand() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !stand_ || leave_ || (current_ && current_->aborted); });
    return !leave_;
  }
  /// W-5: what this rank says of the plan that it stands ready for.
  std::array<double, 3> offer() {
    std::lock_guard lock(mutex_);
    if (!pending_ || pending_->withdrawn) return {0, 0, 0};
    double t = 1.0 + pending_->epoch % 64;
    return {1, t, t * t};
  }
  /// The group that all agreed on.
  std::unique_ptr<Group> take() {
    std::lock_guard lock(mutex_);
    if (pending_) current_ = pending_->leaver ? nullptr : pending_.get();
    return std::move(pending_);
  }

 private:
  void hear() {
    for (wm_event event{}; wm_trainer_wait(link_, -1, &event) == 0 && event.kind != WM_EVENT_CLOSED;) {
      if (event.kind == WM_EVENT_PLAN) on_plan(event);
      std::lock_guard lock(mutex_);
      if (event.kind == WM_EVENT_WITHDRAWN && pending_ && pending_->epoch == event.epoch)
        pending_->withdrawn = true;
      if (event.kind == WM_EVENT_BROKEN) on_broken(event.epoch);
      if (event.kind == WM_EVENT_LEAVE) leave_ = true;
      if (event.kind == WM_EVENT_STAND) stand_ = event.flag != 0;
      changed_.notify_all();
    }
  }
  void on_broken(std::uint32_t epoch) {
    broken_ = std::max(broken_, epoch);
    if (current_ && current_->epoch <= epoch) current_->abort();
    if (pending_ && pending_->epoch <= epoch) pending_.reset();
  }
  void on_plan(const wm_event& plan) {
    cancel_ = true;
    if (connect_.joinable()) connect_.join();
    cancel_ = false;
    auto group = std::make_unique<Group>();
    group->epoch = plan.epoch;
    group->world = static_cast<int>(plan.member_count);
    auto* end = plan.members + plan.member_count;
    group->rank = static_cast<int>(std::find(plan.members, end, task_) - plan.members);
    group->leaver = group->rank == group->world;
    group->has_state = static_cast<std::uint32_t>(group->rank) < plan.survivors;
    std::uint64_t key = std::uint64_t{plan.lead} << 32 | plan.epoch;
    if (group->leaver) return pend(std::move(group));
    connect_ = std::thread([this, key, where = std::string(plan.rendezvous),
                            group = std::move(group)]() mutable { connect(key, where, std::move(group)); });
  }
  void connect(std::uint64_t key, const std::string& where, std::unique_ptr<Group> group) {
    must(cudaSetDevice(0), "choosing the device");
    ncclUniqueId id{};
    if (group->rank == 0) id = store_->id_of(key);
    else
      while (!IdStore::ask(where, key, id)) {
        if (cancel_) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    ncclResult_t state = ncclCommInitRankConfig(&group->comm, group->world, id, group->rank, &config);
    while (state == ncclInProgress && !cancel_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (ncclCommGetAsyncError(group->comm, &state) != ncclSuccess) state = ncclInternalError;
    }
    if (cancel_) return group->abort();
    if (state == ncclSuccess) return pend(std::move(group));
    wm_trainer_connect_failed(link_, group->epoch, ncclGetErrorString(state));
  }
  void pend(std::unique_ptr<Group> group) {
    auto epoch = group->epoch;
    {
      std::lock_guard lock(mutex_);
      pending_ = std::move(group);
      changed_.notify_all();
    }
    wm_trainer_connected(link_, epoch);
  }

  wm_trainer* link_;
  std::uint32_t task_;
  bool alone_ = false;
  std::unique_ptr<IdStore> store_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Group> pending_;
  Group* current_ = nullptr;
  std::uint32_t broken_ = 0, answered_ = 0;
  std::atomic<bool> leave_{false}, cancel_{false};
  bool stand_ = false;
  std::thread thread_, connect_;
};

}  // namespace example
