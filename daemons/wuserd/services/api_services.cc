// The rows of /api/v1 about services, as pages show them: /dlim/v1 has what changes them.
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/routes.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLongestSpan = 24 * 3600;
constexpr off_t kLogTail = 64 << 10;

Json canary_json(const Call& call, const std::string& name) {
  auto canary = canary_of(call.site, name);
  if (!canary) return nullptr;
  return {{"service", canary->service}, {"percent", canary->percent}};
}

Result<Json> service_json(Call& call, const DlimService& service) {
  WM_TRY(auto job, service_job(call.site, service));
  auto profile = profile_of(call.site, service);
  auto state = job ? router_state(service) : std::nullopt;
  const auto& record = service.record;
  return Json{{"name", service.name},
              {"state", job ? "Started" : "Stopped"},
              {"job", job ? to_string(record.job) : ""},
              {"owner", call.site.user},
              {"tag", service.model.tag},
              {"version", record.versions.present},
              {"earlier", record.versions.earlier},
              {"canary", canary_json(call, service.name)},
              {"space", record.space},
              {"model", record.model},
              {"created", record.created},
              {"updated", record.updated},
              {"started", job ? record.started : 0},
              {"uri", "https://" + std::string(call.exchange.head().field("x-wm-host")) +
                          "/dlim/v1/inference/" + service.name},
              {"kernel_min", profile ? profile->policy.kernel_min : 0},
              {"kernel_max", profile ? profile->policy.kernel_max : 0},
              {"plan", profile ? profile->plan : ""},
              {"router", state ? json_or_null(*state) : Json()}};
}

Result<Answer> list_services(Call& call) {
  Json found = Json::array();
  for (const auto& service : all_services(call.site)) {
    WM_TRY(auto json, service_json(call, service));
    found.push_back(std::move(json));
  }
  Json others = Json::array();
  WM_TRY(auto of_others, others_services(call.site));
  for (const auto& [name, there] : of_others)
    others.push_back({{"name", name},
                      {"owner", there.owner},
                      {"job", to_string(there.job)},
                      {"state", there.is_held() ? "Stopped" : "Started"},
                      {"plan", there.groups.front().job->spec().plan}});
  return json_reply(to_text({{"services", found}, {"others", others}}));
}

Json signature_of(const DlimService& service) {
  auto text = read_file(service.package() + "/signature.json");
  return text ? json_or_null(*text) : Json();
}

Result<Answer> show_service(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto json, service_json(call, service));
  WM_TRY(auto profile, read_file(service.folder + "/profile.json"));
  json["profile"] = json_or_null(profile);
  json["description"] = json_or_null(service.model.text);
  json["signature"] = signature_of(service);
  json["why"] = "";
  if (json["state"] == "Started") {
    WM_TRY(json["why"], kernels_wait_for(call.site, service));
  }
  return json_reply(to_text(json));
}

Result<std::int64_t> seconds_of(const std::string& text) {
  std::int64_t seconds = 600;
  if (text.empty()) return seconds;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (ec != std::errc() || end != text.data() + text.size() || seconds < 1 ||
      seconds > kLongestSpan)
    return fail(Code::BadArgument, "seconds: a number from 1 to 86400 is wanted");
  return seconds;
}

Result<Answer> series(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto seconds, seconds_of(call.target.value("seconds")));
  auto text = router_series(service, seconds);
  return json_reply(text ? *text : "{\"samples\":[]}");
}

// The end of what kernels wrote, in the newest run of the service.
Result<Answer> service_log(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  WM_TRY(auto profile, profile_of(call.site, service));
  auto path = log_folder(service, profile) + "/" + std::to_string(service.record.job.job) + ".2";
  auto text = output_end(path, kLogTail);
  return Answer(http::Reply{200, {{"Content-Type", "text/plain; charset=utf-8"}}, text});
}

// As Prometheus reads it.
std::string metrics_text(const std::string& name, const Json& state) {
  std::string text, label = "{model=\"" + name + "\"";
  auto add = [&](const char* metric, const std::string& more, const Json& value) {
    text += std::string("wm_service_") + metric + label + more + "} " + to_text(value) + "\n";
  };
  for (const char* metric : {"arrived", "finished", "failed"})
    add((std::string(metric) + "_total").c_str(), "", state.value(metric, Json(0)));
  for (const char* metric : {"queued", "in_flight", "wanted", "requests_per_s"})
    add(metric, "", state.value(metric, Json(0)));
  add("oldest_seconds", "", state.value("oldest_ms", 0.0) / 1000);
  add("kernels", "", state.value("kernels", Json::array()).size());
  constexpr std::array<const char*, 3> kShares{"0.5", "0.95", "0.99"};
  auto latency = state.value("latency_ms", Json::object());
  for (const auto& [stage, shares] : latency.items())
    for (std::size_t i = 0; i < kShares.size() && i < shares.size(); ++i)
      add("latency_seconds", ",stage=\"" + stage + "\",quantile=\"" + kShares[i] + "\"",
          shares[i].get<double>() / 1000);
  return text;
}

Result<Answer> service_metrics(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  auto state = router_state(service);
  auto text = state ? metrics_text(service.name, json_or_null(*state)) : std::string();
  return Answer(http::Reply{200, {{"Content-Type", "text/plain; version=0.0.4"}}, text});
}

}  // namespace

#define SERVICE "/api/v1/services"
const std::vector<Route>& service_routes() {
  static const std::vector<Route> routes{
      {"GET", SERVICE, list_services},
      {"GET", SERVICE "/{name}", show_service},
      {"GET", SERVICE "/{name}/series", series},
      {"GET", SERVICE "/{name}/log", service_log},
      {"GET", SERVICE "/{name}/metrics", service_metrics},
  };
  return routes;
}

}  // namespace wm::user
