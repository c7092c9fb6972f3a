// Role: what the processes of an attempt use together, the user's commands beside the tasks among
// them: limits that no rlimit and no cgroup keeps, the peak, what the records say of it.
//
//   every 200 ms (5 s without limits): the kernel killed for memory? ─► end all: TERM_MEMLIMIT
//                                      sum over /proc, cgroup ─ above a limit ─► end all
//
// One second after the first process, then every usage_interval, the host is told. Nothing is
// looked at while the job is suspended or nothing of it runs.
#pragma once

#include "daemons/wshepherd/ending.h"
#include "daemons/wshepherd/side_commands.h"

namespace wm::shepherd {

/// See the head of this file.
class UseWatch : public Behaviour {
 public:
  UseWatch(Attempt& attempt, Enders& enders, Strays& strays, SideCommands& sides)
      : attempt_(attempt), enders_(enders), strays_(strays), sides_(sides) {}
  /// Makes the control groups with the limits that the kernel keeps; the first look is a pause off.
  void begin();
  /// Looks when that is due.
  void fire() override;
  /// A task has failed: of the memory limit?
  void on_failure();
  /// A command beside the tasks has ended: of the memory limit? Its end says so then.
  void judge(SideEnd& end) const;
  std::optional<TimePoint> next() const override;
  /// What all have used goes into the record of the only task, the peak into every one.
  void add_use(launch::ExitRecord& record) const;
  Bytes peak_mem() const { return peak_; }
  /// Over time; negative: it was too short to be looked at.
  Bytes mean_mem() const { return Bytes{looks_ > 0 ? sum_.value / looks_ : -1}; }

 private:
  bool is_due() const;
  Duration pause() const;
  bool was_killed_for_memory() const;
  void end_for(launch::EndCause cause, const proc::Use& use);
  void tell(const proc::Use& use, const std::vector<pid_t>& pids, TimePoint now);
  void begin_looking(TimePoint now);

  Attempt& attempt_;
  Enders& enders_;
  Strays& strays_;
  SideCommands& sides_;
  TimePoint look_at_{}, begun_{};  ///< begun_: when something ran first
  Bytes peak_, sum_, swap_peak_;
  TimePoint told_at_{}, tell_at_{};
  Duration told_cpu_{};
  std::int64_t looks_ = 0;  ///< so many are in the sum
};

}  // namespace wm::shepherd
