// Role: a service's package made of what a run left: the file that is meant, or why none is; and
// what several routers of a service say, as one.
#include "daemons/wuserd/services/packages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "daemons/wuserd/services/dlim.h"
#include "libwm/files/whole_file.h"
#include "test/support/folder.h"
#include "test/unit/wuserd/asked.h"
#include "test/unit/wuserd/played_master.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

class packages : public ::testing::Test {
 protected:
  packages() {
    run.result_dir = folder.path() + "/7";
    fs::create_directories(run.result_dir + "/model");
    fs::create_directories(run.result_dir + "/_submitted_code");
  }
  void model(const std::string& name) const {
    std::ofstream(run.result_dir + "/model/" + name) << "weights of " + name;
  }
  /// model.json's weight of the package, or the code of the refusal.
  std::string weight(const std::string& asked = "", const std::string& kernel = "") {
    serve::Wanted wanted;
    wanted.name = "digits";
    wanted.weight = asked;
    wanted.kernel = kernel;
    auto into = folder.path() + "/package-" + std::to_string(++made);
    fs::create_directories(into);
    auto done = make_package(run, wanted, into);
    if (!done) return std::to_string(static_cast<int>(done.error().code));
    auto text = read_file(into + "/model.json");
    auto weight = serve::read_model(text.value()).value().weight_path;
    EXPECT_TRUE(fs::is_regular_file(into + "/" + weight)) << weight;
    return weight;
  }
  static std::string code(Code code) { return std::to_string(static_cast<int>(code)); }

  test::OwnFolder folder;
  JobView run = job_view({7, 0}, JobState::Finished, own_spec("PyTorch"));
  int made = 0;
};

TEST_F(packages, the_only_file_of_weights_is_the_one) {
  EXPECT_EQ(weight(), code(Code::NotFound)) << "there is none";
  model("notes.txt");
  EXPECT_EQ(weight(), code(Code::NotFound));
  model("best.pt");
  EXPECT_EQ(weight(), "model/best.pt");
}

TEST_F(packages, of_several_it_is_the_usual_one_or_the_one_that_was_named) {
  model("a.pt");
  model("b.pth");
  EXPECT_EQ(weight(), code(Code::BadArgument)) << "which?";
  EXPECT_EQ(weight("b.pth"), "model/b.pth");
  EXPECT_EQ(weight("model/b.pth"), "model/b.pth");
  EXPECT_EQ(weight("./a.pt"), "model/a.pt");
  EXPECT_EQ(weight("c.pt"), code(Code::NotFound));
  model("model.pt");
  EXPECT_EQ(weight(), "model/model.pt");
  EXPECT_EQ(weight("a.pt"), "model/a.pt");
}

TEST_F(packages, a_kernel_is_one_of_the_run_or_the_ready_made_one) {
  model("a.pt");
  EXPECT_EQ(weight("", "none.py"), code(Code::NotFound));
  std::ofstream(run.result_dir + "/_submitted_code/mine.py") << "kernel";
  EXPECT_EQ(weight("", "mine.py"), "model/a.pt");
  run.result_dir.clear();
  EXPECT_EQ(weight(), code(Code::NotFound)) << "the run has no results";
}

/// A service with two routers that say what the test wants.
class routers : public ::testing::Test {
 protected:
  static constexpr const char* kPaths[] = {"/router.sock", "/router-1.sock"};
  void say(const Json& first, const Json& second) {
    for (std::size_t n = 0; n < 2; ++n)
      servers[n] = std::make_unique<PlayedServer>(
          folder.path() + kPaths[n], [body = (n == 0 ? first : second).dump()](auto& exchange) {
            (void)exchange.reply({200, {}, body});
          });
  }
  Json state() const { return json_or_null(router_state(service).value_or("")); }
  Json series() const { return json_or_null(router_series(service, 60).value_or("")); }

  test::OwnFolder folder;
  DlimService service{"digits", folder.path(), {}, {}};
  std::unique_ptr<PlayedServer> servers[2];
};

