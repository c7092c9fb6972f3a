// Role: the gRPC door between clients and a user's wuserd, both played: who is asked what, what
// comes back as which status, and what a wuserd that means ill costs others.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

#include "daemons/wgrpc/inference.h"
#include "daemons/wgrpc/kserve.h"
#include "libwm/files/fd.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "test/support/folder.h"
#include "test/support/hostile_peer.h"

namespace wm::grpc_door {
namespace {

using namespace std::chrono_literals;

/// A request as the wuserd got it.
struct Asked {
  http::Head head;
  std::string body;
  std::string line() const { return head.method + " " + head.target; }
  std::string field(const char* name) const { return std::string(head.field(name)); }
};

/// A user's wuserd that answers as the test wants. @owns its thread, which ends with it
class PlayedAgent {
 public:
  using Answer = std::function<http::Reply(const Asked&)>;
  PlayedAgent(const std::string& path, Answer answer)
      : listening_(http::listen_at(path, 0600).value()), answer_(std::move(answer)) {
    thread_ = std::thread([this] {
      (void)http::serve(listening_.get(), {}, [this](http::Exchange& exchange) {
        Asked asked{exchange.head(), http::read_body(exchange, 1 << 20).value_or("")};
        auto reply = answer_(asked);
        {
          std::lock_guard hold(lock_);
          asked_.push_back(std::move(asked));
        }
        (void)exchange.reply(reply);
      });
    });
  }
  PlayedAgent(const PlayedAgent&) = delete;
  ~PlayedAgent() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::vector<Asked> asked() {
    std::lock_guard hold(lock_);
    return asked_;
  }

 private:
  Fd listening_;
  Answer answer_;
  std::mutex lock_;
  std::vector<Asked> asked_;  // Guarded by lock_.
  std::thread thread_;
};

class grpc_door : public ::testing::Test {
 protected:
  void SetUp() override {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("unix:" + door_, grpc::InsecureServerCredentials());
    builder.RegisterService(&streams_);
    builder.RegisterService(&kserve_);
    server_ = builder.BuildAndStart();
    ASSERT_TRUE(server_);
    auto channel = grpc::CreateChannel("unix:" + door_, grpc::InsecureChannelCredentials());
    kserve = inference::GRPCInferenceService::NewStub(channel);
    streams = v1::Inference::NewStub(channel);
  }
  void TearDown() override { server_->Shutdown(std::chrono::system_clock::now()); }

  /// As nginx and wgatewayd have found out who calls.
  void name(grpc::ClientContext& context, const std::string& socket = "") const {
    context.AddMetadata("x-wm-agent", socket.empty() ? agent_ : socket);
    context.AddMetadata("x-wm-token", "the token");
    context.AddMetadata("x-wm-host", "door.example");
  }
  grpc::Status ready(bool& told, const std::string& model = "", const std::string& socket = "",
                     std::chrono::milliseconds limit = 20s) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + limit);
    name(context, socket);
    if (model.empty()) {
      inference::ServerReadyResponse response;
      auto status = kserve->ServerReady(&context, {}, &response);
      told = response.ready();
      return status;
    }
    inference::ModelReadyRequest request;
    request.set_name(model);
    inference::ModelReadyResponse response;
    auto status = kserve->ModelReady(&context, request, &response);
    told = response.ready();
    return status;
  }
  grpc::Status infer(inference::ModelInferResponse& response, const std::string& model = "digits") {
    grpc::ClientContext context;
    name(context);
    inference::ModelInferRequest request;
    request.set_model_name(model);
    auto& input = *request.add_inputs();
    input.set_name("x");
    input.set_datatype("INT32");
    input.mutable_contents()->add_int_contents(4);
    return kserve->ModelInfer(&context, request, &response);
  }
  void play(PlayedAgent::Answer answer) {
    agent = std::make_unique<PlayedAgent>(agent_, std::move(answer));
  }
  void says(int status, const std::string& body = "") {
    agent.reset();
    play([=](const Asked&) { return http::Reply{status, {}, body}; });
  }

