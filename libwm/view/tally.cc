#include "libwm/view/tally.h"

#include <map>

#include "libwm/base/joined.h"
#include "libwm/model/limit_match.h"
#include "libwm/view/format.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

void tally_up(Tally& to, const JobView& view) {
  const Job& job = *view.job;
  if (is_over(job.state)) return;
  auto slots = slots_held(job) ? slots_held(job) : job.spec().min_tasks;
  to.jobs += slots;
  if (job.state == JobState::Pending || job.state == JobState::Held) {
    to.pending += slots;
    ++to.pending_jobs;
  } else if (job.parked) {
    to.parked += slots;
  } else if (job.state == JobState::Suspended) {
    to.stopped += slots;
  } else {
    to.running += slots;
  }
}

std::string count_text(std::uint32_t n) { return std::to_string(n); }
std::string limit_text(std::uint32_t n) { return n == 0 ? "-" : count_text(n); }

std::string name_cell(const std::string& name, std::size_t width) {
  return printable(name) + std::string(name.size() < width ? width - name.size() : 1, ' ');
}

std::string cells(std::span<const std::string> texts, int width) {
  std::string line;
  for (const auto& text : texts) line += fit(text, width, true);
  return line + "\n";
}

constexpr Field<Tally> kUserFields[] = {
    {{"user", "user/group group name", 15}, kBrief, [](const Tally& t) { return t.name; }},
    {{"jl_p", "jlp", 6}, kText, [](const Tally&) { return std::string(); }},
    {{"max", "", 6}, kBrief, [](const Tally& t) { return if_set(t.max); }},
    {{"njobs", "", 6}, kBrief, [](const Tally& t) { return t.jobs; }},
    {{"pend", "", 6}, kBrief, [](const Tally& t) { return t.pending; }},
    {{"run", "", 6}, kBrief, [](const Tally& t) { return t.running; }},
    {{"ssusp", "", 6}, kBrief, [](const Tally& t) { return t.parked; }},
    {{"ususp", "", 6}, kBrief, [](const Tally& t) { return t.stopped; }},
    {{"rsv", "", 6}, kText, [](const Tally&) { return std::string("0"); }},
    {{"mpend", "", 6}, kText, [](const Tally&) { return std::string(); }},
    {{"pjobs", "", 6}, kBrief, [](const Tally& t) { return t.pending_jobs; }},
    {{"mpjobs", "", 6}, kText, [](const Tally&) { return std::string(); }},
};

constexpr Field<Tally> kAppFields[] = {
    {{"app_name", "app application", 15}, kBrief, [](const Tally& t) { return t.name; }},
    {{"njobs", "", 8}, kBrief, [](const Tally& t) { return t.jobs; }},
    {{"pend", "", 8}, kBrief, [](const Tally& t) { return t.pending; }},
    {{"run", "", 8}, kBrief, [](const Tally& t) { return t.running; }},
    {{"susp", "", 8}, kBrief, [](const Tally& t) { return t.parked + t.stopped; }},
};

constexpr Field<LimitRow> kLimitFields[] = {
    {{"name", "", 16}, kBrief, [](const LimitRow& r) { return r.name; }},
    {{"users", "user", 12}, kBrief, [](const LimitRow& r) { return r.users; }},
    {{"queues", "queue", 12}, kBrief, [](const LimitRow& r) { return r.queues; }},
    {{"hosts", "host", 12}, kBrief, [](const LimitRow& r) { return r.hosts; }},
    {{"plans", "plan", 16}, kBrief, [](const LimitRow& r) { return r.plans; }},
    {{"slots", "", 12},
     kBrief,
     [](const LimitRow& r) {
       return r.bounds_slots ? count_text(r.used) + "/" + count_text(r.limit) : std::string("-");
     }},
    {{"projects", "project", 12}, kBrief, [](const LimitRow& r) { return r.projects; }},
    {{"apps", "app", 12}, kBrief, [](const LimitRow& r) { return r.apps; }},
    {{"jobs", "", 8}, kBrief, [](const LimitRow& r) { return r.jobs; }},
    {{"mem", "", 14}, kBrief, [](const LimitRow& r) { return r.mem; }},
    {{"description", "", 20}, kFull, [](const LimitRow& r) { return r.description; }},
};

