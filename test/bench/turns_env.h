// Role: Env for benchmarks of the master's loop: virtual time, a store that keeps nothing, peers
// that are functions. Every callback on the loop is one turn and is timed; what workers would do
// runs between turns and is not.
#pragma once

#include <time.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <vector>

#include "libwm/env/env.h"
#include "test/support/builders.h"

namespace wm::bench {

/// What this thread has computed, in us: turns wait for nothing, and others may be busy here.
inline double cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}
inline double timed_us(const std::function<void()>& act) {
  auto began = cpu_us();
  act();
  return cpu_us() - began;
}

/// @thread one
class TurnsEnv final : public WholeEnv {
 public:
  using Peer = std::function<void(std::uint16_t type, const std::string& payload)>;

  explicit TurnsEnv(Config config) : config_(std::move(config)) {}

  PeerId connect(Peer peer) {
    peers_.push_back(std::move(peer));
    return PeerId{peers_.size()};
  }
  /// Runs turns until nothing is left or that time is reached.
  void run(Duration until) {
    while (!queue_.empty() && queue_.top().at <= until) {
      Turn turn = queue_.top();
      queue_.pop();
      now_ = turn.at;
      if (!turn.timed) {
        turn.act();
        continue;
      }
      turns_us.push_back(timed_us(turn.act));
    }
    now_ = until;
  }
  /// Something that happens outside the master.
  void env(Duration delay, std::function<void()> act) { push(delay, std::move(act), false); }
  /// A frame or the like that arrives: a turn of its own.
  void arrive(Duration delay, std::function<void()> act) { push(delay, std::move(act), true); }
  Duration now() const { return now_; }

  std::vector<double> turns_us;
  std::vector<double> answers_us;  ///< what workers spent on each answer of a state
  Loaded loaded;                   ///< what a start finds

  WallTime wall() override { return test::at(0) + now_; }
  TimePoint mono() override { return TimePoint(now_); }
  void after(Duration delay, std::function<void()> act) override {
    push(delay, std::move(act), true);
  }
  void work(std::function<void()> job, std::function<void()> done) override {
    push(kWorker, std::move(job), false);
    push(2 * kWorker, std::move(done), true);
  }
  void answer(Job job, Job done) override {
    auto timed = [this, job = std::move(job)] { answers_us.push_back(timed_us(job)); };
    work(std::move(timed), std::move(done));
  }
  std::string random(std::size_t n) override { return std::string(n, 'r'); }
  void send(PeerId peer, std::uint16_t type, std::string payload) override {
    if (!peer || peer.value > peers_.size()) return;
    env(kNet, [this, peer, type, payload = std::move(payload)] {
      peers_[peer.value - 1](type, payload);
    });
  }
  std::size_t unsent(PeerId) override { return 0; }
  void close(PeerId) override {}
  std::uint64_t commit(Commit, std::function<void(Result<void>)> done) override {
    push(
        kDisk, [done = std::move(done)] { done({}); }, true);
    return 0;
  }
  void probe_store(std::function<void(Result<void>)> done) override { done({}); }
  bool low_space() override { return false; }
  Result<Loaded> load() override { return loaded; }
  Result<std::string> blob(const std::string&) override { return std::string("A=1\0", 4); }
  void kept_reply(std::string,
                  std::function<void(Result<std::optional<std::string>>)> done) override {
    work([] {}, [done = std::move(done)] { done(std::optional<std::string>()); });
  }
  void keep_snapshot(Seq, std::function<Image()>, std::function<void()> done) override {
    work([] {}, std::move(done));
  }
  void tidy_store(WallTime, WallTime) override {}
  void verify(std::string, std::string, std::function<void(Result<Identity>)> done) override {
    work([] {}, [done = std::move(done)] { done(Identity{1001, 1001, "u1"}); });
  }
  std::string hash(const std::string& bytes) override {
    auto hash = std::to_string(std::hash<std::string>()(bytes));
    hash.resize(32, '.');
    return hash;
  }
  void run(std::vector<std::string>, Duration,
           std::function<void(Result<std::string>)> done) override {
    done(fail(Code::System, "no commands here"));
  }
  void suggest(std::string, Duration, std::function<void(Result<std::string>)> done) override {
    done(fail(Code::System, "no suggester here"));
  }
  Result<Config> read_config() override { return config_; }

 private:
  static constexpr Duration kWorker = std::chrono::microseconds(50);
  static constexpr Duration kNet = std::chrono::microseconds(100);
  static constexpr Duration kDisk = std::chrono::milliseconds(2);
  struct Turn {
    Duration at{};
    std::uint64_t order = 0;
    bool timed = true;
    std::function<void()> act;
    bool operator<(const Turn& o) const { return at != o.at ? at > o.at : order > o.order; }
  };
  void push(Duration delay, std::function<void()> act, bool timed) {
    queue_.push({now_ + std::max(delay, Duration{}), ++asked_, timed, std::move(act)});
  }

  Config config_;
  std::vector<Peer> peers_;
  std::priority_queue<Turn> queue_;
  Duration now_{};
  std::uint64_t asked_ = 0;
};

}  // namespace wm::bench
