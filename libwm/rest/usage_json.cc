#include "libwm/rest/usage_json.h"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "libwm/base/json.h"

namespace wm::rest {
namespace {

constexpr std::pair<std::string_view, AcctBy> kUsageWords[] = {{"user", AcctBy::User},
                                                               {"plan", AcctBy::Plan},
                                                               {"project", AcctBy::Project},
                                                               {"queue", AcctBy::Queue},
                                                               {"app", AcctBy::App}};

double seconds_of(std::int64_t us) { return static_cast<double>(us) / 1e6; }

void add_amounts(Json& row, const AcctSum& sum) {
  row["jobs"] = sum.jobs;
  row["slot_s"] = seconds_of(sum.slot_time);
  row["gpu_s"] = seconds_of(sum.gpu_time);
}

Json name_row(const std::string& name, const AcctSum& sum) {
  Json row{{"name", name}};
  add_amounts(row, sum);
  row["done"] = sum.done;
  row["cpu_s"] = seconds_of(sum.cpu.sum);
  row["wait_s"] = seconds_of(sum.wait.sum);
  row["run_s"] = seconds_of(sum.run.sum);
  row["gpu_energy_j"] = static_cast<double>(sum.gpu_energy_mj) / 1e3;
  return row;
}

// The key of a month is the number of the first bound after the end: that of its day, less one. A
// job that ended before the first is of no day.
std::size_t day_of(const AcctSumRow& row, std::size_t days) {
  std::size_t number = 0;
  auto end = row.key.data() + row.key.size();
  auto [stop, ec] = std::from_chars(row.key.data(), end, number);
  return ec == std::errc() && stop == end && number >= 1 && number <= days ? number - 1 : days;
}

}  // namespace

Result<UsageAsked> usage_asked(const Target& target) {
  UsageAsked asked;
  if (auto word = target.value("by"); !word.empty()) {
    asked.by = AcctBy::None;
    for (const auto& [name, by] : kUsageWords)
      if (word == name) asked.by = by;
    asked.word = word;
  }
  if (asked.by == AcctBy::None)
    return fail(Code::BadArgument, "by: '" + asked.word.substr(0, 64) +
                                       "': user, plan, project, queue or app is wanted");
  if (auto text = target.value("days"); !text.empty()) {
    auto end = text.data() + text.size();
    auto [stop, ec] = std::from_chars(text.data(), end, asked.days);
    if (ec != std::errc() || stop != end || asked.days < 1 || asked.days > kMostUsageDays)
      return fail(Code::BadArgument,
                  "days: a number from 1 to " + std::to_string(kMostUsageDays) + " is wanted");
  }
  return asked;
}

std::vector<WallTime> usage_days(unsigned days, WallTime now) {
  const std::chrono::hours day(24);
  auto today = std::chrono::floor<std::chrono::days>(now);
  std::vector<WallTime> bounds;
  for (unsigned i = days; i > 0; --i) bounds.push_back(WallTime(today - (i - 1) * day));
  return bounds;
}

std::string usage_json(const UsageAsked& asked, std::span<const WallTime> days, WallTime now,
                       std::span<const AcctSumRow> names, std::span<const AcctSumRow> by_day) {
  std::map<std::string, AcctSum> sums;
  for (const auto& row : names) merge(sums[row.key], row.sum);
  std::map<std::pair<std::size_t, std::string>, AcctSum> daily;
  for (const auto& row : by_day)
    if (auto day = day_of(row, days.size()); day < days.size())
      merge(daily[{day, row.user}], row.sum);
  Json all{{"now", epoch_seconds(now)},
           {"from", days.empty() ? epoch_seconds(now) : epoch_seconds(days.front())},
           {"by", asked.word},
           {"rows", Json::array()},
           {"days", Json::array()}};
  for (const auto& [name, sum] : sums) all["rows"].push_back(name_row(name, sum));
  for (const auto& [key, sum] : daily) {
    Json row{{"t", epoch_seconds(days[key.first])}, {"user", key.second}};
    add_amounts(row, sum);
    all["days"].push_back(std::move(row));
  }
  return wm::to_text(all);
}

}  // namespace wm::rest
