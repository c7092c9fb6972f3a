#include "libwm/trainer/groups/gloo_group.h"

#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "libwm/trainer/groups/proof.h"
#include "libwm/trainer/groups/sockets.h"
#include "libwm/trainer/groups/store.h"

namespace wm::groups {
namespace {

using namespace std::chrono_literals;
// A collective ends by its peers' sockets or by abort(), not by time: members may be slow.
constexpr std::chrono::milliseconds kNoLimit = std::chrono::hours(24 * 7);
constexpr auto kSlice = 20ms;          // between two looks whether the group was aborted
constexpr std::uint64_t kMessage = 1;  // slot of plain messages; collectives have a prefix
constexpr std::uint64_t kProof = 2;    // slot of the members' proofs

// One thread that works a queue off. It is never waited for: what it holds, it owns.
class Runner {
 public:
  Runner() : state_(std::make_shared<State>()) {
    std::thread([state = state_] { run(*state); }).detach();
  }
  ~Runner() {
    std::lock_guard hold(state_->lock);
    state_->ended = true;
    state_->changed.notify_all();
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  void post(std::function<void()> work) {
    std::lock_guard hold(state_->lock);
    state_->queue.push_back(std::move(work));
    state_->changed.notify_all();
  }

 private:
  struct State {
    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    bool ended = false;
  };
  static void run(State& state) {
    std::unique_lock hold(state.lock);
    while (true) {
      state.changed.wait(hold, [&] { return state.ended || !state.queue.empty(); });
      if (state.queue.empty()) return;
      auto work = std::move(state.queue.front());
      state.queue.pop_front();
      hold.unlock();
      work();
      work = nullptr;  // what it owns goes before the lock comes back
      hold.lock();
    }
  }
  std::shared_ptr<State> state_;
};

// What the thread of a call and the caller share.
class Call {
 public:
  void end(bool good) {
    std::lock_guard hold(lock_);
    over_ = true;
    good_ = good;
    changed_.notify_all();
  }
  bool wait(std::chrono::milliseconds limit) {
    std::unique_lock hold(lock_);
    return changed_.wait_for(hold, limit, [this] { return over_; });
  }
  bool good() {
    std::lock_guard hold(lock_);
    return good_;
  }

 private:
  std::mutex lock_;
  std::condition_variable changed_;
  bool over_ = false, good_ = false;
};

// gloo's connections of one epoch. Outlives its group while a thread is inside.
struct Mesh {
  std::shared_ptr<gloo::Context> context;
  std::vector<double> sums;  // of the collective thread's
};

class GlooGroup final : public Group {
 public:
  GlooGroup(Plan plan, std::shared_ptr<gloo::Context> context, std::vector<Connection> connections)
      : Group(std::move(plan)),
        mesh_(std::make_shared<Mesh>()),
        connections_(std::move(connections)) {
    mesh_->context = std::move(context);
  }
  ~GlooGroup() override { GlooGroup::abort(); }

  bool sum(std::span<double> values) override {
    if (dead_) return false;  // a thread left behind may be at work on the sums
    mesh_->sums.assign(values.begin(), values.end());
    auto reduce = [](Mesh& mesh) {
      gloo::AllreduceOptions options(mesh.context);
      options.setOutput(mesh.sums.data(), mesh.sums.size());
      options.setReduceFunction([](void* to, const void* a, const void* b, std::size_t n) {
        gloo::sum<double>(to, a, b, n);
      });
      options.setTimeout(kNoLimit);
      gloo::allreduce(options);
    };
    if (!run(collectives_, reduce)) return false;
    std::memcpy(values.data(), mesh_->sums.data(), values.size_bytes());
    return true;
  }

  bool send(std::span<const char> bytes, int rank) override {
    std::vector<char> copy(bytes.begin(), bytes.end());
    return run(messages_, [copy = std::move(copy), rank](Mesh& mesh) mutable {
      auto buffer = mesh.context->createUnboundBuffer(copy.data(), copy.size());
      buffer->send(rank, kMessage);
      buffer->waitSend(kNoLimit);
    });
  }

