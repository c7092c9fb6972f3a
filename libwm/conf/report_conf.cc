#include "libwm/conf/report_conf.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "libwm/base/nearest.h"
#include "libwm/conf/ini.h"

namespace wm::conf {
namespace {

using R = ReportConf;
constexpr const char* kReportFile = "report.conf";

constexpr Key<R> kReportKeys[] = {
    {"report_dir", [](R& r) -> Field { return &r.dir; }, kAny, Effect::Reconfig,
     "Directory of pages and tables. Empty: reports below the master's state directory."},
    {"report_timezone", [](R& r) -> Field { return &r.timezone; }, kAny, Effect::Reconfig,
     "Time zone of days, as Europe/Berlin. Empty: the machine's. Another one: all is rolled "
     "again."},
    {"report_admins", [](R& r) -> Field { return &r.admins; }, kAny, Effect::Reconfig,
     "Users or addresses that get the day's report."},
    {"report_management", [](R& r) -> Field { return &r.management; }, kAny, Effect::Reconfig,
     "Users or addresses that get the month of all plans, without names."},
    {"report_from", [](R& r) -> Field { return &r.from; }, kAny, Effect::Reconfig,
     "Address that mail comes from. Empty: the account that runs wmreport."},
    {"mail_domain", [](R& r) -> Field { return &r.mail_domain; }, kAny, Effect::Reconfig,
     "Domain of users whose section gives no address. Empty: local mail."},
    {"user_mail", [](R& r) -> Field { return &r.user_mail; }, kAny, Effect::Reconfig,
     "Users get their week by mail."},
    {"keep_pages",
     [](R& r) -> Field { return &r.keep_pages; },
     {1, 36500},
     Effect::Reconfig,
     "Days after which wmreport roll removes pages."},
    {"advice", [](R& r) -> Field { return &r.advice; }, kAny, Effect::Reconfig,
     "A user's week says what they could change: three things at most, none two weeks in a row."},
    {"advice_mem_ratio",
     [](R& r) -> Field { return &r.limits.mem_ratio; },
     {0, 100},
     Effect::Reconfig,
     "Percent of the memory asked for; who touches less is told."},
    {"advice_mem_part",
     [](R& r) -> Field { return &r.limits.mem_part; },
     {0, 100},
     Effect::Reconfig,
     "Percent of all memory held that must be left unused by a user."},
    {"advice_mem_least", [](R& r) -> Field { return &r.limits.mem_least; }, kAny, Effect::Reconfig,
     "MiB a task; who asks for no more is left alone."},
    {"advice_cpu_ratio",
     [](R& r) -> Field { return &r.limits.cpu_ratio; },
     {0, 100},
     Effect::Reconfig,
     "Percent of the CPU time held; jobs without GPUs that use less are told of."},
    {"advice_cpu_hours", [](R& r) -> Field { return &r.limits.cpu_hours; }, kAny, Effect::Reconfig,
     "CPU hours that such jobs of a user must hold together."},
    {"advice_cpu_part",
     [](R& r) -> Field { return &r.limits.cpu_part; },
     {0, 100},
     Effect::Reconfig,
     "Percent of all CPU time held that they must be."},
    {"advice_short_jobs", [](R& r) -> Field { return &r.limits.short_jobs; }, kAny,
     Effect::Reconfig,
     "Jobs of a day, not elements of arrays, that are a swarm when half of them are short."},
    {"advice_short_seconds", [](R& r) -> Field { return &r.limits.short_seconds; }, kAny,
     Effect::Reconfig, "Seconds below which a job is short."},
    {"advice_fails",
     [](R& r) -> Field { return &r.limits.fails; },
     {1, 1000000},
     Effect::Reconfig,
     "Failures of the same command in the same way, in a row within a day."},
    {"advice_gpu_idle_hours", [](R& r) -> Field { return &r.limits.gpu_idle_hours; }, kAny,
     Effect::Reconfig, "GPU hours that a user must have held without any work, hour by hour."},
    {"advice_gpu_ratio",
     [](R& r) -> Field { return &r.limits.gpu_ratio; },
     {0, 100},
     Effect::Reconfig,
     "Percent of the GPU time held, idle hours aside; jobs whose GPUs are busy less are told of."},
    {"advice_gpu_hours", [](R& r) -> Field { return &r.limits.gpu_hours; }, kAny, Effect::Reconfig,
     "GPU hours that such jobs of a user must hold together."},
    {"advice_gpu_coverage",
     [](R& r) -> Field { return &r.limits.gpu_coverage; },
     {0, 100},
     Effect::Reconfig,
     "Percent of the GPU time held that must have been measured; else nothing is said of it."},
    {"advice_time_ratio",
     [](R& r) -> Field { return &r.limits.time_ratio; },
     {0, 100},
     Effect::Reconfig,
     "Percent of the run limit; jobs that finished earlier are told of."},
    {"advice_time_hours", [](R& r) -> Field { return &r.limits.time_hours; }, kAny,
     Effect::Reconfig, "Slot hours that such jobs must have asked for and not used."},
    {"advice_elastic_hours", [](R& r) -> Field { return &r.limits.elastic_hours; }, kAny,
     Effect::Reconfig, "Slot hours of elastic jobs that asked for one size alone."},
    {"advice_minimum_ratio",
     [](R& r) -> Field { return &r.limits.minimum_ratio; },
     {0, 100},
     Effect::Reconfig,
     "Percent of the time that services and elastic jobs held; those that worked less are told "
     "of."},
    {"advice_minimum_hours", [](R& r) -> Field { return &r.limits.minimum_hours; }, kAny,
     Effect::Reconfig, "GPU hours, without GPUs CPU hours, that such a job must have held."},
    {"advice_trial", [](R& r) -> Field { return &r.trial; }, kAny, Effect::Reconfig,
     "Days in which administrators alone get what users would be told, since reports began."},
};

// Reads one value into the field that `key` names, or says what is wrong with it.
void set(const Field& field, Range range, const Entry& entry, Problems& problems) {
  if (auto done = set_field(field, entry.value, range); !done)
    problems.add({kReportFile, entry.line}, entry.key + ": " + done.error().text);
}

void read_top(R& conf, const Section& section, Problems& problems) {
  std::vector<std::string_view> names;
  for (const auto& key : kReportKeys) names.push_back(key.name);
  for (const auto& entry : section.entries) {
    auto key = std::find_if(std::begin(kReportKeys), std::end(kReportKeys),
                            [&](const auto& k) { return k.name == entry.key; });
    if (key != std::end(kReportKeys)) {
      set(key->field(conf), key->range, entry, problems);
      continue;
    }
    auto near = nearest(entry.key, names);
    problems.add({kReportFile, entry.line},
                 "unknown key '" + entry.key + "'" +
                     (near.empty() ? "" : " (nearest: " + std::string(near) + ")"));
  }
}

void read_one(R& conf, const Section& section, Problems& problems) {
  auto& to = conf.to[section.name];
  bool plan = section.name.starts_with('/');
  for (const auto& entry : section.entries) {
    if (plan && entry.key == "owners") set(&to.owners, {}, entry, problems);
    else if (!plan && entry.key == "mail") set(&to.mail, {}, entry, problems);
    else
      problems.add({kReportFile, entry.line},
                   "unknown key '" + entry.key + "' of " +
                       (plan ? "a plan (there is: owners)" : "a user (there is: mail)"));
  }
}

}  // namespace

std::span<const Key<ReportConf>> report_keys() { return kReportKeys; }

Result<ReportConf> parse_report_conf(const std::string& text) {
  Problems problems;
  auto ini = read_ini(kReportFile, text, problems);
  ReportConf conf;
  for (const auto& section : ini.sections) {
    if (section.name.empty()) read_top(conf, section, problems);
    else read_one(conf, section, problems);
  }
  if (!problems.empty()) return problems.error();
  return conf;
}

Result<ReportConf> load_report_conf(const std::string& dir) {
  std::ifstream file(dir + "/" + kReportFile);
  if (!file) return ReportConf{};
  return parse_report_conf(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::string address_of(const ReportConf& conf, const std::string& user) {
  auto to = conf.to.find(user);
  if (to != conf.to.end() && to->second.mail == "none") return "";
  if (to != conf.to.end() && !to->second.mail.empty()) return to->second.mail;
  bool whole = user.find('@') != std::string::npos || conf.mail_domain.empty();
  return whole ? user : user + "@" + conf.mail_domain;
}

}  // namespace wm::conf