  test::OwnFolder folder;
  std::string door_ = folder.path() + "/door", agent_ = folder.path() + "/agent";
  std::unique_ptr<PlayedAgent> agent;
  Shares shares_{2};
  Inference streams_{1, shares_};
  Kserve kserve_{shares_};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<inference::GRPCInferenceService::Stub> kserve;
  std::unique_ptr<v1::Inference::Stub> streams;
};

TEST_F(grpc_door, it_lives_whoever_asks) {
  grpc::ClientContext context;
  inference::ServerLiveResponse response;
  EXPECT_TRUE(kserve->ServerLive(&context, {}, &response).ok());
  EXPECT_TRUE(response.live());
}

TEST_F(grpc_door, whom_nobody_has_named_is_asked_to_log_on) {
  for (const char* alone : {"x-wm-agent", "x-wm-token"}) {
    grpc::ClientContext first, second, third;
    for (auto* context : {&first, &second, &third}) context->AddMetadata(alone, "x");
    inference::ServerReadyResponse ready;
    EXPECT_EQ(kserve->ServerReady(&first, {}, &ready).error_code(),
              grpc::StatusCode::UNAUTHENTICATED);
    inference::ModelReadyResponse model;
    EXPECT_EQ(kserve->ModelReady(&second, {}, &model).error_code(),
              grpc::StatusCode::UNAUTHENTICATED);
    inference::ModelInferResponse answer;
    EXPECT_EQ(kserve->ModelInfer(&third, {}, &answer).error_code(),
              grpc::StatusCode::UNAUTHENTICATED);
    grpc::ClientContext fourth;
    fourth.AddMetadata(alone, "x");
    auto stream = streams->Infer(&fourth);
    stream->WritesDone();
    EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAUTHENTICATED);
  }
}

