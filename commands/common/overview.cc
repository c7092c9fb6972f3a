#include "commands/common/overview.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "commands/common/command.h"
#include "libwm/base/joined.h"
#include "libwm/base/json.h"
#include "libwm/conf/keys.h"
#include "libwm/conf/load.h"
#include "libwm/view/acts.h"
#include "libwm/view/group_tables.h"
#include "libwm/view/host_fields.h"
#include "libwm/view/job_fields.h"
#include "libwm/view/plan_fields.h"
#include "libwm/view/queue_fields.h"
#include "libwm/view/times.h"

namespace wm::cmd {
namespace {

JobSelection everybodys() {
  JobSelection all;
  all.user = "all";
  return all;
}

std::string line(std::string name, const std::string& value) {
  name.resize(std::max<std::size_t>(name.size(), 34), ' ');
  return name + value + "\n";
}
std::string line(std::string name, std::uint64_t n) {
  return line(std::move(name), std::to_string(n));
}

// What an administrator set, without what may hold a secret: commands with their words.
std::string settings() {
  ClusterConf initial;
  auto conf = cluster_conf();
  if (!conf) return conf.error().text + "\n";
  std::string text;
  for (const auto& key : conf::cluster_keys()) {
    auto was = conf::show_field(key.field(initial)), is = conf::show_field(key.field(*conf));
    if (was == is) continue;
    bool command = key.name.find("command") != key.name.npos || key.name.ends_with("log") ||
                   key.name == "sendmail" || key.name == "mps_program";
    text += std::string(key.name) + " = " + (command ? "(left out)" : is) + "\n";
  }
  return text;
}

std::string section(const std::string& title, const Result<std::string>& text) {
  return "---- " + title + "\n" + (text ? *text : text.error().text + "\n");
}

Result<std::string> why_jobs_wait(client::Master& from) {
  auto selection = everybodys();
  selection.pending_only = true;
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  std::map<std::string, std::uint64_t> counts;
  for (const auto& view : reply.jobs)
    for (const auto& reason : view.reasons) ++counts[std::string(pend_code_name(reason.code))];
  std::string text;
  for (const auto& [code, n] : counts) text += line(code, n);
  return text;
}

}  // namespace

std::string status_text(std::span<const JobView> jobs, std::span<const HostView> hosts,
                        std::size_t groups) {
  std::uint64_t ok = 0, closed = 0, silent = 0, dead = 0, slots = 0, milli_cpus = 0;
  for (const auto& view : hosts) {
    const Host& host = view.host;
    bool unknown = host.registered == WallTime{};
    if (host.state == HostState::Dead || unknown) ++dead;
    else if (host.state == HostState::Silent) ++silent;
    else ++(host.closed ? closed : ok);
    slots += host.capacity.slots;
    milli_cpus += host.capacity.milli_cpus;
  }
  std::map<std::string_view, std::uint64_t> by_state;
  std::set<std::string> users, active;
  for (const auto& view : jobs) {
    auto word = lsf_state(*view.job);
    ++by_state[word.ends_with("SUSP") ? "SUSP" : word == "DONE" || word == "EXIT" ? "OVER" : word];
    users.insert(view.job->spec().owner.user);
    if (!is_over(view.job->state)) active.insert(view.job->spec().owner.user);
  }
  auto there = [](const char* name, std::uint64_t n) {
    auto number = std::to_string(n);
    return line(name, number + "/" + number);
  };
  auto cpus = milli_cpus / 1000;
  return "LSF runtime mbatchd information\n    Available local hosts (current/peak):\n" +
         there("        Clients:", 0) + there("        Servers:", ok + closed) +
         there("        CPUs:", cpus) + there("        Cores:", cpus) +
         there("        Slots:", slots) + "\n" + line("    Number of servers:", hosts.size()) +
         line("        Ok:", ok) + line("        Closed:", closed) +
         line("        Unreachable:", silent) + line("        Unavailable:", dead) + "\n" +
         line("    Number of jobs:", jobs.size()) +
         line("        Running:", by_state["RUN"] + by_state["UNKWN"]) +
         line("        Suspended:", by_state["SUSP"]) + line("        Pending:", by_state["PEND"]) +
         line("        Finished:", by_state["OVER"]) + "\n" +
         line("    Number of users:", users.size()) + line("    Number of user groups:", groups) +
         line("    Number of active users:", active.size());
}

std::string perfmon_json(const PerfmonReply& reply) {
  Json document;
  document["start"] = view::long_time(reply.start);
  document["end"] = reply.end == WallTime{} ? "" : view::long_time(reply.end);
  document["period"] = std::chrono::duration_cast<std::chrono::seconds>(reply.period).count();
  document["record"] = Json::array();
  for (const auto& metric : reply.metrics)
    document["record"].push_back({{"name", metric.name},
                                  {"current", metric.current},
                                  {"max", metric.max},
                                  {"min", metric.min},
                                  {"avg", metric.avg},
                                  {"total", metric.total}});
  auto free = reply.fds - std::min(reply.fds, reply.fds_used);
  document["fd"] = {{"name", "MBD file descriptor usage"},
                    {"free", free},
                    {"used", reply.fds_used},
                    {"total", reply.fds}};
  return to_text(document, 2) + "\n";
}

Result<int> show_status() {
  WM_TRY(auto from, master());
  auto selection = everybodys();
  selection.finished = true;
  WM_TRY(auto jobs, from.ask(JobsRequest{selection}));
  WM_TRY(auto hosts, from.ask(HostsRequest{}));
  WM_TRY(auto config, from.conf());
  say(status_text(jobs.jobs, hosts.hosts, view::user_groups(*config).size()));
  return 0;
}

Result<int> diagnose() {
  say(section("this program",
              std::string("WM " WM_VERSION ", configuration in ") + conf_dir() + "\n"));
  auto whole = conf::load(conf_dir(), conf::this_host());
  say(section("files", whole ? std::string("sound\n") : whole.error().text + "\n"));
  say(section("wm.conf, what is not the default", settings()));
  auto conf = cluster_conf();
  if (!conf) return conf.error();
  WM_TRY(auto from, client::Master::of(*conf, std::chrono::seconds(5)));
  auto here = from.ask(PingRequest{});
  say(section("the master",
              here ? Result<std::string>("WM " + here->version + " on " + here->master +
                                         ", cluster " + here->cluster + "\n")
                   : Result<std::string>(here.error())));
  if (!here) return kRefused;
  WM_TRY(auto hosts, from.ask(HostsRequest{}));
  WM_TRY(auto queues, from.ask(QueuesRequest{}));
  WM_TRY(auto plans, from.ask(PlansRequest{}));
  auto selection = everybodys();
  selection.finished = true;
  WM_TRY(auto jobs, from.ask(JobsRequest{selection}));
  auto config = from.conf();
  auto groups = config ? view::user_groups(**config).size() : 0;
  say(section("counts", status_text(jobs.jobs, hosts.hosts, groups)));
  say(section("hosts", view::host_table(hosts.hosts, true, true)));
  say(section("queues", view::queue_table(queues.queues, true, true)));
  say(section("plans", view::plan_table(plans.plans, true, true)));
  say(section("why jobs wait", why_jobs_wait(from)));
  return 0;
}

Result<int> show_acts(std::string_view word, std::vector<std::string> objects) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(AuditRequest{0, std::move(objects), view::acts_of(word)}));
  std::string text;
  for (const auto& entry : reply.entries) text += view::act_line(entry) + "\n";
  if (word != "audit") {
    if (text.empty()) complain("No matching event found\n");
    say(text);
    return 0;
  }
  auto newest = reply.entries.empty() ? "" : ", the newest hash " + reply.entries.back().chain;
  say(text);
  if (reply.broken.empty())
    say(std::to_string(reply.checked) + " acts, as they were written" + newest + "\n");
  else
    complain("badmin audit: " + reply.broken + "; " + std::to_string(reply.checked) +
             " acts before it are\n");
  return reply.broken.empty() ? 0 : kRefused;
}

}  // namespace wm::cmd
