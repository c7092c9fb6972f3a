#include "daemons/wmasterd/verbs/perfmon.h"

#include <algorithm>

#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/model/elements.h"

namespace wm::master {
namespace {

constexpr std::string_view kNames[] = {"Processed requests: wmasterd",
                                       "Jobs information queries",
                                       "Hosts information queries",
                                       "Queue information queries",
                                       "Job submission requests",
                                       "Jobs submitted",
                                       "Jobs dispatched",
                                       "Jobs completed"};

std::string cell(const std::string& text, std::size_t width, bool right) {
  std::string fill(text.size() < width ? width - text.size() : 0, ' ');
  return right ? fill + text : text + fill;
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

std::vector<std::string> Perfmon::lines(WallTime now) {
  if (!on_) return {"Performance monitoring is not running: badmin perfmon start"};
  roll(now);
  auto seconds = [](Duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count());
  };
  std::vector<std::string> lines = {
      "Performance monitor started " + seconds(now - begun_) + " seconds ago",
      "Sample period: " + seconds(period_) + " seconds, " + std::to_string(samples_) +
          " whole samples",
      std::string(68, '-'),
      cell("Metrics", 31, false) + cell("Last", 9, true) + cell("Max", 9, true) +
          cell("Min", 9, true) + cell("Avg", 9, true) + cell("Total", 10, true)};
  for (int i = 0; i < kMetrics; ++i) {
    const Series& one = series_[i];
    std::string line = cell(std::string(kNames[i]), 31, false);
    for (auto n : {one.last, one.most, one.least, samples_ ? one.total / samples_ : 0})
      line += cell(std::to_string(n), 9, true);
    lines.push_back(line + cell(std::to_string(one.total + one.now), 10, true));
  }
  return lines;
}

namespace verbs {

void perfmon(Service& service, const Call& call, const PerfmonRequest& request) {
  auto now = service.world.clock.wall();
  using Act = PerfmonRequest::Act;
  switch (request.act) {
    case Act::Start:
      service.perfmon.start(now, request.period);
      return call.reply(PerfmonReply{{"Performance monitoring is started"}});
    case Act::Stop:
      service.perfmon.stop();
      return call.reply(PerfmonReply{{"Performance monitoring is stopped"}});
    case Act::View: break;
  }
  call.reply(PerfmonReply{service.perfmon.lines(now)});
}

}  // namespace verbs
}  // namespace wm::master
