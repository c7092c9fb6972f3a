// Role: the outside of a wnoded that only remembers: what was sent, started, told. Time stands
// still unless moved; accounts are authorised when the test says so.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/outside.h"
#include "libwm/codec/codec.h"

namespace wm::test {

/// A launcher that starts nothing. What it was asked stands in its members.
class FakeLauncher : public proc::Launcher {
 public:
  void start(const proc::AttemptSpec& spec) override { started.push_back(spec); }
  void tell(const proc::AttemptKey& key, const proc::ShepherdOrder& order) override {
    told.emplace_back(key, order);
  }
  void sweep(const proc::Sweep& sweep) override { swept.push_back(sweep); }
  void read(const proc::ReadFile& file, std::function<void(Result<proc::FileRead>)> done) override {
    reads.emplace_back(file, std::move(done));
  }

  std::vector<proc::AttemptSpec> started;
  std::vector<std::pair<proc::AttemptKey, proc::ShepherdOrder>> told;
  std::vector<proc::Sweep> swept;
  std::vector<std::pair<proc::ReadFile, std::function<void(Result<proc::FileRead>)>>> reads;
};

/// See the file comment.
class FakeOutside : public node::Outside {
 public:
  WallTime wall() override { return WallTime(now.time_since_epoch()); }
  TimePoint mono() override { return now; }
  void send(NodeVerb verb, std::string payload) override {
    sent.emplace_back(verb, std::move(payload));
  }
  void tell_agent(const proc::AttemptKey& key, const NodeToAgent& words) override {
    agents.emplace_back(key, words);
  }
  proc::Launcher& launcher() override { return fake; }
  void authorise(const HostOrder&, std::function<void(Result<proc::Account>)> done) override {
    asked.push_back(std::move(done));
  }
  Result<std::uint32_t> lease_port(const proc::AttemptKey& key,
                                   const proc::PortRange& range) override {
    if (no_ports) return fail(Code::Limit, "no port is free");
    return ports[key] = range.first + 4 * static_cast<std::uint32_t>(ports.size());
  }
  Result<void> hold_port(const proc::AttemptKey& key, std::uint32_t first) override {
    ports[key] = first;
    return {};
  }
  void release_port(const proc::AttemptKey& key) override { ports.erase(key); }
  bool exists(const std::string& path) override { return files.contains(path); }
  std::vector<std::uint32_t> cpus_of(std::int32_t pid) override { return bound[pid]; }
  void read_gpus(std::function<void(std::vector<proc::GpuReading>)> done) override {
    gpu_reads.push_back(std::move(done));
  }
  void keep_records(const std::function<bool(const proc::ExitRecord&)>& keep) override {
    std::erase_if(records, [&](const auto& record) { return !keep(record); });
    ++shrunk;
  }

  /// Answers the oldest question who the job's account is.
  void authorise_next(Result<proc::Account> account = proc::Account{1000, 100, {}}) {
    auto done = std::move(asked.front());
    asked.pop_front();
    done(std::move(account));
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
  std::vector<std::pair<proc::AttemptKey, NodeToAgent>> agents;
  std::deque<std::function<void(Result<proc::Account>)>> asked;
  std::map<proc::AttemptKey, std::uint32_t> ports;
  bool no_ports = false;
  std::deque<std::function<void(std::vector<proc::GpuReading>)>> gpu_reads;
  std::set<std::string> files;
  std::map<std::int32_t, std::vector<std::uint32_t>> bound;  // CPUs of running processes
  std::vector<proc::ExitRecord> records;
  int shrunk = 0;
};

}  // namespace wm::test
