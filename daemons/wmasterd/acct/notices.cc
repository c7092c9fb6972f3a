#include "daemons/wmasterd/acct/notices.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "libwm/base/exit_status.h"
#include "libwm/base/json.h"
#include "libwm/fsm/fsm.h"
#include "libwm/model/config/recipients.h"
#include "libwm/report/mail.h"
#include "libwm/view/times.h"

namespace wm::master {
namespace {

constexpr TaskNumber kFirst{1};  // of every attempt

enum class Kind { None, Start, Done, Exit, Suspend };

const char* word_of(Kind kind) {
  switch (kind) {
    case Kind::Start: return "start";
    case Kind::Done: return "done";
    case Kind::Exit: return "exit";
    case Kind::Suspend: return "suspend";
    case Kind::None: break;
  }
  return "";
}

const char* sentence_of(Kind kind) {
  switch (kind) {
    case Kind::Start: return "has started";
    case Kind::Done: return "is done";
    case Kind::Exit: return "has exited";
    case Kind::Suspend: return "is suspended";
    case Kind::None: break;
  }
  return "";
}

bool is_wanted(const NotifyAt& at, Kind kind) {
  switch (kind) {
    case Kind::Start: return at.start;
    case Kind::Done: return at.done;
    case Kind::Exit: return at.exit;
    case Kind::Suspend: return at.suspend;
    case Kind::None: break;
  }
  return false;
}

Kind end_of(JobState state) { return state == JobState::Finished ? Kind::Done : Kind::Exit; }

// Does anything wait of an array that was told to end?
bool ends_range(const Cluster& after, const Job& base) {
  for (std::uint32_t p = 0; p < elements_there(base); ++p)
    if (!after.elements.find(base.elements.first + p)) return true;
  return false;
}

Kind kind_of(const Event& event, const Job& job, const Cluster& after) {
  if (const auto* started = std::get_if<TaskStarted>(&event.body))
    return started->task == kFirst ? Kind::Start : Kind::None;
  if (std::holds_alternative<JobSuspended>(event.body) ||
      std::holds_alternative<JobParked>(event.body))
    return Kind::Suspend;
  if (std::holds_alternative<KillRequested>(event.body) && fsm::is_array(job) && job.kill)
    return ends_range(after, job) ? end_of(job.kill->end()) : Kind::None;
  return is_over(job.state) && job.times.ended == event.time ? end_of(job.state) : Kind::None;
}

std::vector<std::string> hosts_of(const Cluster& cluster, const Job& job) {
  std::vector<std::string> names;
  for (const Task& task : job.tasks) {
    const Host* host = cluster.hosts.find(task.host.value);
    if (host && std::ranges::find(names, host->name) == names.end()) names.push_back(host->name);
  }
  return names;
}

std::int64_t seconds(WallTime at) {
  return std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
}

std::string json_of(const Event& event, const Job& job, Kind kind, const Cluster& after) {
  Json json;
  const JobSpec& spec = job.spec();
  json["id"] = after.config->cluster.name + "-" + std::to_string(event.seq.value);
  json["cluster"] = after.config->cluster.name;
  json["event"] = word_of(kind);
  json["time"] = seconds(event.time);
  json["job"] = to_string(job.id);
  json["name"] = spec.name;
  json["user"] = spec.owner.user;
  json["queue"] = spec.queue;
  json["state"] = lsf_state(job);
  json["hosts"] = hosts_of(after, job);
  json["submit_time"] = seconds(job.times.submitted);
  auto started = kind == Kind::Start ? event.time : job.times.started;
  if (started != WallTime{}) json["start_time"] = seconds(started);
  if (kind == Kind::Done || kind == Kind::Exit) {
    json["finish_time"] = seconds(event.time);
    json["exit_code"] = shell_status(job.outcome.status);
    if (job.outcome.term != Term::None) json["exit_reason"] = term_name(job.outcome.term);
  }
  return to_ascii(json);
}

std::string mail_of(const Event& event, const Job& job, Kind kind, const Cluster& after,
                    const std::string& to) {
  const JobSpec& spec = job.spec();
  const auto& cluster = after.config->cluster.name;
  auto head = "Job <" + to_string(job.id) + "> <" + spec.name + "> " + sentence_of(kind);
  std::string text = head + " in cluster <" + cluster + ">.\n\n";
  auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + value + "\n";
  };
  auto time = [](WallTime at) { return at == WallTime{} ? std::string() : view::long_time(at); };
  std::string hosts;
  for (const auto& host : hosts_of(after, job)) hosts += (hosts.empty() ? "" : " ") + host;
  line("User:       ", spec.owner.user);
  line("Queue:      ", spec.queue);
  line("Hosts:      ", hosts);
  line("Submitted:  ", time(job.times.submitted));
  line("Started:    ", time(kind == Kind::Start ? event.time : job.times.started));
  if (kind == Kind::Suspend) line("Suspended:  ", time(event.time));
  if (kind == Kind::Done || kind == Kind::Exit) {
    line("Ended:      ", time(event.time));
    line("Exit code:  ", std::to_string(shell_status(job.outcome.status)));
    if (job.outcome.term != Term::None)
      line("Reason:     ", std::string(term_name(job.outcome.term)) + ": " +
                               std::string(term_text(job.outcome.term)));
  }
  report::Mail mail;
  mail.to = to;
  mail.subject = head;
  mail.text = text;
  mail.id = "notice-" + std::to_string(event.seq.value);
  mail.host = cluster;
  return report::message_of(mail);
}

Notice notice_of(const Event& event, const Job& job, Kind kind, const Cluster& after) {
  const JobSpec& spec = job.spec();
  const ClusterConf& conf = after.config->cluster;
  Notice notice{.seq = event.seq, .job = job.id, .owner = spec.owner.user};
  notice.sendmail = conf.dirs.sendmail;
  notice.command = conf.scripts.notify;
  notice.json = json_of(event, job, kind, after);
  auto to = mail_list(spec.mail.to);
  if (auto all = parse_recipients(spec.mail.to)) notice.urls = all->urls;
  std::erase_if(notice.urls,
                [&](const auto& url) { return !is_allowed_url(url, conf.scripts.notify_urls); });
  if (spec.mail.to.empty()) to = spec.owner.user;
  if (!to.empty()) notice.mail = mail_of(event, job, kind, after, to);
  return notice;
}

}  // namespace

std::vector<Notice> notices_of(const std::vector<Event>& events, const Cluster& after) {
  std::vector<Notice> notices;
  std::set<std::pair<JobId, Kind>> told;  // several events may have brought it about
  for (const Event& event : events) {
    JobId id = job_of(event.body);
    const Job* job = id ? find_job(after, id) : nullptr;
    if (!job || !job->spec().mail.notify.any()) continue;
    auto kind = kind_of(event, *job, after);
    if (!is_wanted(job->spec().mail.notify, kind)) continue;
    bool once = kind == Kind::Suspend || told.insert({id, kind}).second;
    if (once) notices.push_back(notice_of(event, *job, kind, after));
  }
  return notices;
}

}  // namespace wm::master
