#include "daemons/wmasterd/acct/metrics.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "libwm/fsm/fsm.h"
#include "libwm/model/gpu_use.h"
#include "libwm/model/master_rank.h"
#include "libwm/sched/amounts/budgets.h"
#include "libwm/view/metrics_page.h"

namespace wm::master {
namespace {

using view::bounded;
using Page = view::MetricsPage;

constexpr std::size_t kMostQueues = 50, kMostPlans = 200;

void add_number(double& to, double n) { to += n; }

void jobs(Page& page, const Cluster& cluster) {
  std::map<std::string, double> states, queues;
  each_job(cluster, [&](const Job& job) {
    ++states[std::string(state_name(job.state))];
    if (job.state == JobState::Pending) ++queues[job.spec().queue];
  });
  cluster.jobs.each([&](std::uint32_t, const Job& job) {
    if (!fsm::is_array(job) || job.kill) return;
    auto waiting =
        element_count(job.spec()) - std::min(element_count(job.spec()), job.elements.next_position);
    states[job.state == JobState::Held ? "held" : "pending"] += waiting;
    if (job.state != JobState::Held) queues[job.spec().queue] += waiting;
  });
  page.family("wm_jobs", "gauge", "Jobs and array elements that the master knows, by state");
  for (const auto& [state, n] : states) page.line("wm_jobs", {{"state", state}}, n);
  page.family("wm_pending_jobs", "gauge", "Jobs that could start if there were room, by queue");
  for (const auto& [queue, n] : bounded(queues, kMostQueues, add_number))
    page.line("wm_pending_jobs", {{"queue", queue}}, n);
}

struct Room {
  std::map<std::string, double> hosts, slots, gpus;
};

// As reports have them: what nobody holds is what its host says.
void add_host(Room& room, const Host& host) {
  bool down = host.state != HostState::Ok;
  std::string rest = down ? "down" : host.closed ? "drained" : "idle";
  ++room.hosts[down          ? (host.state == HostState::Dead ? "dead" : "silent")
               : host.closed ? "closed"
                             : "ok"];
  double used = host.used_slots - host.stuck_slots, stuck = host.stuck_slots;
  room.slots["allocated"] += used;
  room.slots["stuck"] += stuck;
  room.slots[rest] += std::max(0.0, static_cast<double>(host.capacity.slots) - used - stuck);
  for (std::size_t i = 0; i < host.capacity.gpus.size(); ++i) {
    bool owned = i < host.gpu_owners.size() && host.gpu_owners[i].job;
    double held = owned ? 1 : milli_shared(host, i) / 1000.0;
    const GpuMark* mark = gpu_mark(host, i);
    bool aside = !down && !host.closed && mark && mark->aside();
    room.gpus["allocated"] += held;
    room.gpus[aside ? "aside" : rest] += std::max(0.0, 1 - held);
  }
}

/// What runs uses now. @units CPU of attempts that run: s since their start
struct Use {
  double cpu_s = 0, memory = 0, processes = 0;
  void add(const AttemptUse& use) {
    cpu_s += std::chrono::duration<double>(use.cpu).count();
    memory += static_cast<double>(use.mem.value);
    processes += use.processes;
  }
};

void use_lines(Page& page, const std::string& of, const std::map<std::string, Use>& uses) {
  auto family = [&](const std::string& what, const char* help, double Use::*value) {
    auto name = "wm_" + of + "_use_" + what;
    page.family(name, "gauge", (help + of).c_str());
    for (const auto& [key, use] : uses) page.line(name, {{of, key}}, use.*value);
  };
  family("memory_bytes", "Memory of what runs, by ", &Use::memory);
  family("cpu_seconds", "CPU time so far of what runs, by ", &Use::cpu_s);
  family("processes", "Processes of what runs, by ", &Use::processes);
}

void running_use(Page& page, const Cluster& cluster, const Counters& counters) {
  std::map<std::string, Use> hosts, queues;
  for (const auto& [id, told] : counters.uses) {
    const Host* host = cluster.hosts.find(id.value);
    if (!host || !told) continue;
    for (const auto& use : told->attempts) {
      hosts[host->name].add(use);
      if (const Job* job = find_job(cluster, use.job)) queues[job->spec().queue].add(use);
    }
  }
  use_lines(page, "host", hosts);
  use_lines(page, "queue", bounded(queues, kMostQueues, [](Use& to, const Use& more) {
              to.cpu_s += more.cpu_s;
              to.memory += more.memory;
              to.processes += more.processes;
            }));
}

void hosts(Page& page, const Cluster& cluster) {
  Room room;
  for (const char* state : {"allocated", "idle", "down", "drained", "stuck"}) room.slots[state] = 0;
  for (const char* state : {"allocated", "idle", "down", "drained", "aside"}) room.gpus[state] = 0;
  for (const char* state : {"ok", "closed", "silent", "dead"}) room.hosts[state] = 0;
  cluster.hosts.each([&](std::uint32_t, const Host& host) { add_host(room, host); });
  page.family("wm_hosts", "gauge", "Hosts by state");
  for (const auto& [state, n] : room.hosts) page.line("wm_hosts", {{"state", state}}, n);
  page.family("wm_slots", "gauge", "Slots by what they do");
  for (const auto& [state, n] : room.slots) page.line("wm_slots", {{"state", state}}, n);
  page.family("wm_gpus", "gauge", "GPUs and slices of GPUs by what they do");
  for (const auto& [state, n] : room.gpus) page.line("wm_gpus", {{"state", state}}, n);
}

void plans(Page& page, const Cluster& cluster) {
  std::map<std::string, double> used;
  each_job(cluster, [&](const Job& job) {
    auto slots = slots_held(job);
    if (slots == 0 || job.parked) return;
    for (auto plan = job.spec().plan; !plan.empty();) {
      used[plan] += slots;
      auto at = plan.rfind('/');
      plan = plan.size() < 2 || at == plan.npos ? "" : at == 0 ? "/" : plan.substr(0, at);
    }
  });
  page.family("wm_plan_slots", "gauge",
              "Slots of plans: owned, and held by jobs of the plan and those below");
  std::size_t told = 0;
  for (const auto& plan : cluster.config->plans) {
    if (++told > kMostPlans) break;
    page.line("wm_plan_slots", {{"plan", plan.path}, {"what", "owns"}}, plan.owns);
    page.line("wm_plan_slots", {{"plan", plan.path}, {"what", "used"}}, used[plan.path]);
  }
}

// As of the newest event: what was used since shows with the next one.
void budgets(Page& page, const Cluster& cluster) {
  sched::BudgetBook book(cluster, cluster.time);
  if (book.empty()) return;
  page.family("wm_budget_seconds", "gauge", "Budgets: GPU and CPU seconds of their periods");
  std::size_t told = 0;
  for (const auto& budget : book.all()) {
    if (++told > kMostPlans) break;
    auto view = book.view(budget);
    auto tell = [&](const char* unit, std::int64_t Drawn::*of) {
      auto line = [&](const char* what, const Drawn& amount) {
        page.line("wm_budget_seconds", {{"budget", view.name}, {"unit", unit}, {"what", what}},
                  static_cast<double>(amount.*of) / 1e6);
      };
      line("granted", view.grant);
      line("carried", view.carried);
      line("used", view.drawn - view.refunded);
      line("reserved", view.reserved);
    };
    if (view.gpu_bounded) tell("gpu", &Drawn::gpu);
    if (view.cpu_bounded) tell("cpu", &Drawn::cpu);
  }
}

void counted(Page& page, const Counters& counters) {
  auto doubled = [](const std::map<std::string, std::uint64_t>& all) {
    std::map<std::string, double> made;
    for (const auto& [key, n] : all) made[key] = static_cast<double>(n);
    return made;
  };
  page.family("wm_dispatches_total", "counter", "Attempts begun, by queue");
  for (const auto& [queue, n] : bounded(doubled(counters.dispatches), kMostQueues, add_number))
    page.line("wm_dispatches_total", {{"queue", queue}}, n);
  page.family("wm_ends_total", "counter", "Jobs ended, by queue and outcome");
  for (const auto& [key, n] : counters.ends)
    page.line("wm_ends_total", {{"queue", key.first}, {"outcome", key.second}},
              static_cast<double>(n));
  page.family("wm_attempts_lost_total", "counter", "Attempts that the system ended, by why");
  for (const auto& [term, n] : counters.lost)
    page.line("wm_attempts_lost_total", {{"term", term}}, static_cast<double>(n));
  page.family("wm_resizes_total", "counter", "Changes of elastic jobs' sizes");
  for (const char* way : {"grow", "shrink"}) {
    auto at = counters.resizes.find(way);
    page.line("wm_resizes_total", {{"direction", way}},
              at == counters.resizes.end() ? 0 : static_cast<double>(at->second));
  }
}

void waits(Page& page, const Counters& counters) {
  page.family("wm_wait_seconds", "histogram",
              "From submission to the first dispatch without what was the user's own, by queue");
  auto add = [](view::Histogram& to, const view::Histogram& h) { to += h; };
  for (const auto& [queue, h] : bounded(counters.waits, kMostQueues, add))
    page.histogram("wm_wait_seconds", {{"queue", queue}}, h);
  page.family("wm_resize_pause_seconds", "histogram",
              "Time without steps at changes of elastic jobs' membership");
  page.histogram("wm_resize_pause_seconds", {}, counters.pauses);
  page.family("wm_promise_error_seconds", "histogram",
              "Starts after what was first promised; before it counts as 0");
  page.histogram("wm_promise_error_seconds", {}, counters.promise_errors);
}

// What the master itself spends its time on.
void timings(Page& page, const Spent& spent) {
  page.family("wm_schedule_pass_seconds", "histogram", "Scheduling passes, on their worker");
  page.histogram("wm_schedule_pass_seconds", {}, spent.passes);
  page.family("wm_commit_seconds", "histogram", "Groups of events from proposal to durable");
  page.histogram("wm_commit_seconds", {}, spent.commits);
  page.family("wm_request_seconds", "histogram", "Requests as far as the loop works on them");
  page.histogram("wm_request_seconds", {}, spent.requests);
  page.family("wm_submit_policy_seconds", "histogram", "Runs of submit_policy");
  page.histogram("wm_submit_policy_seconds", {}, spent.policy_runs);
  page.family("wm_submit_policy_total", "counter", "Jobs that submit_policy was asked about");
  for (const char* verdict : {"accepted", "refused", "options", "failed"}) {
    auto at = spent.policy_verdicts.find(verdict);
    page.line("wm_submit_policy_total", {{"verdict", verdict}},
              at == spent.policy_verdicts.end() ? 0 : static_cast<double>(at->second));
  }
  page.family("wm_requests_total", "counter", "Requests by verb");
  for (const auto& [verb, n] : spent.by_verb)
    page.line("wm_requests_total", {{"verb", verb}}, static_cast<double>(n));
}

void disk(Page& page, const StoreFacts& store) {
  page.single("wm_store_free_bytes", "gauge", "Free on the file system of the master's state",
              store.free_bytes);
  page.single("wm_store_works", "gauge", "1: events can be written", store.works);
  page.single("wm_store_low_space", "gauge", "1: the disk is full, submissions are refused",
              store.low_space);
  page.single("wm_clock_doubted", "gauge",
              "1: the clock was set, deadlines, windows and purges wait for at most 5 minutes",
              store.deeds_wait);
  page.single("wm_audit_waiting", "gauge", "Acts of administrators that are not on disk yet",
              static_cast<double>(store.audit_waits));
  page.family("wm_log_lines_total", "counter", "Lines of the master's log by level");
  constexpr std::array<const char*, 4> kLevels = {"debug", "info", "warning", "error"};
  for (std::size_t i = 0; i < kLevels.size(); ++i)
    page.line("wm_log_lines_total", {{"level", kLevels[i]}},
              static_cast<double>(store.log_lines[i]));
  page.single("wm_log_lost_total", "counter", "Lines that the log could not take",
              static_cast<double>(store.log_lost));
}

}  // namespace

void Counters::count(const Event& event, const store::AcctRows& rows) {
  bool begins = std::holds_alternative<JobDispatched>(event.body);
  for (const auto& row : rows.attempts) {
    if (begins && row.ended == WallTime{}) {
      ++dispatches[row.queue];
      if (attempts_before(row.attempt) == 0)
        waits.try_emplace(row.queue, kWaitBounds)
            .first->second.add(std::chrono::duration<double>(row.queue_wait).count());
      begins = false;
    }
    if (row.outcome == "lost") ++lost[std::string(term_name(static_cast<Term>(row.term)))];
  }
  for (const auto& line : rows.events) {
    if (line.event == "RESIZE") ++resizes[line.to > line.from ? "grow" : "shrink"];
    if (line.event == "EPOCH" && line.pause >= Duration{})
      pauses.add(std::chrono::duration<double>(line.pause).count());
    if (line.event == "PROMISE_ERROR")
      promise_errors.add(static_cast<double>(std::max<std::int64_t>(0, line.to)));
    if (line.event != "END") continue;
    auto job = std::find_if(rows.jobs.begin(), rows.jobs.end(),
                            [&](const auto& row) { return row.id == line.job; });
    if (job != rows.jobs.end()) ++ends[{job->queue, job->state}];
  }
}

std::string metrics_text(const Cluster& cluster, const Counters& counters, const Spent& spent,
                         bool open_metrics) {
  Page page(open_metrics);
  page.family("wm_build_info", "gauge", "1, with the version");
  page.line("wm_build_info", {{"version", WM_VERSION}}, 1);
  page.single("wm_events_total", "counter", "Events of the history",
              static_cast<double>(cluster.seq.value));
  page.single("wm_acct_lag_events", "gauge", "Events whose rows accounting has not written",
              static_cast<double>(counters.acct_lag));
  if (counters.rolled_at > 0)
    page.single("wm_report_last_success_timestamp_seconds", "gauge",
                "When wmreport last summed up accounting", static_cast<double>(counters.rolled_at));
  page.single("wm_clock_step_seconds_total", "counter", "By how much the clock was set, summed up",
              counters.clock_steps_s);
  disk(page, counters.store);
  jobs(page, cluster);
  hosts(page, cluster);
  running_use(page, cluster, counters);
  plans(page, cluster);
  budgets(page, cluster);
  counted(page, counters);
  waits(page, counters);
  timings(page, spent);
  return page.end();
}

}  // namespace wm::master
