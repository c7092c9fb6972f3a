#include "daemons/wnoded/core.h"

#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "daemons/wnoded/web_port.h"
#include "libwm/base/exit_status.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/launch/part_env.h"
#include "libwm/launch/warm.h"

namespace wm::node {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int32_t kKilled = 9;  // wait status of a process ended by SIGKILL
/// The record file is looked through after so many attempts have gone.
constexpr std::uint32_t kShrinkAfter = 2000;
/// The newest attempts of so many jobs are remembered after they have gone.
constexpr std::size_t kMaxNewest = 100000;

// Within a tenth of `pause`, different for each host and each time: hosts that came to a new master
// together do not go on reporting together.
Duration about(Duration pause, const std::string& host, std::uint64_t beat) {
  auto permille = 900 + std::hash<std::string>()(host + "." + std::to_string(beat)) % 201;
  return pause * static_cast<std::int64_t>(permille) / 1000;
}

std::string end_words(const launch::ExitRecord& record) {
  if (WIFSIGNALED(record.status)) return "signal " + std::to_string(WTERMSIG(record.status));
  return "exit " + std::to_string(WEXITSTATUS(record.status));
}

bool ended_well(const launch::ExitRecord& record, const HostOrder& order) {
  if (record.cause != launch::EndCause::Exited || !WIFEXITED(record.status)) return false;
  auto code = static_cast<std::uint32_t>(WEXITSTATUS(record.status));
  const auto& well = order.app.success_exits;
  return code == 0 || std::find(well.begin(), well.end(), code) != well.end();
}

}  // namespace

Term term_of(const launch::ExitRecord& record, const HostOrder& order) {
  auto task = std::find_if(order.tasks.begin(), order.tasks.end(),
                           [&](const OrderedTask& t) { return t.task == record.task; });
  bool known = task != order.tasks.end();
  switch (record.cause) {
    case launch::EndCause::Exited: return Term::None;
    case launch::EndCause::RunLimit: return Term::RunLimit;
    case launch::EndCause::ShepherdLost: return Term::ShepherdLost;
    case launch::EndCause::MemLimit: return Term::MemLimit;
    case launch::EndCause::CpuLimit: return Term::CpuLimit;
    case launch::EndCause::ProcessLimit: return Term::ProcessLimit;
    case launch::EndCause::ThreadLimit: return Term::ThreadLimit;
    case launch::EndCause::SwapLimit: return Term::Swap;
    case launch::EndCause::PreExecFailed: return Term::PreExecFail;
    case launch::EndCause::PrologFailed: return Term::PrologFailed;
    case launch::EndCause::NoFolder: return Term::CwdNotExist;
    case launch::EndCause::OwnFault: return Term::OwnFault;
    case launch::EndCause::OutputLost: return Term::OutputLost;
    case launch::EndCause::StartFailed: return Term::LaunchFailed;
    case launch::EndCause::Ordered: break;
  }
  if (known && task->kill && task->term != Term::None) return task->term;
  if (order.control.end && order.control.end_term != Term::None) return order.control.end_term;
  if (known && task->leave) return Term::Left;
  return Term::Other;
}

Core::Core(Outside& outside, HostRegister card, launch::HostFacts host)
    : outside_(outside),
      card_(std::move(card)),
      host_(std::move(host)),
      gpus_(
          outside, card_.capacity.gpus,
          [this](const auto& key, const auto& fact) { on_drained(key, fact); },
          [this](const auto& readings) {
            meters_.look(readings, gpu_holders(), outside_.mono(), times_.gpu_check);
          }),
      mps_(outside, host_),
      probe_(outside, host_, [this](std::uint32_t faults) {
        auto told = facts_.add(FactHostWell{faults});
        if (session_) outside_.send(NodeVerb::Fact, codec::encode(told));
      }) {
  probe_.note_start();
}

