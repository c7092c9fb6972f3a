#include "daemons/wmasterd/acct/archive.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "daemons/wmasterd/state/purge.h"
#include "libwm/base/log.h"

namespace wm::master {
namespace {

constexpr std::size_t kJobsInBatch = 2000;
// Beyond so many without their record, batch jobs are forgotten all the same, and the archive is
// made again from the history once it works.
constexpr std::size_t kMostWaitingForArchive = 200'000;
constexpr Duration kGather = std::chrono::milliseconds(300);
constexpr Duration kMarkEvery = std::chrono::seconds(10);
constexpr Duration kFirstPause = std::chrono::seconds(1), kLongestPause = std::chrono::seconds(30);
constexpr WallTime kEver = WallTime::max();

}  // namespace

/// What is handed to the thread at once.
struct Archive::Batch {
  ViewSource source;
  std::vector<std::pair<std::uint32_t, Seq>> jobs;
  std::vector<store::ArchiveStep> said;
  std::size_t said_count = 0;
  Seq seq;   ///< of the state
  Seq mark;  ///< 0: more waits
  Seq replay_from;
  bool fill = false, repair = false;
  bool damaged = false;  ///< the file is to be moved aside
  std::optional<std::pair<store::ArchiveKeep, WallTime>> forget;
};

/// Does one thing after another. @thread post(): any
class Archive::Thread {
 public:
  Thread() : thread_([this] { run(); }) {}
  ~Thread() {
    post(nullptr);
    thread_.join();
  }
  void post(std::function<void()> act) {
    std::lock_guard lock(mutex_);
    acts_.push_back(std::move(act));
    wake_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return !acts_.empty(); });
      auto act = std::move(acts_.front());
      acts_.pop_front();
      lock.unlock();
      if (!act) return;
      act();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> acts_;
  std::thread thread_;
};

Archive::Archive(ArchiveParts parts)
    : files_{parts.state_dir, parts.vfs},
      blob_(std::move(parts.blob)),
      post_(std::move(parts.post)) {
  auto opened = store::ArchiveDb::open(files_);
  if (opened) {
    db_ = std::move(*opened);
    return;
  }
  log::error("archive_unusable", {{"why", opened.error().text}});
  trouble_ = opened.error().text;
  fill_ = opened.error().code == Code::Damaged;
}

Archive::~Archive() {
  *alive_ = false;
  thread_.reset();
}

std::uint32_t Archive::last_job() {
  auto last = db_ ? db_->last_job() : Result<std::uint32_t>(0);
  return last ? *last : 0;
}

void Archive::begin(const Cluster& state, Seq before, const std::vector<Event>& events,
                    ViewSourceNow source) {
  seen_ = std::move(source);
  taken_ = state.seq;
  if (db_) {
    auto mark = db_->last_seq();
    auto filled = db_->is_filled();
    fill_ = fill_ || !filled || !*filled;
    if (mark && *mark > state.seq) (void)db_->step_back(state.seq);
    if (mark) marked_ = std::min(*mark, state.seq);
    if (!fill_) replay_from_ = marked_;
  }
  // Of jobs that ended before the mark the records are there.
  bool all = fill_ || marked_ < before;
  state.jobs.each([&](std::uint64_t number, const Job&) {
    if (all) changed_[static_cast<std::uint32_t>(number)] = state.seq;
  });
  for (const auto& event : events)
    if (event.seq > marked_) note(event);
  said_.clear();  // the thread reads them from the store
  thread_ = std::make_unique<Thread>();
}

void Archive::note(const Event& event) {
  if (const auto* said = std::get_if<RunDescribed>(&event.body))
    said_.emplace_back(event.seq, store::ArchiveStep{{}, *said, {}, false});
  if (const auto* gone = std::get_if<RunDeleted>(&event.body))
    said_.emplace_back(event.seq, store::ArchiveStep{{}, {}, gone->run, false});
  JobId id = job_of(event.body);
  if (!id) return;
  if (std::holds_alternative<JobPurged>(event.body)) changed_.erase(id.job);
  else changed_[id.job] = event.seq;
}

void Archive::take(const std::vector<Event>& events, TimePoint now) {
  now_ = now;
  if (!thread_) return;  // a start tells of those in begin()
  for (const auto& event : events) note(event);
  if (!events.empty()) taken_ = events.back().seq;
  go_on();
}

void Archive::go_on() {
  if (busy_ || now_ < not_before_) return;
  bool due = changed_.size() >= kJobsInBatch / 4 || now_ - handed_at_ >= kGather;
  bool urgent = !said_.empty() || fill_ || replay_from_;
  bool stale = (marked_ < taken_ || forget_) && now_ - handed_at_ >= kMarkEvery;
  if (urgent || (due && !changed_.empty()) || stale) hand_over();
}

