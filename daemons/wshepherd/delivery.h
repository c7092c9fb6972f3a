// Role: what a job leaves here once its tasks have ended and their output is in its files: the
// copies of bsub -f, then the report. The job's end is told when this is done; its slots are free
// before, unless it takes but a moment.
//
//   idle ─► others' lines ─► copies, one after the other ─► report ─► done
//             └ agent's       └ copy_limit over: killed,     └ 5 s over: late, it
//                               "copy late"                    is written on
//
// What is not done, or not in time, is said in words(). Invariant: each step has a limit, so the
// end is told whatever a file system does.
#pragma once

#include "daemons/wshepherd/agent.h"
#include "daemons/wshepherd/reporter.h"

namespace wm::shepherd {

/// See the head of this file.
class Delivery : public Behaviour {
 public:
  Delivery(Attempt& attempt, SideCommands& sides, Reporter& reporter, Agent& agent)
      : attempt_(attempt), sides_(sides), reporter_(reporter), agent_(agent) {}
  /// There is something to copy or to write. @cost O(1)
  bool is_wanted() const;
  /// The agent writes what all ranks say: it begins when that has ended, too.
  bool waits_for_agent() const { return !attempt_.spec.out.empty(); }
  /// Goes on as far as it can. True: all is done, or is not waited for.
  bool is_done();
  /// Is the end of this task, which has exited with all output in its files, to wait? The last
  /// one here does, for a moment, and gets the words; what takes longer is told with Delivered.
  /// Where the shepherd cannot know that no task will come, the writer's end owes it, and none
  /// waits.
  bool keeps(Task& task);
  /// Delivered follows the end of this task. @cost O(tasks)
  bool owes_for(const Task& task) const;
  /// launch::Delivered is still to be told.
  bool is_owed() const { return ahead_ && !told_; }
  /// Tells it if it is owed.
  void tell();
  /// A copy has ended.
  void on_end(const SideEnd& end);
  std::optional<TimePoint> next() const override;

 private:
  enum class Step : std::uint8_t { Idle, Others, Copies, Report, Done };
  bool is_last(const Task& task) const;
  bool is_long() const;
  bool others_are_awaited();
  bool copies_go_on();
  void add(const std::string& words);

  Attempt& attempt_;
  SideCommands& sides_;
  Reporter& reporter_;
  Agent& agent_;
  Step step_ = Step::Idle;
  TimePoint begun_{}, moment_end_{}, copies_end_{}, report_end_{};
  std::string words_;
  bool ahead_ = false, told_ = false;
};

}  // namespace wm::shepherd
