// bsla: shows service classes with their goals and how they stand, and guarantees: plans that own
// slots.
#include <algorithm>
#include <chrono>
#include <span>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/base/clock.h"
#include "libwm/view/sla_fields.h"

namespace wm::cmd::bsla {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"N", Kind::IgnoredFlag, "", ""},
};

constexpr Listing kListing{
    "bsla", "SLAS",
    "name plan goal status priority windows njobs pend run ssusp ususp finish "
    "owns used demand lent borrowed users description"};

std::string guarantee_status(const PlanView& plan) {
  if (plan.owns > plan.used && plan.demand > plan.used) return "Active:Delayed";
  return plan.used ? "Active:On time" : "Inactive";
}

// The jobs of one class.
struct ClassJobs {
  view::SlaJobs all;
  std::uint32_t ended_lately = 0;  // in the last hour
  Duration length{};               // of all that are not over, together
};

ClassJobs jobs_of(const std::string& name, std::span<const JobView> views, WallTime now) {
  ClassJobs sum;
  for (const JobView& view : views) {
    const Job& job = *view.job;
    const JobSpec& spec = job.spec();
    if (spec.service_class != name) continue;
    ++sum.all.jobs;
    auto word = lsf_state(job);
    if (is_over(job.state)) {
      ++sum.all.finished;
      sum.ended_lately += now - job.times.ended < std::chrono::hours(1);
      continue;
    }
    Duration length = spec.run_estimate > Duration{} ? spec.run_estimate : view.run_limit;
    sum.length += length > Duration{} ? length : Duration(std::chrono::hours(1));
    if (word == "PEND" || word == "PSUSP") ++sum.all.pending;
    else if (word == "SSUSP") ++sum.all.parked;
    else if (word == "USUSP") ++sum.all.stopped;
    else ++sum.all.running;
  }
  return sum;
}

// What is left of its jobs takes longer than the window is open, with as many as run now.
bool is_late(const ServiceClass& sla, const ClassJobs& jobs, const ClockSteps& clock,
             WallTime now) {
  auto closes = next_change(sla.deadline, clock, now);
  if (!closes || jobs.all.pending + jobs.all.running == 0) return false;
  return jobs.length / std::max(1u, jobs.all.running) > *closes - now;
}

std::string status_of(const ServiceClass& sla, const ClassJobs& jobs, const ClockSteps& clock,
                      WallTime now) {
  bool open = is_open(sla.windows, clock, now) && (sla.velocity || sla.throughput);
  bool due = !sla.deadline.empty() && is_open(sla.deadline, clock, now);
  if (!open && !due) return "Inactive";
  bool slow = open && jobs.all.pending > 0 &&
              (jobs.all.running < sla.velocity || jobs.ended_lately < sla.throughput);
  bool late = due && is_late(sla, jobs, clock, now);
  return slow || late ? "Active:Delayed" : "Active:On time";
}

std::string goals_of(const ServiceClass& sla) {
  std::string text;
  auto add = [&](const std::string& goal) { text += (text.empty() ? "" : ", ") + goal; };
  if (sla.velocity) add("VELOCITY " + std::to_string(sla.velocity));
  if (sla.throughput) add("THROUGHPUT " + std::to_string(sla.throughput) + " jobs an hour");
  if (!sla.deadline.empty()) add("DEADLINE at the end of " + show_windows(sla.deadline));
  return text;
}

bool is_asked(const Parsed& options, const std::string& name) {
  return options.words.empty() || std::ranges::find(options.words, name) != options.words.end();
}

// The classes that were asked for, all without a name.
Result<void> add_classes(client::Master& from, const Config& config, const Parsed& options,
                         std::vector<view::SlaRow>& rows) {
  if (config.classes.empty()) return {};
  JobSelection selection;
  selection.user = "all";
  selection.finished = true;
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  auto now = wall_now();
  for (const ServiceClass& sla : config.classes) {
    if (!is_asked(options, sla.name)) continue;
    auto jobs = jobs_of(sla.name, reply.jobs, now);
    rows.push_back({.name = sla.name,
                    .goal = goals_of(sla),
                    .status = status_of(sla, jobs, config.clock, now),
                    .windows = show_windows(sla.windows),
                    .description = sla.description,
                    .users = sla.users,
                    .priority = sla.priority,
                    .jobs = jobs.all});
  }
  return {};
}

void add_guarantees(const std::vector<PlanView>& plans, const Parsed& options,
                    std::vector<view::SlaRow>& rows) {
  for (const auto& plan : plans)
    if (plan.owns > 0 && is_asked(options, plan.path))
      rows.push_back({.name = plan.path,
                      .goal = "GUARANTEE",
                      .status = guarantee_status(plan),
                      .windows = {},
                      .description = plan.conf.description,
                      .users = plan.conf.users,
                      .plan = plan});
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(PlansRequest{}));
  WM_TRY(auto config, from.conf());
  std::vector<view::SlaRow> rows;
  WM_TRY(add_classes(from, *config, options, rows));
  add_guarantees(reply.plans, options, rows);
  int code = 0;
  for (const auto& word : options.words) {
    if (std::ranges::find(rows, word, &view::SlaRow::name) != rows.end()) continue;
    complain(word + ": No such service class\n");
    code = kRefused;
  }
  WM_TRY(auto listing, listed<view::SlaRow>(options, kListing, view::sla_fields(), rows));
  if (listing) return say(*listing), code;
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : "\n") + view::sla_text(row);
  if (text.empty() && code == 0) complain("There are no service classes\n");
  say(text);
  return code;
}

}  // namespace
}  // namespace wm::cmd::bsla

int main(int argc, char** argv) {
  using namespace wm::cmd::bsla;
  return main_of({"bsla", "bsla [options] [class | /plan ...]", kOptions}, argc, argv, run);
}
