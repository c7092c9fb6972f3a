#include "daemons/wmasterd/state/journal.h"

#include <algorithm>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::master {
namespace {

constexpr std::size_t kSnapshotEvery = 20000;
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
  events_since_snapshot_ = loaded.events.size();
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
  WM_TRY(fsm::check(newest_, first));
  std::vector<EventBody> todo{first};
  for (std::size_t i = 0; i < todo.size() && i < kMaxFollowing; ++i) {
    if (!fsm::check(newest_, todo[i])) continue;
    // While the clock lies behind, time stands still: what is charged by it never runs backwards.
    auto now = std::max(newest_.time, clock_.wall());
    Event event{Seq{newest_.seq.value + 1}, now, todo[i]};
    auto touched = fsm::apply(newest_, event);
    for (auto& next : fsm::follow(newest_, touched)) todo.push_back(std::move(next));
    open_.touched.merge(touched);
    open_.commit.events.push_back(std::move(event));
  }
  return {};
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
  store_.commit(group->commit, [this, group, state](const Result<void>& result) {
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
  on_published_({group.commit.events, group.touched});
  snapshot_when_due(group.commit.events.size());
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
    on_published_({{}, fsm::touch_everything(*published_), true});
  });
}

void Journal::snapshot_when_due(std::size_t events) {
  events_since_snapshot_ += events;
  if (events_since_snapshot_ < kSnapshotEvery) return;
  events_since_snapshot_ = 0;
  store_.keep_snapshot(published_->seq, [state = published_] {
    return Image{codec::encode(*state), blobs_of(*state)};
  });
}

}  // namespace wm::master
