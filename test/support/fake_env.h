// Role: the environment of a wnoded that only remembers: what was sent, started, told. Time stands
// still unless moved; accounts are authorised when the test says so.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/env.h"
#include "libwm/codec/codec.h"

namespace wm::test {

/// A launcher that starts nothing. What it was asked stands in its members.
class FakeLauncher : public launch::Launcher {
 public:
  void start(const launch::AttemptSpec& spec) override { started.push_back(spec); }
  void tell(const launch::AttemptKey& key, const launch::ShepherdOrder& order) override {
    told.emplace_back(key, order);
  }
  void sweep(const launch::Sweep& sweep) override { swept.push_back(sweep); }
  void read(const launch::ReadFile& file,
            std::function<void(Result<launch::FileRead>)> done) override {
    reads.emplace_back(file, std::move(done));
  }

  std::vector<launch::AttemptSpec> started;
  std::vector<std::pair<launch::AttemptKey, launch::ShepherdOrder>> told;
  std::vector<launch::Sweep> swept;
  std::vector<std::pair<launch::ReadFile, std::function<void(Result<launch::FileRead>)>>> reads;
};

/// See the file comment.
class FakeEnv : public node::Env, public node::HostPorts {
 public:
  WallTime wall() override { return WallTime(now.time_since_epoch()); }
  TimePoint mono() override { return now; }
  void send(NodeVerb verb, std::string payload) override {
    sent.emplace_back(verb, std::move(payload));
  }
  void tell_agent(const launch::AttemptKey& key, const NodeToAgent& words) override {
    agents.emplace_back(key, words);
  }
  launch::Launcher& launcher() override { return fake; }
  void authorise(const HostOrder& order,
                 std::function<void(Result<node::Authorised>)> done) override {
    node::OwnCommands own{order.app, order.queue_side.pre, order.queue_side.post};
    own.dirs = own_dirs;
    own.scripts = own_scripts;
    asked.push_back({std::move(own), std::move(done)});
  }
  void prove(std::function<void(Result<launch::Account>)> done) override {
    proofs.push_back(std::move(done));
  }
  node::HostPorts& job_ports() override { return *this; }
  Result<std::uint32_t> lease(const launch::AttemptKey& key, const proc::PortRange& range,
                              std::uint32_t wanted) override {
    if (no_ports) return fail(Code::Limit, "no port is free");
    if (wanted != 0 && !taken.contains(wanted)) return ports[key] = wanted;
    return ports[key] = range.first + 4 * static_cast<std::uint32_t>(ports.size());
  }
  Result<void> hold(const launch::AttemptKey& key, std::uint32_t first) override {
    ports[key] = first;
    return {};
  }
  void release(const launch::AttemptKey& key) override {
    ports.erase(key);
    guarded.erase(key);
  }
  Result<void> guard(const launch::AttemptKey& key, std::uint16_t port,
                     std::uint32_t uid) override {
    if (no_guard) return fail(Code::Denied, "rules for a port need root");
    guarded[key] = {port, uid};
    return {};
  }
  void look_at(std::map<std::uint16_t, PortUse>& uses) override {
    for (auto& [port, use] : uses)
      if (auto known = ports_used.find(port); known != ports_used.end()) use = known->second;
  }
  bool exists(const std::string& path) override { return files.contains(path); }
  std::vector<std::uint32_t> cpus_of(std::int32_t pid) override { return bound[pid]; }
  void read_gpus(std::function<void(std::vector<gpu::GpuReading>)> done) override {
    gpu_reads.push_back(std::move(done));
  }
  std::optional<std::int64_t> cpu_energy_mj() override { return energy_mj; }
  void keep_obeyed(const MasterRank& master) override { obeyed.push_back(master); }
  void keep_gpu_energy(std::string text) override { gpu_energy = std::move(text); }
  std::string kept_gpu_energy() override { return gpu_energy; }
  void keep_records(const std::function<bool(const launch::ExitRecord&)>& keep) override {
    std::erase_if(records, [&](const auto& record) { return !keep(record); });
    ++shrunk;
  }

  /// Answers the oldest question who the job's account is.
  void authorise_next(Result<launch::Account> account = launch::Account{1000, 100, {}}) {
    auto [own, done] = std::move(asked.front());
    asked.pop_front();
    if (account) done(node::Authorised{*account, std::move(own)});
    else done(account.error());
  }
  /// Facts sent so far, decoded, and forgotten here.
  std::vector<HostFact> take_facts() {
    std::vector<HostFact> facts;
    for (auto& [verb, payload] : sent)
      if (verb == NodeVerb::Fact) facts.push_back(*codec::decode<HostFact>(payload));
    std::erase_if(sent, [](auto& s) { return s.first == NodeVerb::Fact; });
    return facts;
  }

  TimePoint now{std::chrono::hours(1)};
  FakeLauncher fake;
  std::vector<std::pair<NodeVerb, std::string>> sent;
  std::vector<MasterRank> obeyed;  ///< as they were kept
  std::vector<std::pair<launch::AttemptKey, NodeToAgent>> agents;
  struct Asked {
    node::OwnCommands own;  ///< as this host has them: what the order says
    std::function<void(Result<node::Authorised>)> done;
  };
  std::deque<Asked> asked;
  std::deque<std::function<void(Result<launch::Account>)>> proofs;  ///< asked for
  std::map<launch::AttemptKey, std::uint32_t> ports;
  std::map<launch::AttemptKey, std::pair<std::uint16_t, std::uint32_t>> guarded;  // port, uid
  bool no_guard = false;  // as where the daemon is not root
  DirConf own_dirs;       // as this host's files say
  SiteScripts own_scripts;
  bool no_ports = false;
  std::set<std::uint32_t> taken;  // ports that somebody else has
  std::map<std::uint16_t, PortUse> ports_used;
  std::string gpu_energy;                 ///< as it was kept
  std::optional<std::int64_t> energy_mj;  ///< of processors, told at each call
  std::deque<std::function<void(std::vector<gpu::GpuReading>)>> gpu_reads;
  std::set<std::string> files;
  std::map<std::int32_t, std::vector<std::uint32_t>> bound;  // CPUs of running processes
  std::vector<launch::ExitRecord> records;
  int shrunk = 0;
};

}  // namespace wm::test
