// The row of /platform/rest/deeplearning/v1 that makes a service of an execution's model.
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/services/dlim.h"
#include "daemons/wuserd/services/packages.h"
#include "daemons/wuserd/services/routes.h"
#include "daemons/wuserd/site/reply.h"

namespace wm::user {
namespace {

constexpr std::size_t kLongestDeployment = 1 << 20;

// Of its model a service is made, which is started as any other.
Result<Answer> deploy_exec(Call& call) {
  WM_TRY(auto exec, find_exec(call.site, call.args[0]));
  if (!is_over(exec.job->state))
    return fail(Code::Conflict, "execution " + call.args[0] + " has not ended yet");
  WM_TRY(auto body, http::read_body(call.exchange, kLongestDeployment));
  WM_TRY(auto wanted, serve::read_wanted(body));
  Scratch scratch(call.site);
  Placing placing;
  placing.package = scratch.path + "/package";
  WM_TRY(make_package(exec, wanted, placing.package));
  WM_TRY(auto service, place_package(call.site, placing));
  auto text = "Model <" + service.name + "> is deployed successfully";
  return json_reply("{\"status\":" + rest::json_text(text) +
                    ",\"name\":" + rest::json_text(service.name) + "}");
}

}  // namespace

const std::vector<Route>& from_run_routes() {
  static const std::vector<Route> routes{
      {"POST", "/platform/rest/deeplearning/v1/execs/{id}/deploy", deploy_exec}};
  return routes;
}

}  // namespace wm::user
