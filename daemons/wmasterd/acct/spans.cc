#include "daemons/wmasterd/acct/spans.h"

#include <algorithm>
#include <string_view>

#include "daemons/wmasterd/acct/waits.h"
#include "libwm/fsm/fsm.h"
#include "libwm/model/gpu_use.h"

namespace wm::master {
namespace {

using store::AllocationRow;
using store::HoldClass;

bool waits(JobState state) { return state == JobState::Pending || state == JobState::Held; }
bool was_lost(std::int32_t term) {
  return term == static_cast<std::int32_t>(Term::HostLost) ||
         term == static_cast<std::int32_t>(Term::ShepherdLost);
}

void fill_gpus(AllocationRow& row, const Task& task, const Host* host, const TaskRequest& request) {
  for (auto index : task.gpus) {
    if (!host || index >= host->capacity.gpus.size()) continue;
    const auto& gpu = host->capacity.gpus[index];
    auto milli = std::int64_t{milli_of(gpu, request)};
    row.gpus += milli;
    row.gpueq += whole_gpu_part(host->capacity.gpus, index) * milli / 1000;
    row.gpu_list += (row.gpu_list.empty() ? "" : " ") + gpu.uuid;
  }
}

HoldClass class_of(const OpenJobs& open, const OpenJob& job, const OpenTask& task) {
  if (task.stuck) return HoldClass::Stuck;
  if (open.silent.contains(task.host)) return HoldClass::Unknown;
  if (job.parked) return HoldClass::Parked;
  if (job.suspended) return HoldClass::Suspended;
  return task.leaving ? HoldClass::Leaving : HoldClass::Held;
}

// A part that has ended counts for its attempt, to the millisecond that it began and ended in;
// what was stuck is nobody's.
void add_to(store::AttemptRow& attempt, const AllocationRow& row) {
  if (row.held == HoldClass::Stuck) return;
  auto ms = [](WallTime t) { return std::chrono::floor<std::chrono::milliseconds>(t); };
  auto s = [](WallTime t) { return std::chrono::floor<std::chrono::seconds>(t); };
  auto length = (ms(row.end) - ms(row.start)).count();
  attempt.slot_ms += row.slots * length / 1000;
  attempt.cpu_mms += row.milli_cpus * length;
  attempt.gpu_mms += row.gpus * length;
  attempt.gpueq_mms += row.gpueq * length;
  attempt.mem_mib_s += (row.mem.value >> 20) * (s(row.end) - s(row.start)).count();
}

// Rises whenever one of them does.
std::int64_t sums(const store::AttemptRow& attempt) {
  return attempt.slot_ms + attempt.cpu_mms + attempt.gpu_mms + attempt.mem_mib_s;
}

// What the open part should say now; start, seq and part are left as they are.
AllocationRow wanted(const OpenJobs& open, const OpenJob& job, const OpenTask& task) {
  AllocationRow row = task.row;
  row.held = class_of(open, job, task);
  row.slots = job.parked ? 0 : 1000;
  row.milli_cpus = job.parked ? 0 : job.request.milli_cpus;
  row.mem = job.mem_released || task.mem_elsewhere ? Bytes{0} : job.request.mem;
  return row;
}

/// The rows of one event of one job.
class JobStep {
 public:
  JobStep(OpenJobs& open, const Event& event, const Cluster& after, store::AcctRows& rows)
      : open_(open), event_(event), after_(after), rows_(rows), id_(job_of(event.body)) {}

  void run() {
    if (auto at = open_.jobs.find(id_); at != open_.jobs.end()) sums_ = sums(at->second.attempt);
    std::visit([this](const auto& e) { note(e); }, event_.body);
    if (auto at = open_.jobs.find(id_); at != open_.jobs.end()) follow(at->second);
  }

  // Its own state is as it was; its host's is not.
  void review(JobId id) {
    id_ = id;
    auto at = open_.jobs.find(id);
    if (at == open_.jobs.end()) return;
    auto& attempt = at->second.attempt;
    sums_ = sums(attempt);
    refresh(at->second);
    if (attempt.attempt && sums(attempt) != sums_) rows_.attempts.push_back(attempt);
  }

