#include "libwm/rest/timeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "libwm/rest/json_text.h"

namespace wm::rest {
namespace {

Json event_json(const HistoryEvent& event) {
  Json json{{"t", epoch_seconds(event.time)},
            {"event", event.event},
            {"from", event.from},
            {"to", event.to},
            {"reason", event.reason},
            {"pause_ms", nullptr},
            {"steps_lost", nullptr}};
  if (event.pause_ms >= 0) json["pause_ms"] = event.pause_ms;
  if (event.steps_lost >= 0) json["steps_lost"] = event.steps_lost;
  return json;
}

/// How many slots a job holds after each of its events.
struct Steps {
  std::vector<std::pair<double, std::int64_t>> steps;
  std::int64_t before = 0;  // at the beginning of the window

  void add(const HistoryEvent& event, WallTime from) {
    auto slots = slots_after(event);
    if (slots < 0) return;
    if (event.time < from) before = slots;
    else steps.emplace_back(epoch_seconds(event.time), slots);
  }

 private:
  static std::int64_t slots_after(const HistoryEvent& event) {
    bool told = event.event == "DISPATCH" || event.event == "RESIZE" || event.event == "FREE";
    if (told) return event.to;
    bool none = event.event == "END" || event.event == "REQUEUE" || event.event == "PREEMPT";
    return none ? 0 : -1;
  }
};

// The newest of what changed the size of jobs, the newest first.
Json changes_of(std::span<const HistoryJob> jobs, WallTime from) {
  constexpr std::size_t kMost = 12;
  std::vector<std::pair<WallTime, Json>> changes;
  for (const auto& job : jobs)
    for (const auto& event : job.events) {
      bool counts = event.event == "DISPATCH" || event.event == "RESIZE" || event.event == "END";
      if (!counts || event.time < from) continue;
      auto json = event_json(event);
      json["id"] = to_string(job.id);
      json["name"] = job.name;
      changes.emplace_back(event.time, std::move(json));
    }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return b.first < a.first; });
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(changes.size(), kMost); ++i)
    list.push_back(std::move(changes[i].second));
  return list;
}

}  // namespace

std::string timeline_json(const HistoryJob& job) {
  Json events = Json::array();
  for (const auto& event : job.events) events.push_back(event_json(event));
  return wm::to_text({{"events", events}});
}

std::string slots_json(std::span<const HistoryJob> jobs, WallTime from, WallTime now,
                       std::uint32_t capacity) {
  Json apps = Json::array();
  for (const auto& job : jobs) {
    Steps found;
    for (const auto& event : job.events) found.add(event, from);
    if (found.before == 0 && found.steps.empty()) continue;
    Json steps = Json::array({{epoch_seconds(from), found.before}});
    for (const auto& [t, slots] : found.steps) steps.push_back({t, slots});
    apps.push_back(
        {{"id", to_string(job.id)}, {"name", job.name}, {"user", job.user}, {"steps", steps}});
  }
  return wm::to_text({{"now", epoch_seconds(now)},
                      {"from", epoch_seconds(from)},
                      {"capacity", capacity},
                      {"apps", apps},
                      {"changes", changes_of(jobs, from)}});
}

}  // namespace wm::rest
