#include "daemons/wmasterd/verbs/perfmon.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/model/elements.h"
#include "libwm/view/times.h"

namespace wm::master {
namespace {

// @source LSF: badmin perfmon view
constexpr std::string_view kNames[] = {"Processed requests: mbatchd",
                                       "Job information queries",
                                       "Host information queries",
                                       "Queue information queries",
                                       "Job submission requests",
                                       "Jobs submitted",
                                       "Jobs dispatched",
                                       "Jobs completed",
                                       "Jobs sent to remote cluster",
                                       "Jobs accepted from remote cluster"};

std::string cell(const std::string& text, std::size_t width, bool right) {
  std::string fill(text.size() < width ? width - text.size() : 0, ' ');
  return right ? fill + text : text + fill;
}

std::int64_t whole_seconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

std::vector<std::string> lines_of(const PerfmonReply& reply, WallTime now) {
  auto end = reply.end == WallTime{} ? "---" : view::long_time(reply.end);
  std::vector<std::string> lines = {
      "Performance monitor start time:  " + view::long_time(reply.start),
      "End time of last sample period:  " + end,
      "Sample period:                   " + std::to_string(whole_seconds(reply.period)) +
          " Seconds",
      std::string(78, '-')};
  if (reply.end == WallTime{}) {
    auto left = whole_seconds(reply.start + reply.period - now);
    lines.push_back(
        "No performance metric data available. Please wait until first sample period ends in " +
        std::to_string(std::max<std::int64_t>(left, 1)) + " second(s).");
    return lines;
  }
  lines.push_back(cell("Metrics", 34, false) + cell("Last", 8, true) + cell("Max", 8, true) +
                  cell("Min", 8, true) + cell("Avg", 8, true) + cell("Total", 12, true));
  lines.emplace_back(78, '-');
  for (const auto& metric : reply.metrics) {
    std::string line = cell(metric.name, 34, false);
    for (auto n : {metric.current, metric.max, metric.min, metric.avg})
      line += cell(std::to_string(n), 8, true);
    lines.push_back(line + cell(std::to_string(metric.total), 12, true));
  }
  return lines;
}

// Open descriptors of this process, and how many it may have.
void count_descriptors(PerfmonReply& reply) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
    (void)entry;
    ++reply.fds_used;
  }
  rlimit most{};
  if (::getrlimit(RLIMIT_NOFILE, &most) == 0) reply.fds = most.rlim_cur;
  if (!reply.on || reply.end == WallTime{}) return;
  reply.lines.push_back("MBD file descriptor usage:  " + std::to_string(reply.fds_used) + " of " +
                        std::to_string(reply.fds));
}

}  // namespace

void Perfmon::start(WallTime now, Duration period) {
  on_ = true;
  begun_ = sample_ = now;
  period_ = period > Duration{} ? period : Duration(std::chrono::minutes(1));
  samples_ = 0;
  for (Series& one : series_) one = {};
}

// Samples that are over; of several without anything the rest counts as one look would find them.
void Perfmon::roll(WallTime now) {
  constexpr std::uint64_t kMost = 10'000;
  for (std::uint64_t n = 0; now - sample_ >= period_ && n < kMost; ++n) {
    sample_ += period_;
    ++samples_;
    for (Series& one : series_) {
      one.last = one.now;
      one.most = std::max(one.most, one.now);
      one.least = samples_ == 1 ? one.now : std::min(one.least, one.now);
      one.total += one.now;
      one.now = 0;
    }
  }
  if (now - sample_ >= period_) sample_ = now;
}

void Perfmon::on_request(std::string_view verb, WallTime now) {
  if (!on_) return;
  roll(now);
  add(kRequests, 1);
  if (verb == "jobs") add(kJobQueries, 1);
  if (verb == "hosts") add(kHostQueries, 1);
  if (verb == "queues") add(kQueueQueries, 1);
  if (verb == "submit" || verb == "pack") add(kSubmits, 1);
}

void Perfmon::on_published(const Journal::Published& published, const Cluster& state,
                           WallTime now) {
  if (!on_ || published.events.empty()) return;
  roll(now);
  for (const Event& event : published.events) {
    if (auto* submitted = std::get_if<JobSubmitted>(&event.body)) {
      const JobSpec& spec = submitted->sealed->spec;
      add(kSubmitted, spec.array.empty() ? 1 : element_count(spec));
    }
    if (std::holds_alternative<JobDispatched>(event.body)) add(kDispatched, 1);
  }
  WallTime first = published.events.front().time;
  for (JobId id : published.touched.jobs) {
    const Job* job = find_job(state, id);
    if (job && is_over(job->state) && job->times.ended >= first) add(kCompleted, 1);
  }
}

PerfmonReply Perfmon::view(WallTime now) {
  if (!on_) return {{"Performance metric sampling has not been started."}};
  roll(now);
  PerfmonReply reply;
  reply.on = true;
  reply.start = begun_;
  reply.end = samples_ ? sample_ : WallTime{};
  reply.period = period_;
  for (int i = 0; i < kMetrics; ++i) {
    const Series& one = series_[i];
    reply.metrics.push_back({std::string(kNames[i]), one.last, one.most, one.least,
                             samples_ ? one.total / samples_ : 0, one.total + one.now});
  }
  reply.lines = lines_of(reply, now);
  return reply;
}

namespace verbs {

void perfmon(Service& service, const Call& call, const PerfmonRequest& request) {
  auto now = service.env.clock.wall();
  using Act = PerfmonRequest::Act;
  switch (request.act) {
    case Act::Start:
      service.perfmon.start(now, request.period);
      return call.reply(PerfmonReply{{"Performance monitoring is started."}});
    case Act::Stop:
      service.perfmon.stop();
      return call.reply(PerfmonReply{{"Performance monitoring is stopped."}});
    case Act::View: break;
  }
  auto reply = service.perfmon.view(now);
  count_descriptors(reply);
  call.reply(reply);
}

}  // namespace verbs
}  // namespace wm::master