void Core::adopt(const std::vector<launch::ShepherdUp>& shepherds,
                 const std::vector<launch::ExitRecord>& records) {
  for (const auto& up : shepherds) {
    if (Probe::owns(up.key)) continue;  // it ends by itself
    if (Mps::owns(up.key)) {
      mps_.adopt(up);
      continue;
    }
    auto order = codec::decode<HostOrder>(up.memo);
    auto& entry = attempts_[up.key];
    entry.stage = Stage::Up;
    if (order) entry.order = *std::move(order);
    entry.order.job = up.key.job;
    entry.order.attempt = up.key.attempt;
    entry.relaunches = entry.order.control.relaunches;
    newest_[up.key.job] = std::max(newest_[up.key.job], up.key.attempt);
    hold_port(up.key, entry.order);
    on(up.key, entry, up);
    recall_cpus(entry);
    outside_.authorise(entry.order, [this, key = up.key](const Result<Authorised>& permit) {
      auto at = attempts_.find(key);
      if (at == attempts_.end() || !permit) return;
      grant(at->second, *permit);
      owns_web_port(outside_, key, at->second.order, permit->account);
    });
    log::info("attempt_adopted", {{"attempt", to_string(up.key)}, {"tasks", up.tasks.size()}});
  }
  for (const auto& record : records) {
    if (Mps::owns(record.key) || Probe::owns(record.key)) continue;
    auto [at, fresh] = attempts_.try_emplace(record.key);
    auto& entry = at->second;
    if (fresh) {
      entry.stage = Stage::Over;
      entry.order.job = record.key.job;
      entry.order.attempt = record.key.attempt;
      newest_[record.key.job] = std::max(newest_[record.key.job], record.key.attempt);
    }
    bool lives = entry.stage == Stage::Up;
    if (record.task && !entry.tasks[record.task].ended)
      task_ended(record.key, entry, record, lives && entry.delivers);
    if (record.task || lives) continue;
    entry.delivers = true;  // the master may have been told so
    on(record.key, entry, launch::Delivered{});
  }
  for (auto at = attempts_.begin(); at != attempts_.end();) {
    at->second.delivers = at->second.delivers || at->second.stage != Stage::Over;
    drop_if_done((at++)->first);
  }
}

void Core::on_address(const std::string& address, const std::string& interface) {
  card_.address = host_.address = address;
  host_.interface = interface;
}

void Core::on_session() {
  session_ = true;
  master_down_ = false;
  heard_ = outside_.mono();
  outside_.send(NodeVerb::Register, codec::encode(registration()));
  for (auto& [key, entry] : attempts_) entry.meeting.forget_told();
  facts_.each([this](const HostFact& fact) { outside_.send(NodeVerb::Fact, codec::encode(fact)); });
}

void Core::on_session_lost(bool down) {
  session_ = false;
  master_down_ = down;
}

/// Ends that are not acknowledged count as known: the fact itself follows at once.
HostRegister Core::registration() const {
  auto words = card_;
  words.takes_changes = words.recalls = true;
  words.gpus = gpus_.reports();
  for (const auto& [key, entry] : attempts_) {
    if (entry.forgotten && entry.stage == Stage::Over) continue;
    AttemptStatus status{key.job, key.attempt, {}, entry.agent_address, entry.doors};
    for (const auto& [number, task] : entry.tasks)
      if (!task.ended || facts_.end_waits(key, number) || gpus_.drains(key, number) ||
          is_held_back(entry, number))
        status.tasks.push_back({number, task.pid});
    bool told = status.tasks.empty() && !facts_.any_about(key);
    if (entry.stage != Stage::Over || !told) words.attempts.push_back(status);
  }
  return words;
}

void Core::say(Entry& entry, Fact fact) {
  if (auto* ended = std::get_if<FactEnded>(&fact)) {
    if (ended->term == Term::LaunchFailed) probe_.note_fault();
    ended->delivers = ended->delivers && entry.delivers;  // its GPUs may have kept it longer
  }
  if (entry.forgotten) return;
  auto numbered = facts_.add(std::move(fact));
  if (session_) outside_.send(NodeVerb::Fact, codec::encode(numbered));
}

void Core::on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word) {
  if (Mps::owns(key)) return mps_.on_word(key, word);
  if (Probe::owns(key)) return probe_.on_word(key, word);
  auto at = attempts_.find(key);
  if (at == attempts_.end()) return;
  std::visit([&](const auto& w) { on(key, at->second, w); }, word);
}

FactStarted Core::started(const launch::AttemptKey& key, const Entry& entry,
                          const launch::RunningTask& task) const {
  bool leased = launch::master_address(entry.order) == host_.address;
  return {key.job, key.attempt, task.task, task.pid, leased ? entry.order.team.port : 0};
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::ShepherdUp& word) {
  for (const auto& task : word.tasks) {
    auto& known = entry.tasks[task.task];
    known.pid = task.pid;
    known.start = task.start;
    if (!task.ended) say(entry, started(key, entry, task));
  }
  entry.delivers = entry.delivers || word.delivers;
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::TaskStarted& word) {
  entry.tasks[word.task.task].pid = word.task.pid;
  entry.tasks[word.task.task].start = word.task.start;
  entry.reported = false;
  if (auto begun = std::exchange(entry.begun, {}); begun != TimePoint{})
    launches_.add(std::chrono::duration<double>(outside_.mono() - begun).count());
  say(entry, started(key, entry, word.task));
  release_bare(key, entry);
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::TaskEnded& word) {
  entry.delivers = entry.delivers || word.delivers;
  task_ended(key, entry, word.record, word.delivers);
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::Delivered& word) {
  if (std::exchange(entry.delivers, false))
    say(entry, FactDelivered{key.job, key.attempt, word.text});
}

