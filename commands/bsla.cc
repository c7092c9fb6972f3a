// bsla: shows service classes with their goals and how they stand, and guarantees: plans that own
// slots.
#include <algorithm>
#include <chrono>
#include <span>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/view/plan_fields.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"N", Kind::IgnoredFlag, "", ""},
};

constexpr Listing kListing{"bsla", "SLAS", "plan owns used demand lent borrowed description"};

// One class, as LSF shows a guarantee.
std::string text_of(const PlanView& plan) {
  auto number = [](std::uint64_t n) { return std::to_string(n); };
  std::string users;
  for (const auto& user : plan.conf.users) users += (users.empty() ? "" : " ") + user;
  auto short_of = plan.owns > plan.used && plan.demand > plan.used
                      ? std::min(plan.owns, plan.demand) - plan.used
                      : 0u;
  return "SERVICE CLASS NAME:  " + plan.path + "\n -- " +
         (plan.conf.description.empty() ? "No description provided." : plan.conf.description) +
         "\nACCESS_CONTROL:  " + (users.empty() ? "all users" : "USERS[" + users + "]") +
         "\n\nGOAL:  GUARANTEE\nSTATUS:  " +
         (short_of    ? "Active:Delayed"
          : plan.used ? "Active:On time"
                      : "Inactive") +
         "\n\nGUARANTEED  USED  DEMAND  LENT\n" + view::fit(number(plan.owns), 10, true) +
         view::fit(number(plan.used), 6, true) + view::fit(number(plan.demand), 8, true) +
         view::fit(number(plan.lent), 6, true) + "\n";
}

// The jobs of one class.
struct ClassJobs {
  std::uint32_t jobs = 0, pending = 0, running = 0, parked = 0, stopped = 0, finished = 0;
  std::uint32_t ended_lately = 0;  // in the last hour
  Duration length{};               // of all that are not over, together
};

ClassJobs jobs_of(const std::string& name, std::span<const JobView> views, WallTime now) {
  ClassJobs sum;
  for (const JobView& view : views) {
    const Job& job = *view.job;
    const JobSpec& spec = job.spec();
    if (spec.service_class != name) continue;
    ++sum.jobs;
    auto word = lsf_state(job);
    if (is_over(job.state)) {
      ++sum.finished;
      sum.ended_lately += now - job.times.ended < std::chrono::hours(1);
      continue;
    }
    Duration length = spec.run_estimate > Duration{} ? spec.run_estimate : view.run_limit;
    sum.length += length > Duration{} ? length : Duration(std::chrono::hours(1));
    if (word == "PEND" || word == "PSUSP") ++sum.pending;
    else if (word == "SSUSP") ++sum.parked;
    else if (word == "USUSP") ++sum.stopped;
    else ++sum.running;
  }
  return sum;
}

// What is left of its jobs takes longer than the window is open, with as many as run now.
bool is_late(const ServiceClass& sla, const ClassJobs& jobs, const ClockSteps& clock,
             WallTime now) {
  auto closes = next_change(sla.deadline, clock, now);
  if (!closes || jobs.pending + jobs.running == 0) return false;
  return jobs.length / std::max(1u, jobs.running) > *closes - now;
}

std::string status_of(const ServiceClass& sla, const ClassJobs& jobs, const ClockSteps& clock,
                      WallTime now) {
  bool open = is_open(sla.windows, clock, now) && (sla.velocity || sla.throughput);
  bool due = !sla.deadline.empty() && is_open(sla.deadline, clock, now);
  if (!open && !due) return "Inactive";
  bool slow = open && jobs.pending > 0 &&
              (jobs.running < sla.velocity || jobs.ended_lately < sla.throughput);
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

std::string text_of(const ServiceClass& sla, const ClassJobs& jobs, const ClockSteps& clock,
                    WallTime now) {
  std::string users;
  for (const auto& user : sla.users) users += (users.empty() ? "" : " ") + user;
  std::string text =
      "SERVICE CLASS NAME:  " + sla.name + "\n -- " +
      (sla.description.empty() ? "No description provided." : sla.description) +
      "\nPRIORITY:  " + std::to_string(sla.priority) +
      "\nACCESS_CONTROL:  " + (users.empty() ? "all users" : "USERS[" + users + "]") +
      "\n\nGOAL:  " + goals_of(sla) +
      "\nACTIVE WINDOW:  " + (sla.windows.empty() ? "Always Open" : show_windows(sla.windows)) +
      "\nSTATUS:  " + status_of(sla, jobs, clock, now) +
      "\n\n NJOBS   PEND    RUN     SSUSP   USUSP   FINISH\n";
  for (auto n : {jobs.jobs, jobs.pending, jobs.running, jobs.parked, jobs.stopped, jobs.finished})
    text += view::fit(std::to_string(n), 6, true) + "  ";
  return text + "\n";
}

// The classes that were asked for, all without a name.
Result<std::string> classes(client::Master& from, const Config& config, const Parsed& options) {
  std::string text;
  if (config.classes.empty()) return text;
  JobSelection selection;
  selection.user = "all";
  selection.finished = true;
  WM_TRY(auto reply, from.jobs({selection}));
  auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  for (const ServiceClass& sla : config.classes) {
    const auto& words = options.words;
    if (!words.empty() && std::ranges::find(words, sla.name) == words.end()) continue;
    text += (text.empty() ? "" : "\n") +
            text_of(sla, jobs_of(sla.name, reply.jobs, now), config.clock, now);
  }
  return text;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.plans({}));
  WM_TRY(auto config, from.conf());
  int code = 0;
  for (const auto& word : options.words) {
    auto known = std::ranges::find(reply.plans, word, &PlanView::path);
    if (known != reply.plans.end() && known->owns > 0) continue;
    if (config->service_class(word)) continue;
    complain(word + ": No such service class\n");
    code = kRefused;
  }
  std::erase_if(reply.plans, [&](const auto& plan) {
    bool asked =
        options.words.empty() || std::ranges::find(options.words, plan.path) != options.words.end();
    return plan.owns == 0 || !asked;
  });
  WM_TRY(auto listing, listed<PlanView>(options, kListing, view::plan_fields(), reply.plans));
  if (listing) return say(*listing), code;
  WM_TRY(auto text, classes(from, *config, options));
  for (const auto& plan : reply.plans) text += (text.empty() ? "" : "\n") + text_of(plan);
  if (text.empty() && code == 0) complain("There are no service classes\n");
  say(text);
  return code;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bsla", "bsla [options] [class | /plan ...]", kOptions}, argc, argv, run);
}
