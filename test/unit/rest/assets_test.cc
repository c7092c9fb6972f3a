// Role: manifests of projects, and what a definition in an experiment comes to.
#include "libwm/rest/assets.h"

#include <gtest/gtest.h>

namespace wm::rest {
namespace {

Definition digits() {
  Definition d;
  d.name = "digits";
  d.framework = "edtPyTorch";
  d.command = "  train.py --lr 0.1";
  d.nodes = "4";
  d.memory = "8g";
  d.env = {"A=1"};
  return d;
}

TEST(assets, are_read_back_as_they_were_kept) {
  EXPECT_EQ(parse_definition(to_text(digits())).value(), digits());
  Experiment e{"e", "d", "mnist", "", "/p", {"digits"}, {"c-1"}};
  EXPECT_EQ(parse_experiment(to_text(e)).value(), e);
  Project p{"p", "d", "/research"};
  EXPECT_EQ(parse_project(to_text(p)).value(), p);
  EXPECT_EQ(parse_definition(R"({"name":"x","nodes":3,"unknown":[]})")->nodes, "3");
  SavedModel m{"m",     "d",          "c-7", "PyTorch", "ann", "ab",
               "mnist", "model/a.pt", "p",   "bob",     12,    {{"accuracy", .5}}};
  EXPECT_EQ(parse_model(to_text(m)).value(), m);
  Space s{"s", "d", "/serving", {{"bob", "editor"}, {"@vision", "viewer"}}};
  EXPECT_EQ(parse_space(to_text(s)).value(), s);
  EXPECT_FALSE(parse_model(R"({"name":"m","metrics":[]})"));
  EXPECT_FALSE(parse_space(R"({"name":"../s"})"));
  EXPECT_FALSE(parse_space(R"({"name":"s","members":[{"name":"bob"}]})"));
  EXPECT_EQ(parse_members(R"({"members":[{"name":"bob","role":"admin"}]})").value(),
            (std::vector<Member>{{"bob", "admin"}}));
  EXPECT_EQ(parse_members(R"({"members":[{"name":"bob","role":"king"}]})").error().text,
            "member 'bob': role: viewer, editor or admin is wanted");
}

TEST(assets, names_lead_nowhere) {
  for (auto bad : {"", ".", "..", ".hidden", "a/b", "a b", "\xC3\xA4", "<script>"})
    EXPECT_FALSE(is_asset_name(bad)) << bad;
  EXPECT_FALSE(is_asset_name(std::string(65, 'a')));
  EXPECT_TRUE(is_asset_name("resnet-50_v1.2"));
  for (auto bad : {"", "[]", "{}", R"({"name":"../x"})", R"({"name":"x","env":"A"})",
                   R"({"name":"x","command":[]})"})
    EXPECT_FALSE(parse_definition(bad)) << bad;
}

TEST(assets, a_definition_in_an_experiment_is_the_args_of_an_execution) {
  Project project{"p", "", "/research"};
  EXPECT_EQ(args_of(project, {.name = "exp", .data = "mnist"}, digits()).value(),
            "--exec-start edtPyTorch --appName exp-digits --numWorker 4 --workerDeviceType gpu "
            "--workerDeviceNum 1 "
            "--workerMemory 8g --consumer /research --cs-datastore-meta type=fs,data_path=mnist "
            "--msd-env A=1 "
            "--model-main train.py -- --lr 0.1");
  EXPECT_EQ(
      args_of({}, {.name = "digits", .command = "other.py", .plan = "/own"}, digits()).value(),
      "--exec-start edtPyTorch --appName digits --numWorker 4 --workerDeviceType gpu "
      "--workerDeviceNum 1 "
      "--workerMemory 8g --consumer /own --msd-env A=1 --model-main other.py");
}

TEST(assets, a_blank_where_none_may_be_is_refused) {
  auto d = digits();
  d.env = {"A=1 --consumer /other"};
  EXPECT_FALSE(args_of({}, {.name = "e"}, d));
  d = digits();
  d.command = " ";
  EXPECT_FALSE(args_of({}, {.name = "e"}, d));
}

}  // namespace
}  // namespace wm::rest
