// Role: a lead under test with one agent per task, host k holding task k, and words to drive it.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "libwm/elastic/lead.h"

namespace wm::elastic {

class LeadRig {
 public:
  using Numbers = std::vector<std::uint32_t>;

  explicit LeadRig(Numbers tasks, std::uint32_t lead = 1, EpochNumber last = {}) {
    order.lead = LeadNumber{lead};
    order.lead_host = HostId{1};
    order.last_epoch = last;
    order.start_window = std::chrono::seconds(2);
    order.connect_limit = std::chrono::seconds(5);
    order.hang_limit = std::chrono::seconds(30);
    for (auto t : tasks) order.tasks.push_back({TaskNumber{t}, HostId{t}, false});
    machine.emplace(order, now);
  }

  void on(const LeadEvent& event) {
    LeadOutput out = machine->on(event, now);
    tell.insert(tell.end(), out.tell.begin(), out.tell.end());
    facts.insert(facts.end(), out.facts.begin(), out.facts.end());
  }
  void master(MasterSeen seen) { on(NodeHeartbeat{seen}); }
  void status(const AgentStatus& words) { on(FromAgent{words.host, words}); }
  void agents_up(Numbers hosts) {
    for (auto h : hosts) status({HostId{h}, order.lead, {}, {}, {}, {}, {}});
  }
  void said(std::uint32_t task, const FromWorker& words) {
    on(FromAgent{HostId{task}, WorkerSaid{TaskNumber{task}, words}});
  }
  void gone(std::uint32_t task, const std::string& reason) {
    on(FromAgent{HostId{task}, TaskGone{TaskNumber{task}, reason}});
  }
  void ready(Numbers tasks) {
    for (auto t : tasks) said(t, WorkerReady{"10.0.0." + std::to_string(t) + ":9"});
  }
  void connected(Numbers tasks, std::uint32_t epoch) {
    for (auto t : tasks) said(t, WorkerConnected{EpochNumber{epoch}});
  }
  void switched(Numbers tasks, std::uint32_t epoch, std::uint64_t step = 0) {
    for (auto t : tasks) said(t, WorkerSwitched{EpochNumber{epoch}, step, Duration(3000), true});
  }
  void faulted(Numbers tasks, std::uint32_t epoch, std::uint64_t step = 0) {
    for (auto t : tasks) said(t, WorkerFaulted{EpochNumber{epoch}, step, "aborted"});
  }
  /// All of `tasks` train in epoch 1, nothing is left to say.
  void train(Numbers tasks) {
    agents_up(tasks);
    ready(tasks);
    connected(tasks, 1);
    switched(tasks, 1);
    forget();
  }
  /// Time passes; every agent but `silent` beats, the master is heard.
  void pass(Duration span, Numbers silent = {}) {
    for (Duration step{}; step < span; step += std::chrono::milliseconds(200)) {
      now += std::chrono::milliseconds(200);
      if (seen) master(*seen);
      for (const auto& wanted : order.tasks) {
        bool quiet = std::find(silent.begin(), silent.end(), wanted.host.value) != silent.end();
        if (!quiet) on(FromAgent{wanted.host, Heartbeat{order.lead}});
        if (!quiet && reporting) said(wanted.task.value, WorkerProgress{});
      }
      on(Tick{});
    }
  }
  void want(std::initializer_list<std::uint32_t> tasks, Numbers leaving = {}) {
    order.tasks.clear();
    for (auto t : tasks) {
      bool leaves = std::find(leaving.begin(), leaving.end(), t) != leaving.end();
      order.tasks.push_back({TaskNumber{t}, HostId{t}, leaves});
    }
    ++order.generation;
    on(order);
  }
  void forget() {
    tell.clear();
    facts.clear();
  }
  /// Tasks that were told words of this kind, in the order of telling.
  template <class Words>
  Numbers told() const {
    Numbers tasks;
    for (const auto& t : tell) {
      if (std::holds_alternative<Words>(t.words.words)) tasks.push_back(t.words.task.value);
    }
    return tasks;
  }
  /// The newest plan anybody was told.
  EpochPlan plan() const {
    EpochPlan newest;
    for (const auto& t : tell) {
      auto* p = std::get_if<EpochPlan>(&t.words.words);
      if (p != nullptr && p->epoch > newest.epoch) newest = *p;
    }
    return newest;
  }
  Numbers members() const {
    Numbers tasks;
    for (auto m : plan().members) tasks.push_back(m.value);
    return tasks;
  }
  template <class Fact>
  std::vector<Fact> reports() const {
    std::vector<Fact> list;
    for (const auto& f : facts) {
      if (auto* fact = std::get_if<Fact>(&f)) list.push_back(*fact);
    }
    return list;
  }

  TimePoint now{std::chrono::hours(1)};
  AgentOrder order;
  bool reporting = false;  ///< workers report their progress as time passes
  std::optional<MasterSeen> seen = MasterSeen::Heard;
  std::optional<Lead> machine;
  std::vector<ToHost> tell;
  std::vector<AgentFact> facts;
};

}  // namespace wm::elastic
