#include "daemons/wmasterd/state/journal.h"

#include <algorithm>
#include <utility>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::master {
namespace {

constexpr Duration kProbeEvery = std::chrono::seconds(1);
constexpr std::size_t kMaxFollowing = 64;  // events that follow from one: a bound, never reached

std::vector<std::string> blobs_of(const Cluster& state) {
  std::vector<std::string> hashes;
  state.jobs.each([&](std::uint32_t, const Job& job) {
    hashes.push_back(job.spec().program.env_hash);
    if (!job.spec().program.script_hash.empty()) hashes.push_back(job.spec().program.script_hash);
  });
  state.elements.each([&](std::uint32_t, const Job& job) {
    if (!job.trial.data_hash.empty()) hashes.push_back(job.trial.data_hash);
  });
  return hashes;
}

}  // namespace

Journal::Journal(Clock& clock, Store& store, OnPublished on_published)
    : clock_(clock), store_(store), on_published_(std::move(on_published)) {}

Result<void> Journal::start(Began* began) {
  WM_TRY(Loaded loaded, store_.load());
  store_id_ = loaded.store;
  Cluster state;
  if (!loaded.snapshot.empty()) {
    WM_TRY(Cluster snapshot, codec::decode<Cluster>(loaded.snapshot));
    state = std::move(snapshot);
  }
  if (began) began->before = state.freeze();
  for (const auto& event : loaded.events) {
    if (auto legal = fsm::check(state, event.body); !legal) {
      log::warn("event_skipped", {{"seq", event.seq.value},
                                  {"event", event_name(event.body)},
                                  {"job", to_string(job_of(event.body))},
                                  {"why", legal.error().text}});
      state.seq = event.seq;
      continue;
    }
    fsm::apply(state, event);
  }
  newest_ = std::move(state);
  published_ = std::make_shared<const Cluster>(newest_.freeze());
  pace_.begin(loaded.bytes, loaded.snapshot.size());
  if (began) began->events = std::move(loaded.events);
  return {};
}

std::vector<Result<void>> Journal::propose(Proposal proposal) {
  std::vector<Result<void>> results;
  if (!works_) {
    Error error = fail(Code::Store, "the master's database does not work at the moment; try again");
    clock_.after(Duration{}, [error, done = std::move(proposal.done)] {
      if (done) done(error);
    });
    results.assign(proposal.events.size(), error);
    return results;
  }
  for (const auto& body : proposal.events) results.push_back(append(body));
  auto& commit = open_.commit;
  if (proposal.judge)
    for (auto& reply : proposal.judge(results)) commit.replies.push_back(std::move(reply));
  for (auto& blob : proposal.blobs) commit.blobs.push_back(std::move(blob));
  for (auto& reply : proposal.replies) commit.replies.push_back(std::move(reply));
  if (proposal.done) open_.done.push_back(std::move(proposal.done));
  flush_soon();
  return results;
}

Result<void> Journal::append(const EventBody& first) {
  const WallTime now = look_at_clock();
  WM_TRY(fsm::check(newest_, first));
  append_at(first, now);
  return {};
}

// With what follows from it.
void Journal::append_at(const EventBody& first, WallTime now) {
  std::vector<EventBody> todo{first};
  for (std::size_t i = 0; i < todo.size() && i < kMaxFollowing; ++i) {
    if (!fsm::check(newest_, todo[i])) continue;
    Event event{Seq{newest_.seq.value + 1}, now, todo[i]};
    auto touched = fsm::apply(newest_, event);
    for (auto& next : fsm::follow(newest_, touched)) todo.push_back(std::move(next));
    open_.touched.merge(touched);
    open_.commit.events.push_back(std::move(event));
  }
}

// Less than a step is a correction of the clock's speed: time stands still until it is made up for.
WallTime Journal::look_at_clock() {
  const ClockReading now{clock_.wall(), clock_.mono()};
  if (auto by = clock_watch_.look(now); by != Duration{}) note_step(by);
  // A start, with a clock that lies before the last event: no instant may lie in the future.
  else if (newest_.time - now.wall >= kClockStep)
    note_step(std::chrono::floor<std::chrono::seconds>(now.wall - newest_.time));
  else if (newest_.clock_doubt != Duration{} && !clock_watch_.holds(now.boot))
    append_at(ClockTrusted{"wm", "what waited has waited long enough"},
              std::max(newest_.time, now.wall)),
        flush_soon();
  return std::max(newest_.time, now.wall);
}

