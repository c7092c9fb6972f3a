// A service's job: a router and its kernels, submitted as bsub does.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "daemons/wuserd/jobs/submit.h"
#include "daemons/wuserd/services/callers.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/runtimes.h"
#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/base/single_quoted.h"
#include "libwm/conf/load.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/app_json.h"
#include "libwm/serve/package.h"
#include "libwm/serve/peers.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;
constexpr std::uint32_t kKernelGroup = 2;  // after the router's
constexpr int kLooks = 50;
constexpr const char* kRunner = "run_kernel.py";
constexpr auto kBetweenStateLooks = std::chrono::milliseconds(100);
using Pairs = std::vector<std::pair<std::string, std::string>>;

// As it is where a shell would not look at it: a warm parent runs only such.
std::string word_of(const std::string& path) {
  auto is_plain = [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '+';
  };
  return std::all_of(path.begin(), path.end(), is_plain) ? path : single_quoted(path);
}

// A router is reached by a unix socket: where the site says which hosts have a web door, on these,
// evenly; else on this host, if it is one of the cluster's.
std::string place_of_routers(const Site& site, std::uint32_t routers) {
  auto config = conf::load(site.conf_dir, conf::this_host());
  if (!config) return "";
  std::uint32_t doors = 0;
  bool is_one = false;
  for (const auto& host : config->hosts) {
    doors += host.resources.contains("gateway") ? 1 : 0;
    is_one = is_one || host.name == conf::this_host();
  }
  if (doors > 0)
    return "select[gateway] span[ptile=" + std::to_string((routers + doors - 1) / doors) + "]";
  return is_one ? "select[hname=='" + conf::this_host() + "']" : "";
}

// A router that is killed comes again: kernels find it by the service's folder. One that another
// task has replaced, since its host was not heard, ends well and does not.
TaskGroup router_group(const Site& site, const DlimService& service,
                       const serve::Profile& profile) {
  TaskGroup group;
  group.resreq = place_of_routers(site, profile.replica);
  group.name = "router";
  group.min_tasks = group.max_tasks = profile.replica;
  group.restart = Restart::Independent;
  group.command =
      "until \"$LSF_SERVERDIR/wrouter\" " + single_quoted(service.folder) + "; do sleep 0.2; done";
  return group;
}

// What a kernel needs beside a GPU.
std::string requirement_of(const serve::Profile& profile) {
  std::string text;
  if (profile.amounts.memory_mb > 0)
    text = "rusage[mem=" + std::to_string(profile.amounts.memory_mb) + "MB/task]";
  auto cores = (profile.amounts.milli_cpus + 999) / 1000;
  if (cores > 1)
    text += (text.empty() ? "" : " ") + ("affinity[core(" + std::to_string(cores) + ")]");
  return text;
}

TaskGroup kernel_group(const DlimService& service, const serve::Profile& profile,
                       const serve::Runtime& runtime) {
  TaskGroup group;
  group.name = "kernel";
  group.min_tasks = profile.policy.kernel_min;
  group.max_tasks = profile.policy.kernel_max;
  group.restart = Restart::Independent;
  group.resreq = requirement_of(profile);
  group.gpu = serve::gpu_request(profile.gpu);
  auto python = runtime.launcher.empty() ? "python3" : word_of(runtime.launcher);
  group.command = serve::runtime_prelude(runtime) + "exec " + python + " " +
                  word_of(service.folder + "/" + kRunner) + " " +
                  word_of(service.package() + "/" + service.model.kernel_path);
  return group;
}

