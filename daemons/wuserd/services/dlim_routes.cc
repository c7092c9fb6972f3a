// The rows of /dlim/v1: inference services, as WMLA's dlim and its clients read them.
#include <algorithm>
#include <filesystem>

#include "daemons/wuserd/services/callers.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/routes.h"
#include "daemons/wuserd/services/runtimes.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestSamples = 32 << 20;
constexpr std::size_t kLongestText = 4 << 20;

std::int64_t size_of(const std::string& folder) {
  std::int64_t size = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec))
    if (std::error_code bad; at->is_regular_file(bad) && !at->is_symlink(bad))
      size += static_cast<std::int64_t>(at->file_size(bad));
  return size;
}

// As the client has it.
std::string own_host(const Call& call) {
  return std::string(call.exchange.head().field("x-wm-host"));
}

std::string own_url(const Call& call) { return "https://" + own_host(call); }

// Where streams come in, if what speaks gRPC is installed: beside us.
std::string stream_uri(const Call& call) {
  std::error_code ec;
  auto own = fs::read_symlink("/proc/self/exe", ec);
  return fs::exists(own.parent_path() / "wgrpc", ec) ? own_host(call) : "";
}

Json model_json(const Call& call, const DlimService& service, bool started) {
  Json json = json_or_null(service.model.text);
  const auto& record = service.record;
  json["name"] = service.name;
  json["uid"] = record.uid;
  json["tag"] = service.model.tag;
  json["size"] = size_of(service.package());
  json["weight_path"] = service.model.weight_path;
  json["model_path"] = service.package();
  json["create_time"] = record.created;
  json["last_updated_time"] = record.updated;
  json["started_at"] = started ? record.started : 0;
  json["creator"] = call.site.user;
  json["runtime"] = service.model.runtime;
  json["kernel_path"] = service.model.kernel_path;
  json["service_uri"] = started ? own_url(call) + "/dlim/v1/inference/" + service.name : "";
  json["state"] = started ? "Started" : "Stopped";
  json["stream_uri"] = started ? stream_uri(call) : "";
  for (const char* list : {"attributes", "mk_environments"})
    if (!json.contains(list)) json[list] = Json::array();
  if (!json.contains("schema_version")) json["schema_version"] = "1";
  return json;
}

Result<Json> deployed_json(Call& call, const DlimService& service) {
  WM_TRY(auto job, service_job(call.site, service));
  return model_json(call, service, job.has_value());
}

Answer status_reply(const std::string& text) { return json_reply(to_text({{"status", text}})); }

Result<Answer> deploy_new(Call& call) {
  WM_TRY(auto service, deploy_service(call, ""));
  return status_reply("Model <" + service.name + "> is deployed successfully");
}

Result<Answer> redeploy(Call& call) {
  WM_TRY(auto service, deploy_service(call, call.args[0]));
  return status_reply("Model <" + service.name + "> is deployed successfully");
}

Result<Answer> list_deployed(Call& call) {
  Json models = Json::array();
  for (const auto& service : all_services(call.site)) {
    WM_TRY(auto json, deployed_json(call, service));
    models.push_back(std::move(json));
  }
  for (const auto& model : models_of_others(call)) models.push_back(json_or_null(model));
  return json_reply(to_text(models));
}

Result<Answer> extensions(Call& call) {
  Json models = Json::array(), plans = Json::array();
  for (const auto& service : all_services(call.site)) {
    WM_TRY(auto json, deployed_json(call, service));
    models.push_back(std::move(json));
    auto profile = profile_of(call.site, service);
    plans.push_back({{"name", service.name}, {"resource_plan", profile ? profile->plan : ""}});
  }
  return json_reply(to_text({{"model_list", models}, {"extension_list", plans}}));
}

Result<Answer> show_deployed(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto json, deployed_json(call, service));
  return json_reply(to_text(json));
}

Result<DlimService> stopped_service(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto job, service_job(call.site, service));
  if (job) return fail(Code::Conflict, "model " + service.name + " is started: stop it first");
  return service;
}

Result<Answer> edit(Call& call) {
  WM_TRY(auto service, stopped_service(call));
  WM_TRY(auto text, http::read_body(call.exchange, kLongestText));
  auto given = json_or_null(text);
  auto json = json_or_null(service.model.text);
  for (const char* key : {"tag", "weight_path", "runtime", "kernel_path", "readme", "framework",
                          "attributes", "mk_environments"})
    if (given.is_object() && given.contains(key)) json[key] = given[key];
  WM_TRY(auto model, serve::read_model(to_text(json, 2)));
  WM_TRY(find_runtime(call.site, model.runtime));
  std::error_code ec;
  if (!fs::is_regular_file(service.package() + "/" + model.kernel_path, ec))
    return fail(Code::BadArgument, "the package has no " + model.kernel_path);
  WM_TRY(replace_file(service.package() + "/model.json", model.text, 0600));
  return status_reply("Model is updated successfully");
}

Result<Answer> undeploy(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(undeploy_service(call.site, service));
  return status_reply("Model " + service.name + " is undeployed successfully");
}