void Core::task_ended(const launch::AttemptKey& key, Entry& entry, const launch::ExitRecord& record,
                      bool delivers) {
  auto& task = entry.tasks[record.task];
  if (task.ended) return;
  task.ended = true;
  if (task.pid == 0) task.pid = record.pid;
  entry.reported = entry.reported || !record.report.empty();
  outside_.tell_agent(key, TaskGone{record.task, end_words(record)});
  FactEnded fact{
      key.job,      key.attempt, record.task,  record.status, term_of(record, entry.order),
      record.usage, record.text, record.ended, record.report, delivers};
  log::info("task_ended", {{"job", to_string(key.job)},
                           {"task", record.task.value},
                           {"status", shell_status(record.status)},
                           {"cause", end_cause_name(record.cause)},
                           {"why", record.text}});
  if (!drain_gpus(entry, fact)) say(entry, std::move(fact));
  release_bare(key, entry);
  if (entry.held_back.empty() || entry.order.control.end || ended_well(record, entry.order)) return;
  entry.order.control.end = true;  // the master hears of the first when all are gone
  entry.order.control.end_term = Term::TaskFailed;
  bring_in_line(key, entry);
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::AttemptEnded& word) {
  bool part = launch::is_bare_part(entry.order) &&  // others have left since
              std::all_of(entry.tasks.begin(), entry.tasks.end(),
                          [](const auto& known) { return known.second.ended; });
  lose_tasks(key, entry, word.record);
  if (part) part_ended(key, entry, word.record);
  entry.stage = Stage::Over;
  bool known = word.record.cause != launch::EndCause::ShepherdLost;
  on(key, entry,
     launch::Delivered{known ? ""
                             : "whether its report is written is not known: "
                               "its shepherd was killed"});
  outside_.job_ports().release(key);
  bool wanted = !entry.forgotten && !entry.ending && word.record.cause == launch::EndCause::Exited;
  if (wanted) bring_in_line(key, entry);  // a task was ordered while the last one ended
  drop_if_done(key);
}

/// Room on this host is free again: nothing that was started in it from elsewhere is left.
void Core::part_ended(const launch::AttemptKey& key, Entry& entry,
                      const launch::ExitRecord& record) {
  auto end = record;
  end.pid = 0;                                                     // the shepherd's
  if (record.cause == launch::EndCause::Exited) end.text.clear();  // said of the job, not of this
  for (const auto& task : entry.order.tasks) {
    end.task = task.task;
    task_ended(key, entry, end);
    end.usage = {};  // counted once
  }
}

/// Tasks of which no end was told: their shepherd died, or never lived. One that was ordered
/// while its shepherd came to a regular end is started again by bring_in_line.
void Core::lose_tasks(const launch::AttemptKey& key, Entry& entry,
                      const launch::ExitRecord& record) {
  bool regular = record.cause == launch::EndCause::Exited;
  std::vector<TaskNumber> open;
  for (const auto& [number, task] : entry.tasks)
    if (!task.ended) open.push_back(number);
  for (auto number : open) {
    if (regular && entry.tasks[number].pid == 0 && !entry.ending) {
      entry.tasks.erase(number);
      continue;
    }
    auto lost = record;
    lost.task = number;
    lost.pid = 0;  // the shepherd's
    lost.status = kKilled;
    if (regular) lost.cause = launch::EndCause::Ordered;
    task_ended(key, entry, lost);
  }
}

void Core::on(const launch::AttemptKey& key, Entry& entry, const launch::AttemptStuck& word) {
  std::string pids;
  for (auto pid : word.pids) pids += (pids.empty() ? "" : " ") + std::to_string(pid);
  log::warn("attempt_stuck", {{"attempt", to_string(key)}, {"pids", pids}});
  entry.stuck = true;
  for (const auto& [number, task] : entry.tasks)
    if (!task.ended)
      say(entry, FactStuck{key.job, key.attempt, number, "processes survive SIGKILL: " + pids});
}

