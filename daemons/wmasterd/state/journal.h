// Role: the one writer of the cluster's state. Takes proposed events, keeps those that are
// legal, makes them durable in groups, and only then publishes what they made.
//
//   propose → check → apply → follow ─(end of this loop turn, previous commit done)─►
//   commit ─ok─► publish → react → effects, answers
//          └failed─► the state in memory is thrown away and read again from disk; waiting
//                    answers fail with Code::Store; probed once a second until it works
//
// Each event bears what the wall clock says. Before an event, and at each tick, the clock is
// looked at: when it was set, that is an event of its own (libwm/model/clock_watch.h).
//
// There are two states. newest() has every event that was taken, on disk or on its way there:
// only what leads to further events may look at it. published() has what is on disk: whatever
// leaves the process, an answer, an order, a log line, a pass of the scheduler, is made of it. A
// group is what one loop turn proposed; while one is being written the next one gathers, so the
// slower the disk the larger the groups. What events follow from an event are in its group.
//
// Invariants: published() never shows what is not durable; queries read nothing else.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "daemons/wmasterd/state/snapshot_pace.h"
#include "libwm/base/result.h"
#include "libwm/env/env.h"
#include "libwm/fsm/fsm.h"
#include "libwm/model/clock_watch.h"
#include "libwm/model/cluster.h"
#include "libwm/model/master_rank.h"
#include "libwm/view/metrics_page.h"

namespace wm::master {

/// What one request or one fact wants to happen.
struct Proposal {
  std::vector<EventBody> events;
  std::vector<Blob> blobs;
  std::vector<KeptReply> replies;
  /// After the commit, or soon with the error when the store does not work.
  std::function<void(const Result<void>&)> done;
  /// Replies that depend on what became of each event: called at once, kept with the events.
  std::function<std::vector<KeptReply>(const std::vector<Result<void>>&)> judge = nullptr;
};

/// @thread the loop's
class Journal {
 public:
  /// What has become durable: told once a group, in order, after the proposals' `done`.
  struct Published {
    const std::vector<Event>& events;
    const fsm::Touched& touched;
    bool reloaded = false;  ///< the whole state was read anew
  };
  using OnPublished = std::function<void(const Published&)>;

  Journal(Clock& clock, Store& store, OnPublished on_published);

  /// What a start was made of: the state of the snapshot, and the events after it.
  struct Began {
    Cluster before;
    std::vector<Event> events;
  };

  /// Reads snapshot and events and makes the state of them. An event that does not fit is
  /// left out, with a warning: one bad job must not keep the cluster down. `began` receives what
  /// was read, for a caller that goes the same way; both are read and decoded once.
  /// @errors Store, Damaged: nothing can be read
  Result<void> start(Began* began = nullptr);

  /// Proposes events in order. One result an event: an illegal one is left out, the others
  /// stand. `done` is always called, never from inside.
  std::vector<Result<void>> propose(Proposal proposal);

  /// The state that is durable. @cost O(1)
  const Cluster& published() const { return *published_; }
  std::shared_ptr<const Cluster> published_ptr() const { return published_; }
  /// What hosts compare masters by, of what is durable. @cost O(text)
  MasterRank rank() const {
    return {store_id_, published_->term, published_->seq, published_->last_job};
  }
  /// The newest state, durable or about to be: for decisions that lead to events only.
  const Cluster& newest() const { return newest_; }
  /// Jobs of which newest() may know more than published(). @cost O(those)
  std::set<JobId> unpublished() const;
  /// False while the store does not work.
  bool works() const { return works_; }
  /// The time by which to do what cannot be undone (dates of jobs, ends of reservations, windows,
  /// purges); none while that waits because the wall clock was set, or the store does not work.
  /// @cost O(1)
  std::optional<WallTime> deed_time();
  /// By how much the wall clock was set, back and forward together. @units s
  double clock_steps_s() const { return clock_watch_.steps_s(); }
  /// Do deeds wait? @cost O(1)
  bool deeds_wait() const { return clock_watch_.holds(clock_.mono()); }
  /// How long groups of events took to become durable.
  const view::Histogram& commits() const { return commits_; }

 private:
  struct Group {
    Commit commit;
    fsm::Touched touched;
    std::vector<std::function<void(const Result<void>&)>> done;
  };

  Result<void> append(const EventBody& body);
  void append_at(const EventBody& body, WallTime now);
  WallTime look_at_clock();
  void note_step(Duration by);
  void flush_soon();
  void flush();
  void committed(const Group& group, std::shared_ptr<const Cluster> state,
                 const Result<void>& result);
  void fail_all(const Error& error, const Group& group);
  void probe();
  void snapshot_when_due();

  Clock& clock_;
  Store& store_;
  OnPublished on_published_;
  std::string store_id_;
  Cluster newest_;
  std::shared_ptr<const Cluster> published_ = std::make_shared<Cluster>();
  Group open_;
  std::shared_ptr<const Group> under_way_;  // being committed
  bool committing_ = false, flush_wanted_ = false, works_ = true;
  SnapshotPace pace_;
  std::uint64_t event_bytes_ = 0;  // of commits since the start
  ClockWatch clock_watch_;
  std::vector<std::pair<Seq, Duration>> steps_;  // events of the clock that are not durable yet
  TimePoint begun_{};                            // of the commit under way
  view::Histogram commits_;
};

}  // namespace wm::master
