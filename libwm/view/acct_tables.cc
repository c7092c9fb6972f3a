#include "libwm/view/acct_tables.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

#include "libwm/view/format.h"
#include "libwm/view/job_fields.h"
#include "libwm/view/texts.h"

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

bool was_done(const AcctJob& job) { return job.state == state_name(JobState::Finished); }

// A job that never started waited until its end.
double wait_of(const AcctJob& job) {
  auto until = job.dispatched == WallTime{} ? job.ended : job.dispatched;
  return std::max(0.0, seconds(until - job.submitted));
}
double turnaround_of(const AcctJob& job) {
  return std::max(0.0, seconds(job.ended - job.submitted));
}
double hog_of(const AcctJob& job) {
  return turnaround_of(job) > 0 ? seconds(job.cpu) / turnaround_of(job) : 0;
}
double mean(double sum, std::int64_t n) { return n ? sum / static_cast<double>(n) : 0; }

/// One quantity as it is printed.
struct Spread {
  double sum = 0, most = 0, least = 0, mean = 0;
};

Spread shown(const AcctSpread& spread, std::int64_t n, double unit) {
  if (n == 0) return {};
  auto value = [&](std::int64_t amount) { return static_cast<double>(amount) / unit; };
  auto sum = value(spread.sum);
  return {sum, value(spread.most), value(spread.least), mean(sum, n)};
}
Spread shown_s(const AcctSpread& spread, const AcctSum& of) { return shown(spread, of.jobs, 1e6); }

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

std::string to_the_ms(double s) { return printed("%.3f", s); }

double joules(std::int64_t mj) { return static_cast<double>(mj) / 1e3; }

std::string moment(WallTime at) {
  return at == WallTime{} ? "" : to_the_ms(seconds(at.time_since_epoch()));
}

Record record_of(const AcctJob& job) {
  return {{"JOBID", to_string(job.id)},
          {"USER", job.user},
          {"STAT", was_done(job) ? "DONE" : "EXIT"},
          {"QUEUE", job.queue},
          {"PROJECT", job.project},
          {"APPLICATION", job.app},
          {"PLAN", job.plan},
          {"JOB_NAME", job.name},
          {"COMMAND", job.command},
          {"FROM_HOST", job.submit_host},
          {"EXEC_HOST", job.exec_hosts},
          {"SUBMIT_TIME", moment(job.submitted)},
          {"START_TIME", moment(job.dispatched)},
          {"FINISH_TIME", moment(job.ended)},
          {"EXIT_CODE", std::to_string(shell_status(job.exit_status))},
          {"EXIT_REASON", job.term == Term::None ? "" : std::string(term_name(job.term))},
          {"CPU_T", to_the_ms(seconds(job.cpu))},
          {"WAIT", to_the_ms(wait_of(job))},
          {"TURNAROUND", to_the_ms(turnaround_of(job))},
          {"HOG_FACTOR", printed("%.4f", hog_of(job))},
          {"MEM", std::to_string(job.max_mem.value)},
          {"SLOTS", std::to_string(job.slots)},
          {"GPUS", printed("%.8g", job.milli_gpus / 1000.0)},
          {"SLOT_TIME", to_the_ms(seconds(job.slot_time))},
          {"GPU_TIME", to_the_ms(seconds(job.gpu_time))},
          {"GPU_ENERGY", job.gpu_energy_mj > 0 ? to_the_ms(joules(job.gpu_energy_mj)) : ""},
          {"RESIZES", std::to_string(job.resizes)},
          {"ATTEMPTS", std::to_string(job.attempt)}};
}

std::string numbers_block(const AcctSum& sum) {
  auto cpu = shown_s(sum.cpu, sum), wait = shown_s(sum.wait, sum);
  std::string text;
  text += printed(" Total number of done jobs:  %7lld      Total number of exited jobs: %5lld\n",
                  static_cast<long long>(sum.done), static_cast<long long>(sum.jobs - sum.done));
  text += printed(" Total CPU time consumed:  %9.1f      Average CPU time consumed: %7.1f\n",
                  cpu.sum, cpu.mean);
  text += printed(" Maximum CPU time of a job:%9.1f      Minimum CPU time of a job: %7.1f\n",
                  cpu.most, cpu.least);
  text += printed(" Total wait time in queues:%9.1f\n", wait.sum);
  text += printed(" Average wait time in queue:%8.1f\n", wait.mean);
  text += printed(" Maximum wait time in queue:%8.1f      Minimum wait time in queue:%7.1f\n",
                  wait.most, wait.least);
  return text;
}

