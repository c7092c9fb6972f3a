// Role: the archive as the master runs it: runs that have ended become records of archive.db, made
// and written by a thread of its own; what owners say of them, and deletions, come as events.
//
//   events ─take─► changed_ (jobs that may lack their record), said_ ─batch─► thread ─► archive.db
//                     ▲                                                          │ durable
//                     └───────────────── dropped from there ◄────────────────────┘
//
// The master forgets a job (JobPurged) only when holds() says that its record is there, so that at
// every instant a run is live or kept. What cannot be written stays live and is tried again; an
// archive that is damaged is moved aside and made again from the history of events, or, where that
// has been dropped, from what accounting knows.
//
// Invariant: one batch is under way at a time, made of one published state.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemons/wmasterd/acct/archive_fill.h"
#include "daemons/wmasterd/acct/run_rows.h"
#include "libwm/base/result.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/store/archive/archive_db.h"

namespace wm::master {

/// Runs a function later on the loop.
using PostToLoop = std::function<void(std::function<void()>)>;

/// What views are made of, at this moment.
using ViewSourceNow = std::function<ViewSource()>;

/// What the archive is made with.
struct ArchiveParts {
  std::string state_dir;
  BlobOf blob;  ///< called by its thread
  PostToLoop post;
  std::string vfs = {};  ///< as store::StoreFiles
};

/// @thread the loop's, but find()   @owns its thread
class Archive {
 public:
  explicit Archive(ArchiveParts parts);
  /// Finishes the batch under way.
  ~Archive();
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  /// A start: `state` is the newest, made of `before` and `events`. The archive is filled, where it
  /// never was; what a crash kept from it is made good.
  /// @cost O(live jobs) on the loop, the rest elsewhere
  void begin(const Cluster& state, Seq before, const std::vector<Event>& events,
             ViewSourceNow source);
  /// Events that have become durable, or none: once a tick it goes on with what waits.
  /// @cost O(events)
  void take(const std::vector<Event>& events, TimePoint now);
  /// Old records go, some at a time. None while deeds wait.
  void forget(const Config& config, std::optional<WallTime> now);
  /// May the job be forgotten: is its record there, or none to be made? @cost O(log waiting)
  bool holds(const Cluster& state, JobId job) const;
  /// Calls back once all events that were taken so far are in, or with why they are not yet.
  /// @errors (to done) as store::ArchiveDb::apply: the archive takes nothing at the moment
  void when_written(std::function<void(const Result<void>&)> done);
  /// Makes it again from the history of events. @errors Conflict: that is under way
  Result<void> rebuild();
  /// Jobs that may lack their record, and what was said since. @cost O(1)
  std::size_t waiting() const { return changed_.size() + said_.size(); }
  /// Its thread works on a batch: the loop hears of its end. @cost O(1)
  bool is_busy() const { return busy_; }
  /// How it stands, but what must be read. @cost O(1)
  ArchiveReply standing() const;
  /// The store's files, for readers on workers. @thread any
  const store::StoreFiles& files() const { return files_; }
  /// A reader met damage: it is looked after.
  void suspect(const Error& error);
  /// The highest number of a run that is kept; 0: none, or it cannot be read. Before begin().
  std::uint32_t last_job();

 private:
  struct Batch;
  class Thread;

  void note(const Event& event);
  void go_on();
  void hand_over();
  Result<void> work(Batch& batch);
  Result<void> repair(Batch& batch);
  void returned(std::shared_ptr<Batch> batch, const Result<void>& done);
  void tell_waiting(const Result<void>& done);

  store::StoreFiles files_;
  BlobOf blob_;
  PostToLoop post_;
  ViewSourceNow seen_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<store::ArchiveDb> db_;  // the thread's, once it runs
  std::map<std::uint32_t, Seq> changed_;  // jobs that may lack their record, with their last event
  std::deque<std::pair<Seq, store::ArchiveStep>> said_;
  struct Waiting {
    Seq seq;
    std::function<void(const Result<void>&)> done;
  };
  std::deque<Waiting> waiters_;
  Seq taken_, marked_;
  bool busy_ = false, fill_ = false, damaged_ = false;
  mutable bool missed_ = false;  // jobs were forgotten that have no record
  std::optional<std::pair<store::ArchiveKeep, WallTime>> forget_;  // asked for
  Seq replay_from_;  // of what owners said, events after this are looked up; 0: none
  std::string trouble_;
  TimePoint now_{}, not_before_{}, handed_at_{};
  Duration pause_{};
  std::unique_ptr<Thread> thread_;
};

}  // namespace wm::master
