#include "libwm/view/acct_tables.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <limits>

#include "libwm/view/job_fields.h"

namespace wm::view {
namespace {

const std::string kRule(78, '-');

[[gnu::format(printf, 1, 2)]] std::string printed(const char* format, ...) {
  char text[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

bool was_done(const AcctJob& job) { return job.state == state_name(JobState::Finished); }

// A job that never started waited until its end.
double wait_of(const AcctJob& job) {
  auto until = job.dispatched == WallTime{} ? job.ended : job.dispatched;
  return std::max(0.0, seconds(until - job.submitted));
}
double turnaround_of(const AcctJob& job) {
  return std::max(0.0, seconds(job.ended - job.submitted));
}
double run_of(const AcctJob& job) {
  return job.started == WallTime{} ? 0 : std::max(0.0, seconds(job.ended - job.started));
}
double hog_of(const AcctJob& job) {
  return turnaround_of(job) > 0 ? seconds(job.cpu) / turnaround_of(job) : 0;
}
double expansion_of(const AcctJob& job) {
  return run_of(job) > 0 ? turnaround_of(job) / run_of(job) : 0;
}

/// Sum, greatest, least and mean of one quantity.
struct Spread {
  double sum = 0, most = 0, least = std::numeric_limits<double>::max();
  std::size_t n = 0;
  void add(double value) {
    sum += value;
    most = std::max(most, value);
    least = std::min(least, value);
    ++n;
  }
  double mean() const { return n ? sum / static_cast<double>(n) : 0; }
  double lowest() const { return n ? least : 0; }
};

Spread spread(std::span<const AcctJob> jobs, double (*of)(const AcctJob&)) {
  Spread all;
  for (const auto& job : jobs) all.add(of(job));
  return all;
}

std::string line(const std::string& what, const std::string& name) {
  return "  - " + what + name + "\n";
}

std::string memory_text(Bytes memory) {
  auto m = static_cast<double>(memory.value) / (1 << 20);
  if (m >= 1024 * 1024) return printed("%.1fT", m / 1024 / 1024);
  if (m >= 1024) return printed("%.1fG", m / 1024);
  return m >= 1 ? printed("%.0fM", m) : printed("%.0fK", m * 1024);
}

std::string completed(const AcctJob& job) {
  if (was_done(job)) return "Completed <done>.";
  std::string text = "Completed <exit>";
  if (job.term != Term::None)
    text += "; " + std::string(term_name(job.term)) + ": " + std::string(term_text(job.term));
  else if (WIFEXITED(job.exit_status) && WEXITSTATUS(job.exit_status))
    text += "; exit code " + std::to_string(WEXITSTATUS(job.exit_status));
  return text + ".";
}

std::string numbers_block(std::span<const AcctJob> jobs) {
  auto done = std::count_if(jobs.begin(), jobs.end(), was_done);
  auto cpu = spread(jobs, [](const AcctJob& job) { return seconds(job.cpu); });
  auto wait = spread(jobs, wait_of);
  std::string text;
  text += printed(" Total number of done jobs:  %7zd      Total number of exited jobs: %5zd\n",
                  static_cast<std::ptrdiff_t>(done), std::ssize(jobs) - done);
  text += printed(" Total CPU time consumed:  %9.1f      Average CPU time consumed: %7.1f\n",
                  cpu.sum, cpu.mean());
  text += printed(" Maximum CPU time of a job:%9.1f      Minimum CPU time of a job: %7.1f\n",
                  cpu.most, cpu.lowest());
  text += printed(" Total wait time in queues:%9.1f\n", wait.sum);
  text += printed(" Average wait time in queue:%8.1f\n", wait.mean());
  text += printed(" Maximum wait time in queue:%8.1f      Minimum wait time in queue:%7.1f\n",
                  wait.most, wait.lowest());
  return text;
}

std::string held_line(const std::string& what, const Spread& time) {
  if (time.sum == 0) return "";
  return printed(" Total %-18s%11.0f      Average %-18s%7.0f\n", what.c_str(), time.sum,
                 what.c_str(), time.mean());
}

// What LSF's summary has not: slots and GPUs, as long as they were held.
std::string held_block(std::span<const AcctJob> jobs) {
  auto slots = spread(jobs, [](const AcctJob& job) { return seconds(job.slot_time); });
  auto gpus = spread(jobs, [](const AcctJob& job) { return seconds(job.gpu_time); });
  return held_line("slot time held:", slots) + held_line("GPU time held:", gpus);
}

std::string factors_block(std::span<const AcctJob> jobs) {
  auto around = spread(jobs, turnaround_of);
  auto hog = spread(jobs, hog_of);
  Spread expansion;
  for (const auto& job : jobs)
    if (run_of(job) > 0) expansion.add(expansion_of(job));
  auto run = spread(jobs, run_of);
  std::string text;
  text += printed(" Average turnaround time:  %9.0f (seconds/job)\n", around.mean());
  text += printed(" Maximum turnaround time:  %9.0f      Minimum turnaround time:  %8.0f\n",
                  around.most, around.lowest());
  text +=
      printed(" Average hog factor of a job:%7.2f ( cpu time / turnaround time )\n", hog.mean());
  text += printed(" Maximum hog factor of a job:%7.2f      Minimum hog factor of a job:%6.2f\n",
                  hog.most, hog.lowest());
  text += printed(" Average expansion factor of a job:%7.2f ( turnaround time / run time )\n",
                  expansion.mean());
  text += printed(" Maximum expansion factor of a job:%7.2f\n", expansion.most);
  text += printed(" Minimum expansion factor of a job:%7.2f\n", expansion.lowest());
  text += printed(" Total Run time consumed:  %9.0f      Average Run time consumed:  %6.0f\n",
                  run.sum, run.mean());
  text += printed(" Maximum Run time of a job:%9.0f      Minimum Run time of a job:  %6.0f\n",
                  run.most, run.lowest());
  return text + held_block(jobs);
}

std::string throughput_block(std::span<const AcctJob> jobs) {
  WallTime first = jobs[0].ended, last = jobs[0].ended;
  for (const auto& job : jobs) {
    first = std::min(first, job.ended);
    last = std::max(last, job.ended);
  }
  double hours = seconds(last - first) / 3600;
  constexpr double kShown = 0.005;  // less is printed as 0.00, and says nothing about an hour
  double rate = hours >= kShown ? static_cast<double>(jobs.size()) / hours : 0;
  return printed(" Total throughput:        %10.2f (jobs/hour)  during %7.2f hours\n", rate,
                 hours) +
         " Beginning time:       " + short_time(first) +
         "      Ending time:          " + short_time(last) + "\n";
}

// How far starts were from what was promised: the upper bounds of the bins, in seconds.
std::string promises_block(std::span<const AcctJob> jobs) {
  constexpr std::array<double, 5> kBounds = {-60, -1, 1, 60, 3600};
  constexpr std::array<const char*, 6> kNames = {
      "over 1 minute early",  "1 s to 1 minute early",   "within 1 s",
      "1 s to 1 minute late", "1 minute to 1 hour late", "over 1 hour late"};
  std::array<std::size_t, 6> bins{};
  std::size_t promised = 0;
  for (const auto& job : jobs) {
    if (!job.promise_error) continue;
    auto at = std::lower_bound(kBounds.begin(), kBounds.end(), seconds(*job.promise_error));
    ++bins[static_cast<std::size_t>(at - kBounds.begin())];
    ++promised;
  }
  if (!promised) return "";
  std::string text = "\nSTART PROMISES: " + std::to_string(promised) + "\n";
  for (std::size_t i = 0; i < bins.size(); ++i)
    text += printed(" %-24s %7zu  %5.1f %%\n", kNames[i], bins[i],
                    100.0 * static_cast<double>(bins[i]) / static_cast<double>(promised));
  return text;
}

}  // namespace

std::string acct_heading(const AcctRequest& request, const std::string& user) {
  const auto& jobs = request.jobs;
  std::string text = "\nAccounting information about jobs that are:\n";
  text +=
      user == "all" ? line("submitted by all users.", "") : line("submitted by users ", user + ",");
  text += jobs.project.empty() ? line("accounted on all projects.", "")
                               : line("accounted on projects ", jobs.project + ",");
  text += line(!request.exited ? "completed normally"
               : !request.done ? "exited"
                               : "completed normally or exited",
               "");
  text += jobs.host.empty() ? line("executed on all hosts.", "")
                            : line("executed on hosts ", jobs.host + ",");
  text += jobs.queue.empty() ? line("submitted to all queues.", "")
                             : line("submitted to queues ", jobs.queue + ",");
  text += line("accounted on all service classes.", "");
  return text + kRule + "\n";
}

std::string acct_long(const AcctJob& job) {
  std::string head = "Job <" + to_string(job.id) + ">, ";
  if (job.name != job.command) head += "Job Name <" + job.name + ">, ";
  head += "User <" + job.user + ">, Project <" + job.project + ">, Application <" + job.app +
          ">, Status <" + (was_done(job) ? "DONE" : "EXIT") + ">, Queue <" + job.queue +
          ">, Command <" + job.command + ">";
  std::string text = "\n" + printable(head) + "\n";
  text += long_time(job.submitted) + ": Submitted from host <" + job.submit_host + ">, CWD <" +
          printable(job.cwd) + ">;\n";
  auto element = job.id.index ? "[" + std::to_string(job.id.index) + "] " : std::string();
  if (job.dispatched != WallTime{}) {
    auto hosts = job.exec_hosts;
    for (auto at = hosts.find(' '); at != hosts.npos; at = hosts.find(' ', at + 3))
      hosts.replace(at, 1, "> <");
    text += long_time(job.dispatched) + ": " + element + (element.empty() ? "D" : "d") +
            "ispatched to <" + hosts + ">;\n";
  }
  text += long_time(job.ended) + ": " + completed(job) + "\n";
  text += "\nAccounting information about this job:\n";
  text += "     CPU_T     WAIT     TURNAROUND   STATUS     HOG_FACTOR    MEM    SWAP\n";
  text += printed("%10.2f %8.0f %14.0f %8s %14.4f %6s %7s\n", seconds(job.cpu), wait_of(job),
                  turnaround_of(job), was_done(job) ? "done" : "exit", hog_of(job),
                  memory_text(job.max_mem).c_str(), "0M");
  text += "     SLOTS     GPUS      SLOT_TIME       GPU_TIME    RESIZES   ATTEMPTS\n";
  text += printed("%10u %8.8g %14.0f %14.0f %10u %10u\n", job.slots, job.milli_gpus / 1000.0,
                  seconds(job.slot_time), seconds(job.gpu_time), job.resizes, job.attempt);
  return text + kRule + "\n";
}

std::string acct_summary(std::span<const AcctJob> jobs) {
  if (jobs.empty()) return "";
  return "\nSUMMARY:      ( time unit: second ) \n" + numbers_block(jobs) + factors_block(jobs) +
         throughput_block(jobs) + promises_block(jobs);
}

}  // namespace wm::view
