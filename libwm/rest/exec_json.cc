#include "libwm/rest/exec_json.h"

#include <chrono>
#include <nlohmann/json.hpp>

#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/rest/exec_needs.h"
#include "libwm/rest/exec_outcome.h"
#include "libwm/rest/frameworks.h"
#include "libwm/rest/json_text.h"

namespace wm::rest {

bool has_driver(const JobView& view) {
  const auto& groups = view.job->sealed->spec.groups;
  return groups.size() > 1 && groups.front().name == "driver";
}

bool is_execution(const JobView& view) { return !view.job->spec().exec.framework.empty(); }

Result<JobId> parse_exec_id(std::string_view cluster, std::string_view text) {
  if (auto job = job_of_exec(text, cluster)) return *job;
  return fail(Code::NotFound, "execution " + std::string(text) + " does not exist");
}

namespace {

// The first generation asks for an instance of its own kind by these; there is one here.
void add_first_generation(Json& json, const JobSpec& spec, std::string_view cluster) {
  json["userName"] = spec.owner.user;
  json["executionUserName"] = spec.owner.user;
  json["sigName"] = cluster;
  json["sigId"] = instance_id(cluster);
  json["masterURL"] = "";
}

}  // namespace

std::string instance_id(std::string_view cluster) {
  auto digits = hex(hash_of("instance of cluster " + std::string(cluster), 16));
  for (auto at : {8, 13, 18, 23}) digits.insert(static_cast<std::size_t>(at), "-");
  return digits;
}

std::string instances_json(std::string_view cluster) {
  return list_json({wm::to_text({{"uuid", instance_id(cluster)},
                                 {"name", cluster},
                                 {"version", ""},
                                 {"masterUrl", ""},
                                 {"executionUser", ""},
                                 {"state", "STARTED"},
                                 {"historyServerUrl", ""}})});
}

std::string exec_json(const JobView& view, std::string_view cluster, const std::string& cause) {
  auto id = exec_id(cluster, view.id);
  const auto& spec = view.job->spec();
  const auto& exec = spec.exec;
  auto code = view.result_dir + "/_submitted_code";
  Json json{{"id", id},
            {"args", exec.args},
            {"submissionId", id},
            {"creator", spec.owner.user},
            {"state", exec_state(*view.job)},
            {"appId", id},
            {"schedulerUrl", ""},
            {"modelFileOwnerName", spec.owner.user},
            {"workDir", exec.bundle_dir.empty() ? code : code + "/" + exec.bundle_dir},
            {"appName", spec.name},
            {"createTime", iso_time(view.job->times.submitted)},
            {"elastic", spec.elastic},
            {"nameSpace", cluster},
            {"numWorker", spec.max_tasks},
            {"framework", exec.framework}};
  add_first_generation(json, spec, cluster);
  if (auto error = error_of(*view.job); !error.empty())
    json["error"] = cause.empty() ? error : cause;
  auto request = parse_exec(exec.args);
  if (auto warnings =
          request ? warnings_of(*request, has_driver(view)) : std::vector<std::string>();
      !warnings.empty())
    json["warnings"] = warnings;
  if (exec.data.empty()) return wm::to_text(json);
  Json sources = Json::array();
  for (const auto& source : exec.data) {
    if (auto parsed = parse_json(source)) sources.push_back(std::move(*parsed));
  }
  json["dataSource"] = std::move(sources);
  return wm::to_text(json);
}

std::string list_json(const std::vector<std::string>& items) {
  std::string text = "[";
  for (const auto& item : items) text.append(text.size() > 1 ? "," : "").append(item);
  return text + "]";
}

std::string framework_json(const Framework& f, const std::string& why_not) {
  Json json{{"name", f.name},
            {"description", ""},
            {"desc", Json::array({f.summary})},
            {"deployMode", "cluster"},
            {"hasTask0", f.elastic ? "" : "false"},
            {"execMode", f.distributed ? "distributed" : "single"},
            {"appName", f.app_name},
            {"exports", f.exports},
            {"numWorkers", 1},
            {"maxWorkers", f.distributed ? f.most_workers : 1},
            {"workerMemory", f.memory},
            {"frameworkCmdGenerator", ""},
            {"backend", f.backend},
            {"frameworkVersion", f.version}};
  if (f.backend == "pytorch" && !f.distributed) {
    json["prebuiltModelMain"] = "wm_prebuilt";
    json["prebuiltModels"] = prebuilt_models();
  }
  if (f.backend == "tensorflow" && f.distributed)
    json["distributeStrategy"] = "MultiWorkerMirroredStrategy";
  // Ours: where it comes from, and whether it can be started.
  json["elastic"] = f.elastic;
  json["device"] = f.device;
  json["aliases"] = f.aliases;
  json["origin"] = f.origin.empty() ? "built-in" : f.origin;
  json["available"] = why_not.empty();
  if (!why_not.empty()) json["reason"] = why_not;
  return wm::to_text(json);
}

std::string volume_json(const Volume& v, const std::string& why_not) {
  Json json{{"name", v.name},     {"description", v.description}, {"path", v.path},
            {"groups", v.groups}, {"read_only", v.read_only},     {"available", why_not.empty()}};
  if (!why_not.empty()) json["reason"] = why_not;
  return wm::to_text(json);
}

std::string hardware_json(const HardwareSpec& h) {
  return wm::to_text({{"name", h.name},
                      {"description", h.description},
                      {"cpus", h.cpus},
                      {"memory", h.memory},
                      {"gpus", h.gpus},
                      {"gpu_kind", h.kind},
                      {"mig", h.mig}});
}

std::string iso_time(WallTime time) {
  if (time == WallTime{}) return "";
  using namespace std::chrono;
  auto day = floor<days>(time);
  year_month_day date{day};
  hh_mm_ss clock{floor<seconds>(time - day)};
  auto two = [](auto n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two(static_cast<unsigned>(date.month())) + "-" + two(static_cast<unsigned>(date.day())) +
         "T" + two(clock.hours().count()) + ":" + two(clock.minutes().count()) + ":" +
         two(clock.seconds().count()) + "Z";
}

std::string json_text(std::string_view text) { return wm::to_text(Json(text)); }

int http_status(Code code) {
  switch (code) {
    case Code::Ok: return 200;
    case Code::BadArgument:
    case Code::Impossible: return 400;
    case Code::NotFound: return 404;
    case Code::Denied: return 403;
    case Code::Conflict:
    case Code::Stale: return 409;
    case Code::Limit: return 413;
    case Code::Refused:
    case Code::Unavailable: return 503;
    case Code::Timeout: return 504;
    default: return 500;
  }
}

}  // namespace wm::rest
