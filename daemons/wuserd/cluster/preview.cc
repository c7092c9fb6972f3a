#include "daemons/wuserd/cluster/preview.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "libwm/base/clock.h"

namespace wm::user {
namespace {

using replay::Foretold;

// A second is noise; as in whatif.cc.
constexpr double kSlackS = 1;
constexpr std::size_t kMostNames = 100;

Json date(WallTime at) { return at == WallTime{} ? Json(nullptr) : Json(epoch_seconds(at)); }

// Seconds by which it starts later; infinite: one of the dates is none.
double later_by(const Foretold& row) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  bool now = row.start_now != WallTime{}, then = row.start_then != WallTime{};
  if (!now && !then) return 0;
  if (!then) return kNever;
  if (!now) return -kNever;
  return epoch_seconds(row.start_then) - epoch_seconds(row.start_now);
}

const char* verdict(const Foretold& row) {
  double later = later_by(row);
  if (row.displaced) return "waits";
  return later < -kSlackS ? "gains" : later > kSlackS ? "waits" : "same";
}

struct Counts {
  int gains = 0, waits = 0, same = 0;
  void add(std::string_view verdict) {
    ++(verdict == "gains" ? gains : verdict == "waits" ? waits : same);
  }
};

Json counts_json(const std::map<std::string, Counts>& all) {
  std::vector<std::pair<std::string, Counts>> rows(all.begin(), all.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return a.second.gains + a.second.waits > b.second.gains + b.second.waits;
  });
  Json list = Json::array();
  for (const auto& [name, counts] : rows) {
    if (list.size() == kMostNames) break;
    list.push_back(
        {{"name", name}, {"gains", counts.gains}, {"waits", counts.waits}, {"same", counts.same}});
  }
  return list;
}

Json row_json(const Foretold& row, const Job* job) {
  return {{"id", to_string(row.job)},
          {"name", job ? job->spec().name : ""},
          {"user", job ? job->spec().owner.user : ""},
          {"queue", job ? job->spec().queue : ""},
          {"plan", job ? job->spec().plan : ""},
          {"runs", job && job->state != JobState::Pending && job->state != JobState::Array},
          {"now", date(row.start_now)},
          {"then", date(row.start_then)},
          {"verdict", verdict(row)}};
}

}  // namespace

Json foretold_json(const Cluster& live, std::span<const Foretold> rows, WallTime now) {
  Counts all;
  std::map<std::string, Counts> users, queues;
  std::vector<const Foretold*> moved;
  for (const auto& row : rows) {
    const char* word = verdict(row);
    const Job* job = find_job(live, row.job);
    all.add(word);
    if (job) users[job->spec().owner.user].add(word);
    if (job) queues[job->spec().queue].add(word);
    if (word != std::string_view("same")) moved.push_back(&row);
  }
  std::ranges::stable_sort(moved, [](const Foretold* a, const Foretold* b) {
    return std::abs(later_by(*a)) > std::abs(later_by(*b));
  });
  if (moved.size() > kMostForetold) moved.resize(kMostForetold);
  Json list = Json::array();
  for (const Foretold* row : moved) list.push_back(row_json(*row, find_job(live, row->job)));
  return {{"at", epoch_seconds(now)},
          {"gains", all.gains},
          {"waits", all.waits},
          {"same", all.same},
          {"users", counts_json(users)},
          {"queues", counts_json(queues)},
          {"jobs", list}};
}

}  // namespace wm::user