Result<Answer> start_deployed(Call& call) {
  WM_TRY(start_service(call.site, call.args[0]));
  return status_reply("Starting model \"" + call.args[0] + "\"");
}

Result<Answer> stop_deployed(Call& call) {
  WM_TRY(stop_service(call.site, call.args[0]));
  return status_reply("Stopping model \"" + call.args[0] + "\"");
}

Json container_json(const Json& kernel) {
  auto running = kernel.value("running", 0);
  auto finished = kernel.value("finished", 0), failed = kernel.value("failed", 0);
  return {{"container_host", kernel.value("host", "")},
          {"container_status", running > 0 ? "RUNNING" : "IDLE"},
          {"container_uid", kernel.value("instance", "")},
          {"total_task", running + finished + failed},
          {"running_task", running},
          {"finished_task", finished},
          {"failed_task", failed}};
}

// Those that run.
std::ptrdiff_t routers_of(const JobView& group) {
  const auto& tasks = group.job->tasks;
  return std::count_if(tasks.begin(), tasks.end(),
                       [](const Task& task) { return task.state == TaskState::Running; });
}

Result<Answer> instance(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto job, service_job(call.site, service));
  Json json{{"name", service.name}, {"state", job ? "Started" : "Stopped"}};
  json["instances"] = Json::array();
  auto text = job ? router_state(service) : std::nullopt;
  if (job) {
    auto state = json_or_null(text.value_or("{}"));
    WM_TRY(auto waits, kernels_wait_for(call.site, service));
    Json one{{"isd_uid", service.record.uid},
             {"job_id", to_string(service.record.job)},
             {"routers", routers_of(*job)},
             {"client_number", state.value("queued", 0) + state.value("in_flight", 0)},
             {"pending_tasks", state.value("queued", 0)},
             {"request_per_sec", state.value("requests_per_s", 0.0)},
             {"data_size_per_sec", state.value("bytes_per_s", 0.0)},
             {"kernels_wanted", state.value("wanted", 0)},
             {"kernels_wait_for", waits},
             {"isd_container", Json::array()}};
    for (const auto& kernel : state.value("kernels", Json::array()))
      one["isd_container"].push_back(container_json(kernel));
    json["instances"].push_back(std::move(one));
  }
  return json_reply(to_text(json));
}

Result<Answer> profile(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto text, read_file(service.folder + "/profile.json"));
  return json_reply(std::move(text));
}

Result<Answer> set_profile(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto text, http::read_body(call.exchange, kLongestText));
  WM_TRY(change_profile(call.site, service, text));
  return status_reply("Model is updated successfully");
}

Result<Answer> to_version_before(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(roll_back(call.site, service));
  return status_reply("Model " + service.name + " is rolled back");
}

// {"service": "digits-2", "percent": 10}
Result<Answer> try_out(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto text, http::read_body(call.exchange, kLongestText));
  auto json = json_or_null(text);
  bool fine = json.is_object() && json.contains("percent") && json["percent"].is_number_unsigned();
  if (!fine || !json.value("service", Json("")).is_string())
    return fail(Code::BadArgument, "{\"service\": \"...\", \"percent\": N} is wanted");
  Canary canary{json.value("service", ""), json["percent"].get<unsigned>()};
  WM_TRY(set_canary(call.site, service, canary));
  return status_reply("Model is updated successfully");
}

Result<Answer> readme(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto text, read_file(service.package() + "/README.md"));
  return json_reply(to_text({{"readme", text}}));
}

Result<Answer> set_readme(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto text, http::read_body(call.exchange, kLongestText));
  auto json = json_or_null(text);
  if (!json.is_object() || !json.contains("readme") || !json["readme"].is_string())
    return fail(Code::BadArgument, "{\"readme\": \"...\"} is wanted");
  WM_TRY(replace_file(service.package() + "/README.md", json["readme"].get<std::string>(), 0600));
  return status_reply("Model is updated successfully");
}

Result<Answer> inference(Call& call) {
  WM_TRY(check_service(call.site, call.args[0]));
  WM_TRY(auto body, Body::take(call.exchange, kLongestSamples, call.site.results_root));
  std::string group(call.exchange.head().field("x-wm-group"));
  WM_TRY(auto reply,
         infer(call.site, call.args[0], std::move(body), group, call.exchange.descriptor()));
  return Answer(std::move(reply));
}

// Where streams come in, and what wgrpc(8) goes by.
Result<Answer> streaming(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto profile, profile_of(call.site, service));
  const auto& policy = profile.policy;
  auto limit = std::chrono::duration_cast<std::chrono::seconds>(policy.execution_timeout);
  return json_reply(to_text({{"streaming_service_uri", stream_uri(call)},
                             {"stream_number_per_group", policy.stream_group},
                             {"stream_discard_slow_tasks", policy.stream_discards},
                             {"task_execution_timeout", limit.count()}}));
}

Result<Answer> list_runtimes(Call& call) { return json_reply(runtimes_json(call.site)); }

Result<Answer> show_runtime(Call& call) {
  WM_TRY(auto text, runtime_text(call.site, call.args[0]));
  return json_reply(std::move(text));
}

