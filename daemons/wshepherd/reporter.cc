#include "daemons/wshepherd/reporter.h"

#include <signal.h>

#include <algorithm>

#include "daemons/wshepherd/user/mail.h"

namespace wm::shepherd {
namespace {

/// A report that cannot be written or mailed does not keep the attempt, but a disk that others keep
/// busy loses none.
constexpr auto kReportPatience = std::chrono::minutes(1);

}  // namespace

bool Reporter::writes_file() const {
  const auto& head = attempt_.spec.report;
  return !head.mail_at_end && !head.file.path.empty() && head.file.path != "/dev/null";
}

bool Reporter::is_written() { return is_done(writes_file()); }

bool Reporter::is_mailed() { return is_done(attempt_.spec.report.mail_at_end); }

bool Reporter::is_done(bool wanted) {
  if (!wanted) return true;
  if (report_ == Report::Wanted) begin();
  if (pid_ != 0 && until_ <= attempt_.now()) attempt_.env.signals.kill(pid_, SIGKILL);
  return report_ == Report::Done;
}

launch::ReportEnd Reporter::end_of(const launch::ExitRecord& record) const {
  bool forced = record.cause != launch::EndCause::Exited;
  launch::ReportEnd end{attempt_.spec.key, record.status,   forced ? record.text : "",
                        attempt_.started,  record.ended,    attempt_.env.clock.wall(),
                        attempt_.usage,    use_.mean_mem(), attempt_.note};
  const auto& own = record.usage;
  end.usage.max_mem = own.by_cgroup
                          ? own.max_mem
                          : std::max({attempt_.usage.max_mem, own.max_mem, use_.peak_mem()});
  return end;
}

void Reporter::begin() {
  const auto& head = attempt_.spec.report;
  report_ = Report::Done;
  bool mailed = head.mail_at_end;
  const auto* record = attempt_.deciding_record();
  if (record == nullptr) return;
  auto end = end_of(*record);
  bool first_bytes = !attempt_.output_begun;
  UserPart part{attempt_.spec.account, attempt_.spec.cwd, attempt_.spec.umask, {}};
  auto pid = attempt_.env.children.fork_as_user(part, [&] {
    if (mailed) return send_mail(head.sendmail, launch::job_mail(head, end), head.mailed);
    return write_report(head.file, first_bytes, launch::job_report(head, end));
  });
  if (!pid) return void(trouble_ = "report lost: " + pid.error().text);
  report_ = Report::Writing;
  pid_ = *pid;
  until_ = attempt_.now() + kReportPatience;
  attempt_.own.insert(*pid);
}

void Reporter::on_exit(const Exit& exit) {
  if (pid_ == 0 || exit.pid != pid_) return;
  pid_ = 0;
  report_ = Report::Done;
  if (exit.status == 0) return;
  trouble_ = "report lost: " + lost_words(exit.status);
  attempt_.env.words.complain(trouble_);
}

void Reporter::tell_start() {
  const auto& spec = attempt_.spec;
  if (!spec.report.mail_at_start || std::exchange(told_start_, true)) return;
  UserPart part{spec.account, spec.cwd, spec.umask, {}};
  auto text = launch::start_mail(spec.report, spec.key.job, attempt_.env.clock.wall());
  auto pid = attempt_.env.children.fork_as_user(
      part, [&] { return send_mail_within(kReportPatience, spec.report.sendmail, text); });
  if (pid) attempt_.own.insert(*pid);
}

}  // namespace wm::shepherd
