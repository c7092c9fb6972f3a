#include "daemons/wgrpc/inference.h"

#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <thread>

#include "daemons/wgrpc/conversation.h"
#include "libwm/base/json.h"
#include "libwm/serve/model.h"

namespace wm::grpc_door {
namespace {

/// Where the tasks of one stream go.
struct Aim {
  std::string target;
  http::Fields fields;
};

std::string hex(std::uint64_t number) {
  std::array<char, 16> text{};
  auto end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  return {text.data(), end};
}

Aim aim_of(const std::string& model, std::uint64_t group) {
  Aim aim{"/dlim/v1/inference/" + model, {}};
  if (group != 0) aim.fields.emplace_back("X-WM-Group", hex(group));
  return aim;
}

// A wuserd may say anything; the library throws where a member is of another type.
serve::StreamRules rules_in(const std::string& text) {
  try {
    auto json = json_or_null(text);
    serve::StreamRules rules;
    if (!json.is_object()) return rules;
    rules.per_group = json.value("stream_number_per_group", 0u);
    rules.discards = json.value("stream_discard_slow_tasks", true);
    auto seconds = json.value("task_execution_timeout", 0);
    rules.patience = std::chrono::seconds(std::max(seconds, 0));
    return rules;
  } catch (const Json::exception&) {
    return {};
  }
}

v1::InferResponse late(std::uint64_t id) {
  v1::InferResponse response;
  response.set_id(id);
  response.set_status(504);
  response.set_discarded(true);
  response.set_data("discarded: task_execution_timeout passed before its turn came");
  return response;
}

// One after another, until the client has sent its last or takes no answers.
void answer_all(Conversation& conversation, ServiceLink& link, const Aim& aim,
                Inference::Messages& messages) {
  while (auto turn = conversation.next()) {
    auto response = late(turn->task.id);
    if (!turn->late) {
      auto reply = link.send("POST", aim.target, std::move(turn->task.data), aim.fields);
      response.set_discarded(false);
      response.set_status(static_cast<std::uint32_t>(reply.status));
      response.set_data(std::move(reply.body));
    }
    if (!messages.Write(response)) return conversation.abandon();
  }
}

void read_all(Conversation& conversation, v1::InferRequest& request,
              Inference::Messages& messages) {
  do {
    if (!conversation.put({request.id(), std::move(*request.mutable_data()), {}})) return;
  } while (messages.Read(&request));
}

}  // namespace

grpc::Status Inference::Infer(grpc::ServerContext* context, Messages* messages) {
  auto caller = caller_of(*context);
  if (!caller) return status_of(caller.error());
  Shares::Call call(shares_, caller->socket);
  if (!call.is_admitted()) return too_many();
  v1::InferRequest request;
  if (!messages->Read(&request)) return grpc::Status::OK;
  auto model = request.model();
  if (!serve::is_service_name(model)) return status_of(404, "model " + model + " does not exist");
  ServiceLink link(*caller);
  auto told = link.send("GET", "/dlim/v1/model/" + model + "/streaming", "");
  if (told.status != 200) return status_of(told.status, told.body);
  auto rules = rules_in(told.body);
  auto service = caller->socket + " " + model;
  std::uint64_t group = 0;
  {
    std::lock_guard hold(lock_);
    group = groups_.join(service, rules.per_group);
  }
  Conversation conversation(rules);
  std::thread answering([&] { answer_all(conversation, link, aim_of(model, group), *messages); });
  read_all(conversation, request, *messages);
  conversation.end();
  answering.join();
  std::lock_guard hold(lock_);
  groups_.leave(service, group);
  return grpc::Status::OK;
}

}  // namespace wm::grpc_door
