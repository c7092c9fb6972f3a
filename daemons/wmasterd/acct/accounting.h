// Role: accounting as the master runs it: rows of durable events go to acct.db's own
// thread; what a crash kept from being written is folded again from the events; bhist's
// questions are answered from acct.db alone.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>

#include "daemons/wmasterd/acct/acct_state.h"
#include "libwm/base/result.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/store/acct/acct_writer.h"

namespace wm::master {

/// @thread take, begin_rebuild, end_rebuild: the loop's; history, remake: a worker's
class Accounting {
 public:
  /// Opens acct.db in the master's state directory. @errors as store::AcctDb::open
  static Result<std::unique_ptr<Accounting>> open(const std::string& state_dir);

  /// Makes acct.db again from every event ever stored, when core.db no longer holds those
  /// after its mark. Before begin(). @errors Store, Damaged   @cost O(all events)
  Result<void> rebuild();
  /// The last event that has its rows in the database: a start folds what came after.
  Result<Seq> last_seq() { return db_->last_seq(); }
  /// As AcctDb says. Before begin().
  Result<std::uint32_t> last_job() { return db_->last_job(); }
  Result<void> step_back(Seq seq) { return db_->step_back(seq); }
  /// A start: the writer goes to work. Folds those of `events` that lack their rows, each with the
  /// state that it made of `state`, which holds none of the events after last_seq().
  /// @errors Store, Damaged   @cost O(jobs + events)
  Result<void> begin(Cluster state, const std::vector<Event>& events);
  /// Rows of events that have become durable, or none. Never waits: what the writer cannot take
  /// yet is offered again with the next call. When 20,000 events wait so, later ones are left in
  /// the store and read from there once it goes on. @cost O(events)
  void take(const std::vector<Event>& events, const Cluster& after);
  /// From now on each event that is taken is told, with its rows.
  using Watch = std::function<void(const Event&, const store::AcctRows&)>;
  void watch(Watch watch) { watch_ = std::move(watch); }
  /// The number of events that lack their rows so far. @cost O(1)
  std::uint64_t lag() const;
  /// Events of which the rows are in memory, beside the writer's queue; is the rest left in the
  /// store?
  /// @cost O(1)
  std::size_t held_in_memory() const { return waiting_.size(); }
  bool is_behind() const { return behind_ != nullptr; }
  /// No event before `now` is on its way: reports may close what lies before it. Jobs that ended
  /// `keep` ago are dropped, some at a time; 0: none. @cost O(1)
  void idle(WallTime now, Duration keep);
  /// badmin rebuild-acct: after begin_rebuild() rows only wait, so remake() may run on a
  /// worker; end_rebuild() goes on with those that it did not see.
  /// @errors (begin) Conflict: one is under way; (remake) Store, Damaged
  Result<void> begin_rebuild();
  Result<Seq> remake();
  void end_rebuild();
  /// What bhist asks. @errors Store; Timeout: rows of events taken before are still on their way
  Result<HistoryReply> history(const AcctRequest& request) const;
  /// What bacct asks. @errors as history
  Result<AcctReply> account(const AcctRequest& request) const;

 private:
  explicit Accounting(store::StoreFiles files) : files_(std::move(files)) {}
  Result<void> add_holds(store::AcctReader& reader, const Cluster& state);
  void offer_waiting();
  void fall_behind(const Cluster& after);
  void catch_up();
  Result<void> is_written() const;

  store::StoreFiles files_;
  std::unique_ptr<store::AcctDb> db_;
  std::unique_ptr<store::AcctWriter> writer_;
  AcctState acct_state_;
  Watch watch_;
  std::deque<store::AcctRows> waiting_;
  // The state after the last event that was folded, while later ones are left on the disk: the
  // database takes no rows, and memory holds no more.
  std::unique_ptr<Cluster> behind_;
  Seq remade_;  // rows up to there are in the database, made again
  std::atomic<std::uint64_t> taken_{0};
  WallTime horizon_{};    // last told while idle
  bool failing_ = false;  // said once, not with every event
  std::atomic<bool> rebuilding_{false};
};

}  // namespace wm::master
