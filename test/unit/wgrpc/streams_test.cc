// Role: streams of tasks through the gRPC door: their order, groups, what comes too late, and what
// becomes of a stream when its service, its connection or its client is gone.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "test/unit/wgrpc/door.h"

namespace wm::grpc_door {
namespace {

using namespace std::chrono_literals;

/// One stream of tasks to the service "digits", or another.
class streams : public DoorTest {
 protected:
  using Stream = grpc::ClientReaderWriter<v1::InferRequest, v1::InferResponse>;

  /// A wuserd that says of the service's profile what `json` does.
  void rules(const std::string& json, PlayedAgent::Answer answer) {
    play([=](const Asked& asked) {
      if (asked.head.method == "GET") return http::Reply{200, {}, json};
      return answer(asked);
    });
  }
  static http::Reply echoed(const Asked& asked) { return {200, {}, "re: " + asked.body}; }
  static void put(Stream& stream, std::uint64_t id, const std::string& data,
                  const std::string& model = "digits") {
    v1::InferRequest request;
    request.set_model(model);
    request.set_id(id);
    request.set_data(data);
    stream.Write(request);
  }
  /// Sends the tasks, then reads all responses; the stream's status is `status`.
  std::vector<v1::InferResponse> run(
      const std::vector<std::pair<std::uint64_t, std::string>>& tasks,
      const std::string& model = "digits") {
    grpc::ClientContext context;
    name(context);
    auto stream = stream_stub->Infer(&context);
    for (const auto& [id, data] : tasks) put(*stream, id, data, model);
    stream->WritesDone();
    std::vector<v1::InferResponse> all;
    for (v1::InferResponse one; stream->Read(&one);) all.push_back(one);
    status = stream->Finish();
    return all;
  }
  /// The tasks that the wuserd was given.
  std::vector<Asked> posts() {
    auto all = agent->asked();
    std::erase_if(all, [](const Asked& one) { return one.head.method != "POST"; });
    return all;
  }
  grpc::Status status;
};

TEST_F(streams, each_task_is_answered_in_its_order) {
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
  for (const auto& one : posts()) {
    EXPECT_EQ(one.line(), "POST /dlim/v1/inference/digits");
    EXPECT_EQ(one.field("x-wm-token"), "the token");
    EXPECT_EQ(one.field("x-wm-group"), "") << "the profile wants no groups";
  }
}

TEST_F(streams, a_task_that_goes_wrong_is_told_and_the_next_one_is_done) {
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

TEST_F(streams, a_stream_of_a_group_says_which) {
  rules(R"({"stream_number_per_group":2})", echoed);
  run({{1, "a"}, {2, "b"}});
  run({{1, "c"}});
  auto all = posts();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].field("x-wm-group"), "1");
  EXPECT_EQ(all[1].field("x-wm-group"), "1");
  EXPECT_EQ(all[2].field("x-wm-group"), "2") << "the first has left";
}

TEST_F(streams, those_that_are_open_at_once_share_a_group) {
  rules(R"({"stream_number_per_group":2})", echoed);
  grpc::ClientContext context;
  name(context);
  auto first = stream_stub->Infer(&context);
  put(*first, 1, "a");
  v1::InferResponse response;
  ASSERT_TRUE(first->Read(&response));
  EXPECT_EQ(run({{1, "b"}}).size(), 1u);
  EXPECT_EQ(run({{1, "c"}}, "letters").size(), 1u);
  first->WritesDone();
  EXPECT_TRUE(first->Finish().ok());
  auto all = posts();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].field("x-wm-group"), all[1].field("x-wm-group"));
  EXPECT_NE(all[0].field("x-wm-group"), all[2].field("x-wm-group")) << "another service's";
}

TEST_F(streams, a_task_whose_turn_comes_too_late_is_discarded_where_the_profile_says_so) {
  for (bool discards : {true, false}) {
    std::string json = discards
                           ? R"({"task_execution_timeout":1})"
                           : R"({"task_execution_timeout":1,"stream_discard_slow_tasks":false})";
    rules(json, [](const Asked& asked) {
      // Longer than the patience of the task behind it.
      if (asked.body == "slow") std::this_thread::sleep_for(1500ms);
      return echoed(asked);
    });
    auto all = run({{1, "slow"}, {2, "behind"}});
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].status(), 200u);
    EXPECT_EQ(all[1].id(), 2u);
    EXPECT_EQ(all[1].discarded(), discards);
    EXPECT_EQ(all[1].status(), discards ? 504u : 200u);
    EXPECT_EQ(posts().size(), discards ? 1u : 2u);
  }
}

TEST_F(streams, a_service_that_is_none_or_refuses_ends_the_stream) {
  says(404, "no such model");
  EXPECT_TRUE(run({{1, "a"}}).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no such model");
  EXPECT_EQ(posts().size(), 0u);
  EXPECT_TRUE(run({{1, "a"}}, "../x").empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(agent->asked().size(), 1u) << "the second reached nobody";
  agent.reset();
  EXPECT_TRUE(run({{1, "a"}}).empty());
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE) << "there is nobody";
}

TEST_F(streams, one_without_a_task_asks_nobody) {
  says(200, "{}");
  EXPECT_TRUE(run({}).empty());
  EXPECT_TRUE(status.ok());
  EXPECT_TRUE(agent->asked().empty());
}

TEST_F(streams, rules_that_do_not_read_are_none) {
  for (const char* json :
       {"", "[]", "rubbish", R"({"task_execution_timeout":-5})",
        R"({"task_execution_timeout":"soon"})", R"({"stream_number_per_group":"two"})",
        R"({"stream_number_per_group":2,"stream_discard_slow_tasks":1})"}) {
    rules(json, echoed);
    auto all = run({{1, "a"}});
    ASSERT_EQ(all.size(), 1u) << json;
    EXPECT_EQ(all[0].status(), 200u) << json;
    EXPECT_EQ(posts()[0].field("x-wm-group"), "") << json;
  }
}

TEST_F(streams, a_lost_connection_is_one_tasks_which_is_not_tried_again) {
  rules("{}", [](const Asked& asked) {
    return asked.body == "last" ? http::Reply{0, {}, ""} : echoed(asked);
  });
  auto all = run({{1, "a"}, {2, "last"}, {3, "b"}});
  ASSERT_TRUE(status.ok());
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].data(), "re: a");
  EXPECT_EQ(all[1].status(), 503u);
  EXPECT_EQ(all[2].data(), "re: b");
  EXPECT_EQ(posts().size(), 3u);
}

TEST_F(streams, a_connection_that_ended_between_two_tasks_costs_none) {
  rules("{}", [](const Asked& asked) {
    return http::Reply{200, {{"Connection", "close"}}, "re: " + asked.body};
  });
  grpc::ClientContext context;
  name(context);
  auto stream = stream_stub->Infer(&context);
  v1::InferResponse response;
  for (int n = 1; n <= 3; ++n) {
    put(*stream, static_cast<std::uint64_t>(n), "x");
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.data(), "re: x");
    EXPECT_TRUE(comes([&] { return agent->hung_up() == n; }));
  }
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(streams, a_client_that_leaves_ends_its_stream) {
  rules("{}", echoed);
  grpc::ClientContext context;
  name(context);
  auto stream = stream_stub->Infer(&context);
  put(*stream, 1, "a");
  v1::InferResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(shares_.users(), 1u);
  context.TryCancel();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(comes([&] { return shares_.users() == 0; }));
}

}  // namespace
}  // namespace wm::grpc_door
