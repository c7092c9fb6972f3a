// A service's job: a router and its kernels, submitted as bsub does.
#include <unistd.h>

#include <filesystem>

#include "daemons/wuserd/dlim.h"
#include "daemons/wuserd/submit.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;
using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string octal(std::uint32_t mask) {
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mask >> shift) % 8);
  return text;
}

// A router that is killed comes again: kernels find it by the service's folder.
TaskGroup router_group(const DlimService& service) {
  TaskGroup group;
  group.name = "router";
  group.command =
      "while :; do \"$LSF_SERVERDIR/wrouter\" " + quoted(service.folder) + "; sleep 0.2; done";
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
  group.command = "umask " + octal(profile.umask) +
                  "; export MSD_POD_NAME=\"$TASK_JOB_ID-$WM_GROUP_RANK-$$\"; exec python3 " +
                  quoted(service.package() + "/" + service.model.kernel_path);
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
            {"WM_CONNECTION_TIMEOUT", std::to_string(timeout.count())}};
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

// Held until the number of its kernels is what a service without load has.
Result<void> release(Site& site, JobId job, std::uint32_t kernels) {
  WM_TRY(auto master, site.masters.take());
  ResizeRequest size{
      .job = job, .kind = ResizeRequest::Kind::Set, .tasks = kernels, .group = "kernel"};
  if (auto sized = master->resize(size); !sized) return sized.error();
  ReleaseRequest go;
  go.jobs.ids = {job};
  WM_TRY(auto reply, master->release(go));
  for (const auto& outcome : reply.jobs)
    if (outcome.code) return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

void remove_old(const DlimService& service) {
  std::error_code ec;
  for (const char* name : {"/router", "/router.sock"}) fs::remove(service.folder + name, ec);
  fs::create_directories(service.folder + "/log", ec);
}

}  // namespace

Result<void> start_service(Site& site, const std::string& name) {
  auto hold = hold_services();
  WM_TRY(auto service, find_service(site, name));
  WM_TRY(auto running, service_job(site, service));
  if (running) return fail(Code::Conflict, "model " + service.name + " is started already");
  WM_TRY(auto profile, profile_of(site, service));
  remove_old(service);
  std::vector<std::string> words{"-H",
                                 "-J",
                                 service.name,
                                 "-app",
                                 "inference",
                                 "-cwd",
                                 service.package(),
                                 "-o",
                                 service.folder + "/log/%J.%I"};
  if (!profile.plan.empty()) words.insert(words.end(), {"-plan", profile.plan});
  Grouped grouped;
  grouped.groups = {router_group(service), kernel_group(service, profile)};
  grouped.exec.service = service.name;
  grouped.exec.profile = profile.text;
  grouped.environment = variables_of(site, service, profile);
  WM_TRY(auto reply, submit_groups(site, words, std::move(grouped)));
  service.record.job = reply.job;
  service.record.started = static_cast<std::int64_t>(
      epoch_seconds(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now())));
  WM_TRY(keep_record(service.folder, service.record));
  return release(site, reply.job, profile.policy.kernel_min);
}

Result<void> stop_service(Site& site, const std::string& name) {
  auto hold = hold_services();
  WM_TRY(auto service, find_service(site, name));
  WM_TRY(auto running, service_job(site, service));
  if (!running) return {};
  WM_TRY(auto master, site.masters.take());
  KillRequest request;
  request.jobs.ids = {service.record.job};
  WM_TRY(auto reply, master->kill(request));
  for (const auto& outcome : reply.jobs)
    if (outcome.code && static_cast<Code>(outcome.code) != Code::Conflict)
      return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

}  // namespace wm::user
