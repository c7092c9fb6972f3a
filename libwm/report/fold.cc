#include "libwm/report/fold.h"

#include <algorithm>
#include <limits>

#include "libwm/base/result.h"

namespace wm::report {
namespace {

// Seconds of memory that lie in [from, to) ms: edges count at whole seconds.
std::int64_t whole_seconds(std::int64_t from, std::int64_t to) {
  return floor_div(to, 1000) - floor_div(from, 1000);
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(' ', at), text.size());
    if (end > at) found.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

}  // namespace

HourFold::HourFold(std::vector<Hour> hours, std::int64_t horizon)
    : hours_(std::move(hours)), horizon_(floor_div(horizon, 1000)) {
  WM_CHECK(!hours_.empty());
}

HourFold::Clip HourFold::clip(std::int64_t start, std::int64_t end) const {
  auto last = std::min(hours_.back().end(), horizon_);
  return {std::max(floor_div(start, 1000), hours_.front().start),
          end == 0 ? last : std::min(floor_div(end, 1000), last)};
}

template <class Tell>
void HourFold::each_hour(Clip clip, Tell tell) const {
  if (clip.from >= clip.to) return;
  auto hour = std::upper_bound(hours_.begin(), hours_.end(), clip.from,
                               [](std::int64_t t, const Hour& h) { return t < h.start; });
  for (--hour; hour != hours_.end() && hour->start < clip.to; ++hour)
    tell(static_cast<std::size_t>(hour - hours_.begin()), std::max(clip.from, hour->start),
         std::min(clip.to, hour->end()));
}

void HourFold::add(const Part& part) {
  auto span = clip(part.start, part.end);
  if (span.from >= span.to) return;
  auto& by_hour = held_[part.host];
  by_hour.resize(hours_.size());
  each_hour(span, [&](std::size_t hour, std::int64_t from, std::int64_t to) {
    auto ms = to - from;
    Amounts amounts{part.slots * ms / 1000, part.milli_cpus * ms, part.gpus * ms, part.gpueq * ms,
                    part.mem_mib * whole_seconds(from, to)};
    auto key = hour << 40 | std::uint64_t{part.dim} << 8 | static_cast<std::uint64_t>(part.use);
    dims_[key] += amounts;
    amounts.mem_mib_s = 0;
    by_hour[hour][part.use] += amounts;
  });
  auto& host = hosts_[part.host];
  host.pool.push_back({span.from, Change::What::Held, part.slots, part.milli_cpus});
  host.pool.push_back({span.to, Change::What::Held, -part.slots, -part.milli_cpus});
  auto gpus = words(part.gpu_list);
  auto count = static_cast<std::int64_t>(gpus.size());
  for (std::int64_t i = 0; i < count; ++i) {
    auto milli = part.gpus * (i + 1) / count - part.gpus * i / count;
    auto whole = part.gpueq * (i + 1) / count - part.gpueq * i / count;
    auto& changes = host.gpus[gpus[static_cast<std::size_t>(i)]];
    changes.push_back({span.from, Change::What::Held, milli, whole});
    changes.push_back({span.to, Change::What::Held, -milli, -whole});
  }
}

void HourFold::add(const HostSpan& span) {
  auto at = clip(span.since, span.until);
  if (at.from >= at.to) return;
  auto& pool = hosts_[span.host].pool;
  pool.push_back({at.from, Change::What::Room, span.slots, span.milli_cpus});
  pool.push_back({at.from, Change::What::Host, static_cast<std::int64_t>(span.use) + 1, 0});
  pool.push_back({at.to, Change::What::Room, -span.slots, -span.milli_cpus});
  pool.push_back({at.to, Change::What::Host, -static_cast<std::int64_t>(span.use) - 1, 0});
}

void HourFold::add(const GpuSpan& span) {
  auto at = clip(span.since, span.until);
  if (at.from >= at.to) return;
  auto& changes = hosts_[span.host].gpus[span.uuid];
  changes.push_back({at.from, Change::What::Room, 1000, span.gpueq});
  changes.push_back({at.to, Change::What::Room, -1000, -span.gpueq});
  if (!span.aside) return;
  changes.push_back({at.from, Change::What::Aside, 1, 0});
  changes.push_back({at.to, Change::What::Aside, -1, 0});
}

namespace {

// What holds between two changes.
struct Running {
  std::int64_t held = 0, held2 = 0, room = 0, room2 = 0, host = 0, aside = 0;
  Use of_rest() const {
    if (host > 0 && host - 1 != static_cast<std::int64_t>(Use::Idle))
      return static_cast<Use>(host - 1);
    return aside > 0 ? Use::Aside : Use::Idle;
  }
};

// A GPU's share of its own room, and what goes beyond it.
std::int64_t rest(std::int64_t room, std::int64_t held) {
  return std::max<std::int64_t>(0, room - held);
}

}  // namespace

void HourFold::sweep_pool(Changes changes, std::vector<ByUse>& sums) const {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.at < b.at; });
  Running now;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& c = changes[i];
    if (c.what == Change::What::Held) now.held += c.value, now.held2 += c.second;
    if (c.what == Change::What::Room) now.room += c.value, now.room2 += c.second;
    if (c.what == Change::What::Host) now.host += c.value;
    if (i + 1 == changes.size() || changes[i + 1].at == c.at) continue;
    each_hour({c.at, changes[i + 1].at}, [&](std::size_t hour, std::int64_t from, std::int64_t to) {
      auto ms = to - from;
      sums[hour][now.of_rest()] +=
          {rest(now.room, now.held) * ms / 1000, rest(now.room2, now.held2) * ms};
      sums[hour][Use::Over] +=
          {rest(now.held, now.room) * ms / 1000, rest(now.held2, now.room2) * ms};
    });
  }
}