  bool receive(std::span<char> bytes, int rank) override {
    auto copy = std::make_shared<std::vector<char>>(bytes.size());
    auto fill = [copy, rank](Mesh& mesh) {
      auto buffer = mesh.context->createUnboundBuffer(copy->data(), copy->size());
      buffer->recv(rank, kMessage);
      buffer->waitRecv(kNoLimit);
    };
    if (!run(messages_, fill)) return false;
    std::memcpy(bytes.data(), copy->data(), bytes.size());
    return true;
  }

  void abort() override {
    std::lock_guard hold(lock_);
    dead_ = true;
    shut(connections_, false);
    connections_.clear();
  }
  bool dead() const override { return dead_; }

  void leave() override {
    {
      std::lock_guard hold(lock_);
      shut(connections_, true);
    }
    auto deadline = std::chrono::steady_clock::now() + kLeaveLimit;
    while (std::chrono::steady_clock::now() < deadline && !ended())
      std::this_thread::sleep_for(2ms);
    abort();
  }

 private:
  bool ended() {
    std::lock_guard hold(lock_);
    return all_ended(connections_);
  }

  // Does `work` in the runner's thread. It is left behind one slice after the group was
  // aborted; until then what it found counts, so that a step that all made is not lost.
  bool run(Runner& runner, std::function<void(Mesh&)> work) {
    if (dead_) return false;
    auto call = std::make_shared<Call>();
    runner.post([call, mesh = mesh_, work = std::move(work)] {
      bool good = true;
      try {
        work(*mesh);
      } catch (const std::exception&) {  // gloo's way to say that a connection has ended
        good = false;
      }
      call->end(good);
    });
    for (bool was_dead = false; !call->wait(kSlice); was_dead = dead_)
      if (was_dead) return false;
    return call->good();
  }

  std::shared_ptr<Mesh> mesh_;
  Runner collectives_, messages_;
  std::mutex lock_;
  std::vector<Connection> connections_;  // under lock_
  std::atomic<bool> dead_{false};
};

// An epoch's store in the form gloo takes.
class EpochStore final : public gloo::rendezvous::Store {
 public:
  explicit EpochStore(StoreClient& client) : client_(client) {}
  void set(const std::string& key, const std::vector<char>& data) override {
    if (!client_.set(key, {data.begin(), data.end()}))
      throw std::runtime_error("rank 0's store is gone");
  }
  std::vector<char> get(const std::string& key) override {
    auto found = client_.get(key);
    if (!found) throw std::runtime_error("a member did not come in time");
    return {found->begin(), found->end()};
  }
  void wait(const std::vector<std::string>& keys) override {
    for (const auto& key : keys) get(key);
  }
  void wait(const std::vector<std::string>& keys, const std::chrono::milliseconds&) override {
    wait(keys);  // the client's deadline holds
  }

 private:
  StoreClient& client_;
};

// Anybody can connect to where gloo listens and guess the number by which it tells its peers apart:
// so each pair of members proves itself over the connection that gloo has made for it.
class Pairs {
 public:
  // `about`: the epoch; `nonces`: of all members, by rank.
  Pairs(std::string key, std::string about, std::vector<std::string> nonces)
      : key_(std::move(key)), about_(std::move(about)), nonces_(std::move(nonces)) {}

  // Throws when one is no member, or says nothing before the deadline.
  void prove(gloo::rendezvous::Context& context, StoreClient::Clock::time_point deadline) const {
    std::vector<Pair> pairs;
    pairs.reserve(nonces_.size());  // gloo has pointers into them
    for (int rank = 0; rank < context.size; ++rank)
      if (rank != context.rank) pairs.push_back(begin(context, rank));
    for (auto& pair : pairs) {
      auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - StoreClient::Clock::now());
      left = std::max(left, std::chrono::milliseconds(100));
      pair.sending->waitSend(left);
      pair.receiving->waitRecv(left);
      if (!fits(*pair.theirs, shown(pair.rank, context.rank)))
        throw std::runtime_error("who has connected as member " + std::to_string(pair.rank) +
                                 " does not hold the key of this job");
    }
  }

