// Role: see acct_tables.h: sums of finished jobs by user, plan, project, queue, profile, host,
// month.
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <map>
#include <vector>

#include "libwm/view/acct_tables.h"

namespace wm::view {
namespace {

constexpr std::array<std::string_view, 7> kWords = {"user", "plan", "project", "queue",
                                                    "app",  "host", "month"};

/// What jobs of one key used. A part of a job counts by that part.
struct Sum {
  double jobs = 0, done = 0, cpu_s = 0, slot_s = 0, gpu_s = 0, wait_s = 0;
};

double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

std::string month_of(WallTime t) {
  std::time_t s = std::chrono::duration_cast<std::chrono::seconds>(t.time_since_epoch()).count();
  std::tm there{};
  ::localtime_r(&s, &there);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m", &there);
  return text;
}

// Hosts by the part of the job's tasks that ran there.
std::map<std::string, double> hosts_of(const AcctJob& job) {
  std::map<std::string, double> tasks;
  double all = 0;
  for (std::size_t at = 0; at < job.exec_hosts.size();) {
    auto end = std::min(job.exec_hosts.find(' ', at), job.exec_hosts.size());
    if (end > at) ++tasks[job.exec_hosts.substr(at, end - at)], ++all;
    at = end + 1;
  }
  for (auto& [host, part] : tasks) part /= all;
  if (tasks.empty()) tasks["-"] = 1;
  return tasks;
}

std::map<std::string, double> keys_of(const AcctJob& job, AcctBy by) {
  switch (by) {
    case AcctBy::User: return {{job.user, 1}};
    case AcctBy::Plan: return {{job.plan, 1}};
    case AcctBy::Project: return {{job.project, 1}};
    case AcctBy::Queue: return {{job.queue, 1}};
    case AcctBy::App: return {{job.app, 1}};
    case AcctBy::Month: return {{month_of(job.ended), 1}};
    case AcctBy::Host: break;
  }
  return hosts_of(job);
}

void add(Sum& sum, const AcctJob& job, double part) {
  auto until = job.dispatched == WallTime{} ? job.ended : job.dispatched;
  sum.jobs += part;
  if (job.state == state_name(JobState::Finished)) sum.done += part;
  sum.cpu_s += part * seconds(job.cpu);
  sum.slot_s += part * seconds(job.slot_time);
  sum.gpu_s += part * seconds(job.gpu_time);
  sum.wait_s += part * std::max(0.0, seconds(until - job.submitted));
}

std::string line(const std::string& key, const Sum& s, int width) {
  char text[256];
  std::snprintf(text, sizeof text, "%-*.*s %8.0f %8.0f %8.0f %12.1f %12.2f %12.2f %10.1f\n", width,
                width, key.empty() ? "-" : key.c_str(), s.jobs, s.done, s.jobs - s.done, s.cpu_s,
                s.slot_s / 3600, s.gpu_s / 3600, s.jobs > 0 ? s.wait_s / s.jobs : 0);
  return text;
}

}  // namespace

Result<AcctBy> acct_by_named(const std::string& word) {
  auto at = std::find(kWords.begin(), kWords.end(), word);
  if (at != kWords.end()) return static_cast<AcctBy>(at - kWords.begin());
  return fail(Code::BadArgument,
              "-by: no '" + word + "': there are user, plan, project, queue, app, host, month");
}

std::string acct_sums(std::span<const AcctJob> jobs, AcctBy by) {
  std::map<std::string, Sum> sums;
  Sum all;
  for (const auto& job : jobs) {
    add(all, job, 1);
    for (const auto& [key, part] : keys_of(job, by)) add(sums[key], job, part);
  }
  std::vector<std::pair<std::string, Sum>> order(sums.begin(), sums.end());
  if (by != AcctBy::Month)
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
      return a.second.slot_s > b.second.slot_s;
    });
  std::size_t width = 10;
  for (const auto& [key, sum] : order)
    width = std::max(width, std::min<std::size_t>(key.size(), 40));
  auto left = static_cast<int>(width);
  std::string head(kWords[static_cast<std::size_t>(by)]);
  std::transform(head.begin(), head.end(), head.begin(),
                 [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  char text[256];
  std::snprintf(text, sizeof text, "%-*s %8s %8s %8s %12s %12s %12s %10s\n", left, head.c_str(),
                "JOBS", "DONE", "EXIT", "CPU_S", "SLOT_H", "GPU_H", "AVG_WAIT");
  std::string made = text;
  for (const auto& [key, sum] : order) made += line(key, sum, left);
  return made + line("TOTAL", all, left);
}

bool is_of_plan(const AcctJob& job, const std::string& plan) {
  return plan == "/" || job.plan == plan || job.plan.starts_with(plan + "/");
}

}  // namespace wm::view