Pairs variables_of(const Site& site, const DlimService& service, const serve::Profile& profile,
                   const serve::Runtime& runtime) {
  Pairs all = runtime.envs;
  all.insert(all.end(), service.model.environments.begin(), service.model.environments.end());
  all.insert(all.end(), profile.envs.begin(), profile.envs.end());
  auto timeout = std::chrono::duration_cast<std::chrono::seconds>(profile.connection_timeout);
  Pairs own{{"REDHARE_MODEL_NAME", service.name},
            {"REDHARE_MODEL_PATH", service.package()},
            {"REDHARE_MODEL_CREATOR", site.user},
            {"TASK_JOB_ID", "edi-" + service.name + "-" + service.record.uid.substr(0, 8)},
            {"WM_SERVICE_DIR", service.folder},
            {"WM_SERVICE_REPLICA", std::to_string(profile.replica)},
            {"WM_CONNECTION_TIMEOUT", std::to_string(timeout.count())}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

Result<void> outcome_of(const OutcomeReply& reply) {
  for (const auto& outcome : reply.jobs)
    if (outcome.code) return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

Result<void> release(Site& site, JobId job) {
  WM_TRY(auto master, site.masters.take());
  ReleaseRequest go;
  go.jobs.ids = {job};
  WM_TRY(auto reply, master->ask(go));
  return outcome_of(reply);
}

// It is held until the number of its kernels is what a service without load has.
Result<void> begin(Site& site, JobId job, std::uint32_t kernels) {
  {
    WM_TRY(auto master, site.masters.take());
    ResizeRequest size{
        .job = job, .kind = ResizeRequest::Kind::Set, .tasks = kernels, .group = "kernel"};
    if (auto sized = master->ask(size); !sized) return sized.error();
  }
  return release(site, job);
}

Result<void> end(Site& site, JobId job) {
  WM_TRY(auto master, site.masters.take());
  KillRequest request;
  request.jobs.ids = {job};
  WM_TRY(auto reply, master->ask(request));
  // With one group the others end: what is over already is as it should be.
  std::erase_if(reply.jobs, [](const auto& outcome) {
    return static_cast<Code>(outcome.code) == Code::Conflict;
  });
  return outcome_of(reply);
}

// What waits is held, what runs is queued again and held then.
Result<void> hold(Site& site, const ServiceJob& there) {
  WM_TRY(auto master, site.masters.take());
  ReleaseRequest waits;
  waits.hold = true;
  RequeueRequest runs;
  runs.hold = true;
  for (const auto& group : there.groups) {
    if (group.job->state == JobState::Held) continue;
    bool pending = group.job->state == JobState::Pending;
    (pending ? waits.jobs : runs.jobs).ids.push_back(group.id);
  }
  if (!waits.jobs.ids.empty()) {
    WM_TRY(auto held, master->ask(waits));
    WM_TRY(outcome_of(held));
  }
  if (runs.jobs.ids.empty()) return {};
  WM_TRY(auto queued, master->ask(runs));
  return outcome_of(queued);
}

// What is on its way to end or to begin is asked again when it is there.
Result<void> hold_all(Site& site, JobId job) {
  for (int looks = 0; looks < kLooks; ++looks) {
    WM_TRY(auto there, job_there(site, job));
    if (!there || there->is_held()) return {};
    auto held = hold(site, *there);
    if (held || held.error().code != Code::Conflict) return held;
    std::this_thread::sleep_for(kBetweenStateLooks);
  }
  return {};
}

// Another's, for an administrator; the master judges whether the caller is one. To the rest it does
// not exist.
Result<void> with_others(Site& site, const std::string& name,
                         Result<void> (*act)(Site& site, JobId job)) {
  WM_TRY(auto others, others_services(site));
  auto none = fail(Code::NotFound, "model " + name + " does not exist");
  auto found = others.find(name);
  if (found == others.end()) return none;
  auto done = act(site, found->second.job);
  if (!done && done.error().code == Code::Denied) return none;
  return done;
}

// A router that is not there reads the profile when it comes. One that is being started again may
// have read the one before: it is waited for.
Result<void> have_reread(Site& site, const DlimService& service, std::uint32_t routers) {
  for (int looks = 0; looks < kLooks; ++looks) {
    WM_TRY(bool taken, router_rereads(service, routers));
    if (taken) return {};
    WM_TRY(auto job, service_job(site, service));
    if (!job || job->job->state == JobState::Pending) return {};
    std::this_thread::sleep_for(kBetweenStateLooks);
  }
  return fail(Code::Unavailable,
              "the profile is kept: the router, not there now, reads it when it comes");
}

void remove_old(const DlimService& service) {
  std::error_code ec;
  fs::remove(service.folder + "/" + serve::kKernelFailed, ec);
  for (std::uint32_t rank = 0; rank < serve::kMostRouters; ++rank)
    for (const char* end : {"", ".sock", ".load", ".task"})
      fs::remove(service.folder + "/" + serve::router_name(rank) + end, ec);
  fs::create_directories(service.folder + "/log", ec);
}

}  // namespace

std::string log_folder(const DlimService& service, const serve::Profile& profile) {
  return profile.log_directory.empty() ? service.folder + "/log" : profile.log_directory;
}

namespace {

// An image is for what the site's profile can make of it.
Result<void> check_kernel_image(const Site& site, const std::string& image) {
  if (image.empty()) return {};
  WM_TRY(auto program, container_program(site, "inference"));
  if (program != "none") return {};
  return fail(Code::BadArgument, "profile: resource_allocation/kernel/image_name: " + image +
                                     ": services run in "
                                     "no container here (profile inference of apps.conf)");
}

// As the job will name it: WMLA's clients have the cluster's name before it.
std::string plan_of(const Site& site, const serve::Profile& profile) {
  return profile.plan.empty() ? "" : rest::plan_of(profile.plan, site.conf.name);
}

Result<void> check_plan(Site& site, const serve::Profile& profile) {
  auto plan = plan_of(site, profile);
  if (plan.empty()) return {};
  WM_TRY(auto master, site.masters.take());
  WM_TRY(auto reply, master->ask(PlansRequest{}));
  std::string there;
  for (const auto& one : reply.plans) {
    if (one.path == plan) return {};
    there += (there.empty() ? "" : ", ") + one.path;
  }
  return fail(Code::BadArgument, "profile: resource_allocation/kernel/resource_plan: there is no " +
                                     plan + "; there are " + there);
}

std::string cwd_of(const DlimService& service, const serve::Profile& profile) {
  return profile.working_directory.empty() ? service.package() : profile.working_directory;
}

Result<JobId> submit_service(Site& site, const DlimService& service, const serve::Profile& profile,
                             const serve::Runtime& runtime) {
  JobRequest job;
  job.hold = true;
  job.name = service.name;
  job.app = "inference";
  job.cwd = cwd_of(service, profile);
  job.out_file = log_folder(service, profile) + "/%J.%I";
  job.plan = plan_of(site, profile);
  if (auto limit = profile.amounts.memory_limit_mb) job.memory = std::to_string(limit) + "MB";
  Grouped grouped;
  grouped.groups = {router_group(site, service, profile), kernel_group(service, profile, runtime)};
  grouped.exec.service = service.name;
  grouped.exec.profile = profile.text;
  grouped.exec.image = profile.image.empty() ? runtime.image : profile.image;
  grouped.environment = variables_of(site, service, profile, runtime);
  grouped.umask = profile.umask;
  WM_TRY(auto reply, submit_groups(site, job, std::move(grouped)));
  return reply.job;
}

// A job of before does again where its owner signed the same.
bool is_as_signed(const Site& site, const DlimService& service, const serve::Profile& profile,
                  const serve::Runtime& runtime, const ServiceJob& there) {
  const auto& image = profile.image.empty() ? runtime.image : profile.image;
  auto command = kernel_group(service, profile, runtime).command;  // the version's folder is in it
  auto routers = router_group(site, service, profile).command;     // before, all fell with one
  auto is_same = [&](const JobView& group) {
    const auto& spec = group.job->spec();
    return spec.exec.profile == profile.text && spec.exec.image == image &&
           spec.program.command == (spec.group == kKernelGroup ? command : routers) &&
           runtime.envs.empty();
  };
  return there.groups.size() == kKernelGroup &&
         std::all_of(there.groups.begin(), there.groups.end(), is_same);
}

}  // namespace

Result<void> start_service(Site& site, const std::string& name) {
  auto one_at_a_time = hold_services();
  auto found = find_service(site, name);
  if (!found && found.error().code == Code::NotFound) return with_others(site, name, release);
  WM_TRY(auto service, std::move(found));
  WM_TRY(auto there, job_there(site, service.record.job));
  if (there && !there->is_held())
    return fail(Code::Conflict, "model " + service.name + " is started already");
  WM_TRY(auto profile, profile_of(site, service));
  WM_TRY(auto runtime, find_runtime(site, service.model.runtime));
  WM_TRY(check_kernel_image(site, profile.image.empty() ? runtime.image : profile.image));
  remove_old(service);
  WM_TRY(replace_file(service.folder + "/" + kRunner, serve::kernel_runner(), 0600));
  bool again = there && is_as_signed(site, service, profile, runtime, *there);
  if (there && !again) WM_TRY(end(site, there->job));
  if (!again) {
    WM_TRY(service.record.job, submit_service(site, service, profile, runtime));
  }
  service.record.started = now_s();
  WM_TRY(keep_record(service.folder, service.record));
  return begin(site, service.record.job, profile.policy.kernel_min);
}

namespace {

// What has been asked already is answered, within the time that a task may take; of tasks without
// end no more than an hour is waited for.
void finish_tasks(Site& site, const DlimService& service) {
  constexpr Duration kMost = std::chrono::hours(1), kMargin = std::chrono::seconds(1);
  auto profile = profile_of(site, service);
  auto limit = profile ? profile->policy.execution_timeout : Duration::zero();
  close_routers(service, true);
  auto until = steady_now() + (limit > Duration::zero() ? limit + kMargin : kMost);
  Backoff looks(kBetweenStateLooks, std::chrono::seconds(1), random_number());
  for (; steady_now() < until; looks.sleep()) {
    auto text = router_state(service);
    auto state = text ? json_or_null(*text) : Json();
    if (!state.is_object()) return;
    if (state.value("queued", 0) + state.value("in_flight", 0) == 0) return;
  }
}

}  // namespace

Result<void> stop_service(Site& site, const std::string& name) {
  auto found = find_service(site, name);
  if (!found && found.error().code == Code::NotFound) {
    auto one_at_a_time = hold_services();
    return with_others(site, name, hold_all);
  }
  WM_TRY(auto service, std::move(found));
  finish_tasks(site, service);  // not while others wait for us
  auto one_at_a_time = hold_services();
  auto held = hold_all(site, service.record.job);
  if (!held) close_routers(service, false);
  return held;
}

Result<void> change_profile(Site& site, const DlimService& service, const std::string& text) {
  auto one_at_a_time = hold_services();
  auto now = wall_now();
  WM_TRY(serve::check_keys(text));
  auto given = serve::with_warm(text, default_warm(service.package(), service.model));
  WM_TRY(auto wanted, serve::read_profile(service.name, site.user, given, now));
  WM_TRY(check_kernel_image(site, wanted.image));
  WM_TRY(check_plan(site, wanted));
  WM_TRY(check_callers_exist(wanted.callers));
  WM_TRY(auto job, service_job(site, service));
  tell_callers(site, wanted.callers);
  if (!job) return replace_file(service.folder + "/profile.json", wanted.text, 0600);
  WM_TRY(auto running,
         serve::read_profile(service.name, site.user, job->job->spec().exec.profile, now));
  WM_TRY(serve::check_live(running, wanted));
  WM_TRY(replace_file(service.folder + "/profile.json", wanted.text, 0600));
  return have_reread(site, service, running.replica);
}

Result<void> roll_back(Site& site, DlimService service) {
  auto one_at_a_time = hold_services();
  WM_TRY(auto job, service_job(site, service));
  if (job) return fail(Code::Conflict, "model " + service.name + " is started: stop it first");
  WM_TRY(service.record.versions,
         serve::gone_back(service.record.versions, "model " + service.name));
  return keep_record(service.folder, service.record);
}

}  // namespace wm::user
