#include "daemons/wmasterd/acct/accounting.h"

#include <algorithm>

#include "daemons/wmasterd/acct/acct_query.h"
#include "daemons/wmasterd/acct/waits.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/fsm/fsm.h"

namespace wm::master {
namespace {

constexpr std::size_t kQueuedRows = 100000;
constexpr std::size_t kMostWaiting = 20'000;    // events beyond the writer's queue: some 15 MB
constexpr std::size_t kCaughtUpAtOnce = 2'000;  // events: some milliseconds of the loop
constexpr Duration kHorizonEvery = std::chrono::seconds(20);

// As a start of the journal does: one that does not fit is left out.
void follow(Cluster& state, const Event& event) {
  if (fsm::check(state, event.body)) fsm::apply(state, event);
}

}  // namespace

Result<std::unique_ptr<Accounting>> Accounting::open(const std::string& state_dir) {
  std::unique_ptr<Accounting> made(new Accounting({state_dir, ""}));
  WM_TRY(made->db_, store::AcctDb::open(made->files_));
  return made;
}

// Each event is folded with the state it made, so the rows are those of the first time.
Result<void> Accounting::rebuild() {
  Cluster state;
  AcctState acct_state;
  auto project = [&](const store::EventRow& row) -> Result<store::AcctRows> {
    WM_TRY(EventBody body, codec::decode<EventBody>(row.payload));
    Event event{row.seq, row.time, std::move(body)};
    follow(state, event);
    return fold(acct_state, event, state);
  };
  auto done = store::rebuild_acct(files_, *db_, project);
  if (!done) return done.error();
  log::info("accounting_rebuilt", {{"seq", done->value}});
  return {};
}

Result<void> Accounting::begin(Cluster state, const std::vector<Event>& events) {
  WM_TRY(auto have, last_seq());
  auto missing = std::find_if(events.begin(), events.end(),
                              [&](const Event& event) { return have < event.seq; });
  std::for_each(events.begin(), missing, [&](const Event& event) { follow(state, event); });
  WM_TRY(auto reader, store::AcctReader::open(files_));
  WM_TRY(auto lasting, reader->lasting());
  acct_state_ = acct_state_of(state, lasting);
  WM_TRY(add_holds(*reader, state));
  taken_ = have.value;
  writer_ = std::make_unique<store::AcctWriter>(*db_, kQueuedRows);
  for (; missing != events.end(); ++missing) {
    follow(state, *missing);
    take({*missing}, state);
  }
  return {};
}

void Accounting::take(const std::vector<Event>& events, const Cluster& after) {
  if (!events.empty()) taken_ = events.back().seq.value;
  if (behind_) return catch_up();
  for (const auto& event : events) {
    waiting_.push_back(fold(acct_state_, event, after));
    if (watch_) watch_(event, waiting_.back());
  }
  offer_waiting();
  if (waiting_.size() >= kMostWaiting) fall_behind(after);
}

void Accounting::fall_behind(const Cluster& after) {
  log::error("accounting_behind", {{"after_seq", after.seq.value}, {"events", waiting_.size()}});
  behind_ = std::make_unique<Cluster>(after);
}

// Some at a time: this is the loop. Each event is folded with the state that it made, as when
// accounting is made again.
void Accounting::catch_up() {
  offer_waiting();
  if (rebuilding_ || !waiting_.empty()) return;
  std::size_t seen = 0;
  auto visited = store::visit_events(
      files_, Seq{behind_->seq.value + 1}, [&](const store::EventRow& row) -> Result<void> {
        if (row.seq.value > taken_ || seen == kCaughtUpAtOnce) return fail(Code::Limit, "enough");
        ++seen;
        WM_TRY(EventBody body, codec::decode<EventBody>(row.payload));
        Event event{row.seq, row.time, std::move(body)};
        follow(*behind_, event);
        behind_->seq = event.seq;
        auto rows = fold(acct_state_, event, *behind_);
        if (watch_) watch_(event, rows);
        if (event.seq > remade_) waiting_.push_back(std::move(rows));
        return {};
      });
  if (!visited && visited.error().code != Code::Limit)
    log::error("accounting_behind", {{"why", visited.error().text}});
  offer_waiting();
  if (behind_->seq.value < taken_) return;
  log::info("accounting_caught_up", {{"seq", behind_->seq.value}});
  behind_.reset();
}

// When those that wait were held before this start: of an array's elements, their array.
Result<void> Accounting::add_holds(store::AcctReader& reader, const Cluster& state) {
  Result<void> done;
  auto visit = [&](std::uint32_t, const Job& job) {
    bool waits = job.state == JobState::Pending || job.state == JobState::Held ||
                 job.state == JobState::Array;
    if (!done || !waits) return;
    auto lines = reader.holds(job.id);
    if (lines) add_holds_of(acct_state_.open, job, *lines);
    else done = lines.error();
  };
  state.jobs.each(visit);
  state.elements.each(visit);
  return done;
}

std::uint64_t Accounting::lag() const {
  auto written = writer_ ? writer_->written().value : 0, taken = taken_.load();
  return taken > written ? taken - written : 0;
}

void Accounting::idle(WallTime now, Duration keep) {
  if (rebuilding_ || behind_ || !waiting_.empty() ||
      (now >= horizon_ && now < horizon_ + kHorizonEvery))
    return;
  horizon_ = now;
  store::AcctRows rows;
  rows.seq = Seq{taken_.load()};
  rows.horizon = now;
  if (keep > Duration{}) rows.forget = now - keep;
  if (rows.seq) writer_->offer(std::move(rows));  // refused, a later one says more
}

Result<void> Accounting::begin_rebuild() {
  if (rebuilding_) return fail(Code::Conflict, "accounting is being made again already");
  rebuilding_ = true;
  return {};
}

Result<Seq> Accounting::remake() {
  writer_->drain();  // it is offered nothing meanwhile, so the database is ours
  WM_TRY(rebuild());
  return db_->last_seq();
}

// Rows that waited may be in already: joined with later ones they would be added twice.
void Accounting::end_rebuild() {
  auto have = db_->last_seq();
  if (have) remade_ = *have;
  while (have && !waiting_.empty() && waiting_.front().seq <= *have) waiting_.pop_front();
  rebuilding_ = false;
  horizon_ = {};  // it fell back to the last event: told anew with the next tick
  offer_waiting();
}

void Accounting::offer_waiting() {
  if (rebuilding_) return;
  if (auto works = writer_->failure(); !works) {
    if (!failing_) log::warn("accounting_waits", {{"why", works.error().text}});
    failing_ = true;
    writer_->retry();
  } else {
    failing_ = false;
  }
  while (!waiting_.empty() && writer_->offer(waiting_.front())) waiting_.pop_front();
}

Result<void> Accounting::is_written() const {
  if (rebuilding_)
    return fail(Code::Unavailable, "accounting is being made again from the history of events");
  if (auto works = writer_->failure(); !works)
    return fail(Code::Timeout, "accounting's database takes no rows: " + works.error().text);
  auto written = writer_->written().value, taken = taken_.load();
  if (written >= taken) return {};
  return fail(Code::Timeout, "accounting is " + std::to_string(taken - written) +
                                 " events behind: ask again in a moment");
}

Result<HistoryReply> Accounting::history(const AcctRequest& request) const {
  WM_TRY(is_written());
  WM_TRY(auto reader, store::AcctReader::open(files_));
  return read_history(*reader, request);
}

Result<AcctReply> Accounting::account(const AcctRequest& request) const {
  WM_TRY(is_written());
  WM_TRY(auto reader, store::AcctReader::open(files_));
  return read_account(*reader, request);
}

}  // namespace wm::master
