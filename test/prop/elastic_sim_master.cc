// The master of the simulated job, and what goes wrong in its cluster.
#include <algorithm>

#include "test/prop/elastic_sim.h"

namespace wm::sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

void ElasticSim::master() {
  after(milliseconds(200), [this] { master(); });
  if (!master_up_) return;
  for (auto& [h, host] : hosts_) {
    if (reach_master(h)) host_heard_[h] = now_;
  }
  bool changed = refresh_wanted();
  changed = refresh_lead() || changed;
  if (changed) broadcast();
}

bool ElasticSim::refresh_wanted() {
  auto before = order_.tasks;
  std::erase_if(order_.tasks, [&](const WantedTask& w) {
    return !workers_.at(w.task).alive && reach_master(w.host);
  });
  for (auto& w : order_.tasks) {
    if (!reach_master(w.host)) continue;
    bool late = w.leaving && now_ - leaving_since_[w.task] > seconds(8);
    if (late || faulty_.contains(w.task)) end_worker(workers_.at(w.task), "signal 9");
  }
  auto staying = static_cast<std::size_t>(
      std::ranges::count_if(order_.tasks, [](const WantedTask& w) { return !w.leaving; }));
  for (auto w = order_.tasks.rbegin(); staying > target_ && w != order_.tasks.rend(); ++w) {
    if (w->leaving || chance(0.3)) continue;
    w->leaving = true;
    leaving_since_[w->task] = now_;
    --staying;
  }
  while (staying < target_ && !training_over_) {
    std::vector<HostId> free;
    for (auto& [h, host] : hosts_) {
      if (reach_master(h)) free.push_back(h);
    }
    if (free.empty()) break;
    HostId h = free[rng_() % free.size()];
    order_.tasks.push_back({TaskNumber{next_task_}, h, false});
    start_worker(h);
    ++staying;
  }
  return order_.tasks != before;
}

bool ElasticSim::refresh_lead() {
  auto silent = [&](HostId h) { return now_ - host_heard_[h] > seconds(2); };
  auto address = [&](HostId h) {
    return std::to_string(h.value) + ":" + std::to_string(hosts_[h].incarnation);
  };
  bool good = order_.lead && !silent(order_.lead_host) &&
              (!reach_master(order_.lead_host) || order_.lead_address == address(order_.lead_host));
  if (good) return false;
  std::vector<HostId> candidates;
  for (auto m : formed_.members) {
    auto w = workers_.find(m);
    if (w != workers_.end() && w->second.alive) candidates.push_back(w->second.host);
  }
  for (auto& [h, host] : hosts_) candidates.push_back(h);
  for (auto h : candidates) {
    if (!reach_master(h)) continue;
    ++order_.lead.value;
    order_.lead_host = h;
    order_.lead_address = address(h);
    note("master: lead " + std::to_string(order_.lead.value) + " on host " + address(h));
    return true;
  }
  return false;
}

void ElasticSim::broadcast() {
  ++order_.generation;
  order_.last_epoch = formed_.epoch;
  for (auto& [h, host] : hosts_) {
    after(ms(1, 10), [this, to = h, order = order_] {
      if (reach_master(to)) on_agent(to, NodeToAgent{order});
    });
  }
}

void ElasticSim::heard(HostId, const AgentReport& report) {
  if (auto* formed = std::get_if<EpochFormed>(&report.fact)) {
    if (formed->epoch > formed_.epoch) {
      formed_ = *formed;
      if (formed->steps_lost > 1 && formed->step > 0)
        violate("steps lost: " + std::to_string(formed->steps_lost));
      note("formed " + std::to_string(formed->epoch.value) + " world " +
           std::to_string(formed->members.size()) + " " + formed->reason);
    }
  } else if (auto* faulty = std::get_if<TaskFaulty>(&report.fact)) {
    note("faulty " + std::to_string(faulty->task.value) + " " + faulty->reason);
    faulty_.insert(faulty->task);
  }
}

ElasticSim::Worker* ElasticSim::some_worker() {
  std::vector<Worker*> list;
  for (auto& [t, w] : workers_) {
    if (w.alive) list.push_back(&w);
  }
  return list.empty() ? nullptr : list[rng_() % list.size()];
}

void ElasticSim::fault() {
  if (!faults_) return;
  after(ms(200, 2500), [this] { fault(); });
  Host& host = hosts_[HostId{1 + static_cast<std::uint32_t>(rng_() % options_.hosts)}];
  Worker* worker = some_worker();
  int kind = static_cast<int>(rng_() % 12);
  if (kind <= 2 && worker != nullptr) {
    end_worker(*worker, "signal 9");
  } else if (kind == 3 && worker != nullptr) {
    note("hang " + std::to_string(worker->task.value));
    worker->hung = true;
  } else if (kind <= 6) {
    target_ = 1 + static_cast<std::uint32_t>(rng_() % 5);
    note("target " + std::to_string(target_));
  } else if (kind == 7 && options_.cuts) {
    note("cut host " + std::to_string(host.id.value));
    host.cut = true;
    after(ms(100, 5000), [&host] { host.cut = false; });
  } else if (kind == 8) {
    if (!host.up) return;
    note("agent of host " + std::to_string(host.id.value) + " restarts");
    start_agent(host.id);
  } else if (kind == 9 && host.up) {
    note("host " + std::to_string(host.id.value) + " dies");
    for (auto& [t, w] : workers_) {
      if (w.host == host.id && w.alive) end_worker(w, "host died");
    }
    host.up = false;
    after(ms(500, 6000), [this, &host] {
      host.up = true;
      start_agent(host.id);
    });
  } else if (kind == 10 && options_.master_falls) {
    note("master falls");
    master_up_ = false;
    after(ms(200, 4000), [this] { master_up_ = true; });
  } else if (kind == 11 && host.linked) {
    break_link(host.id);
  }
}

void ElasticSim::calm() {
  note("calm");
  faults_ = false;
  after(seconds(7), [this] {  // a member that hangs alone is nobody's to see: its user ends it
    for (auto& [t, w] : workers_) {
      if (w.hung) end_worker(w, "killed by its user");
    }
  });
}

}  // namespace wm::sim