void Journal::note_step(Duration by) {
  const ClockStepped step{by, clock_watch_.holds(clock_.mono())};
  append_at(step, clock_.wall());
  steps_.emplace_back(newest_.seq, by);
  flush_soon();
}

std::optional<WallTime> Journal::deed_time() {
  if (!works_) return std::nullopt;
  const WallTime now = look_at_clock();
  return deeds_wait() ? std::nullopt : std::optional(now);
}

void Journal::flush_soon() {
  if (flush_wanted_) return;
  flush_wanted_ = true;
  clock_.after(Duration{}, [this] {
    flush_wanted_ = false;
    if (!committing_) flush();
  });
}

void Journal::flush() {
  if (!works_) return;
  auto group = std::make_shared<const Group>(std::move(open_));
  open_ = {};
  if (group->commit.empty()) {
    for (const auto& done : group->done) done({});
    return;
  }
  committing_ = true;
  begun_ = clock_.mono();
  under_way_ = group;
  auto state =
      group->commit.events.empty() ? published_ : std::make_shared<const Cluster>(newest_.freeze());
  event_bytes_ += store_.commit(group->commit, [this, group, state](const Result<void>& result) {
    committed(*group, state, result);
  });
}

void Journal::committed(const Group& group, std::shared_ptr<const Cluster> state,
                        const Result<void>& result) {
  committing_ = false;
  under_way_.reset();
  if (!result) {
    fail_all(result.error(), group);
    return;
  }
  commits_.add(std::chrono::duration<double>(clock_.mono() - begun_).count());
  published_ = std::move(state);
  // Waiting callers go first: their answers are on the way while the rest is seen to.
  for (const auto& done : group.done) done({});
  std::erase_if(steps_, [&](const auto& step) { return step.first <= published_->seq; });
  for (const auto& event : group.commit.events)
    if (std::holds_alternative<ClockTrusted>(event.body)) clock_watch_.trust(clock_.mono());
  on_published_({group.commit.events, group.touched});
  snapshot_when_due();
  if (!open_.commit.empty() || !open_.done.empty()) flush();
}

std::set<JobId> Journal::unpublished() const {
  auto jobs = open_.touched.jobs;
  if (under_way_) jobs.insert(under_way_->touched.jobs.begin(), under_way_->touched.jobs.end());
  return jobs;
}

void Journal::fail_all(const Error& error, const Group& group) {
  log::error("store_failed", {{"why", error.text}});
  works_ = false;
  Group waiting = std::move(open_);
  open_ = {};
  const Error told = fail(Code::Store, "not done, the master's database failed: " + error.text);
  for (const auto& done : group.done) done(told);
  for (const auto& done : waiting.done) done(told);
  probe();
}

void Journal::probe() {
  store_.probe_store([this](Result<void> result) {
    if (result) result = start();
    if (!result) {
      clock_.after(kProbeEvery, [this] { probe(); });
      return;
    }
    works_ = true;
    log::info("store_works_again", {{"seq", newest_.seq.value}});
    Duration lost{};  // of the clock's steps: the state that was read has not moved along
    for (const auto& [seq, by] : std::exchange(steps_, {}))
      if (seq > newest_.seq) lost += by;
    if (lost != Duration{}) note_step(lost);
    on_published_({{}, fsm::touch_everything(*published_), true});
  });
}

void Journal::snapshot_when_due() {
  if (!pace_.due(event_bytes_, clock_.mono())) return;
  pace_.began(event_bytes_, clock_.mono());
  auto size = std::make_shared<std::size_t>(0);
  store_.keep_snapshot(
      published_->seq,
      [state = published_, size] {
        Image image{codec::encode(*state), blobs_of(*state)};
        *size = image.bytes.size();
        return image;
      },
      [this, size] { pace_.ended(*size, clock_.mono()); });
}

}  // namespace wm::master
