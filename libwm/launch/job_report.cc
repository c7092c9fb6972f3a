#include "libwm/launch/job_report.h"

#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "libwm/base/exit_status.h"
#include "libwm/base/local_time.h"

namespace wm::launch {
namespace {

constexpr char kDashes[] = "------------------------------------------------------------\n";

/// "Fri Nov 20 07:44:06 2026".
std::string date(WallTime at) { return local_text(at, "%a %b %e %H:%M:%S %Y"); }

/// "    CPU time :                                   0.03 sec." as clients split it.
std::string usage_line(const char* name, const std::string& value) {
  char text[128];
  std::snprintf(text, sizeof(text), "    %-45s%s\n", name, value.c_str());
  return text;
}

std::string fixed2(double x, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.2f %s", x, unit);
  return text;
}

std::string whole_seconds(Duration d) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(d).count();
  return std::to_string(seconds < 0 ? 0 : seconds) + " sec.";
}

std::string first_lines(const std::string& text, int lines) {
  std::size_t at = 0;
  for (; lines > 0 && at < text.size(); --lines) {
    auto end = text.find('\n', at);
    at = end == text.npos ? text.size() : end + 1;
  }
  auto part = text.substr(0, at);
  return part.empty() || part.back() == '\n' ? part : part + "\n";
}

// One that was ended for a reason may exit 0, and was not done for that.
bool ended_well(const ReportEnd& end) { return end.status == 0 && end.term.empty(); }

std::string sender(const ReportHead& head) {
  return head.product + " System <" + head.admin + ">\n";
}

std::string subject(const ReportHead& head, JobId job, const char* what) {
  auto line = "Subject: Job " + to_string(job) + ": <" + head.job_name + "> in cluster <" +
              head.cluster + "> " + what;
  std::replace(line.begin(), line.end(), '\n', ' ');  // a name is not a second header
  return line + "\n\n";
}

std::string subject(const ReportHead& head, const ReportEnd& end) {
  return subject(head, end.key.job, ended_well(end) ? "Done" : "Exited");
}

// From and To; several addresses are one header.
std::string addressed(const ReportHead& head) {
  return "From: " + sender(head) + "To: " + head.mail_to + "\n";
}

std::string beginning(const ReportHead& head, WallTime started) {
  std::string user = ">, as user <" + head.user + "> in cluster <" + head.cluster + "> at ";
  std::string text = "Job <" + head.job_name + "> was submitted from host <" + head.submit_host +
                     "> by user <" + head.user + "> in cluster <" + head.cluster + "> at " +
                     date(head.submitted) + "\n";
  for (std::size_t i = 0; i < head.hosts.size(); ++i) {
    text += i == 0 ? "Job was executed on host(s) <" : "                            <";
    text += head.hosts[i];
    text += i == 0 ? ">, in queue <" + head.queue + user + date(started) + "\n" : ">\n";
  }
  text += "<" + head.home + "> was used as the home directory.\n";
  text += "<" + head.cwd + "> was used as the working directory.\n";
  return text + "Started at " + date(started) + "\n";
}

std::string opening(const ReportHead& head, const ReportEnd& end) {
  auto text = beginning(head, end.started);
  text += "Terminated at " + date(end.ended) + "\n";
  return text + "Results reported at " + date(end.reported) + "\n\n";
}

std::string verdict(const ReportEnd& end) {
  std::string text = end.note.empty() ? "" : end.note + "\n";
  if (!end.term.empty()) text += end.term + "\n";
  if (ended_well(end)) return text + "Successfully completed.\n";
  if (WIFSIGNALED(end.status) && end.term.empty())
    return text + "Exited with signal termination: " + ::strsignal(WTERMSIG(end.status)) + ".\n";
  return text + "Exited with exit code " + std::to_string(shell_status(end.status)) + ".\n";
}

std::string usage_summary(const ReportHead& head, const ReportEnd& end) {
  constexpr double kMega = 1 << 20;
  double mem = static_cast<double>(end.usage.max_mem.value) / kMega;
  double asked = static_cast<double>(head.requested_mem_bytes) / kMega;
  auto cpu = std::chrono::duration<double>(end.usage.cpu).count();
  std::string text = "Resource usage summary:\n\n";
  text += usage_line("CPU time :", fixed2(cpu, "sec."));
  text += usage_line("Max Memory :", std::to_string(std::lround(std::ceil(mem))) + " MB");
  double mean = std::min(static_cast<double>(end.mean_mem.value) / kMega, mem);
  text += usage_line("Average Memory :", end.mean_mem.value < 0 ? "-" : fixed2(mean, "MB"));
  text += usage_line("Total Requested Memory :", asked > 0 ? fixed2(asked, "MB") : "-");
  text += usage_line("Delta Memory :", asked > 0 ? fixed2(asked - mem, "MB") : "-");
  text += usage_line("Max Swap :", "-");
  text += usage_line("Max Processes :", "-");
  text += usage_line("Max Threads :", "-");
  text += usage_line("Run time :", whole_seconds(end.ended - end.started));
  return text + usage_line("Turnaround time :", whole_seconds(end.ended - head.submitted));
}

std::string middle(const ReportHead& head, const ReportEnd& end) {
  std::string text = opening(head, end);
  text += std::string("Your job looked like:\n\n") + kDashes + "# LSBATCH: User input\n";
  text += first_lines(head.job_text, 50) + kDashes + "\n" + verdict(end) + "\n";
  return text + usage_summary(head, end);
}

}  // namespace

std::string job_mail(const ReportHead& head, const ReportEnd& end) {
  auto text = addressed(head) + subject(head, end) + middle(head, end);
  if (head.out_path.empty()) return text + "\nThe output (if any) follows:\n\n";
  text += "\nPS:\n\nRead file <" + head.out_path + "> for stdout output of this job.\n";
  if (head.err_path.empty()) return text;
  return text + "Read file <" + head.err_path + "> for stderr output of this job.\n";
}

std::string start_mail(const ReportHead& head, JobId job, WallTime started) {
  return addressed(head) + subject(head, job, "started") + beginning(head, started);
}

std::string job_report(const ReportHead& head, const ReportEnd& end) {
  std::string text = std::string("\n") + kDashes + "Sender: " + sender(head) + subject(head, end);
  text += middle(head, end);
  text += "\nThe output (if any) is above this job summary.\n\n";
  if (head.err_path.empty()) return text;
  return text + "PS:\n\nRead file <" + head.err_path + "> for stderr output of this job.\n\n";
}

}  // namespace wm::launch