 private:
  // A wait that is not held and begins with the submission is not kept.
  void note(const JobSubmitted& e) {
    if (e.sealed->spec.when.hold) open_.waits[id_] = {event_.time, {{event_.time, {}}}};
  }
  OpenWait& wait() {
    auto [at, fresh] = open_.waits.try_emplace(id_);
    if (!fresh) return at->second;
    if (auto base = open_.waits.find({id_.job, 0}); id_.index && base != open_.waits.end())
      at->second = base->second;
    else if (const Job* job = find_job(after_, id_)) at->second.since = job->times.submitted;
    return at->second;
  }
  void note(const JobHeld&) { wait().held.emplace_back(event_.time, WallTime{}); }
  void note(const JobReleased&) {
    auto& held = wait().held;
    if (!held.empty() && held.back().second == WallTime{}) held.back().second = event_.time;
  }
  void wait_again(bool hold) {
    OpenWait again{event_.time, {}};
    if (hold) again.held.emplace_back(event_.time, WallTime{});
    open_.waits[id_] = again;
  }
  void note(const JobRequeued& e) { wait_again(e.hold); }
  void note(const KillRequested&) {
    if (auto at = open_.jobs.find(id_); at != open_.jobs.end()) at->second.killed = true;
  }
  void note(const JobPurged&) {
    auto first = open_.waits.lower_bound({id_.job, 0});
    open_.waits.erase(first, open_.waits.upper_bound({id_.job, ~0u}));
    open_.limit_left.erase(id_.job);
    open_.active.erase(id_.job);
  }

  void note(const JobDispatched& e) {
    const Job* job = find_job(after_, id_);
    if (!job) return;
    auto& open = open_.jobs[id_] = {};
    const auto& spec =
        job->spec_of(e.alternative <= job->sealed->alternatives.size() ? e.alternative : 0);
    open.request = spec.task;
    auto parts = wait_parts(open_, *job, after_, event_.time);
    open.attempt = {
        id_,        e.attempt,    spec.owner.user, spec.plan,
        spec.queue, spec.project, spec.app,        static_cast<std::uint32_t>(e.tasks.size()),
        event_.time};
    open.attempt.own_wait = parts.own;
    open.attempt.ask_run = run_limit_of(*after_.config, spec);
    open.attempt.min_tasks = spec.min_tasks;
    open.attempt.max_tasks = spec.max_tasks;
    open.attempt.elastic = spec.elastic;
    open.attempt.queue_wait = parts.queue;
    rows_.attempts.push_back(open.attempt);
    open_.waits.erase(id_);
    if (id_.index) ++open_.active[id_.job];
    grant(open, e.tasks);
  }
  void note(const TasksAdded& e) {
    with_open([&](OpenJob& open) { grant(open, e.tasks); });
  }

  void grant(OpenJob& open, const std::vector<Task>& tasks) {
    std::set<HostId> paid;
    for (const auto& [number, task] : open.tasks) paid.insert(task.host);
    for (const Task& task : tasks) {
      const Host* host = after_.hosts.find(task.host.value);
      auto& made = open.tasks[task.number];
      made.host = task.host;
      made.since = event_.time;
      made.has_process = task.has_process;
      made.mem_elsewhere = open.request.mem_per_host && !paid.insert(task.host).second;
      auto& row = made.row;
      row.job = id_;
      row.attempt = open.attempt.attempt;
      row.task = task.number;
      row.host = host ? host->name : "";
      fill_gpus(row, task, host, open.request);
      row = wanted(open_, open, made);
      row.start = event_.time;
      row.seq = event_.seq;
      rows_.allocations.push_back(row);
      open_.on[task.host].insert(id_);
    }
  }

  template <class Change>
  void with_open(Change change) {
    if (auto at = open_.jobs.find(id_); at != open_.jobs.end()) change(at->second);
  }
  template <class Change>
  void with_task(TaskNumber number, Change change) {
    with_open([&](OpenJob& open) {
      if (auto at = open.tasks.find(number); at != open.tasks.end()) change(open, at->second);
    });
  }

  void note(const TasksLeaving& e) {
    for (auto number : e.tasks)
      with_task(number, [](OpenJob&, OpenTask& task) { task.leaving = !task.stuck; });
  }
  // Refused to leave, they stay.
  void note(const ResizeAnswered& e) {
    if (e.ok) return;
    with_open([&](OpenJob& open) {
      const Job* job = find_job(after_, id_);
      for (auto& [number, task] : open.tasks) {
        const Task* now = job && job->attempt == e.attempt ? find_task(*job, number) : nullptr;
        if (now && now->state == TaskState::Starting) task.leaving = false;
      }
    });
  }
  void note(const TaskStuck& e) {
    with_task(e.task, [](OpenJob&, OpenTask& task) { task.stuck = true; });
  }
  void note(const JobSuspended&) {
    with_open([](OpenJob& open) { open.suspended = true; });
  }
  void note(const JobResumed&) {
    with_open([](OpenJob& open) { open.suspended = false; });
  }
  void note(const JobParked&) {
    with_open([](OpenJob& open) { open.parked = true; });
  }
  void note(const JobUnparked&) {
    with_open([](OpenJob& open) { open.parked = false; });
  }
  void note(const MemoryReleased&) {
    with_open([](OpenJob& open) { open.mem_released = true; });
  }
  void note(const JobPreempted&) {
    with_open([](OpenJob& open) { open.preempted = true; });
  }
  void note(const EpochEntered& e) {
    for (auto number : e.epoch.members)
      with_task(number, [&](OpenJob&, OpenTask& task) {
        if (task.row.member_at != WallTime{}) return;
        task.row.member_at = event_.time;
        rows_.allocations.push_back(task.row);
      });
  }