std::string held_line(const std::string& what, double sum, std::int64_t jobs) {
  if (sum <= 0) return "";
  return printed(" Total %-18s%11.0f      Average %-18s%7.0f\n", what.c_str(), sum, what.c_str(),
                 mean(sum, jobs));
}

// What LSF's summary has not: slots and GPUs, as long as they were held, and what these used.
std::string held_block(const AcctSum& sum) {
  auto us = [](std::int64_t time) { return static_cast<double>(time) / 1e6; };
  return held_line("slot time held:", us(sum.slot_time), sum.jobs) +
         held_line("GPU time held:", us(sum.gpu_time), sum.jobs) +
         held_line("GPU energy (J):", joules(sum.gpu_energy_mj), sum.jobs);
}

std::string factors_block(const AcctSum& sum) {
  auto around = shown_s(sum.around, sum), run = shown_s(sum.run, sum);
  auto hog = shown(sum.hog, sum.jobs, 1e6);
  auto expansion = shown(sum.expansion, sum.ran, 1e3);
  std::string text;
  text += printed(" Average turnaround time:  %9.0f (seconds/job)\n", around.mean);
  text += printed(" Maximum turnaround time:  %9.0f      Minimum turnaround time:  %8.0f\n",
                  around.most, around.least);
  text += printed(" Average hog factor of a job:%7.2f ( cpu time / turnaround time )\n", hog.mean);
  text += printed(" Maximum hog factor of a job:%7.2f      Minimum hog factor of a job:%6.2f\n",
                  hog.most, hog.least);
  text += printed(" Average expansion factor of a job:%7.2f ( turnaround time / run time )\n",
                  expansion.mean);
  text += printed(" Maximum expansion factor of a job:%7.2f\n", expansion.most);
  text += printed(" Minimum expansion factor of a job:%7.2f\n", expansion.least);
  text += printed(" Total Run time consumed:  %9.0f      Average Run time consumed:  %6.0f\n",
                  run.sum, run.mean);
  text += printed(" Maximum Run time of a job:%9.0f      Minimum Run time of a job:  %6.0f\n",
                  run.most, run.least);
  return text + held_block(sum);
}

std::string throughput_block(const AcctSum& sum) {
  WallTime first{Duration(sum.first_end)}, last{Duration(sum.last_end)};
  double hours = seconds(last - first) / 3600;
  constexpr double kShown = 0.005;  // less is printed as 0.00, and says nothing about an hour
  double rate = hours >= kShown ? static_cast<double>(sum.jobs) / hours : 0;
  return printed(" Total throughput:        %10.2f (jobs/hour)  during %7.2f hours\n", rate,
                 hours) +
         " Beginning time:       " + short_time(first) +
         "      Ending time:          " + short_time(last) + "\n";
}

// How far starts were from what was promised.
std::string promises_block(const AcctSum& sum) {
  constexpr std::array<const char*, kPromiseBins> kNames = {
      "over 1 minute early",  "1 s to 1 minute early",   "within 1 s",
      "1 s to 1 minute late", "1 minute to 1 hour late", "over 1 hour late"};
  std::int64_t promised = 0;
  for (auto n : sum.promises) promised += n;
  if (!promised) return "";
  std::string text = "\nSTART PROMISES: " + std::to_string(promised) + "\n";
  for (std::size_t i = 0; i < kPromiseBins; ++i)
    text += printed(" %-24s %7lld  %5.1f %%\n", kNames[i], static_cast<long long>(sum.promises[i]),
                    100.0 * static_cast<double>(sum.promises[i]) / static_cast<double>(promised));
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
  if (job.gpu_energy_mj > 0)
    text += printed("GPU Energy Consumed: %.1f Joules\n", joules(job.gpu_energy_mj));
  else if (job.milli_gpus > 0) text += "GPU Energy Consumed: -\n";
  return text + kRule + "\n";
}

std::string acct_json(std::span<const AcctJob> jobs) {
  std::vector<Record> records;
  for (const auto& job : jobs) records.push_back(record_of(job));
  return json_text("bacct", "JOBS", records);
}

AcctSum acct_sum_of(std::span<const AcctJob> jobs) {
  AcctSum sum;
  for (const auto& job : jobs)
    add(sum, {job.submitted, job.dispatched, job.started, job.ended, job.cpu, job.slot_time,
              job.gpu_time, was_done(job), job.promise_error, job.gpu_energy_mj});
  return sum;
}

std::string acct_summary(const AcctSum& sum) {
  if (sum.jobs == 0) return "";
  return "\nSUMMARY:      ( time unit: second ) \n" + numbers_block(sum) + factors_block(sum) +
         throughput_block(sum) + promises_block(sum);
}

}  // namespace wm::view
