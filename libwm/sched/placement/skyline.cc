#include "libwm/sched/placement/skyline.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace wm::sched {
namespace {

// What is coming is there.
void settle(HostCapacity& room) {
  room.now.slots += room.coming.slots;
  room.now.milli_cpus += room.coming.milli_cpus;
  room.now.mem += room.coming.mem;
  room.coming = {};
  room.clearing = false;
  for (GpuUse& use : room.gpus) {
    if (use == GpuUse::Coming) use = GpuUse::Free;
  }
  room.leaving.clear();
}

bool has_coming(const HostCapacity& room) {
  return room.coming != Space{} ||
         std::find(room.gpus.begin(), room.gpus.end(), GpuUse::Coming) != room.gpus.end();
}

// A fresh job needs so many on a host for it to count at all.
std::int64_t least_usable(const Claim& claim) {
  const Span& span = claim.spec().span;
  return span.one_host ? claim.min : std::min(span.ptile, claim.min);
}

std::int64_t usable(const Claim& claim, std::int64_t fits) {
  return fits < least_usable(claim) ? 0 : fits;
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

Skyline::Skyline(const std::vector<HostCapacity>& rooms, WallTime now, Duration grace,
                 const Ends* ends)
    : rooms_(rooms), now_(now), grace_(grace), ends_(ends) {}

void Skyline::clear() {
  steps_.clear();
  occupants_.clear();
  leavers_.clear();
  trying_ = false;
}

// What others are still to leave there comes no sooner for it.
void Skyline::let_end(HostCapacity& room, const End& end, bool parks) {
  Space coming = std::exchange(room.coming, {});
  bool clearing = room.clearing;
  auto leaving = std::exchange(room.leaving, {});
  std::vector<std::size_t> gpus;
  for (std::size_t i = 0; i < room.gpus.size(); ++i)
    if (room.gpus[i] == GpuUse::Coming) gpus.push_back(i);
  TaskRequest request = held_by(*end.job);
  if (parks) request.mem = Bytes{0};
  sched::release(room, end.job->id, request, *end.task);
  settle(room);
  room.coming = coming;
  room.clearing = clearing;
  room.leaving = std::move(leaving);
  for (std::size_t i : gpus) room.gpus[i] = GpuUse::Coming;
  if (parks) return;
  if (room.jobs > 0) --room.jobs;
  if (end.job->spec().exclusive) room.exclusive = false;
}

// In order; what should have ended by now takes the grace for it.
std::vector<End> Skyline::ends_of(std::uint32_t room) const {
  std::vector<End> ends;
  if (ends_ && rooms_[room].open) ends = ends_->of(room);
  for (End& end : ends) end.at = end.at > now_ ? end.at : now_ + grace_;
  auto more = more_ends_.find(room);
  if (more == more_ends_.end()) return ends;
  for (const End& end : more->second) ends.push_back(end);
  std::stable_sort(ends.begin(), ends.end(),
                   [](const End& a, const End& b) { return a.at < b.at; });
  return ends;
}

bool Skyline::leaves(std::uint32_t room, const End& end) const {
  return std::any_of(leavers_.begin(), leavers_.end(), [&](const Leaver& leaver) {
    return leaver.room == room && leaver.end.job->id == end.job->id &&
           leaver.end.task->number == end.task->number;
  });
}

// What has ended by now counts from now on, but what is coming only after the grace.
Skyline::Steps& Skyline::steps_of(std::uint32_t room) {
  auto [it, is_new] = steps_.try_emplace(room);
  Steps& steps = it->second;
  if (!is_new) return steps;
  steps.push_back({now_, rooms_[room]});
  if (has_coming(rooms_[room])) {
    steps.push_back({now_ + grace_, rooms_[room]});
    settle(steps.back().room);
  }
  auto add = [&](const End& end, bool parks) {
    for (std::size_t i = split(steps, end.at); i < steps.size(); ++i)
      let_end(steps[i].room, end, parks);
  };
  for (const End& end : ends_of(room))
    if (!leaves(room, end)) add(end, false);
  for (const Leaver& leaver : leavers_)
    if (leaver.room == room) add(leaver.end, leaver.parks);
  return steps;
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

// Those that begin within a window.
std::pair<Skyline::Steps::iterator, Skyline::Steps::iterator> Skyline::steps_in(
    Steps& steps, const Window& window) {
  auto at = [&](WallTime when) {
    return std::lower_bound(steps.begin(), steps.end(), when,
                            [](const Step& step, WallTime t) { return step.from < t; });
  };
  auto first = at(window.from);
  return {first, std::max(first, at(window.until))};
}

void Skyline::occupy(const Claim& claim, const Share& share, Window window) {
  remember(share.room);
  auto& occupants = occupants_[share.room];
  occupants.push_back({&claim, share, window});
  lower(occupants.back());
}

void Skyline::remember(std::uint32_t room) {
  if (trying_) before_.push_back({room, steps_of(room), occupants_[room]});
}

// Which GPUs they had taken is not known any more: all take theirs anew.
void Skyline::make_anew(std::uint32_t room) {
  steps_.erase(room);
  for (const Occupant& one : occupants_[room]) lower(one);
}

void Skyline::leave(std::uint32_t room, const Job& job, const Task& task, bool parks) {
  remember(room);
  leavers_.push_back({room, {now_ + grace_, &job, &task}, parks});
  make_anew(room);
  steps_of(room);  // the walk through ends in order of time does not know of it
}

void Skyline::lower(const Occupant& occupant) {
  const auto& [claim, share, window] = occupant;
  Steps& steps = steps_of(share.room);
  if (window.until != WallTime::max()) split(steps, window.until);
  split(steps, window.from);
  auto [first, last] = steps_in(steps, window);
  for (auto step = first; step != last; ++step) {
    sched::take(step->room, claim->spec().task, share.tasks);
    if (claim->spec().exclusive) step->room.exclusive = true;
  }
}

// Undoes `lower`. Not possible where it may have taken GPUs or what is still coming, or what was
// not there: which is not known any more.
bool Skyline::raise(const Occupant& occupant) {
  const auto& [claim, share, window] = occupant;
  const TaskRequest& task = claim->spec().task;
  auto [first, last] = steps_in(steps_of(share.room), window);
  bool known =
      gpus_of(task) == 0 && !claim->spec().exclusive && !has_coming(rooms_[share.room]) &&
      std::all_of(first, last, [](const Step& step) { return step.room.coming == Space{}; });
  if (!known) return false;
  Space held = space_of(task, share.tasks);
  for (auto step = first; step != last; ++step) {
    step->room.now.slots += held.slots;
    step->room.now.milli_cpus += held.milli_cpus;
    step->room.now.mem += held.mem;
    step->room.jobs -= static_cast<std::uint32_t>(share.tasks);
  }
  return true;
}

void Skyline::vacate(const Claim& claim, const std::vector<Share>& shares) {
  for (const Share& share : shares) {
    remember(share.room);
    auto& occupants = occupants_[share.room];
    auto others = std::stable_partition(occupants.begin(), occupants.end(),
                                        [&](const Occupant& one) { return one.claim == &claim; });
    bool raised =
        std::all_of(occupants.begin(), others, [this](const Occupant& one) { return raise(one); });
    occupants.erase(occupants.begin(), others);
    if (!raised) make_anew(share.room);
  }
}

void Skyline::begin() {
  trying_ = true;
  before_.clear();
  leavers_before_ = leavers_.size();
}

void Skyline::rollback() {
  for (auto it = before_.rbegin(); it != before_.rend(); ++it) {
    steps_[it->room] = std::move(it->steps);
    occupants_[it->room] = std::move(it->occupants);
  }
  leavers_.resize(leavers_before_);
  trying_ = false;
}

std::int64_t Skyline::fits(const Places& places, const Claim& claim, std::uint32_t room,
                           Window window, std::int64_t most, const TasksByRoom& has) {
  Steps& steps = steps_of(room);
  auto [step, last] = steps_in(steps, window);
  bool within = step == steps.end() || step->from > window.from;
  if (within && step != steps.begin()) --step;  // the window begins in it
  for (; step != last && most > 0; ++step)
    most = places.bare_fits(claim, step->room, room, When::Now, most, has);
  return most;
}

// Where the answer may change: at every step, and where a later one comes into the window.
std::vector<WallTime> Skyline::starts_of(const Steps& steps, const Search& search) const {
  auto [length, before] = search;
  std::vector<WallTime> reached, starts;
  for (const Step& step : steps) {
    if (step.from < before) starts.push_back(step.from);
    // From just after that on the window reaches into this step.
    bool reaches = length > Duration{} && step.from - length >= now_;
    if (reaches && step.from - length < before) reached.push_back(step.from - length + Duration{1});
  }
  std::vector<WallTime> all(starts.size() + reached.size());
  std::merge(starts.begin(), starts.end(), reached.begin(), reached.end(), all.begin());
  return all;
}

// How many tasks fit from when on: as many as in the least step of the window.
void Skyline::add_changes(const Places& places, const Claim& claim, std::uint32_t room,
                          const Search& search, Changes& changes) {
  const Steps& steps = steps_of(room);
  WallTime end = window_from(search.before, search.length).until;
  std::vector<std::int64_t> fit;
  for (auto step = steps.begin(); step != steps.end() && step->from <= end; ++step)
    fit.push_back(places.bare_fits(claim, step->room, room, When::Now, claim.min, {}));
  std::int64_t known = 0, least = least_usable(claim);
  std::size_t first = 0;
  for (WallTime start : starts_of(steps, search)) {
    while (first + 1 < fit.size() && steps[first + 1].from <= start) ++first;
    WallTime until = window_from(start, search.length).until;
    std::int64_t most = fit[first];
    for (auto i = first + 1; most >= least && i < fit.size() && steps[i].from < until; ++i)
      most = std::min(most, fit[i]);
    if (most < least) most = 0;
    if (most == known) continue;
    changes.push_back({start, room, most});
    known = most;
  }
}

namespace {

constexpr auto in_time = [](const auto& a, const auto& b) {
  return std::tie(a.at, a.room) < std::tie(b.at, b.room);
};

}  // namespace

// ---- rooms in which nobody is to run: what fits from a date on fits for ever -----------------

// What is coming, what is due, and ends that only this pass knows.
void Skyline::add_first_dates() {
  WallTime due = now_ + grace_;
  for (std::uint32_t room = 0; room < rooms_.size(); ++room)
    if (has_coming(rooms_[room])) near_.push_back({due, room});
  for (const auto& [room, ends] : more_ends_)
    for (const End& end : ends) near_.push_back({std::max(now_, end.at), room});
  if (ends_) {
    far_next_ = ends_->dates().begin();
    for (; far_next_ != ends_->dates().end() && far_next_->first <= now_; ++far_next_)
      near_.push_back({due, far_next_->second});
  }
  std::sort(near_.begin(), near_.end());
  near_.erase(std::unique(near_.begin(), near_.end()), near_.end());
  near_.insert(near_.begin(), Date{});  // a mark: they are known, even if there are none
  near_next_ = 1;
}

// Null: there are not so many.
const Skyline::Date* Skyline::date(std::size_t number) {
  if (near_.empty()) add_first_dates();
  while (dates_.size() <= number) {
    const Date* near = near_next_ < near_.size() ? &near_[near_next_] : nullptr;
    const Date* far = ends_ && far_next_ != ends_->dates().end() ? &*far_next_ : nullptr;
    if (!near && !far) return nullptr;
    bool nearer = near && (!far || *near <= *far);
    bool both = nearer && far && *near == *far;
    dates_.push_back(nearer ? *near : *far);
    if (nearer) ++near_next_;
    if (!nearer || both) ++far_next_;
  }
  return &dates_[number];
}

Skyline::Grown& Skyline::grown(Growth& growth, std::uint32_t room) {
  auto [it, is_new] = growth.rooms.try_emplace(room);
  if (is_new) {
    it->second.room = rooms_[room];
    it->second.ends = ends_of(room);
    it->second.settled = !has_coming(rooms_[room]);
  }
  return it->second;
}

// Brings a room to a date, and notes what fits then.
void Skyline::note(const Places& places, const Claim& claim, const Date& date, Growth& growth) {
  auto [at, room] = date;
  Grown& grown = this->grown(growth, room);
  if (grown.tasks >= claim.min) return;
  if (!grown.settled && at >= now_ + grace_) settle(grown.room), grown.settled = true;
  for (auto& i = grown.next; i < grown.ends.size() && grown.ends[i].at <= at; ++i)
    let_end(grown.room, grown.ends[i]);
  std::int64_t most =
      usable(claim, places.bare_fits(claim, grown.room, room, When::Now, claim.min, {}));
  if (most == grown.tasks) return;
  growth.rises.push_back({at, room, most});
  grown.tasks = most;
}

Skyline::Growth& Skyline::growth_of(Places& places, const Claim& claim) {
  auto [it, is_new] = growths_.try_emplace({claim.request, claim.min});
  Growth& growth = it->second;
  if (!is_new) return growth;
  const Request& request = places.request(claim);
  for (std::uint32_t room : places.roomy()) {
    if (request.suits[room] != Suits::Yes) continue;
    std::int64_t most =
        usable(claim, places.bare_fits(claim, rooms_[room], room, When::Now, claim.min, {}));
    if (most == 0) continue;
    growth.rises.push_back({now_, room, most});
    grown(growth, room).tasks = most;
  }
  return growth;
}

// Looks at one more date, if it is not later than `until`.
bool Skyline::look_on(Places& places, const Claim& claim, Growth& growth, WallTime until) {
  const Date* next = date(growth.next);
  if (!next || next->first > until) return false;
  ++growth.next;
  if (places.request(claim).suits[next->second] == Suits::Yes) note(places, claim, *next, growth);
  return true;
}

// Goes through both in order of time; rooms with steps count as `changes` has them.
std::optional<Dated> Skyline::first_sum(Places& places, const Claim& claim, const Changes& changes,
                                        WallTime before) {
  Growth& growth = growth_of(places, claim);
  std::vector<std::int64_t> fits(rooms_.size());
  std::int64_t total = 0;
  std::size_t a = 0;
  for (auto b = changes.begin();;) {
    const WallTime change = b == changes.end() ? before : b->at;
    while (a == growth.rises.size() && look_on(places, claim, growth, change)) continue;
    WallTime at = std::min(a == growth.rises.size() ? WallTime::max() : growth.rises[a].at, change);
    if (at >= before) return std::nullopt;
    while (look_on(places, claim, growth, at)) continue;
    for (; a < growth.rises.size() && growth.rises[a].at == at; ++a) {
      const Change& rise = growth.rises[a];
      if (!steps_.count(rise.room))
        total += rise.tasks - std::exchange(fits[rise.room], rise.tasks);
    }
    for (; b != changes.end() && b->at == at; ++b)
      total += b->tasks - std::exchange(fits[b->room], b->tasks);
    if (total < claim.min) continue;
    std::vector<Share> shares;
    for (std::uint32_t room = 0; room < fits.size(); ++room)
      if (fits[room] > 0) shares.push_back({room, fits[room]});
    return Dated{at, pick(std::move(shares), claim.min)};
  }
}

std::optional<Dated> Skyline::earliest(Places& places, const Claim& claim, const Search& search) {
  Changes changes;
  const auto& hosts = places.request(claim).hosts;
  std::set<std::uint32_t> mine;
  if (!places.request(claim).plain()) mine.insert(hosts.begin(), hosts.end());
  for (const auto& [room, steps] : steps_) {
    bool asked =
        mine.empty() ? std::binary_search(hosts.begin(), hosts.end(), room) : mine.count(room) > 0;
    if (asked) add_changes(places, claim, room, search, changes);
  }
  std::sort(changes.begin(), changes.end(), in_time);
  return first_sum(places, claim, changes, search.before);
}

}  // namespace wm::sched
