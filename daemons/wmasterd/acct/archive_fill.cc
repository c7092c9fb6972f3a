#include "daemons/wmasterd/acct/archive_fill.h"

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/fsm/fsm.h"
#include "libwm/store/acct/acct_db.h"

namespace wm::master {
namespace {

constexpr std::size_t kStepsAtOnce = 500;

/// Steps that are written some at a time.
class Steps {
 public:
  explicit Steps(store::ArchiveDb& db) : db_(db) {}
  Result<void> add(store::ArchiveStep step) {
    steps_.push_back(std::move(step));
    return steps_.size() < kStepsAtOnce ? Result<void>() : write();
  }
  Result<void> write() {
    auto steps = std::exchange(steps_, {});
    count_ += steps.size();
    return db_.apply(steps, Seq{});
  }
  std::size_t count() const { return count_; }

 private:
  store::ArchiveDb& db_;
  std::vector<store::ArchiveStep> steps_;
  std::size_t count_ = 0;
};

// A step of an event about a run, if it is one.
std::optional<store::ArchiveStep> step_of_event(const EventBody& body) {
  if (const auto* said = std::get_if<RunDescribed>(&body))
    return store::ArchiveStep{{}, *said, {}, false};
  if (const auto* gone = std::get_if<RunDeleted>(&body))
    return store::ArchiveStep{{}, {}, gone->run, false};
  return {};
}

bool is_about_runs(const store::EventRow& row) {
  static const auto described = EventBody(RunDescribed{}).index() + 1;  // as rows number them
  static const auto deleted = EventBody(RunDeleted{}).index() + 1;
  return row.type == described || row.type == deleted;
}

Result<void> fill_from_events(const store::StoreFiles& files, Steps& steps, const BlobOf& blob) {
  auto state = std::make_shared<Cluster>();
  ViewSource source;
  source.state = state;
  source.reasons = std::make_shared<PendReasons>();
  auto fold = [&](const store::EventRow& row) -> Result<void> {
    WM_TRY(EventBody body, codec::decode<EventBody>(row.payload));
    Event event{row.seq, row.time, std::move(body)};
    if (auto step = step_of_event(event.body)) return steps.add(*std::move(step));
    if (const auto* purged = std::get_if<JobPurged>(&event.body)) {
      const Job* job = state->jobs.find(purged->job.job);
      if (job && is_to_be_kept(*state->config, *job))
        WM_TRY(steps.add({row_of_run(source, *job, blob), {}, {}, false}));
    }
    if (fsm::check(*state, event.body)) fsm::apply(*state, event);
    state->seq = event.seq;
    return {};
  };
  auto visited = store::visit_events(files, Seq{1}, fold);
  return visited ? Result<void>() : Result<void>(visited.error());
}

// Accounting has no configuration of then: what is said of profiles is today's.
Result<void> fill_from_account(const store::StoreFiles& files, const Config& config, Steps& steps) {
  constexpr std::size_t kChunk = 1000;
  WM_TRY(auto reader, store::AcctReader::open(files));
  std::vector<store::JobRow> run;
  auto flush = [&]() -> Result<void> {
    if (run.empty()) return {};
    bool over = std::all_of(run.begin(), run.end(),
                            [](const auto& row) { return row.ended != WallTime{}; });
    auto rows = std::exchange(run, {});
    return over ? steps.add({row_of_account(rows, config), {}, {}, true}) : Result<void>();
  };
  for (JobId after;;) {
    WM_TRY(auto rows, reader->jobs({}, after, kChunk));
    for (auto& row : rows) {
      if (!run.empty() && run.front().id.job != row.id.job) WM_TRY(flush());
      run.push_back(std::move(row));
    }
    if (rows.size() < kChunk) return flush();
    after = run.back().id;
  }
}

}  // namespace

Result<std::vector<store::ArchiveStep>> said_after(const store::StoreFiles& files, Seq after) {
  std::vector<store::ArchiveStep> steps;
  auto visited = store::visit_events(
      files, Seq{after.value + 1}, [&](const store::EventRow& row) -> Result<void> {
        if (!is_about_runs(row)) return {};
        WM_TRY(EventBody body, codec::decode<EventBody>(row.payload));
        if (auto step = step_of_event(body)) steps.push_back(*std::move(step));
        return {};
      });
  if (!visited) return visited.error();
  return steps;
}

Result<void> fill_archive(const store::StoreFiles& files, const Config& config,
                          store::ArchiveDb& db, const BlobOf& blob) {
  WM_TRY(auto first, store::first_event(files));
  Steps steps(db);
  bool whole = first.value <= 1;
  if (whole) WM_TRY(fill_from_events(files, steps, blob));
  else {
    WM_TRY(fill_from_account(files, config, steps));
    WM_TRY(auto said, said_after(files, Seq{first.value - 1}));
    for (auto& step : said) WM_TRY(steps.add(std::move(step)));
  }
  WM_TRY(steps.write());
  log::info("archive_filled", {{"of", whole ? "events" : "accounting"}, {"steps", steps.count()}});
  return db.set_filled();
}

}  // namespace wm::master
