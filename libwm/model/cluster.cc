#include "libwm/model/cluster.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/launcher_size.h"
#include "libwm/model/training_launcher.h"

namespace wm {
namespace {

/// How the command itself wants to be started, if it is a launcher. DeepSpeed's reaches the
/// other hosts itself, unless it is told that it runs on each of them.
std::optional<Launch> launch_of_command(const JobSpec& spec) {
  auto found = training_launcher_of(spec.program.command);
  switch (found.launcher) {
    case TrainingLauncher::None: return {};
    case TrainingLauncher::Torchrun: return Launch::PerHost;
    // Once a task, each with its rank, unless it was asked for one process alone.
    case TrainingLauncher::Accelerate:
      return starts_one_process(found, spec) && counts_processes(found) ? Launch::PerSlot
                                                                        : Launch::PerHost;
    case TrainingLauncher::DeepSpeed: break;
  }
  return found.has_option("--no_ssh") ? Launch::PerHost : Launch::Once;
}

/// The first plan that `says` so, from the one with that path up to the root; null: none.
template <class Says>
const PlanConf* nearest_plan(const Config& config, std::string path, Says says) {
  while (!path.empty()) {
    const PlanConf* plan = config.plan(path);
    if (plan && says(*plan)) return plan;
    auto last = path.rfind('/');
    if (path == "/" || last == std::string::npos) break;
    path.resize(std::max<std::size_t>(last, 1));
  }
  return nullptr;
}

}  // namespace

// All of it first, so that no field is left out; then what is shared chunk by chunk.
Cluster Cluster::freeze() {
  Cluster copy = *this;
  copy.jobs = jobs.freeze();
  copy.elements = elements.freeze();
  copy.hosts = hosts.freeze();
  copy.accounts = accounts.freeze();
  copy.budgets = budgets.freeze();
  copy.reservations = reservations.freeze();
  copy.job_groups = job_groups.freeze();
  copy.indexes = indexes.freeze();
  return copy;
}

const Reservation* find_reservation(const Cluster& cluster, const std::string& name) {
  auto it = cluster.reservations->find(name);
  return it == cluster.reservations->end() ? nullptr : &it->second;
}

const BudgetAccount* find_budget(const Cluster& cluster, const std::string& name) {
  auto number = cluster.budget_numbers->find(name);
  return number == cluster.budget_numbers->end() ? nullptr : cluster.budgets.find(number->second);
}

const Job* find_job(const Cluster& cluster, JobId id) {
  const Job* base = cluster.jobs.find(id.job);
  if (!base || id.index == 0) return base;
  if (base->spec().array.empty()) return nullptr;
  auto position = element_position(base->spec(), id.index);
  return position ? cluster.elements.find(base->elements.first + *position) : nullptr;
}

const Host* find_host(const Cluster& cluster, const std::string& name) {
  auto number = cluster.indexes.host_numbers->find(name);
  if (number == cluster.indexes.host_numbers->end()) return nullptr;
  return cluster.hosts.find(number->second.value);
}

const std::string& plan_unless_said(const Config& config, const std::string& queue,
                                    const std::string& user) {
  const auto* of_queue = config.queue(queue);
  if (of_queue && !of_queue->plan.empty()) return of_queue->plan;
  const auto* of_user = config.user(user);
  return of_user && !of_user->plan.empty() ? of_user->plan : config.cluster.default_plan;
}

const AppConf& app_of(const Config& config, const JobSpec& spec) {
  static const AppConf kBatch{.name = "batch"};
  const auto* app = config.app(spec.app);
  return app ? *app : kBatch;
}

bool is_resizable(const Cluster& cluster, const Job& job) {
  if (!may_resize(*cluster.config, job) || job.ending || job.finishing) return false;
  if (job.kill || job.waits.preempted) return false;
  if (job.state != JobState::Launching && job.state != JobState::Running) return false;
  switch (resize_mode_of(*cluster.config, job)) {
    case ResizeMode::Auto:
    case ResizeMode::InPlace:
    case ResizeMode::Tasks: return true;
    case ResizeMode::Restart: return job.state == JobState::Running;
    case ResizeMode::Notify: break;
  }
  // the command answers one change before the next, and none after it refused one
  return job.state == JobState::Running && !job.size.notice && job.size.grow_blocked.empty();
}

bool is_sized_by_gain(const Config& config, const JobSpec& spec) {
  const auto* plan =
      nearest_plan(config, spec.plan, [](const PlanConf& p) { return p.elastic.has_value(); });
  if (plan) return plan->elastic == SizeBy::Goodput;
  const QueueConf* queue = config.queue(spec.queue);
  return queue && queue->elastic == SizeBy::Goodput;
}

bool may_resize(const Config& config, const Job& job) {
  if (!job.spec().elastic) return false;
  return resize_mode_of(config, job) != ResizeMode::Notify ||
         !notify_command_of(config, job).empty();
}

Launch launch_of(const Config& config, const JobSpec& spec) {
  if (spec.mpi == Mpi::Pmix) return Launch::PerSlot;
  if (auto launch = launch_of_command(spec)) return *launch;
  if (spec.group) return Launch::PerSlot;
  return app_of(config, spec).type == AppType::Batch ? Launch::Once : Launch::PerSlot;
}

bool starts_training(const JobSpec& spec) {
  return training_launcher_of(spec.program.command).launcher != TrainingLauncher::None;
}

bool has_pre_exec(const Config& config, const JobSpec& spec) {
  const auto* queue = config.queue(spec.queue);
  return !spec.exec.bundle.empty() || !spec.side.pre.empty() ||
         !app_of(config, spec).pre_exec.empty() || (queue && !queue->pre_exec.empty());
}

ResizeMode resize_mode_of(const Config& config, const Job& job) {
  if (job.membership.in_place) return ResizeMode::InPlace;
  auto mode = app_of(config, job.spec()).resize;
  if (mode != ResizeMode::Auto) return mode;
  if (job.membership.met) return ResizeMode::Restart;
  switch (launch_of(config, job.spec())) {
    case Launch::PerHost: return ResizeMode::Restart;
    case Launch::Once: return ResizeMode::Notify;
    case Launch::PerSlot: break;
  }
  // Its processes have met as many as they are.
  return starts_training(job.spec()) ? ResizeMode::Restart : ResizeMode::Tasks;
}

const std::string& notify_command_of(const Config& config, const Job& job) {
  if (!job.size.notify_command.empty()) return job.size.notify_command;
  if (!job.spec().side.notify.empty()) return job.spec().side.notify;
  return app_of(config, job.spec()).resize_command;
}

bool is_listed(const Config& config, const std::vector<std::string>& names, const Identity& who) {
  auto named = [&](const std::string& n) { return std::ranges::find(names, n) != names.end(); };
  if (named(who.user) || named("all")) return true;
  const auto* user = config.user(who.user);
  return user && std::ranges::any_of(user->groups, named);
}

bool may_use_plan(const Config& config, const std::string& plan, const Identity& who) {
  const auto* lists =
      nearest_plan(config, plan, [](const PlanConf& p) { return !p.users.empty(); });
  return !lists || is_listed(config, lists->users, who);
}

bool is_below_users_plan(const Config& config, const std::string& queue, const std::string& plan,
                         const Identity& who) {
  const auto* user = config.user(who.user);
  if (!user || user->plan.empty() || user->plan == "/" || plan == user->plan) return true;
  const auto* of_queue = config.queue(queue);
  return plan.starts_with(user->plan + "/") || (of_queue && of_queue->plan == plan);
}

Duration run_limit_of(const Config& config, const JobSpec& spec) {
  if (spec.run_limit > Duration{}) return spec.run_limit;
  if (auto usual = app_of(config, spec).run_limit.usual; usual > Duration{}) return usual;
  const auto* queue = config.queue(spec.queue);
  return queue ? queue->run_limit.usual : Duration{};
}

SideCommands side_commands_of(const QueueConf& queue) {
  SideCommands side;
  side.pre = queue.pre_exec;
  side.post = queue.post_exec;
  side.pre_limit = queue.pre_exec_limit;
  side.post_limit = queue.post_exec_limit;
  side.warn_action = queue.warn_action;
  side.warn_time = queue.warn_time;
  return side;
}

std::uint32_t max_user_requeue(const Config& config, const Job& job) {
  const auto* queue = config.queue(job.spec().queue);
  return queue && queue->max_requeue ? *queue->max_requeue : config.cluster.limits.max_user_requeue;
}

}  // namespace wm
