// A service's job: a router and its kernels, submitted as bsub does.
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <thread>

#include "daemons/wuserd/jobs/submit.h"
#include "daemons/wuserd/services/dlim.h"
#include "libwm/base/clock.h"
#include "libwm/base/single_quoted.h"
#include "libwm/conf/load.h"
#include "libwm/files/whole_file.h"
#include "libwm/serve/peers.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;
constexpr std::uint32_t kKernelGroup = 2;  // after the router's
constexpr int kLooks = 50;
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

// A router that is killed comes again: kernels find it by the service's folder.
TaskGroup router_group(const Site& site, const DlimService& service,
                       const serve::Profile& profile) {
  TaskGroup group;
  group.resreq = place_of_routers(site, profile.replica);
  group.name = "router";
  group.min_tasks = group.max_tasks = profile.replica;
  group.command = "while :; do \"$LSF_SERVERDIR/wrouter\" " + single_quoted(service.folder) +
                  "; sleep 0.2; done";
  return group;
}

// What a kernel needs; one that shares a GPU takes a quarter of it.
std::string requirement_of(const serve::Profile& profile) {
  std::string text;
  if (profile.amounts.memory_mb > 0)
    text = "rusage[mem=" + std::to_string(profile.amounts.memory_mb) + "MB/task]";
  auto cores = (profile.amounts.milli_cpus + 999) / 1000;
  if (cores > 1)
    text += (text.empty() ? "" : " ") + ("affinity[core(" + std::to_string(cores) + ")]");
  return text;
}

TaskGroup kernel_group(const DlimService& service, const serve::Profile& profile) {
  TaskGroup group;
  group.name = "kernel";
  group.min_tasks = profile.policy.kernel_min;
  group.max_tasks = profile.policy.kernel_max;
  group.restart = Restart::Independent;
  group.resreq = requirement_of(profile);
  if (profile.gpu == serve::GpuUse::Exclusive) group.gpu = "num=1";
  if (profile.gpu == serve::GpuUse::Shared) group.gpu = "num=0.25";
  group.command = "exec python3 " + word_of(service.package() + "/" + service.model.kernel_path);
  return group;
}

Pairs variables_of(const Site& site, const DlimService& service, const serve::Profile& profile) {
  Pairs all = service.model.environments;
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
  for (std::uint32_t rank = 0; rank < serve::kMostRouters; ++rank)
    for (const char* end : {"", ".sock", ".load"})
      fs::remove(service.folder + "/" + serve::router_name(rank) + end, ec);
  fs::create_directories(service.folder + "/log", ec);
}

}  // namespace

std::string log_folder(const DlimService& service, const serve::Profile& profile) {
  return profile.log_directory.empty() ? service.folder + "/log" : profile.log_directory;
}

namespace {

// An image is for what the site's profile can make of it.
Result<void> check_kernel_image(const Site& site, const serve::Profile& profile) {
  if (profile.image.empty()) return {};
  WM_TRY(auto program, container_program(site, "inference"));
  if (program != "none") return {};
  return fail(Code::BadArgument,
              "profile: resource_allocation/kernel/image_name: services run in "
              "no container here (profile inference of apps.conf)");
}

std::string cwd_of(const DlimService& service, const serve::Profile& profile) {
  return profile.working_directory.empty() ? service.package() : profile.working_directory;
}

Result<JobId> submit_service(Site& site, const DlimService& service,
                             const serve::Profile& profile) {
  JobRequest job;
  job.hold = true;
  job.name = service.name;
  job.app = "inference";
  job.cwd = cwd_of(service, profile);
  job.out_file = log_folder(service, profile) + "/%J.%I";
  job.plan = profile.plan;
  if (auto limit = profile.amounts.memory_limit_mb) job.memory = std::to_string(limit) + "MB";
  Grouped grouped;
  grouped.groups = {router_group(site, service, profile), kernel_group(service, profile)};
  grouped.exec.service = service.name;
  grouped.exec.profile = profile.text;
  grouped.exec.image = profile.image;
  grouped.environment = variables_of(site, service, profile);
  grouped.umask = profile.umask;
  WM_TRY(auto reply, submit_groups(site, job, std::move(grouped)));
  return reply.job;
}

// A job of before does again where its owner signed the same.
bool is_as_signed(const DlimService& service, const serve::Profile& profile,
                  const ServiceJob& there) {
  auto command = kernel_group(service, profile).command;  // the version's folder is in it
  auto is_same = [&](const JobView& group) {
    const auto& spec = group.job->spec();
    return spec.exec.profile == profile.text &&
           (spec.group != kKernelGroup || spec.program.command == command);
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
  WM_TRY(check_kernel_image(site, profile));
  remove_old(service);
  bool again = there && is_as_signed(service, profile, *there);
  if (there && !again) WM_TRY(end(site, there->job));
  if (!again) {
    WM_TRY(service.record.job, submit_service(site, service, profile));
  }
  service.record.started = now_s();
  WM_TRY(keep_record(service.folder, service.record));
  return begin(site, service.record.job, profile.policy.kernel_min);
}

Result<void> stop_service(Site& site, const std::string& name) {
  auto one_at_a_time = hold_services();
  auto found = find_service(site, name);
  if (!found && found.error().code == Code::NotFound) return with_others(site, name, hold_all);
  WM_TRY(auto service, std::move(found));
  return hold_all(site, service.record.job);
}

Result<void> change_profile(Site& site, const DlimService& service, const std::string& text) {
  auto one_at_a_time = hold_services();
  auto now = wall_now();
  auto given = serve::with_warm(text, default_warm(service.package(), service.model));
  WM_TRY(auto wanted, serve::read_profile(service.name, site.user, given, now));
  WM_TRY(check_kernel_image(site, wanted));
  WM_TRY(auto job, service_job(site, service));
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
  auto& record = service.record;
  if (record.earlier.empty())
    return fail(Code::NotFound, "model " + service.name + " has no version before this one");
  std::swap(record.version, record.earlier.back());
  return keep_record(service.folder, record);
}

}  // namespace wm::user
