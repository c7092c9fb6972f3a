#include "daemons/wgrpc/kserve.h"

#include "daemons/wgrpc/tensors.h"
#include "libwm/serve/model.h"

namespace wm::grpc_door {
namespace {

constexpr const char* kModels = "/dlim/v2/models/";

grpc::Status no_such(const std::string& model) {
  return status_of(404, "model " + model + " does not exist");
}

}  // namespace

grpc::Status Kserve::ServerLive(grpc::ServerContext*, const inference::ServerLiveRequest*,
                                inference::ServerLiveResponse* response) {
  response->set_live(true);
  return grpc::Status::OK;
}

grpc::Status Kserve::ServerReady(grpc::ServerContext* context, const inference::ServerReadyRequest*,
                                 inference::ServerReadyResponse* response) {
  auto caller = caller_of(*context);
  if (!caller) return status_of(caller.error());
  Shares::Call call(shares_, caller->socket);
  if (!call.is_admitted()) return too_many();
  auto reply = ServiceLink(*caller).send("GET", "/dlim/v2/health/ready", "");
  response->set_ready(reply.status == 200);
  return reply.status == 503 ? grpc::Status::OK : status_of(reply.status, reply.body);
}

grpc::Status Kserve::ModelReady(grpc::ServerContext* context,
                                const inference::ModelReadyRequest* request,
                                inference::ModelReadyResponse* response) {
  auto caller = caller_of(*context);
  if (!caller) return status_of(caller.error());
  Shares::Call call(shares_, caller->socket);
  if (!call.is_admitted()) return too_many();
  if (!serve::is_service_name(request->name())) return no_such(request->name());
  auto reply = ServiceLink(*caller).send("GET", kModels + request->name() + "/ready", "");
  response->set_ready(reply.status == 200);
  return reply.status == 503 ? grpc::Status::OK : status_of(reply.status, reply.body);
}

grpc::Status Kserve::ModelInfer(grpc::ServerContext* context,
                                const inference::ModelInferRequest* request,
                                inference::ModelInferResponse* response) {
  auto caller = caller_of(*context);
  if (!caller) return status_of(caller.error());
  Shares::Call call(shares_, caller->socket);
  if (!call.is_admitted()) return too_many();
  if (!serve::is_service_name(request->model_name())) return no_such(request->model_name());
  auto body = json_of(*request);
  if (!body) return status_of(body.error());
  auto target = kModels + request->model_name() + "/infer";
  auto reply = ServiceLink(*caller).send("POST", target, std::move(*body));
  if (reply.status != 200) return status_of(reply.status, reply.body);
  auto answer = response_of(reply.body);
  if (!answer) return status_of(500, answer.error().text);
  *response = std::move(*answer);
  return grpc::Status::OK;
}

}  // namespace wm::grpc_door
