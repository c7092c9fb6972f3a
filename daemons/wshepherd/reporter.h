// Role: the report of a job that ended here, in the file of its output or mailed, and the mail that
// it has started. Written by a user part; one that hangs is killed.
//
//   wanted ──► writing ──exit, or patience over: SIGKILL──► done
//      └─ nobody asked for one, no record decides, no fork ─┘
//
// Its file is written before the job's end is told (delivery.h), mail after all else.
#pragma once

#include "daemons/wshepherd/use_watch.h"
#include "libwm/launch/job_report.h"

namespace wm::shepherd {

/// See the head of this file.
class Reporter : public Behaviour {
 public:
  Reporter(Attempt& attempt, const UseWatch& use) : attempt_(attempt), use_(use) {}
  /// Mails that the job has started, once, if that was asked for.
  void tell_start();
  /// A file is to get the report. @cost O(1)
  bool writes_file() const;
  /// True when the report is in its file, or will not be; begins with it.
  bool is_written();
  /// What kept it from the file, for people; empty: nothing has.
  const std::string& trouble() const { return trouble_; }
  /// True when the report is mailed, or will not be; begins with it.
  bool is_mailed();
  bool runs() const { return pid_ != 0; }
  void on_exit(const Exit& exit) override;

 private:
  bool is_done(bool wanted);
  void begin();
  launch::ReportEnd end_of(const launch::ExitRecord& record) const;

  Attempt& attempt_;
  const UseWatch& use_;
  enum class Report : std::uint8_t { Wanted, Writing, Done } report_ = Report::Wanted;
  bool told_start_ = false;
  pid_t pid_ = 0;
  std::string trouble_;
  TimePoint until_{};
};

}  // namespace wm::shepherd
