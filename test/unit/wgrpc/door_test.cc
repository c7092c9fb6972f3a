// Role: KServe's protocol through the gRPC door: who is asked what, what comes back as which
// status, and what a wuserd that means ill costs others.
#include "test/unit/wgrpc/door.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <future>
#include <utility>
#include <vector>

#include "test/support/hostile_peer.h"

namespace wm::grpc_door {
namespace {

using namespace std::chrono_literals;

class door : public DoorTest {
 protected:
  /// Asks whether the server is ready, or a model of it.
  grpc::Status ready(bool& told, const std::string& model = "", const std::string& socket = "",
                     std::chrono::milliseconds limit = kPatience) {
    grpc::ClientContext context;
    name(context, socket, limit);
    if (!model.empty()) return model_ready(context, model, told);
    inference::ServerReadyResponse response;
    auto status = kserve_stub->ServerReady(&context, {}, &response);
    told = response.ready();
    return status;
  }
  grpc::Status infer(inference::ModelInferResponse& response, const std::string& model = "digits",
                     const std::string& datatype = "INT32") {
    grpc::ClientContext context;
    name(context);
    inference::ModelInferRequest request;
    request.set_model_name(model);
    auto& input = *request.add_inputs();
    input.set_name("x");
    input.set_datatype(datatype);
    input.mutable_contents()->add_int_contents(4);
    return kserve_stub->ModelInfer(&context, request, &response);
  }