std::uint32_t held(const JobView& view) {
  return view.job->parked || is_over(view.job->state) ? 0 : slots_held(*view.job);
}

// Slots that are held, by a name.
template <class NameOf>
std::map<std::string, std::uint32_t> held_by(std::span<const JobView> jobs, NameOf name_of) {
  std::map<std::string, std::uint32_t> sums;
  for (const auto& view : jobs)
    if (auto slots = held(view)) sums[name_of(view)] += slots;
  return sums;
}

void queue_rows(const QueueConf& queue, std::span<const JobView> jobs,
                std::vector<LimitRow>& rows) {
  std::vector<JobView> own;
  for (const auto& view : jobs)
    if (view.job->spec().queue == queue.name) own.push_back(view);
  std::uint32_t all = 0;
  for (const auto& view : own) all += held(view);
  if (queue.max_slots)
    rows.push_back({"queue_slots", "", queue.name, "", "", all, queue.max_slots});
  if (queue.user_slots)
    for (const auto& [user, used] :
         held_by(own, [](const JobView& view) { return view.job->spec().owner.user; }))
      rows.push_back({"queue_user_slots", user, queue.name, "", "", used, queue.user_slots});
  if (!queue.host_slots) return;
  std::map<std::string, std::uint32_t> on_host;
  for (const auto& view : own)
    for (std::size_t i = 0; i < view.task_hosts.size() && i < view.job->tasks.size(); ++i)
      if (held(view) && view.job->tasks[i].holds_slot()) ++on_host[view.task_hosts[i]];
  for (const auto& [host, used] : on_host)
    rows.push_back({"queue_host_slots", "", queue.name, host, "", used, queue.host_slots});
}

}  // namespace

std::vector<Tally> tallies(std::span<const JobView> jobs, const NameOf& name_of,
                           std::span<const std::string> also) {
  std::map<std::string, Tally> sums;
  for (const auto& name : also) sums[name].name = name;
  for (const auto& view : jobs) {
    auto name = name_of(view);
    auto& sum = sums[name];
    sum.name = name;
    tally_up(sum, view);
  }
  std::vector<Tally> list;
  for (auto& [name, sum] : sums) list.push_back(std::move(sum));
  return list;
}

Tally tally(std::span<const JobView> jobs) {
  Tally all;
  for (const auto& view : jobs) tally_up(all, view);
  return all;
}

std::span<const Field<Tally>> user_tally_fields() { return kUserFields; }
std::span<const Field<Tally>> app_tally_fields() { return kAppFields; }
std::span<const Field<LimitRow>> limit_fields() { return kLimitFields; }

std::string user_table(std::span<const Tally> users, bool wide, bool with_header) {
  std::string text;
  if (with_header)
    text =
        std::string("USER/GROUP          JL/P    MAX  NJOBS   PEND    RUN  SSUSP  USUSP    RSV") +
        (wide ? "  MPEND  PJOBS MPJOBS\n" : "\n");
  for (const auto& t : users) {
    std::vector<std::string> columns = {"-", limit_text(t.max)};
    for (auto n : {t.jobs, t.pending, t.running, t.parked, t.stopped, 0u})
      columns.push_back(count_text(n));
    if (wide) columns.insert(columns.end(), {"-", count_text(t.pending_jobs), "-"});
    text += name_cell(t.name, 17) + cells(columns, 7);
  }
  return text;
}

std::string app_table(std::span<const Tally> apps, bool with_header) {
  std::string text = with_header ? "APP_NAME            NJOBS     PEND      RUN     SUSP\n" : "";
  for (const auto& t : apps) {
    std::vector<std::string> columns;
    for (auto n : {t.jobs, t.pending, t.running, t.parked + t.stopped})
      columns.push_back(count_text(n));
    text += name_cell(t.name, 16) + cells(columns, 9);
  }
  return text;
}

