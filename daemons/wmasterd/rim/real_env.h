// Role: Env on a real machine: Asio's loop and timers, links of libwm/wire, the SQLite
// store behind its committer, a small pool for work off the loop.
// Built and owned by main; the core sees Env alone.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "daemons/wmasterd/rim/user_names.h"
#include "libwm/env/env.h"
#include "libwm/store/core/core_db.h"
#include "libwm/wire/credentials.h"
#include "libwm/wire/transport.h"

namespace wm::master {

/// What a real env is made of.
struct RealEnvOptions {
  std::string conf_dir;
  std::string state_dir;
  Bytes store_reserve{64 << 20};
  Bytes store_queue{64 << 20};  ///< above it no client's requests are read
  std::shared_ptr<wire::Credentials> credentials;
  std::string suggester = {};  ///< the program of searches; empty: wsuggest beside this one
};

/// @thread the loop's, except where Env says otherwise
class RealEnv final : public WholeEnv {
 public:
  /// Opens the store. @errors as store::CoreDb::open
  static Result<std::unique_ptr<RealEnv>> make(boost::asio::io_context& loop,
                                               RealEnvOptions options);
  ~RealEnv() override;

  /// Takes over a link; frames and the end go to the callbacks, named by the new peer. A client
  /// is not read from while too much waits to become durable.
  PeerId adopt(std::unique_ptr<wire::Link> link,
               std::function<void(PeerId, std::uint16_t, const std::string&)> on_frame,
               std::function<void(PeerId)> on_left, bool is_client);
  /// Tells the account's name, "#uid" of one without: at once when it was asked for lately, else
  /// when the name service has answered.
  void name_of(std::uint32_t uid, std::function<void(const std::string&)> done);
  /// Stops workers and the committer; what was queued is finished. No call after it.
  void stop();

  WallTime wall() override;
  TimePoint mono() override;
  void after(Duration delay, std::function<void()> act) override;
  void work(std::function<void()> job, std::function<void()> done) override;
  void answer(std::function<void()> job, std::function<void()> done) override;
  void urgent(std::function<void()> job, std::function<void()> done) override;
  void read_store(std::function<void()> job, std::function<void()> done) override;
  std::string random(std::size_t n) override;
  void send(PeerId peer, std::uint16_t type, std::string payload) override;
  std::size_t unsent(PeerId peer) override;
  void close(PeerId peer) override;
  std::uint64_t commit(Commit batch, std::function<void(Result<void>)> done) override;
  void probe_store(std::function<void(Result<void>)> done) override;
  bool low_space() override;
  Result<Loaded> load() override;
  Result<std::string> blob(const std::string& hash) override;
  void kept_reply(std::string key,
                  std::function<void(Result<std::optional<std::string>>)> done) override;
  void keep_snapshot(Seq seq, std::function<Image()> make, std::function<void()> done) override;
  void tidy_store(WallTime replies, WallTime history) override;
  void verify(std::string credential, std::string payload,
              std::function<void(Result<Identity>)> done) override;
  std::string hash(const std::string& bytes) override;
  void run(std::vector<std::string> words, Duration limit,
           std::function<void(Result<std::string>)> done) override;
  void suggest(std::string line, Duration limit,
               std::function<void(Result<std::string>)> done) override;
  Result<Config> read_config() override;

 private:
  struct Loop;  // Asio's part
  RealEnv(boost::asio::io_context& loop, RealEnvOptions options);

  RealEnvOptions options_;
  std::string groups_told_;  // what groups_command said last
  UserNames names_{look_up_user};
  std::unique_ptr<store::CoreDb> db_;
  std::unique_ptr<Loop> loop_;
  std::map<PeerId, std::unique_ptr<wire::Link>> links_;
  std::set<PeerId> clients_;
  PeerId last_peer_;
  bool low_told_ = false;
};

}  // namespace wm::master