NodeNumbers Core::numbers() const {
  NodeNumbers made;
  made.session = session_;
  made.untold = facts_.size();
  made.launches = launches_;
  made.gpus = gpus_.reports();
  made.readings = gpus_.readings();
  for (const auto& [key, entry] : attempts_) {
    if (entry.stage == Stage::Over) continue;
    ++made.attempts;
    if (entry.stuck) ++made.stuck;
    for (const auto& [number, task] : entry.tasks)
      if (task.pid != 0 && !task.ended) ++made.tasks;
  }
  return made;
}

void Core::on_shepherd_lost(const launch::AttemptKey& key) {
  if (Mps::owns(key)) return mps_.on_shepherd_lost(key, times_.kill_grace);
  if (Probe::owns(key)) return probe_.on_shepherd_lost(key);
  auto at = attempts_.find(key);
  if (at == attempts_.end() || at->second.stage != Stage::Up) return;
  auto& entry = at->second;
  log::warn("shepherd_lost", {{"attempt", to_string(key)}, {"remedy", "its tasks are ended"}});
  entry.stage = Stage::Sweeping;
  launch::Sweep sweep{host_.cluster, key, {}, times_.kill_grace};
  for (const auto& [number, task] : entry.tasks)
    if (!task.ended && task.pid > 0) sweep.tasks.push_back({task.pid, task.start});
  outside_.launcher().sweep(sweep);
}

void Core::drop_if_done(const launch::AttemptKey& key) {
  auto at = attempts_.find(key);
  if (at == attempts_.end() || at->second.stage != Stage::Over || at->second.waits ||
      facts_.any_about(key) || gpus_.drains(key))
    return;
  uses_.forget(key);
  attempts_.erase(at);
  ++dropped_;
}

bool Core::admits_agent(const launch::AttemptKey& key, std::uint32_t uid) const {
  auto at = attempts_.find(key);
  return at != attempts_.end() && at->second.account && at->second.account->uid == uid;
}

void Core::on_agent(const launch::AttemptKey& key, const AgentReport& report) {
  auto at = attempts_.find(key);
  if (at == attempts_.end()) return;
  for (const auto& told : at->second.flow.say(report, outside_.mono()))
    hear_agent(key, at->second, told);
}

void Core::hear_agent(const launch::AttemptKey& key, Entry& entry, const AgentReport& report) {
  if (std::get_if<JobProgress>(&report.fact)) {
    if (session_) outside_.send(NodeVerb::Fact, codec::encode(HostFact{0, report}));
    return;
  }
  // What its agent read before is older, however late it comes.
  if (std::get_if<TrialSaid>(&report.fact) && entry.reported) return;
  if (std::get_if<WorkerSeen>(&report.fact)) {
    entry.order.team.in_place = true;
    if (auto warm = launch::plan_warm(entry.order, host_)) outside_.launcher().tell(key, *warm);
  }
  if (auto* up = std::get_if<AgentUp>(&report.fact)) {
    entry.agent_address = up->address;
    entry.doors = up->doors;
    if (entry.agent_order) outside_.tell_agent(key, *entry.agent_order);
    for (const auto& [number, task] : entry.tasks)
      if (task.ended) outside_.tell_agent(key, TaskGone{number, "ended"});
  }
  say(entry, report);
}

void Core::on_tick(double load, Bytes free_mem, const HostLoad& more) {
  auto now = outside_.mono();
  auto seen = MasterSeen::Silent;
  if (session_ && now - heard_ < seconds(1) + milliseconds(500)) seen = MasterSeen::Heard;
  else if (!session_ && master_down_) seen = MasterSeen::Down;
  look_after_gpus();
  look_for_meetings();
  probe_.on_tick(times_.kill_grace);
  bool agents = false;
  for (auto& [key, entry] : attempts_) {
    for (const auto& told : entry.flow.due(now)) hear_agent(key, entry, told);
    if (entry.agent_address.empty() || !entry.order.team.elastic) continue;
    agents = true;
    outside_.tell_agent(key, NodeHeartbeat{seen});
  }
  auto pause = agents ? std::min<Duration>(times_.heartbeat, milliseconds(400)) : times_.heartbeat;
  if (session_ && now - beat_ >= about(pause, card_.name, beats_)) {
    beat_ = now;
    ++beats_;
    outside_.send(NodeVerb::Heartbeat, codec::encode(HostHeartbeat{load, free_mem, more}));
  }
  if (dropped_ < kShrinkAfter) return;
  dropped_ = 0;
  if (newest_.size() > kMaxNewest)
    std::erase_if(newest_, [this](const auto& known) {
      return !attempts_.contains({known.first, known.second});
    });
  outside_.keep_records([this](const launch::ExitRecord& r) { return attempts_.contains(r.key); });
}

}  // namespace wm::node
