// Role: Env in a simulation: virtual time, a disk that outlives the daemon, a network that
// delays and breaks. A crash destroys the SimEnv: whatever it had asked for and was not
// durable is gone; a commit under way may or may not have reached the disk.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libwm/env/env.h"
#include "test/support/sim.h"

namespace wm::test {

/// What survives a crash.
struct SimDisk {
  std::vector<Event> events;
  std::map<std::string, std::string> blobs, replies;
  std::string snapshot;
  Seq snapshot_seq;
  bool failing = false;  ///< every commit fails while set
  Duration clock_set{};  ///< by so much somebody has set its machine's wall clock
  void append(const Commit& commit);
};

/// The other end of a connection: a host or a client.
class SimPeer {
 public:
  virtual ~SimPeer() = default;
  virtual void on_frame(std::uint16_t type, const std::string& payload) = 0;
  virtual void on_closed() = 0;
};

/// @thread one
class SimEnv final : public WholeEnv {
 public:
  SimEnv(Sim& sim, SimDisk& disk, Config config);
  ~SimEnv() override;

  /// Connects a peer; frames to it arrive in order, a little later.
  PeerId connect(SimPeer& peer);
  /// Breaks a connection: what was under way is lost. The peer is told.
  void cut(PeerId peer);
  bool is_connected(PeerId peer) const { return peers_.count(peer) != 0; }
  /// The daemon stands still for so long, as after SIGSTOP: timers that come due and what others
  /// say wait for its end.
  void stall(Duration time) { stalled_until_ = sim_.now() + time; }
  /// Runs `act` when the daemon does anything at all: now, or after the stall.
  void when_running(std::function<void()> act);
  /// Calls of Env so far: a crash can be placed at each of them.
  std::uint64_t calls() const { return calls_; }
  /// Called at every Env call with its number; may throw Crash.
  std::function<void(std::uint64_t)> on_call;
  struct Crash {};
  /// So much the wall clock goes on whenever it is read, as between steps of a long walk.
  Duration wall_step{};
  /// What a command of run() does and how it ends; none: it cannot be started.
  std::function<Result<std::string>(const std::vector<std::string>& words)> on_command;
  std::function<Result<std::string>(const std::string& line)> on_suggest;
  std::size_t unsent_bytes = 0;  // of every peer

  WallTime wall() override;
  TimePoint mono() override;
  void after(Duration delay, std::function<void()> act) override;
  void work(std::function<void()> job, std::function<void()> done) override;
  std::string random(std::size_t n) override;
  void send(PeerId peer, std::uint16_t type, std::string payload) override;
  std::size_t unsent(PeerId) override { return unsent_bytes; }
  void close(PeerId peer) override;
  std::uint64_t commit(Commit batch, std::function<void(Result<void>)> done) override;
  void probe_store(std::function<void(Result<void>)> done) override;
  bool full = false;  ///< no room: submissions are refused
  bool low_space() override { return full; }
  Result<Loaded> load() override;
  Result<std::string> blob(const std::string& hash) override;
  void kept_reply(std::string key,
                  std::function<void(Result<std::optional<std::string>>)> done) override;
  void keep_snapshot(Seq seq, std::function<Image()> make, std::function<void()> done) override;
  int snapshots_under_way = 0;
  std::vector<WallTime> tidied;  ///< what each call of tidy_store named
  void tidy_store(WallTime replies, WallTime) override {
    called();
    tidied.push_back(replies);
  }
  void verify(std::string credential, std::string payload,
              std::function<void(Result<Identity>)> done) override;
  std::string hash(const std::string& bytes) override;
  void run(std::vector<std::string> words, Duration limit,
           std::function<void(Result<std::string>)> done) override;
  void suggest(std::string line, Duration limit,
               std::function<void(Result<std::string>)> done) override;
  Result<Config> read_config() override { return config_; }

 private:
  struct Line {
    SimPeer* peer = nullptr;
    Duration last{};  // arrival of the newest frame: order is kept
  };
  void called();
  // Runs on the loop if this env still lives.
  void later(Duration delay, std::function<void()> act);

  Sim& sim_;
  SimDisk& disk_;
  Config config_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<PeerId, Line> peers_;
  PeerId last_peer_;
  std::uint64_t calls_ = 0;
  Duration walked_{};  // by steps of the wall clock
  Duration last_commit_{};
  Duration stalled_until_{};
  bool broken_ = false;  // a commit failed and the store was not probed since
};

}  // namespace wm::test