std::string app_long_text(const AppConf& app, const Tally& jobs) {
  std::string text = "\nAPPLICATION NAME: " + app.name + "\n -- " +
                     (app.description.empty() ? "No description provided." : app.description) +
                     "\n\nSTATISTICS:\n   NJOBS     PEND      RUN    SSUSP    USUSP      RSV\n";
  std::vector<std::string> columns;
  for (auto n : {jobs.jobs, jobs.pending, jobs.running, jobs.parked, jobs.stopped, 0u})
    columns.push_back(count_text(n));
  text += fit(columns[0], 8, true) + cells(std::span(columns).subspan(1), 9) + "\nPARAMETERS:\n";
  auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + ": " + value + "\n";
  };
  line("TYPE", std::string(to_string(app.type)));
  line("RESIZABLE_JOBS", std::string(to_string(app.resize)));
  line("RESIZE_NOTIFY_CMD", app.resize_command);
  line("GPU_REQ", app.gpu);
  line("RES_REQ", app.res_req);
  line("RUNLIMIT", app.run_limit.max.count() ? format_duration(app.run_limit.max) : "");
  line("RERUNNABLE", app.rerunnable ? "yes" : "");
  line("PRE_EXEC", app.pre_exec);
  line("POST_EXEC", app.post_exec);
  std::vector<std::string> exits;
  for (auto code : app.success_exits) exits.push_back(count_text(code));
  line("SUCCESS_EXIT_VALUES", joined(exits));
  line("CONTAINER",
       app.container.driver == "none" ? "" : app.container.driver + " " + app.container.image);
  return text;
}

namespace {

// What jobs that count together use.
struct RuleUse {
  const JobSpec* spec = nullptr;
  std::uint32_t slots = 0, jobs = 0;
  Bytes mem;
};

// "alice": of those who have it each for himself; else all that it names.
std::string consumers_text(const Consumers& consumers, const std::string& own) {
  return consumers.each && !own.empty() ? own : joined(consumers.names, " ");
}

LimitRow row_of(const LimitRule& rule, const RuleUse& use) {
  const JobSpec none;
  const JobSpec& spec = use.spec ? *use.spec : none;
  LimitRow row;
  row.name = rule.name;
  row.users = consumers_text(rule.users, spec.owner.user);
  row.queues = consumers_text(rule.queues, spec.queue);
  row.projects = consumers_text(rule.projects, spec.project);
  row.apps = consumers_text(rule.apps, spec.app);
  row.plans = consumers_text(rule.plans, spec.plan);
  row.hosts = joined(rule.hosts.names, " ");
  row.used = use.slots;
  row.limit = rule.slots.value_or(0);
  row.bounds_slots = rule.slots.has_value();
  if (rule.jobs) row.jobs = count_text(use.jobs) + "/" + count_text(*rule.jobs);
  if (rule.mem) row.mem = format_bytes(use.mem) + "/" + format_bytes(*rule.mem);
  row.description = rule.description;
  return row;
}

// A line for all, or for each of those who use some.
void rule_rows(const Config& config, const LimitRule& rule, std::span<const JobView> jobs,
               std::vector<LimitRow>& rows) {
  std::map<std::string, RuleUse> uses;
  for (const JobView& view : jobs) {
    LimitKey key;
    std::uint32_t slots = held(view);
    if (slots == 0 || !find_limit_key(config, rule, view.job->spec(), key)) continue;
    RuleUse& use = uses[key.key];
    use.spec = &view.job->spec();
    use.slots += slots;
    ++use.jobs;
    use.mem.value += view.job->spec().task.mem.value * slots;
  }
  for (const auto& [key, use] : uses) rows.push_back(row_of(rule, use));
  if (uses.empty()) rows.push_back(row_of(rule, {}));
}

}  // namespace

std::vector<LimitRow> limit_rows(const Config& config, std::span<const JobView> jobs,
                                 std::span<const PlanView> plans) {
  std::vector<LimitRow> rows;
  for (const auto& queue : config.queues) queue_rows(queue, jobs, rows);
  auto used = held_by(jobs, [](const JobView& view) { return view.job->spec().owner.user; });
  const UserConf* others = config.user("default");
  for (const auto& user : config.users)
    if (user.max_slots && &user != others) used[user.name];
  for (const auto& [name, slots] : used) {
    const UserConf* user = config.user(name) ? config.user(name) : others;
    if (user && user->max_slots)
      rows.push_back({"user_slots", name, "", "", "", slots, user->max_slots});
  }
  for (const auto& plan : plans)
    if (plan.limit >= 0)
      rows.push_back(
          {"plan_limit", "", "", "", plan.path, plan.used, static_cast<std::uint32_t>(plan.limit)});
  for (const LimitRule& rule : config.limits)
    if (!rule.reserve) rule_rows(config, rule, jobs, rows);
  return rows;
}

}  // namespace wm::view
