#include "libwm/report/facts.h"

#include <algorithm>
#include <cmath>

namespace wm::report {

std::span<const JobFacts> newest_jobs(const Facts& facts) {
  constexpr std::size_t kMost = 100;
  std::span<const JobFacts> all(facts.jobs);
  return all.last(std::min(kMost, all.size()));
}

double percentile(const std::vector<double>& ordered, double p) {
  if (ordered.empty()) return 0;
  auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(ordered.size())));
  return ordered[std::clamp<std::size_t>(rank, 1, ordered.size()) - 1];
}

std::string size_class(std::uint32_t tasks) {
  if (tasks <= 1) return "1";
  if (tasks <= 4) return "2-4";
  if (tasks <= 16) return "5-16";
  return tasks <= 64 ? "17-64" : "more";
}

std::vector<std::pair<std::string, std::int64_t>> promise_bins(const std::vector<std::int64_t>& s) {
  constexpr std::int64_t kMinute = 60, kHour = 3600;
  const std::pair<const char*, std::int64_t> kBins[] = {{"> 1 h early", -kHour},
                                                        {"> 10 min early", -10 * kMinute},
                                                        {"> 1 min early", -kMinute},
                                                        {"within 1 min", kMinute + 1},
                                                        {"> 1 min late", 10 * kMinute + 1},
                                                        {"> 10 min late", kHour + 1},
                                                        {"> 1 h late", INT64_MAX}};
  std::vector<std::pair<std::string, std::int64_t>> found;
  for (const auto& [name, below] : kBins) found.emplace_back(name, 0);
  for (auto late : s)
    for (std::size_t i = 0; i < found.size(); ++i)
      if (late < kBins[i].second) {
        ++found[i].second;
        break;
      }
  return found;
}

double gpu_coverage(const Facts& facts) {
  Amounts held = facts.total.allocated();
  if (!facts.about.empty()) {
    held = {};
    for (const auto& user : facts.users) held += user.allocated;
  }
  if (held.gpu_mms <= 0) return -1;
  return 100 * static_cast<double>(facts.gpu_use.seen_us) / static_cast<double>(held.gpu_mms);
}

}  // namespace wm::report
