// Role: the report of a job that ended here, in the file of its output or mailed, and the mail that
// it has started. Written by a user part; one that hangs is killed.
//
//   wanted ──► writing ──exit, or patience over: SIGKILL──► done
//      └─ nobody asked for one, no record decides, no fork ─┘
//
// Its file is written before the job's end is told (shepherd.h), mail after that.
#pragma once

#include "daemons/wshepherd/use_watch.h"
#include "libwm/launch/job_report.h"

namespace wm::shepherd {

/// See the head of this file.
class Reporter {
 public:
  Reporter(Attempt& attempt, const UseWatch& use) : attempt_(attempt), use_(use) {}
  /// Mails that the job has started, once, if that was asked for.
  void tell_start();
  /// True when the report is written, or will not be; begins with it.
  bool is_done();
  bool runs() const { return pid_ != 0; }
  void on_exit(const Exit& exit);

 private:
  void begin();
  launch::ReportEnd end_of(const launch::ExitRecord& record) const;

  Attempt& attempt_;
  const UseWatch& use_;
  enum class Report : std::uint8_t { Wanted, Writing, Done } report_ = Report::Wanted;
  bool told_start_ = false;
  pid_t pid_ = 0;
  TimePoint until_{};
};

}  // namespace wm::shepherd