Json state_of_router(int arrived, int queue_ms, Json kernels) {
  return {{"arrived", arrived},
          {"finished", arrived},
          {"failed", 1},
          {"queued", 2},
          {"in_flight", 3},
          {"oldest_ms", queue_ms},
          {"wanted", queue_ms},
          {"task_us", 0},
          {"requests_per_s", 1.5},
          {"bytes_per_s", 100.0},
          {"latency_ms",
           {{"queue", {queue_ms, 10 - queue_ms, 5}}, {"kernel", {1, 2, 3}}, {"total", {0, 0, 0}}}},
          {"kernels", std::move(kernels)}};
}

TEST_F(routers, what_they_say_is_added_and_of_times_the_longer_is_shown) {
  Json both{{"instance", "a"}, {"running", 1}, {"finished", 2}, {"failed", 0}};
  Json one{{"instance", "b"}, {"running", 0}, {"finished", 5}, {"failed", 1}};
  say(state_of_router(10, 3, Json::array({both})),
      state_of_router(20, 4, Json::array({both, one})));
  auto json = state();
  EXPECT_EQ(json["arrived"], 30);
  EXPECT_EQ(json["queued"], 4);
  EXPECT_EQ(json["requests_per_s"], 3.0);
  EXPECT_EQ(json["oldest_ms"], 4);
  EXPECT_EQ(json["latency_ms"]["queue"], (Json{4.0, 7.0, 5.0}));
  ASSERT_EQ(json["kernels"].size(), 2u) << "each kernel is at all routers";
  EXPECT_EQ(json["kernels"][0]["finished"], 4);
  EXPECT_EQ(json["kernels"][1]["finished"], 5);
}

Json sample(int answered, double rate, int kernels) {
  return {{"answered", answered}, {"failed", 0}, {"queued", 1},        {"rate", rate},
          {"oldest_ms", 0},       {"wanted", 1}, {"kernels", kernels}, {"queue_ms", {rate, 2, 3}}};
}

TEST_F(routers, samples_that_end_together_are_added) {
  say({{"samples", {sample(1, 1, 1), sample(2, 2, 1)}}},
      {{"samples", {sample(9, 9, 9), sample(10, 4, 1), sample(20, 1, 2)}}});
  auto json = series()["samples"];
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[0]["answered"], 11);
  EXPECT_EQ(json[1]["answered"], 22);
  EXPECT_EQ(json[0]["rate"], 5.0);
  EXPECT_EQ(json[1]["kernels"], 2.0);
  EXPECT_EQ(json[0]["queue_ms"][0], 4.0);
  EXPECT_EQ(json[1]["queue_ms"][0], 2.0);
}

TEST_F(routers, one_that_is_there_alone_speaks_for_all) {
  EXPECT_FALSE(router_state(service));
  servers[1] = std::make_unique<PlayedServer>(folder.path() + kPaths[1], [](auto& exchange) {
    (void)exchange.reply({200, {}, "{\"arrived\":4}"});
  });
  EXPECT_EQ(state()["arrived"], 4);
}

TEST_F(routers, a_new_profile_is_read_again_by_those_that_are_there) {
  EXPECT_FALSE(router_rereads(service, 2).value()) << "none is there";
  auto says = [](int status) {
    return [status](http::Exchange& exchange) { (void)exchange.reply({status, {}, "why"}); };
  };
  servers[0] = std::make_unique<PlayedServer>(folder.path() + kPaths[0], says(200));
  EXPECT_TRUE(router_rereads(service, 2).value());
  servers[1] = std::make_unique<PlayedServer>(folder.path() + kPaths[1], says(400));
  EXPECT_TRUE(router_rereads(service, 1).value()) << "the second is none of them";
  EXPECT_EQ(router_rereads(service, 2).error().code, Code::Unavailable);
}

}  // namespace
}  // namespace wm::user