  void note(const TaskEnded& e) {
    with_task(e.task, [&](OpenJob& open, OpenTask& task) {
      auto& attempt = open.attempt;
      bool fails =
          e.term != Term::Left && (e.term != Term::None || (e.status != 0 && !task.leaving));
      bool first = attempt.term == 0 && attempt.exit_status == 0;
      if (fails && first) {
        attempt.term = static_cast<std::int32_t>(e.term);
        attempt.exit_status = e.status;
        attempt.host = task.row.host;
      } else if (attempt.host.empty()) {
        attempt.host = task.row.host;
      }
      attempt.cpu += e.usage.cpu;
      attempt.max_mem = std::max(attempt.max_mem, e.usage.max_mem);
      add_late(attempt, task, e);
      end(open, e.task);
    });
  }
  // What is stuck is nobody's to pay already.
  void add_late(store::AttemptRow& attempt, const OpenTask& task, const TaskEnded& e) {
    const auto& row = task.row;
    auto ms = late_ms(e, task.since, event_.time);
    if (ms == 0 || row.held == HoldClass::Stuck) return;
    attempt.late.slot_ms += row.slots * ms / 1000;
    attempt.late.cpu_mms += row.milli_cpus * ms;
    attempt.late.gpu_mms += row.gpus * ms;
    attempt.late.gpueq_mms += row.gpueq * ms;
    attempt.late.mem_mib_s += (row.mem.value >> 20) * (ms / 1000);
  }
  template <class E>
  void note(const E&) {}

  // The memory of a host goes to another of the job's tasks there.
  void end(OpenJob& open, TaskNumber number) {
    auto at = open.tasks.find(number);
    auto task = at->second;
    open.tasks.erase(at);
    task.row.end = event_.time;
    rows_.allocations.push_back(task.row);
    add_to(open.attempt, task.row);
    auto on_host = [&](auto& other) { return other.second.host == task.host; };
    if (std::none_of(open.tasks.begin(), open.tasks.end(), on_host)) {
      open_.on[task.host].erase(id_);
      return;
    }
    if (!open.request.mem_per_host || task.mem_elsewhere) return;
    auto heir = std::find_if(open.tasks.begin(), open.tasks.end(), [&](auto& other) {
      return on_host(other) && other.second.mem_elsewhere;
    });
    if (heir != open.tasks.end()) heir->second.mem_elsewhere = false;
  }

  // What has no process of its own goes with the attempt, without an event.
  void end_bare(OpenJob& open, const Job* job) {
    bool same = job && job->attempt == open.attempt.attempt;
    bool any = std::any_of(open.tasks.begin(), open.tasks.end(),
                           [](auto& task) { return task.second.has_process; });
    std::vector<TaskNumber> gone;
    for (const auto& [number, task] : open.tasks) {
      const Task* now = same ? find_task(*job, number) : nullptr;
      bool ended = now && now->state == TaskState::Gone && now->ended <= event_.time;
      if (ended || (same ? !now : !any)) gone.push_back(number);
    }
    for (auto number : gone) end(open, number);
  }

  void refresh(OpenJob& open) {
    for (auto& [number, task] : open.tasks) {
      auto next = wanted(open_, open, task);
      if (next == task.row) continue;
      if (task.row.start != event_.time) {
        auto before = task.row;
        before.end = event_.time;
        rows_.allocations.push_back(before);
        add_to(open.attempt, before);
        ++next.part;
        next.start = event_.time;
        next.seq = event_.seq;
      }
      task.row = next;
      rows_.allocations.push_back(next);
    }
  }

