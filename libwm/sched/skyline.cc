#include "libwm/sched/skyline.h"

#include <algorithm>
#include <tuple>

namespace wm::sched {
namespace {

// What is coming is there.
void settle(Room& room) {
  room.now.slots += room.coming.slots;
  room.now.milli_cpus += room.coming.milli_cpus;
  room.now.mem += room.coming.mem;
  room.coming = {};
  for (GpuUse& use : room.gpus) {
    if (use == GpuUse::Coming) use = GpuUse::Free;
  }
  room.leaving.clear();
}

bool has_coming(const Room& room) {
  return room.coming != Space{} ||
         std::find(room.gpus.begin(), room.gpus.end(), GpuUse::Coming) != room.gpus.end();
}

// A fresh job needs so many on a host for it to count at all.
std::int64_t usable(const Claim& claim, std::int64_t fits) {
  const Span& span = claim.spec().span;
  std::int64_t least = span.one_host ? claim.min : std::min(span.ptile, claim.min);
  return fits < least ? 0 : fits;
}

// The fullest first, then by host; cut to what is asked.
std::vector<Share> pick(std::vector<Share> fits, std::int64_t tasks) {
  std::stable_sort(fits.begin(), fits.end(),
                   [](const Share& a, const Share& b) { return a.tasks > b.tasks; });
  std::vector<Share> chosen;
  for (const Share& share : fits) {
    if (tasks == 0) break;
    chosen.push_back({share.room, std::min(share.tasks, tasks)});
    tasks -= chosen.back().tasks;
  }
  return chosen;
}

}  // namespace

Window window_from(WallTime from, Duration length) {
  if (length <= Duration{} || length >= WallTime::max() - from) return {from, WallTime::max()};
  return {from, from + length};
}

Skyline::Skyline(std::vector<Room> rooms, WallTime now, Duration grace) : now_(now) {
  steps_.reserve(rooms.size());
  for (Room& room : rooms) {
    Steps& steps = steps_.emplace_back();
    bool coming = has_coming(room);
    steps.push_back({now, std::move(room)});
    if (!coming) continue;
    steps.push_back({now + grace, steps.front().room});
    settle(steps.back().room);
  }
}

// The step that begins at `at`; made from the one before when there is none.
std::size_t Skyline::split(Steps& steps, WallTime at) {
  auto it = std::lower_bound(steps.begin(), steps.end(), at,
                             [](const Step& step, WallTime when) { return step.from < when; });
  auto index = static_cast<std::size_t>(it - steps.begin());
  if (it != steps.end() && it->from == at) return index;
  if (index == 0) return 0;  // before now: from now on
  Step step{at, steps[index - 1].room};
  steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(index), std::move(step));
  return index;
}

void Skyline::release(std::uint32_t room, const Job& job, const Task& task, WallTime at) {
  Steps& steps = steps_[room];
  for (std::size_t i = split(steps, at); i < steps.size(); ++i) {
    Room& later = steps[i].room;
    sched::release(later, job.id, job.spec().task, task);
    settle(later);
    if (later.jobs > 0) --later.jobs;
    if (job.spec().exclusive) later.exclusive = false;
  }
}

void Skyline::occupy(const Claim& claim, const Share& share, Window window) {
  Steps& steps = steps_[share.room];
  if (trying_) before_.push_back({share.room, steps});
  if (window.until != WallTime::max()) split(steps, window.until);
  for (std::size_t i = split(steps, window.from); i < steps.size(); ++i) {
    if (steps[i].from >= window.until) break;
    sched::take(steps[i].room, claim.spec().task, share.tasks);
    if (claim.spec().exclusive) steps[i].room.exclusive = true;
  }
}

void Skyline::begin() {
  trying_ = true;
  before_.clear();
}

void Skyline::rollback() {
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    steps_[it->first] = std::move(it->second);
  }
  trying_ = false;
}

std::int64_t Skyline::fits(const Places& places, const Claim& claim, std::uint32_t room,
                           Window window, std::int64_t most, const TasksByRoom& has) const {
  const Steps& steps = steps_[room];
  for (std::size_t i = 0; i < steps.size() && most > 0; ++i) {
    bool before = i + 1 < steps.size() && steps[i + 1].from <= window.from;
    if (before) continue;
    if (steps[i].from >= window.until) break;
    most = places.bare_fits(claim, steps[i].room, room, When::Now, most, has);
  }
  return most;
}

// How many tasks fit from when on: at every step, and where a later lack comes into the window.
void Skyline::add_changes(const Places& places, const Claim& claim, std::uint32_t room,
                          Duration length, std::vector<Change>& changes) const {
  const Steps& steps = steps_[room];
  std::vector<WallTime> starts;
  for (const Step& step : steps) {
    starts.push_back(step.from);
    if (length > Duration{} && step.from - length > now_) starts.push_back(step.from - length);
  }
  std::sort(starts.begin(), starts.end());
  std::int64_t before = 0;
  for (WallTime start : starts) {
    std::int64_t most = fits(places, claim, room, window_from(start, length), claim.min, {});
    most = usable(claim, most);
    if (most == before) continue;
    changes.push_back({start, room, most});
    before = most;
  }
}

std::optional<Dated> Skyline::earliest(Places& places, const Claim& claim, Duration length) const {
  std::vector<Change> changes;
  for (std::uint32_t room : places.request(claim).hosts) {
    add_changes(places, claim, room, length, changes);
  }
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return std::tie(a.at, a.room) < std::tie(b.at, b.room);
  });
  TasksByRoom fits;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Change& change = changes[i];
    std::int64_t& here = fits[change.room];
    total += change.tasks - here;
    here = change.tasks;
    bool more = i + 1 < changes.size() && changes[i + 1].at == change.at;
    if (more || total < claim.min) continue;
    std::vector<Share> shares;
    for (auto [room, tasks] : fits) {
      if (tasks > 0) shares.push_back({room, tasks});
    }
    return Dated{change.at, pick(std::move(shares), claim.min)};
  }
  return std::nullopt;
}

}  // namespace wm::sched
