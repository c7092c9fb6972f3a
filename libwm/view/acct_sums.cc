// Role: see acct_tables.h: sums of finished jobs by user, plan, project, queue, profile, host,
// month.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <vector>

#include "libwm/base/local_time.h"
#include "libwm/view/acct_tables.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

// From AcctBy::User on.
constexpr std::array<std::string_view, 7> kWords = {"user", "plan", "project", "queue",
                                                    "app",  "host", "month"};
constexpr auto kFirst = static_cast<std::size_t>(AcctBy::User);

std::string month_of(WallTime t) { return local_text(t, "%Y-%m"); }

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
    case AcctBy::All:
    case AcctBy::None: return {{"", 1}};
    case AcctBy::Host: break;
  }
  return hosts_of(job);
}

void add(AcctKeySum& sum, const AcctJob& job, double part) {
  auto until = job.dispatched == WallTime{} ? job.ended : job.dispatched;
  sum.jobs += part;
  if (job.state == state_name(JobState::Finished)) sum.done += part;
  sum.cpu_s += part * seconds(job.cpu);
  sum.slot_s += part * seconds(job.slot_time);
  sum.gpu_s += part * seconds(job.gpu_time);
  sum.wait_s += part * std::max(0.0, seconds(until - job.submitted));
  sum.gpu_j += part * static_cast<double>(job.gpu_energy_mj) / 1e3;
}

void add(AcctKeySum& all, const AcctKeySum& sum) {
  all.jobs += sum.jobs, all.done += sum.done, all.cpu_s += sum.cpu_s;
  all.slot_s += sum.slot_s, all.gpu_s += sum.gpu_s, all.wait_s += sum.wait_s;
  all.gpu_j += sum.gpu_j;
}

double of_us(std::int64_t us) { return static_cast<double>(us) / 1e6; }

AcctKeySum key_sum_of(const AcctSum& sum) {
  return {"",
          static_cast<double>(sum.jobs),
          static_cast<double>(sum.done),
          of_us(sum.cpu.sum),
          of_us(sum.slot_time),
          of_us(sum.gpu_time),
          of_us(sum.wait.sum),
          static_cast<double>(sum.gpu_energy_mj) / 1e3};
}

// The month that begins at the bound before; bounds are given in order.
std::string month_named(const std::string& number, std::span<const WallTime> months) {
  auto at = static_cast<std::size_t>(std::strtoul(number.c_str(), nullptr, 10));
  return at >= 1 && at <= months.size() ? month_of(months[at - 1]) : "before";
}

std::vector<AcctKeySum> listed(std::map<std::string, AcctKeySum>& sums) {
  std::vector<AcctKeySum> list;
  for (auto& [key, sum] : sums) {
    sum.key = key;
    list.push_back(std::move(sum));
  }
  return list;
}

std::string line(const AcctKeySum& s, int width) {
  char text[256];
  std::snprintf(text, sizeof text, "%-*.*s %8.0f %8.0f %8.0f %12.1f %12.2f %12.2f %10.1f %10.3f\n",
                width, width, s.key.empty() ? "-" : s.key.c_str(), s.jobs, s.done, s.jobs - s.done,
                s.cpu_s, s.slot_s / 3600, s.gpu_s / 3600, s.jobs > 0 ? s.wait_s / s.jobs : 0,
                s.gpu_j / 3.6e6);
  return text;
}

}  // namespace

Result<AcctBy> acct_by_named(const std::string& word) {
  auto at = std::find(kWords.begin(), kWords.end(), word);
  if (at != kWords.end()) {
    auto number = static_cast<std::size_t>(at - kWords.begin()) + kFirst;
    return static_cast<AcctBy>(number);
  }
  return fail(Code::BadArgument,
              "-by: no '" + word + "': there are user, plan, project, queue, app, host, month");
}

std::vector<WallTime> acct_months(WallTime now) {
  constexpr int kFirstYear = 115;  // since 1900: nothing was recorded before
  std::vector<WallTime> months;
  for (int month = 0; months.empty() || months.back() <= now; ++month) {
    std::tm there{};
    there.tm_year = kFirstYear, there.tm_mon = month, there.tm_mday = 1, there.tm_isdst = -1;
    months.emplace_back(std::chrono::seconds(::mktime(&there)));
  }
  return months;
}

std::vector<AcctKeySum> acct_key_sums(std::span<const AcctJob> jobs, AcctBy by) {
  std::map<std::string, AcctKeySum> sums;
  for (const auto& job : jobs)
    for (const auto& [key, part] : keys_of(job, by)) add(sums[key], job, part);
  return listed(sums);
}

std::vector<AcctKeySum> acct_key_sums(std::span<const AcctSumRow> rows, AcctBy by,
                                      std::span<const WallTime> months) {
  std::map<std::string, AcctKeySum> sums;
  for (const auto& row : rows)
    add(sums[by == AcctBy::Month ? month_named(row.key, months) : row.key], key_sum_of(row.sum));
  return listed(sums);
}

std::string acct_sums(std::vector<AcctKeySum> order, AcctBy by) {
  AcctKeySum all;
  for (const auto& sum : order) add(all, sum);
  all.key = "TOTAL";
  if (by != AcctBy::Month)
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.slot_s > b.slot_s; });
  std::size_t width = 10;
  for (const auto& sum : order) width = std::max(width, std::min<std::size_t>(sum.key.size(), 40));
  auto left = static_cast<int>(width);
  std::string head(kWords[static_cast<std::size_t>(by) - kFirst]);
  std::transform(head.begin(), head.end(), head.begin(),
                 [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  char text[256];
  std::snprintf(text, sizeof text, "%-*s %8s %8s %8s %12s %12s %12s %10s %10s\n", left,
                head.c_str(), "JOBS", "DONE", "EXIT", "CPU_S", "SLOT_H", "GPU_H", "AVG_WAIT",
                "GPU_KWH");
  std::string made = text;
  for (const auto& sum : order) made += line(sum, left);
  return made + line(all, left);
}

bool is_of_plan(const AcctJob& job, const std::string& plan) {
  return plan == "/" || job.plan == plan || job.plan.starts_with(plan + "/");
}

}  // namespace wm::view