void Archive::hand_over() {
  auto batch = std::make_shared<Batch>();
  batch->source = seen_();
  batch->seq = batch->source.state->seq;
  for (const auto& [job, seq] : changed_) {
    if (batch->jobs.size() == kJobsInBatch) break;
    batch->jobs.emplace_back(job, seq);
  }
  for (const auto& [seq, step] : said_) batch->said.push_back(step);
  batch->said_count = said_.size();
  batch->fill = std::exchange(fill_, false);
  batch->replay_from = std::exchange(replay_from_, Seq{});
  if (batch->jobs.size() == changed_.size()) batch->mark = std::min(batch->seq, taken_);
  batch->damaged = std::exchange(damaged_, false);
  batch->repair = !trouble_.empty() || !db_;
  batch->forget = std::exchange(forget_, {});
  busy_ = true;
  handed_at_ = now_;
  thread_->post([this, batch] {
    auto done = std::make_shared<Result<void>>(work(*batch));
    post_([this, batch, done, alive = alive_] {
      if (*alive) returned(batch, *done);
    });
  });
}

// Of the thread.
Result<void> Archive::work(Batch& batch) {
  if (batch.repair) WM_TRY(repair(batch));
  if (batch.fill) WM_TRY(fill_archive(files_, *batch.source.state->config, *db_, blob_));
  std::vector<store::ArchiveStep> steps;
  if (batch.replay_from && !batch.fill) {
    WM_TRY(steps, said_after(files_, batch.replay_from));
  }
  const Cluster& state = *batch.source.state;
  for (const auto& [number, seq] : batch.jobs) {
    const Job* job = state.jobs.find(number);
    if (job && is_purgeable(state, *job, kEver) && is_to_be_kept(*state.config, *job))
      steps.push_back({row_of_run(batch.source, *job, blob_), {}, {}, false});
  }
  steps.insert(steps.end(), batch.said.begin(), batch.said.end());
  WM_TRY(db_->apply(steps, batch.mark));
  if (!batch.forget) return {};
  auto gone = db_->forget(batch.forget->first, batch.forget->second);
  return gone ? Result<void>() : Result<void>(gone.error());
}

// What is damaged is moved aside, never overwritten.
Result<void> Archive::repair(Batch& batch) {
  if (!db_) {
    auto opened = store::ArchiveDb::open(files_);
    if (!opened && opened.error().code != Code::Damaged) return opened.error();
    if (opened) db_ = std::move(*opened);
    else {
      WM_TRY(store::set_archive_aside(files_));
      WM_TRY(db_, store::ArchiveDb::open(files_));
      batch.fill = true;
    }
    return {};
  }
  auto again = db_->reopen();
  bool damaged = batch.damaged || (!again && again.error().code == Code::Damaged);
  if (!damaged) return again;
  WM_TRY(db_->set_aside());
  batch.fill = true;
  return db_->reopen();
}

void Archive::returned(std::shared_ptr<Batch> batch, const Result<void>& done) {
  busy_ = false;
  if (!done) {
    damaged_ = damaged_ || batch->damaged || done.error().code == Code::Damaged;
    fill_ = fill_ || batch->fill || damaged_;
    replay_from_ = batch->replay_from;
    if (trouble_.empty() || done.error().code == Code::Damaged)
      log::error("archive_waits", {{"why", done.error().text}, {"waiting", waiting()}});
    trouble_ = done.error().text;
    pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
    not_before_ = now_ + pause_;
    return tell_waiting(done);
  }
  if (!trouble_.empty()) log::info("archive_goes_on", {{"waiting", waiting()}});
  trouble_.clear();
  pause_ = {};
  if (std::exchange(missed_, false)) fill_ = true;
  for (const auto& [job, seq] : batch->jobs)
    if (auto at = changed_.find(job); at != changed_.end() && at->second <= batch->seq)
      changed_.erase(at);
  said_.erase(said_.begin(), said_.begin() + static_cast<std::ptrdiff_t>(batch->said_count));
  if (batch->mark) marked_ = batch->mark;
  tell_waiting({});
  if (!said_.empty()) go_on();
}

void Archive::tell_waiting(const Result<void>& done) {
  auto waiters = std::exchange(waiters_, {});
  for (auto& one : waiters) {
    bool left = !said_.empty() && said_.front().first <= one.seq;
    if (!done) one.done(done);
    else if (left) waiters_.push_back(std::move(one));
    else one.done({});
  }
}

void Archive::when_written(std::function<void(const Result<void>&)> done) {
  waiters_.push_back({taken_, std::move(done)});
  if (said_.empty() || !thread_) return tell_waiting({});
  if (!trouble_.empty()) tell_waiting(fail(Code::Store, trouble_));
}

void Archive::forget(const Config& config, std::optional<WallTime> now) {
  if (now) forget_ = {keep_rule(config), *now};
}

bool Archive::holds(const Cluster& state, JobId id) const {
  if (!changed_.contains(id.job)) return true;
  const Job* job = state.jobs.find(id.job);
  bool batch = job && app_of(*state.config, job->spec()).type == AppType::Batch &&
               job->spec().exec.search.empty();
  if (!batch || changed_.size() < kMostWaitingForArchive) return false;
  missed_ = true;
  return true;
}

Result<void> Archive::rebuild() {
  if (fill_) return fail(Code::Conflict, "the archive is being made again already");
  fill_ = true;
  not_before_ = {};
  return {};
}

ArchiveReply Archive::standing() const {
  ArchiveReply reply;
  reply.waiting = waiting();
  reply.mark = marked_;
  reply.trouble = trouble_;
  reply.filling = fill_;
  return reply;
}

void Archive::suspect(const Error& error) {
  if (error.code != Code::Damaged || fill_) return;
  trouble_ = error.text;
  damaged_ = fill_ = true;
}

}  // namespace wm::master