 private:
  grpc::Status model_ready(grpc::ClientContext& context, const std::string& model, bool& told) {
    inference::ModelReadyRequest request;
    request.set_name(model);
    inference::ModelReadyResponse response;
    auto status = kserve_stub->ModelReady(&context, request, &response);
    told = response.ready();
    return status;
  }
};

TEST_F(door, it_lives_whoever_asks) {
  grpc::ClientContext context;
  inference::ServerLiveResponse response;
  EXPECT_TRUE(kserve_stub->ServerLive(&context, {}, &response).ok());
  EXPECT_TRUE(response.live());
}

TEST_F(door, whom_nobody_has_named_is_asked_to_log_on) {
  using enum grpc::StatusCode;
  for (const char* alone : {"x-wm-agent", "x-wm-token"}) {
    grpc::ClientContext first, second, third, fourth;
    for (auto* context : {&first, &second, &third, &fourth}) context->AddMetadata(alone, "x");
    inference::ServerReadyResponse ready;
    EXPECT_EQ(kserve_stub->ServerReady(&first, {}, &ready).error_code(), UNAUTHENTICATED);
    inference::ModelReadyResponse model;
    EXPECT_EQ(kserve_stub->ModelReady(&second, {}, &model).error_code(), UNAUTHENTICATED);
    inference::ModelInferResponse answer;
    EXPECT_EQ(kserve_stub->ModelInfer(&third, {}, &answer).error_code(), UNAUTHENTICATED);
    auto stream = stream_stub->Infer(&fourth);
    stream->WritesDone();
    EXPECT_EQ(stream->Finish().error_code(), UNAUTHENTICATED);
  }
}

TEST_F(door, the_wuserd_is_asked_with_the_callers_token_and_place) {
  says(200);
  bool told = false;
  EXPECT_TRUE(ready(told).ok());
  EXPECT_TRUE(told);
  told = false;
  EXPECT_TRUE(ready(told, "digits").ok());
  EXPECT_TRUE(told);
  auto asked = agent->asked();
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_EQ(asked[0].line(), "GET /dlim/v2/health/ready");
  EXPECT_EQ(asked[1].line(), "GET /dlim/v2/models/digits/ready");
  for (const auto& one : asked) {
    EXPECT_EQ(one.field("x-wm-token"), "the token");
    EXPECT_EQ(one.field("x-wm-host"), "door.example");
  }
}

TEST_F(door, what_is_not_ready_is_no_error_and_what_is_refused_is_one) {
  using enum grpc::StatusCode;
  bool told = true;
  for (const char* model : {"", "digits"}) {
    says(503);
    EXPECT_TRUE(ready(told, model).ok());
    EXPECT_FALSE(told);
    for (auto [status, code] :
         {std::pair(400, INVALID_ARGUMENT), std::pair(401, UNAUTHENTICATED),
          std::pair(403, PERMISSION_DENIED), std::pair(404, NOT_FOUND),
          std::pair(413, INVALID_ARGUMENT), std::pair(429, RESOURCE_EXHAUSTED),
          std::pair(500, INTERNAL), std::pair(504, DEADLINE_EXCEEDED)}) {
      says(status, "why");
      auto said = ready(told, model);
      EXPECT_EQ(said.error_code(), code) << status;
      EXPECT_EQ(said.error_message(), "why");
    }
  }
  agent.reset();
  EXPECT_TRUE(ready(told).ok()) << "there is nobody: it is not ready";
  EXPECT_FALSE(told);
}

TEST_F(door, a_name_that_no_service_has_reaches_no_wuserd) {
  says(200, "{}");
  bool told = false;
  inference::ModelInferResponse response;
  for (const char* none : {"../x", "a/b", "a b", "%2e"}) {
    auto said = ready(told, none);
    EXPECT_EQ(said.error_code(), grpc::StatusCode::NOT_FOUND) << none;
    EXPECT_EQ(said.error_message(), std::string("model ") + none + " does not exist");
    EXPECT_EQ(infer(response, none).error_code(), grpc::StatusCode::NOT_FOUND) << none;
  }
  EXPECT_EQ(infer(response, "").error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_TRUE(agent->asked().empty());
}

TEST_F(door, a_tensor_goes_to_the_service_and_its_answer_comes_back) {
  says(200, R"({"outputs":[{"name":"y","datatype":"INT32","shape":[1],"data":[8]}]})");
  inference::ModelInferResponse response;
  auto status = infer(response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_EQ(response.outputs(0).contents().int_contents(0), 8);
  auto asked = agent->asked();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_EQ(asked[0].line(), "POST /dlim/v2/models/digits/infer");
  EXPECT_NE(asked[0].body.find(R"("data":[4])"), std::string::npos) << asked[0].body;
}

TEST_F(door, a_tensor_that_is_none_reaches_no_wuserd) {
  says(200, "{}");
  inference::ModelInferResponse response;
  auto said = infer(response, "digits", "FP16");
  EXPECT_EQ(said.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(said.error_message().find("FP16"), std::string::npos) << said.error_message();
  EXPECT_TRUE(agent->asked().empty());
}

TEST_F(door, a_service_that_refuses_or_says_nothing_of_the_kind_is_told) {
  inference::ModelInferResponse response;
  says(400, "no such input");
  auto said = infer(response);
  EXPECT_EQ(said.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(said.error_message(), "no such input");
  says(200, "rubbish");
  EXPECT_EQ(infer(response).error_code(), grpc::StatusCode::INTERNAL);
  agent.reset();
  EXPECT_EQ(infer(response).error_code(), grpc::StatusCode::UNAVAILABLE) << "there is nobody";
}

TEST_F(door, one_of_a_stopped_wuserd_is_given_up_at_its_deadline_and_keeps_nobody_else) {
  says(200);
  for (auto manner : {test::Manner::Stopped, test::Manner::Silent, test::Manner::Slow}) {
    auto stopped = folder.path() + "/ill" + std::to_string(static_cast<int>(manner));
    test::HostilePeer ill(test::HostilePeer::End::Listens, stopped, manner);
    std::vector<std::future<grpc::Status>> waiting;
    for (std::size_t n = 0; n < kShare; ++n)
      waiting.push_back(std::async(std::launch::async, [&] {
        bool told = false;
        return ready(told, "", stopped, 500ms);
      }));
    bool told = false;
    EXPECT_TRUE(ready(told).ok()) << "another user's";
    EXPECT_TRUE(told);
    for (auto& one : waiting)
      EXPECT_EQ(one.get().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
    EXPECT_TRUE(comes([&] { return shares_.users() == 0; })) << "theirs are over, too";
  }
}

TEST_F(door, one_user_has_a_share_of_calls_and_no_more) {
  std::promise<void> go;
  auto let_go = go.get_future().share();
  play([&](const Asked&) {
    let_go.wait();
    return http::Reply{200, {}, ""};
  });
  bool first = false, second = false, third = true;
  auto one = std::async(std::launch::async, [&] { return ready(first); });
  auto two = std::async(std::launch::async, [&] { return ready(second, "digits"); });
  EXPECT_TRUE(comes([&] { return agent->asked().size() == kShare; }));
  EXPECT_EQ(ready(third).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(ready(third, "digits").error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  inference::ModelInferResponse response;
  EXPECT_EQ(infer(response).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  grpc::ClientContext context;
  name(context);
  auto stream = stream_stub->Infer(&context);
  stream->WritesDone();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(agent->asked().size(), kShare);
  go.set_value();
  EXPECT_TRUE(one.get().ok());
  EXPECT_TRUE(two.get().ok());
  EXPECT_TRUE(ready(third).ok()) << "theirs are over";
}

}  // namespace
}  // namespace wm::grpc_door