// A GPU stands as its host does, unless it is set aside itself.
void HourFold::sweep_gpu(const HostChanges& host, const std::string& uuid,
                         std::vector<ByUse>& sums) const {
  Changes changes = host.gpus.at(uuid);
  for (const auto& change : host.pool)
    if (change.what == Change::What::Host) changes.push_back(change);
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.at < b.at; });
  Running now;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const auto& c = changes[i];
    if (c.what == Change::What::Held) now.held += c.value, now.held2 += c.second;
    if (c.what == Change::What::Room) now.room += c.value, now.room2 += c.second;
    if (c.what == Change::What::Host) now.host += c.value;
    if (c.what == Change::What::Aside) now.aside += c.value;
    if (i + 1 == changes.size() || changes[i + 1].at == c.at) continue;
    each_hour({c.at, changes[i + 1].at}, [&](std::size_t hour, std::int64_t from, std::int64_t to) {
      auto ms = to - from;
      Amounts free, over;
      free.gpu_mms = rest(now.room, now.held) * ms;
      free.gpueq_mms = rest(now.room2, now.held2) * ms;
      over.gpu_mms = rest(now.held, now.room) * ms;
      over.gpueq_mms = rest(now.held2, now.room2) * ms;
      sums[hour][now.of_rest()] += free;
      sums[hour][Use::Over] += over;
    });
  }
}

HourSums HourFold::finish() {
  HourSums sums;
  for (const auto& [key, amounts] : dims_)
    if (!amounts.empty())
      sums.dims.push_back({hours_[key >> 40].start, static_cast<std::uint32_t>(key >> 8),
                           static_cast<Use>(key & 0xff), amounts});
  std::sort(sums.dims.begin(), sums.dims.end(), [](const auto& a, const auto& b) {
    return std::tie(a.hour, a.dim, a.use) < std::tie(b.hour, b.dim, b.use);
  });
  for (const auto& [name, host] : hosts_) {
    auto& by_hour = held_[name];
    by_hour.resize(hours_.size());
    sweep_pool(host.pool, by_hour);
    for (const auto& [uuid, changes] : host.gpus) sweep_gpu(host, uuid, by_hour);
  }
  for (std::size_t h = 0; h < hours_.size(); ++h)
    for (const auto& [name, by_hour] : held_)
      for (std::size_t use = 0; use < kUses; ++use)
        if (!by_hour[h].of[use].empty())
          sums.hosts.push_back({hours_[h].start, name, static_cast<Use>(use), by_hour[h].of[use]});
  return sums;
}

}  // namespace wm::report