  void follow(OpenJob& open) {
    const Job* job = find_job(after_, id_);
    end_bare(open, job);
    refresh(open);
    auto& attempt = open.attempt;
    if (attempt.attempt && sums(attempt) != sums_) rows_.attempts.push_back(attempt);
    if (!attempt.attempt) {
      if (open.tasks.empty()) open_.jobs.erase(id_);
      return;
    }
    bool same = job && job->attempt == attempt.attempt;
    if (same && attempt.started == WallTime{} && job->times.started != WallTime{} &&
        job->times.started >= attempt.dispatched && job->times.started <= event_.time) {
      attempt.started = job->times.started;
      rows_.attempts.push_back(attempt);
    }
    bool over = same && (is_over(job->state) || waits(job->state));
    bool ends = std::holds_alternative<TaskEnded>(event_.body) ||
                std::holds_alternative<TaskStuck>(event_.body);
    if (ends && (open.tasks.empty() || (over && none_runs(open))))
      end_attempt(open, same ? job : nullptr);
    if (open.tasks.empty()) open_.jobs.erase(id_);
  }
  static bool none_runs(const OpenJob& open) {
    return std::all_of(open.tasks.begin(), open.tasks.end(),
                       [](auto& task) { return task.second.stuck; });
  }

  void end_attempt(OpenJob& open, const Job* job) {
    auto& attempt = open.attempt;
    attempt.ended = event_.time;
    bool over = job && is_over(job->state);
    if (over) {
      attempt.term = static_cast<std::int32_t>(job->outcome.term);
      attempt.exit_status = job->outcome.status;
    }
    attempt.outcome = was_lost(attempt.term) && !open.killed ? "lost"
                      : over                                 ? std::string(state_name(job->state))
                      : open.preempted                       ? "preempted"
                                                             : "requeued";
    rows_.attempts.push_back(attempt);
    if (!over) wait_again(job && job->state == JobState::Held);
    leave_array();
    attempt.attempt = {};
  }
  void leave_array() {
    if (!id_.index) return;
    const Job* base = find_job(after_, {id_.job, 0});
    auto& active = open_.active[id_.job];
    if (base && base->spec().array_limit > 0 && active >= base->spec().array_limit)
      open_.limit_left[id_.job] = event_.time;
    if (active > 0) --active;
  }

  OpenJobs& open_;
  const Event& event_;
  const Cluster& after_;
  store::AcctRows& rows_;
  JobId id_;
  std::int64_t sums_ = 0;  // of its attempt before the event
};

void review_host(OpenJobs& open, const Event& event, const Cluster& after, store::AcctRows& rows,
                 HostId host) {
  auto on = open.on.find(host);
  if (on == open.on.end()) return;
  JobStep step(open, event, after, rows);
  for (JobId id : std::set<JobId>(on->second)) step.review(id);
}

// The clock was set: what lasts ends by the clock of before and begins anew by that of now, so that
// lengths stay true; the attempt is dated as the job is.
void move_along(OpenJob& open, JobId id, const Event& event, Duration by, store::AcctRows& rows) {
  for (auto& [number, task] : open.tasks) {
    task.since += by;
    auto before = task.row;
    before.end = event.time - by;
    if (before.start < before.end) {
      rows.allocations.push_back(before);
      add_to(open.attempt, before);
      ++task.row.part;
    }
    task.row.start = event.time;
    task.row.seq = event.seq;
    rows.allocations.push_back(task.row);
  }
  store::JobEventRow line;
  line.job = id;
  line.seq = event.seq;
  line.time = event.time;
  line.event = "CLOCK";
  line.to = std::chrono::duration_cast<std::chrono::seconds>(by).count();
  rows.events.push_back(std::move(line));
  if (!open.attempt.attempt) return;
  for (WallTime* instant : {&open.attempt.dispatched, &open.attempt.started})
    if (*instant != WallTime{}) *instant += by;
  rows.attempts.push_back(open.attempt);
}

void move_along(OpenJobs& open, const Event& event, Duration by, store::AcctRows& rows) {
  for (auto& [id, job] : open.jobs) move_along(job, id, event, by, rows);
  for (auto& [id, wait] : open.waits) {
    wait.since += by;
    for (auto& [from, to] : wait.held) {
      from += by;
      if (to != WallTime{}) to += by;
    }
  }
  for (auto& [job, left] : open.limit_left) left += by;
}

}  // namespace

void fold_spans(OpenJobs& open, const Event& event, const Cluster& after, store::AcctRows& rows) {
  if (job_of(event.body)) return JobStep(open, event, after, rows).run();
  HostId host;
  if (const auto* e = std::get_if<ClockStepped>(&event.body)) move_along(open, event, e->by, rows);
  if (const auto* e = std::get_if<HostSilent>(&event.body)) open.silent.insert(host = e->host);
  if (const auto* e = std::get_if<HostDied>(&event.body)) open.silent.insert(host = e->host);
  if (const auto* e = std::get_if<HostHeard>(&event.body)) open.silent.erase(host = e->host);
  if (const auto* e = std::get_if<HostRegistered>(&event.body)) open.silent.erase(host = e->host);
  if (host) review_host(open, event, after, rows, host);
}

}  // namespace wm::master