 private:
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;
  struct Pair {
    int rank;
    std::unique_ptr<std::string> own, theirs;
    Buffer sending, receiving;  // end before what they point to
  };
  std::string shown(int speaker, int hearer) const {
    auto about = about_ + " " + std::to_string(speaker) + " to " + std::to_string(hearer);
    auto of = [this](int rank) { return nonces_[static_cast<std::size_t>(rank)]; };
    return proof_of(key_, "member", about, of(speaker) + of(hearer));
  }
  Pair begin(gloo::rendezvous::Context& context, int rank) const {
    auto own = std::make_unique<std::string>(shown(context.rank, rank));
    auto theirs = std::make_unique<std::string>(kProofBytes, '\0');
    auto receiving = context.createUnboundBuffer(theirs->data(), theirs->size());
    receiving->recv(rank, kProof);
    auto sending = context.createUnboundBuffer(own->data(), own->size());
    sending->send(rank, kProof);
    return {rank, std::move(own), std::move(theirs), std::move(sending), std::move(receiving)};
  }

  const std::string key_, about_;
  const std::vector<std::string> nonces_;
};

class GlooBackend final : public Backend {
 public:
  GlooBackend(std::unique_ptr<StoreServer> server, std::shared_ptr<gloo::transport::Device> device)
      : server_(std::move(server)), device_(std::move(device)) {}

  std::string rendezvous() const override { return server_->address(); }
  void use_key(const std::string& key) override { server_->use_key(key); }

  std::shared_ptr<Group> connect(const Plan& plan, const std::atomic<bool>& cancelled,
                                 std::string& why) override {
    if (plan.world == 1) return std::make_shared<Solo>(plan);
    try {
      return mesh(plan, cancelled);
    } catch (const std::exception& error) {
      why = error.what();
      return nullptr;
    }
  }

 private:
  std::shared_ptr<Group> mesh(const Plan& plan, const std::atomic<bool>& cancelled) {
    auto prefix = "wm/" + std::to_string(plan.lead) + "/" + std::to_string(plan.epoch);
    auto deadline = StoreClient::Clock::now() + kConnectLimit;
    auto key = server_->key();
    auto client = StoreClient::open(plan.rendezvous, prefix, key, deadline, cancelled);
    if (!client) throw std::runtime_error("rank 0 at " + plan.rendezvous + kNoMember);
    EpochStore store(*client);
    auto drawn = nonce();
    store.set("here/" + std::to_string(plan.rank), {drawn.begin(), drawn.end()});
    // gloo waits for each peer in turn: wait for all before it begins.
    std::vector<std::string> nonces;
    for (int rank = 0; rank < plan.world; ++rank) {
      auto text = store.get("here/" + std::to_string(rank));
      nonces.emplace_back(text.begin(), text.end());
    }
    auto context = std::make_shared<gloo::rendezvous::Context>(plan.rank, plan.world);
    context->setTimeout(kConnectLimit);
    auto device = device_;
    context->connectFullMesh(store, device);
    Pairs(key, prefix, std::move(nonces)).prove(*context, deadline);
    std::set<End> ends;
    for (int rank = 0; rank < plan.world; ++rank)
      ends.merge(published(store.get(std::to_string(rank))));
    return std::make_shared<GlooGroup>(plan, context, find(ends));
  }

  std::unique_ptr<StoreServer> server_;
  std::shared_ptr<gloo::transport::Device> device_;
};

}  // namespace

std::unique_ptr<Backend> make_gloo(const std::string& host, std::string& why) {
  // gloo writes to connections after their peer died, and does not say MSG_NOSIGNAL.
  struct sigaction now {};
  if (::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL)
    std::signal(SIGPIPE, SIG_IGN);
  auto server = StoreServer::open(host);
  if (!server) {
    why = "cannot listen at " + host;
    return nullptr;
  }
  try {
    return std::make_unique<GlooBackend>(std::move(server),
                                         gloo::transport::tcp::CreateDevice(host.c_str()));
  } catch (const std::exception& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace wm::groups
