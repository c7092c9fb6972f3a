// Role: a master at a desk, for tests of its verbs: the real core on a simulated env, two
// clients that remember what they were told. Used by test/unit/wmasterd.
#pragma once

#include <gtest/gtest.h>

#include <map>

#include "daemons/wmasterd/state/core.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/model/verbs/change_verbs.h"
#include "libwm/model/verbs/watch_verbs.h"
#include "test/support/builders.h"
#include "test/support/sim_env.h"

namespace wm::master {

inline const Identity kUser{1001, 1001, "u1"};
inline const Identity kOther{1002, 1002, "u2"};
inline const Identity kBoss{1003, 1003, "boss"};

/// A client that remembers what it was told.
struct Asker final : test::SimPeer {
  struct Frame {
    Verb type;
    std::string bytes;
    bool operator==(const Frame&) const = default;
  };
  std::vector<Frame> frames;
  PeerId id;
  void on_frame(std::uint16_t type, const std::string& bytes) override {
    frames.push_back({static_cast<Verb>(type), bytes});
  }
  void on_closed() override {}

  template <class Reply>
  Reply last() const {
    if (frames.empty()) return ADD_FAILURE() << "no answer", Reply{};
    auto reply = codec::decode<Reply>(frames.back().bytes);
    if (!reply) ADD_FAILURE() << "not such a reply: " << reply.error().text;
    return reply ? *reply : Reply{};
  }
  /// The newest answer, which has to be a refusal.
  VerbError refusal() const {
    if (frames.empty() || frames.back().type != Verb::Failed) ADD_FAILURE() << "not refused";
    return last<VerbError>();
  }
};

inline std::uint8_t number(Code code) { return static_cast<std::uint8_t>(code); }

/// A key of 16 bytes. A new one is a new request.
inline std::string key(const std::string& text) {
  return text + std::string(16 - text.size(), '.');
}

/// A master that has on disk what a cluster has been through.
struct Desk {
  Desk() {
    static const bool quiet = (log::open("clients", "", log::Level::Error), true);
    static_cast<void>(quiet);
    past.config.hosts.clear();
    past.config.cluster.admins = {"boss"};
    past.reconfigure();
  }
  void start() {
    if (disk.events.empty()) disk.events = past.history;
    env = std::make_unique<test::SimEnv>(sim, disk, past.config);
    core = std::make_unique<Core>(
        *env, Rights{{0}}, [](const AcctRequest&) { return HistoryReply{}; },
        [this](const std::vector<Event>& events, const Cluster&) {
          told.push_back(events.size());
        });
    ASSERT_TRUE(core->start());
    first.id = env->connect(first);
    second.id = env->connect(second);
  }
  /// The master ends and another one starts from its disk.
  void restart() {
    core.reset();
    env.reset();
    start();
  }
  ~Desk() {
    core.reset();
    env.reset();
  }
  void settle() { sim.run(sim.now() + std::chrono::milliseconds(100)); }
  void send(const Asker& peer, Verb verb, const std::string& bytes, const Identity& who = kUser) {
    core->clients().on_frame(peer.id, Caller{who, {}, {}}, static_cast<std::uint16_t>(verb), bytes);
  }
  template <class Request>
  void ask(Verb verb, const Request& request, const Identity& who = kUser) {
    send(first, verb, codec::encode(request), who);
    settle();
  }
  SubmitRequest submission(const std::string& name, test::SpecBuilder builder = {},
                           const std::string& signer = "1001") {
    builder.spec.program.env_hash = env->hash("A=1");
    return {key(name), codec::encode(builder.spec), signer, "", "A=1"};
  }
  JobId submit(const std::string& name, test::SpecBuilder builder = {}) {
    ask(Verb::Submit, submission(name, std::move(builder)));
    return first.last<SubmitReply>().job;
  }
  VerbError refused(test::SpecBuilder builder) {
    ask(Verb::Submit, submission("refused", std::move(builder)));
    return first.refusal();
  }
  KillRequest kill(JobId id, const std::string& name = "kill") {
    KillRequest request;
    request.request_key = key(name);
    request.jobs.ids = {id};
    return request;
  }
  std::size_t jobs() const {
    std::size_t n = 0;
    state().jobs.each([&](std::uint32_t, const Job&) { ++n; });
    return n;
  }
  const Cluster& state() const { return core->journal().published(); }
  JobState state_of(JobId id) const { return find_job(state(), id)->state; }

  test::ClusterBuilder past;
  test::Sim sim{1};
  test::SimDisk disk;
  std::unique_ptr<test::SimEnv> env;
  std::unique_ptr<Core> core;
  std::vector<std::size_t> told;  ///< to accounting: so many events each time
  Asker first, second;
};

/// An elastic job of u1 on three tasks, at least two, in its first epoch.
struct ElasticDesk : Desk {
  JobId id;
  ElasticDesk() {
    auto host = past.host(3);
    id = past.submit(test::SpecBuilder().tasks(2, 4).elastic());
    past.run(id, {host, host, host});
    past.enter_epoch(id, 1);
    start();
  }
  ResizeRequest release(std::uint32_t tasks, const std::string& name) {
    return {key(name), id, ResizeRequest::Kind::Release, tasks};
  }
};

}  // namespace wm::master
