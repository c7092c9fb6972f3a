// Role: wnoded's Env on a real loop: wires master link, shepherds, agents, accounts and
// ports together. main makes one and runs the loop.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <memory>

#include "daemons/wnoded/core.h"
#include "daemons/wnoded/env.h"
#include "daemons/wnoded/rim/agents.h"
#include "daemons/wnoded/rim/kept_text.h"
#include "daemons/wnoded/rim/master_link.h"
#include "daemons/wnoded/rim/own_address.h"
#include "daemons/wnoded/rim/own_config.h"
#include "daemons/wnoded/rim/shepherds.h"
#include "libwm/gpu/nvml.h"
#include "libwm/proc/port_uses.h"
#include "libwm/proc/rapl.h"
#include "libwm/proc/topology.h"
#include "libwm/wire/credentials.h"

namespace wm::node {

/// Everything main has found out.
struct NodeSetup {
  HostRegister card;
  launch::HostFacts host;
  HostFolders folders;
  wire::Endpoint master;
  wire::DialOptions dial;
  std::shared_ptr<gpu::Nvml> nvml;  ///< null: no GPU driver
  std::string reached_as;           ///< the name that gives host.address; empty: that is configured
  bool follows_memory = false;      ///< the card has MemTotal, which is looked at now and then
};

/// @thread the loop's
class RealEnv : public Env {
 public:
  RealEnv(boost::asio::io_context& loop, NodeSetup setup);
  ~RealEnv() override;

  /// Zygote, adoption, agents' socket, then dialling. Sweeps of attempts that lost their shepherd
  /// end before the master is dialled, so that what is not reported is really gone.
  /// @errors System: the zygote or the agents' socket
  Result<void> start();
  /// By which other hosts reach this one now; empty: not known yet. @cost O(1)
  const std::string& address() const { return setup_.host.address; }
  /// For monitoring. @cost O(tasks)
  NodeNumbers numbers() const { return core_.numbers(); }

  WallTime wall() override;
  TimePoint mono() override;
  void send(NodeVerb verb, std::string payload) override;
  void tell_agent(const launch::AttemptKey& key, const NodeToAgent& words) override;
  launch::Launcher& launcher() override { return shepherds_; }
  void authorise(const HostOrder& order, std::function<void(Result<Authorised>)> done) override;
  void prove(std::function<void(Result<launch::Account>)> done) override;
  HostPorts& job_ports() override { return ports_; }
  bool exists(const std::string& path) override;
  std::vector<std::uint32_t> cpus_of(std::int32_t pid) override;
  void read_gpus(std::function<void(std::vector<gpu::GpuReading>)> done) override;
  std::optional<std::int64_t> cpu_energy_mj() override;
  void keep_obeyed(const MasterRank& master) override;
  void keep_gpu_energy(std::string text) override;
  std::string kept_gpu_energy() override;
  void keep_records(const std::function<bool(const launch::ExitRecord&)>& keep) override;

 private:
  Result<void> adopt();
  void on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word);
  void tick();
  void dial();
  void sweep(const launch::AttemptKey& key);
  void look_for_address();

  boost::asio::io_context& loop_;
  NodeSetup setup_;
  OwnConfig own_config_;
  Core core_;
  Shepherds shepherds_;
  Agents agents_;
  wire::Transport transport_;
  MasterLink master_;
  std::string given_up_;  // why, the last time
  proc::Load load_;       ///< as it was when looked at last: reading it is the most of a tick
  TimePoint looked_{};
  TimePoint address_due_{};  ///< its name is looked up then; the farthest: never, or it is now
  bool dialling_ = false;    ///< the master has been dialled once
  boost::asio::steady_timer timer_;
  boost::asio::thread_pool workers_{2};
  KeptText gpu_energy_;
  RealPorts ports_;
  proc::Rapl rapl_;
  std::set<launch::AttemptKey> sweeping_;  ///< found dead at the start
  std::set<launch::AttemptKey> late_;      ///< found then, and silent
  TimePoint late_until_{};                 ///< then they count as dead
};

}  // namespace wm::node
