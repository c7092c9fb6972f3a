// The rows of /dlim/v2: KServe's protocol v2 over HTTP, for services with a kernel that speaks it:
// model.json has the attribute protocol = kserve-v2, as those of the ready-made kernel do.
// @source KServe, Open Inference Protocol v2
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/routes.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

constexpr std::size_t kLongestInference = 32 << 20;

Answer refused_v2(int status, const std::string& error) {
  return json_reply(to_text({{"error", error}}), status);
}

bool speaks_v2(const DlimService& service) {
  for (const auto& [key, value] : service.model.attributes)
    if (key == "protocol" && value == "kserve-v2") return true;
  return false;
}

Result<DlimService> find_v2(Call& call) {
  WM_TRY(auto service, find_service(call.site, call.args[0]));
  if (!speaks_v2(service))
    return fail(Code::NotFound, "model " + service.name + " does not speak KServe's v2");
  return service;
}

Result<Answer> server(Call&) {
  return json_reply(
      to_text({{"name", "wm"}, {"version", WM_VERSION}, {"extensions", Json::array()}}));
}

Result<Answer> live(Call&) { return json_reply(R"({"live":true})"); }

Result<Answer> ready(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  auto up = master->ask(PingRequest{});
  return json_reply(up ? R"({"ready":true})" : R"({"ready":false})", up ? 200 : 503);
}

// The shape of an input as the package's signature.json has it; any number of samples.
Json inputs_of(const DlimService& service) {
  Json shape = Json::array({-1});
  auto text = read_file(service.package() + "/signature.json");
  auto signature = text ? json_or_null(*text) : Json();
  if (signature.is_object() && signature.contains("input_shape") &&
      signature["input_shape"].is_array())
    for (const auto& n : signature["input_shape"]) shape.push_back(n);
  return Json::array({{{"name", "input"}, {"datatype", "FP32"}, {"shape", shape}}});
}

Result<Answer> model(Call& call) {
  auto service = find_v2(call);
  if (!service) return refused_v2(404, service.error().text);
  Json outputs = Json::array({{{"name", "output"}, {"datatype", "FP32"}, {"shape", {-1, -1}}}});
  return json_reply(to_text({{"name", service->name},
                             {"versions", Json::array({service->record.versions.present})},
                             {"platform", "pytorch"},
                             {"inputs", inputs_of(*service)},
                             {"outputs", outputs}}));
}

Result<Answer> model_ready(Call& call) {
  auto service = find_v2(call);
  if (!service) return refused_v2(404, service.error().text);
  WM_TRY(auto job, service_job(call.site, *service));
  bool up = job && router_state(*service);
  Json json{{"name", service->name}, {"ready", up}};
  return json_reply(to_text(json), up ? 200 : 503);
}

Result<Answer> infer_v2(Call& call) {
  auto service = find_v2(call);
  if (!service) return refused_v2(404, service.error().text);
  WM_TRY(auto body, Body::take(call.exchange, kLongestInference, call.site.results_root));
  WM_TRY(auto reply,
         infer(call.site, service->name, std::move(body), "", call.exchange.descriptor()));
  if (reply.status != 200) return refused_v2(reply.status, reply.body);
  int status = reply.body.starts_with("{\"error\"") ? 400 : 200;
  return json_reply(std::move(reply.body), status);
}

}  // namespace

#define V2 "/dlim/v2"
const std::vector<Route>& kserve_routes() {
  static const std::vector<Route> routes{
      {"GET", V2, server},
      {"GET", V2 "/health/live", live},
      {"GET", V2 "/health/ready", ready},
      {"GET", V2 "/models/{m}", model},
      {"GET", V2 "/models/{m}/ready", model_ready},
      {"POST", V2 "/models/{m}/infer", infer_v2},
  };
  return routes;
}

}  // namespace wm::user