TEST_F(grpc_door, the_wuserd_is_asked_with_the_callers_token_and_place) {
  says(200);
  bool told = false;
  EXPECT_TRUE(ready(told).ok());
  EXPECT_TRUE(told);
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

TEST_F(grpc_door, what_is_not_ready_is_no_error_and_what_is_refused_is_one) {
  bool told = true;
  for (const char* model : {"", "digits"}) {
    says(503);
    EXPECT_TRUE(ready(told, model).ok());
    EXPECT_FALSE(told);
    using enum grpc::StatusCode;
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

TEST_F(grpc_door, a_name_that_no_service_has_reaches_no_wuserd) {
  says(200, "{}");
  bool told = false;
  inference::ModelInferResponse response;
  for (const char* none : {"../x", "a/b", "a b", "%2e"}) {
    EXPECT_EQ(ready(told, none).error_code(), grpc::StatusCode::NOT_FOUND) << none;
    EXPECT_EQ(infer(response, none).error_code(), grpc::StatusCode::NOT_FOUND) << none;
  }
  EXPECT_EQ(infer(response, "").error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_TRUE(agent->asked().empty());
}

TEST_F(grpc_door, a_tensor_goes_to_the_service_and_its_answer_comes_back) {
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

TEST_F(grpc_door, a_service_that_refuses_or_says_nothing_of_the_kind_is_told) {
  inference::ModelInferResponse response;
  says(400, "no such input");
  EXPECT_EQ(infer(response).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  says(200, "rubbish");
  EXPECT_EQ(infer(response).error_code(), grpc::StatusCode::INTERNAL);
}

TEST_F(grpc_door, one_of_a_stopped_wuserd_is_given_up_at_its_deadline_and_keeps_nobody_else) {
  says(200);
  auto stopped = folder.path() + "/stopped";
  for (auto manner : {test::Manner::Stopped, test::Manner::Silent, test::Manner::Slow}) {
    test::HostilePeer ill(test::HostilePeer::End::Listens, stopped, manner);
    std::vector<std::future<grpc::Status>> waiting;
    for (int n = 0; n < 2; ++n)
      waiting.push_back(std::async(std::launch::async, [&] {
        bool told = false;
        return ready(told, "", stopped, 500ms);
      }));
    bool told = false;
    EXPECT_TRUE(ready(told).ok()) << "another user's";
    EXPECT_TRUE(told);
    for (auto& one : waiting)
      EXPECT_EQ(one.get().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  }
}

TEST_F(grpc_door, one_user_has_a_share_of_calls_and_no_more) {
  std::promise<void> go;
  auto let_go = go.get_future().share();
  std::atomic<int> under_way = 0;
  play([&](const Asked&) {
    ++under_way;
    let_go.wait();
    return http::Reply{200, {}, ""};
  });
  bool first = false, second = false, third = true;
  auto one = std::async(std::launch::async, [&] { return ready(first); });
  auto two = std::async(std::launch::async, [&] { return ready(second, "digits"); });
  while (under_way < 2) std::this_thread::yield();
  EXPECT_EQ(ready(third).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  go.set_value();
  EXPECT_TRUE(one.get().ok());
  EXPECT_TRUE(two.get().ok());
  EXPECT_TRUE(ready(third).ok()) << "theirs are over";
}

TEST(grpc_shares, without_a_share_no_call_is_begun) {
  test::OwnFolder folder;
  PlayedAgent agent(folder.path() + "/agent", [](const Asked&) {
    return http::Reply{200, {}, ""};
  });
  Shares none(0);
  Inference streams(1, none);
  Kserve kserve(none);
  grpc::ServerBuilder builder;
  auto door = "unix:" + folder.path() + "/door";
  builder.AddListeningPort(door, grpc::InsecureServerCredentials());
  builder.RegisterService(&streams);
  builder.RegisterService(&kserve);
  auto server = builder.BuildAndStart();
  auto channel = grpc::CreateChannel(door, grpc::InsecureChannelCredentials());
  auto stub = inference::GRPCInferenceService::NewStub(channel);
  auto named = [&](grpc::ClientContext& context) -> grpc::ClientContext* {
    context.AddMetadata("x-wm-agent", folder.path() + "/agent");
    context.AddMetadata("x-wm-token", "t");
    return &context;
  };
  grpc::ClientContext first, second, third, fourth;
  inference::ServerReadyResponse ready;
  inference::ModelReadyRequest model;
  model.set_name("digits");
  inference::ModelReadyResponse model_ready;
  inference::ModelInferRequest wanted;
  wanted.set_model_name("digits");
  inference::ModelInferResponse answer;
  using enum grpc::StatusCode;
  EXPECT_EQ(stub->ServerReady(named(first), {}, &ready).error_code(), RESOURCE_EXHAUSTED);
  EXPECT_EQ(stub->ModelReady(named(second), model, &model_ready).error_code(), RESOURCE_EXHAUSTED);
  EXPECT_EQ(stub->ModelInfer(named(third), wanted, &answer).error_code(), RESOURCE_EXHAUSTED);
  auto stream = v1::Inference::NewStub(channel)->Infer(named(fourth));
  stream->WritesDone();
  EXPECT_EQ(stream->Finish().error_code(), RESOURCE_EXHAUSTED);
  EXPECT_TRUE(agent.asked().empty());
  server->Shutdown(std::chrono::system_clock::now());
}

/// One stream of tasks to the service "digits", or another.
class StreamTest : public grpc_door {
 protected:
  void rules(const std::string& json, PlayedAgent::Answer answer) {
    play([=](const Asked& asked) {
      if (asked.head.method == "GET") return http::Reply{200, {}, json};
      return answer(asked);
    });
  }
  static http::Reply echoed(const Asked& asked) { return {200, {}, "re: " + asked.body}; }
  /// Sends the tasks, then reads all responses; the stream's status is `status`.
  std::vector<v1::InferResponse> run(
      const std::vector<std::pair<std::uint64_t, std::string>>& tasks,
      const std::string& model = "digits") {
    grpc::ClientContext context;
    name(context);
    auto stream = streams->Infer(&context);
    for (const auto& [id, data] : tasks) {
      v1::InferRequest request;
      request.set_model(model);
      request.set_id(id);
      request.set_data(data);
      stream->Write(request);
    }
    stream->WritesDone();
    std::vector<v1::InferResponse> all;
    for (v1::InferResponse one; stream->Read(&one);) all.push_back(one);
    status = stream->Finish();
    return all;
  }
  std::vector<Asked> posts() {
    auto all = agent->asked();
    std::erase_if(all, [](const Asked& one) { return one.head.method != "POST"; });
    return all;
  }
  grpc::Status status;
};

TEST_F(StreamTest, each_task_is_answered_in_its_order) {
  rules("{}", echoed);
  auto all = run({{3, "a"}, {1, "b"}, {2, "c"}});
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(all.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    EXPECT_EQ(all[n].id(), (std::vector<std::uint64_t>{3, 1, 2}[n]));
    EXPECT_EQ(all[n].data(), std::string("re: ") + "abc"[n]);
    EXPECT_EQ(all[n].status(), 200u);
    EXPECT_FALSE(all[n].discarded());
  }
  EXPECT_EQ(agent->asked()[0].line(), "GET /dlim/v1/model/digits/streaming");
  EXPECT_EQ(posts()[0].line(), "POST /dlim/v1/inference/digits");
  EXPECT_EQ(posts()[0].field("x-wm-group"), "") << "the profile wants no groups";
}

TEST_F(StreamTest, a_task_that_goes_wrong_is_told_and_the_next_one_is_done) {
  rules("{}", [](const Asked& asked) {
    return asked.body == "bad" ? http::Reply{500, {}, "broken"} : echoed(asked);
  });
  auto all = run({{1, "bad"}, {2, "good"}});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].status(), 500u);
  EXPECT_EQ(all[0].data(), "broken");
  EXPECT_FALSE(all[0].discarded());
  EXPECT_EQ(all[1].data(), "re: good");
}

TEST_F(StreamTest, a_stream_of_a_group_says_which) {
  rules(R"({"stream_number_per_group":2})", echoed);
  run({{1, "a"}, {2, "b"}});
  run({{1, "c"}});
  auto all = posts();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NE(all[0].field("x-wm-group"), "");
  EXPECT_EQ(all[0].field("x-wm-group"), all[1].field("x-wm-group"));
  EXPECT_NE(all[0].field("x-wm-group"), all[2].field("x-wm-group")) << "the first has left";
}

TEST_F(StreamTest, a_task_whose_turn_comes_too_late_is_discarded_where_the_profile_says_so) {
  for (bool discards : {true, false}) {
    std::string json = discards
                           ? R"({"task_execution_timeout":1})"
                           : R"({"task_execution_timeout":1,"stream_discard_slow_tasks":false})";
    rules(json, [](const Asked& asked) {
      std::promise<void> never;  // longer than the patience of the task behind it
      if (asked.body == "slow") never.get_future().wait_for(1200ms);
      return echoed(asked);
    });
    auto all = run({{1, "slow"}, {2, "behind"}});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].status(), 200u);
    EXPECT_EQ(all[1].id(), 2u);
    EXPECT_EQ(all[1].discarded(), discards);
    EXPECT_EQ(all[1].status(), discards ? 504u : 200u);
    EXPECT_EQ(posts().size(), discards ? 1u : 2u);
    agent.reset();
  }
}

TEST_F(StreamTest, a_service_that_is_none_or_refuses_ends_the_stream) {
  says(404, "no such model");
  EXPECT_TRUE(run({{1, "a"}}).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(posts().size(), 0u);
  EXPECT_TRUE(run({{1, "a"}}, "../x").empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(agent->asked().size(), 1u) << "the second reached nobody";
}

TEST_F(StreamTest, one_without_a_task_asks_nobody) {
  says(200, "{}");
  EXPECT_TRUE(run({}).empty());
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(agent->asked().empty());
}

TEST_F(StreamTest, rules_that_do_not_read_are_none) {
  for (const char* json : {"", "[]", "rubbish", R"({"task_execution_timeout":-5})"}) {
    rules(json, echoed);
    EXPECT_EQ(run({{1, "a"}}).size(), 1u) << json;
    agent.reset();
  }
}

TEST_F(StreamTest, a_lost_connection_is_one_tasks_and_made_again_for_the_next) {
  rules("{}", [](const Asked& asked) {
    if (asked.body == "last") return http::Reply{200, {{"Connection", "close"}}, "bye"};
    return echoed(asked);
  });
  auto all = run({{1, "a"}, {2, "last"}, {3, "b"}, {4, "c"}});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].data(), "re: a");
  EXPECT_EQ(all[1].data(), "bye");
  EXPECT_EQ(all[3].data(), "re: c") << "whether the one before it was lost or not";
}

}  // namespace
}  // namespace wm::grpc_door
