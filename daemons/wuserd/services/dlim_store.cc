// What lies on disk of each inference service.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/services/dlim.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

Result<ServiceRecord> read_record(const std::string& folder) {
  WM_TRY(auto text, read_file(folder + "/service.json"));
  auto json = json_or_null(text);
  if (!json.is_object()) return fail(Code::Damaged, folder + "/service.json: no JSON object");
  ServiceRecord record;
  record.uid = json.value("uid", "");
  record.versions.present = json.value("version", "");
  record.job = {json.value("job", 0u), 0};
  record.created = json.value("created", std::int64_t{0});
  record.updated = json.value("updated", std::int64_t{0});
  record.started = json.value("started", std::int64_t{0});
  record.space = json.value("space", "");
  record.model = json.value("model", "");
  record.versions.earlier = json.value("earlier", std::vector<std::string>());
  record.versions.undone = json.value("undone", std::vector<std::string>());
  return record;
}

}  // namespace

std::unique_lock<std::mutex> hold_services() {
  static std::mutex one_at_a_time;
  return std::unique_lock(one_at_a_time);
}

Result<DlimService> find_service(Site& site, const std::string& name) {
  DlimService service;
  service.name = name;
  service.folder = site.results_root + "/services/" + name;
  auto none = fail(Code::NotFound, "model " + name + " does not exist");
  if (!serve::is_service_name(name)) return none;
  auto record = read_record(service.folder);
  if (!record && record.error().code == Code::NotFound) return none;
  if (!record) return record.error();
  service.record = std::move(*record);
  WM_TRY(auto text, read_file(service.package() + "/model.json"));
  WM_TRY(service.model, serve::read_model(text));
  return service;
}

std::vector<DlimService> all_services(Site& site) {
  std::vector<DlimService> services;
  std::error_code ec;
  for (fs::directory_iterator at(site.results_root + "/services", ec), end; !ec && at != end;
       at.increment(ec))
    if (auto service = find_service(site, at->path().filename().string()))
      services.push_back(std::move(*service));
  std::sort(services.begin(), services.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return services;
}

bool ServiceJob::is_held() const {
  return std::all_of(groups.begin(), groups.end(),
                     [](const JobView& view) { return view.job->state == JobState::Held; });
}

Result<std::optional<ServiceJob>> job_there(Site& site, JobId job) {
  std::optional<ServiceJob> none;
  if (job.job == 0) return none;
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.ids = {job};
  auto reply = master->ask(request);
  if (!reply && reply.error().code == Code::NotFound) return none;
  if (!reply) return reply.error();
  ServiceJob found{job, site.user, {}};
  for (auto& view : reply->jobs)
    if (view.id.index != 0 && !is_over(view.job->state)) found.groups.push_back(std::move(view));
  if (found.groups.empty()) return none;
  return std::optional(std::move(found));
}

Result<std::optional<JobView>> service_job(Site& site, const DlimService& service) {
  WM_TRY(auto there, job_there(site, service.record.job));
  if (!there || there->is_held()) return std::optional<JobView>();
  return std::optional(std::move(there->groups.front()));
}

Result<std::map<std::string, ServiceJob>> others_services(Site& site) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.user = "all";
  WM_TRY(auto reply, master->ask(request));
  std::map<std::string, ServiceJob> found;
  for (auto& view : reply.jobs) {
    const auto& spec = view.job->spec();
    bool meant = !spec.exec.service.empty() && view.id.index != 0 && !is_over(view.job->state);
    if (!meant || is_own(view)) continue;
    auto& one = found[spec.exec.service];
    one.job = {view.id.job, 0};
    one.owner = spec.owner.user;
    one.groups.push_back(std::move(view));
  }
  return found;
}

// The kernels are the second group of its job.
Result<std::string> kernels_wait_for(Site& site, const DlimService& service) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.ids = {{service.record.job.job, 2}};
  WM_TRY(auto reply, master->ask(request));
  std::string text;
  for (const auto& view : reply.jobs)
    for (const auto& reason : view.reasons) text += (text.empty() ? "" : "; ") + reason.text;
  return text;
}

// A line "PERCENT SERVICE" in the service's folder.
std::optional<Canary> canary_of(const Site& site, const std::string& name) {
  auto text = read_file(site.results_root + "/services/" + name + "/canary", Bytes{4096});
  if (!text) return std::nullopt;
  std::istringstream in(*text);
  Canary canary;
  if (in >> canary.percent >> canary.service) return canary;
  return std::nullopt;
}

Result<void> set_canary(Site& site, const DlimService& service, const Canary& canary) {
  auto path = service.folder + "/canary";
  std::error_code ec;
  if (canary.percent == 0) fs::remove(path, ec);
  if (canary.percent == 0) return {};
  if (canary.percent > 100) return fail(Code::BadArgument, "percent: 0 to 100 is wanted");
  if (canary.service == service.name)
    return fail(Code::BadArgument, "service: another one than " + service.name + " is wanted");
  WM_TRY(find_service(site, canary.service));
  return replace_file(path, std::to_string(canary.percent) + " " + canary.service + "\n", 0600);
}

Result<void> keep_record(const std::string& folder, const ServiceRecord& record) {
  const auto& versions = record.versions;
  Json json{{"uid", record.uid},           {"version", versions.present},
            {"job", record.job.job},       {"created", record.created},
            {"updated", record.updated},   {"started", record.started},
            {"space", record.space},       {"model", record.model},
            {"earlier", versions.earlier}, {"undone", versions.undone}};
  return replace_file(folder + "/service.json", to_text(json, 2), 0600);
}

Result<serve::Profile> profile_of(Site& site, const DlimService& service) {
  WM_TRY(auto text, read_file(service.folder + "/profile.json"));
  WM_TRY(auto profile, serve::read_profile(service.name, site.user, text, wall_now()));
  profile.text = std::move(text);  // as it was kept, and as a job of it is signed
  return profile;
}

}  // namespace wm::user
