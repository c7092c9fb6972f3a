// Role: the real Launcher: keeps the zygote (sbin/wshepherd) and a connection to every shepherd,
// and finds the shepherds that a former wnoded left.
//
//   start → socket pair → zygote forks → ShepherdUp … AttemptEnded, close
//   sweep → zygote forks → AttemptEnded; closed before: again after a pause
//   find_old: <run>/*.sock → connect → ShepherdUp | nobody listens: its shepherd is dead
//                               └ silent for 2 s: it is served like the others, and may say it late
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libwm/frames/stream.h"
#include "libwm/launch/launcher.h"
#include "libwm/proc/channel.h"

namespace wm::node {

/// Where a host keeps what its shepherds need.
struct HostFolders {
  std::string run, exits, node, cgroups;
  std::string program;          ///< path of wshepherd
  std::string obeyed = {};      ///< file of obeyed.h
  std::string gpu_energy = {};  ///< file of gpu_energy.h
};

/// @thread the loop's   @owns the zygote and the connections
class Shepherds : public launch::Launcher {
 public:
  using OnWord = std::function<void(const launch::AttemptKey&, const launch::ShepherdWord&)>;
  using OnLost = std::function<void(const launch::AttemptKey&)>;

  Shepherds(boost::asio::io_context& loop, HostFolders folders);

  /// Starts the zygote. Also called again when it is found dead.
  /// @errors System: program missing or not started
  Result<void> start_zygote();
  /// What a former wnoded left; connections to the living stay open. `lost`: attempts that have a
  /// socket and no shepherd. `late`: those that listen and say nothing, as one that is stopped, or
  /// waits for a disk: their ShepherdUp comes to `on_word`, if it comes.
  /// @cost blocks, a few ms a shepherd; 2 s in all for those that say nothing
  /// @errors System: one could not be asked, which does not mean that it is dead
  struct Found {
    std::vector<launch::ShepherdUp> living;
    std::vector<launch::AttemptKey> lost, late;
  };
  Result<Found> find_old();
  /// Delivery starts here, after adoption.
  void listen(OnWord on_word, OnLost on_lost);

  void start(const launch::AttemptSpec& spec) override;
  void tell(const launch::AttemptKey& key, const launch::ShepherdOrder& order) override;
  void sweep(const launch::Sweep& sweep) override;
  void read(const launch::ReadFile& file,
            std::function<void(Result<launch::FileRead>)> done) override;

 private:
  Result<std::unique_ptr<frames::Stream>> fork_with(const launch::ShepherdOrder& order);
  void serve(const launch::AttemptKey& key);
  void on_frame(const launch::AttemptKey& key, const std::string& bytes);
  void on_closed(const launch::AttemptKey& key);
  void fail_later(const launch::AttemptKey& key, const Error& error);
  void begin_sweep(const launch::AttemptKey& key);
  void sweep_later(const launch::AttemptKey& key, const std::string& why);

  boost::asio::io_context& loop_;
  HostFolders folders_;
  Fd zygote_;
  OnWord on_word_;
  OnLost on_lost_;
  std::map<launch::AttemptKey, std::unique_ptr<frames::Stream>> connections_;
  std::map<launch::AttemptKey, launch::Sweep> sweeps_;  ///< not answered yet
  std::map<std::uint64_t, std::unique_ptr<frames::Stream>> readers_;
  std::uint64_t next_reader_ = 1;
};

}  // namespace wm::node