Result<Answer> make_runtime(Call& call) {
  WM_TRY(auto text, http::read_body(call.exchange, kLongestText));
  WM_TRY(keep_runtime(call.site, "", text, false));
  return status_reply("Runtime is created successfully");
}

Result<Answer> change_runtime(Call& call) {
  WM_TRY(auto text, http::read_body(call.exchange, kLongestText));
  WM_TRY(keep_runtime(call.site, call.args[0], text, true));
  return status_reply("Runtime is updated successfully");
}

Result<Answer> drop_runtime(Call& call) {
  WM_TRY(remove_runtime(call.site, call.args[0]));
  return status_reply("Runtime is deleted successfully");
}

Result<Answer> register_model(Call& call) {
  WM_TRY(auto text, http::read_body(call.exchange, kLongestText));
  WM_TRY(auto service, register_service(call.site, text));
  return status_reply("Model <" + service.name + "> is deployed successfully");
}

// This user's, else that of another who lets this one call it.
template <Result<Answer> (*row)(Call&), const auto& what>
Result<Answer> or_at_owner(Call& call) {
  auto made = row(call);
  if (made || made.error().code != Code::NotFound) return made;
  auto others = at_owner(call, what);
  return !others && others.error().code == Code::NotFound ? made : others;
}

constexpr char kInference[] = "/inference", kInstance[] = "/instance", kStreaming[] = "/streaming";
constexpr char kItself[] = "";

template <Result<Answer> (*row)(Call&)>
Result<Answer> for_caller(Call& call, const Guest& guest) {
  WM_TRY(check_caller(call.site, call.args[0], guest));
  return row(call);
}

Result<Answer> list_to_caller(Call& call, const Guest& guest) {
  Json models = Json::array();
  for (const auto& service : services_for(call.site, guest)) {
    WM_TRY(auto json, deployed_json(call, service));
    models.push_back(std::move(json));
  }
  return json_reply(to_text(models));
}

Result<Answer> told_by_owner(Call& call, const Guest& guest) {
  know_service_owner(call.site, guest.user);
  return done();
}

// To these clients a model that is not there is 404, not a bad argument.
template <Result<Answer> (*row)(Call&)>
Result<Answer> telling(Call& call) {
  auto made = row(call);
  if (made || made.error().code != Code::NotFound) return made;
  return Answer(http::Reply{404,
                            {{"Content-Type", "text/plain; charset=utf-8"}},
                            "Error 404: " + made.error().text + "\n"});
}

}  // namespace

#define DLIM "/dlim/v1"
const std::vector<Route>& dlim_routes() {
  static const std::vector<Route> routes{
      {"POST", DLIM "/inference/{m}", telling<or_at_owner<inference, kInference>>},
      {"POST", DLIM "/deployment/model", telling<deploy_new>},
      {"POST", DLIM "/deployment/model/{m}", telling<redeploy>},
      {"GET", DLIM "/deployment/runtime", list_runtimes},
      {"POST", DLIM "/deployment/runtime", make_runtime},
      {"GET", DLIM "/deployment/runtime/{r}", telling<show_runtime>},
      {"PUT", DLIM "/deployment/runtime/{r}", telling<change_runtime>},
      {"DELETE", DLIM "/deployment/runtime/{r}", telling<drop_runtime>},
      {"GET", DLIM "/model", telling<list_deployed>},
      {"POST", DLIM "/model", register_model},
      {"GET", DLIM "/modelextension", telling<extensions>},
      {"GET", DLIM "/model/{m}", telling<or_at_owner<show_deployed, kItself>>},
      {"PUT", DLIM "/model/{m}", telling<edit>},
      {"DELETE", DLIM "/model/{m}", telling<undeploy>},
      {"PUT", DLIM "/model/{m}/operation/start", telling<start_deployed>},
      {"PUT", DLIM "/model/{m}/operation/stop", telling<stop_deployed>},
      {"PUT", DLIM "/model/{m}/operation/canary", telling<try_out>},
      {"PUT", DLIM "/model/{m}/operation/rollback", telling<to_version_before>},
      {"GET", DLIM "/model/{m}/instance", telling<or_at_owner<instance, kInstance>>},
      {"GET", DLIM "/model/{m}/appprofile", telling<profile>},
      {"PUT", DLIM "/model/{m}/appprofile", telling<set_profile>},
      {"GET", DLIM "/model/{m}/readme", telling<readme>},
      {"PUT", DLIM "/model/{m}/readme", telling<set_readme>},
      {"GET", DLIM "/model/{m}/streaming", telling<or_at_owner<streaming, kStreaming>>},
  };
  return routes;
}

std::span<const GuestRow> service_guest_rows() {
  static constexpr GuestRow kRows[] = {
      {"GET", "/services", list_to_caller},
      {"GET", "/services/{m}", for_caller<show_deployed>},
      {"GET", "/services/{m}/instance", for_caller<instance>},
      {"GET", "/services/{m}/streaming", for_caller<streaming>},
      {"POST", "/services/{m}/inference", for_caller<inference>},
      {"POST", "/told/service", told_by_owner},
  };
  return kRows;
}

}  // namespace wm::user
