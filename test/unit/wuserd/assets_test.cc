// Role: what projects keep: a definition is never written over, an experiment runs the versions
// that it names, models and runs stay with their versions.
#include "daemons/wuserd/assets/assets.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"
#include "test/support/folder.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  auto text = read_file(path);
  return text ? *text : text.error().text;
}

class kept_assets : public ::testing::Test {
 protected:
  Keeping first() const { return {false, "", "", "PUT /x", "ann", WallTime(at)}; }
  Keeping next() const { return {true, "", "", "PUT /x", "ann", WallTime(at)}; }
  std::string file(const std::string& text) const {
    auto path = folder.path() + "/sent";
    std::ofstream(path) << text;
    return path;
  }
  Result<rest::Definition> define(const std::string& text, const Keeping& how) const {
    rest::Definition definition;
    definition.name = "one";
    definition.command = "main.py " + text;
    definition.code_name = "main.py";
    return assets.keep("p", definition, text.empty() ? "" : file(text), how);
  }
  Result<rest::Experiment> plan(std::vector<std::string> versions, const Keeping& how) const {
    rest::Experiment experiment;
    experiment.name = "exp";
    experiment.definitions = {"one"};
    experiment.definition_versions = std::move(versions);
    return assets.keep("p", experiment, how);
  }
  std::string code(const std::string& version = "") const {
    auto path = assets.code("p", "one", version);
    return path ? text_of(*path) : path.error().text;
  }

  std::chrono::seconds at{1000000};
  test::OwnFolder folder;
  Assets assets{folder.path() + "/projects"};
};

TEST_F(kept_assets, a_definition_of_a_name_that_exists_leaves_the_code_that_others_run) {
  auto kept = define("a", first());
  ASSERT_TRUE(kept) << kept.error().text;
  EXPECT_EQ(define("b", first()).error().code, Code::Conflict);
  EXPECT_EQ(code(), "a");
  EXPECT_EQ(kept->edition.made_by, "ann");
  EXPECT_EQ(kept->edition.made, 1000000);
  EXPECT_EQ(kept->edition.hash.size(), 64u);
}

TEST_F(kept_assets, the_next_version_without_a_file_has_the_code_of_the_one_before) {
  auto kept = define("a", first());
  auto later = define("", next());
  ASSERT_TRUE(later) << later.error().text;
  EXPECT_EQ(later->edition.hash, kept->edition.hash);
  EXPECT_EQ(later->code_name, "main.py");
  EXPECT_NE(later->edition.version, kept->edition.version);
  EXPECT_EQ(code(), "a");
  EXPECT_NE(define("b", next())->edition.hash, kept->edition.hash);
}

TEST_F(kept_assets, a_first_one_without_code_is_refused_and_leaves_nothing) {
  EXPECT_EQ(define("", first()).error().text, "definition one: its code is missing");
  EXPECT_TRUE(assets.definitions("p").empty());
}

TEST_F(kept_assets, an_experiment_names_the_version_that_it_runs) {
  auto old = define("a", first());
  auto exp = plan({}, first());
  ASSERT_TRUE(exp) << exp.error().text;
  EXPECT_EQ(exp->definition_versions, std::vector{old->edition.version});
  auto fresh = define("b", next());
  exp = assets.experiment("p", "exp");
  EXPECT_EQ(code(rest::version_of(*exp, 0)), "a") << "as before";
  exp = plan({}, next());
  EXPECT_EQ(exp->definition_versions, std::vector{fresh->edition.version});
  EXPECT_EQ(plan({old->edition.version}, next())->definition_versions,
            std::vector{old->edition.version});
  EXPECT_EQ(plan({"none"}, next()).error().code, Code::NotFound);
  EXPECT_EQ(plan({"", ""}, next()).error().code, Code::BadArgument);
}

TEST_F(kept_assets, what_an_experiment_names_is_not_taken_away) {
  auto old = define("a", first());
  ASSERT_TRUE(plan({}, first()));
  auto fresh = define("b", next());
  EXPECT_EQ(assets.remove(AssetKind::Definition, "p", "one").error().code, Code::Conflict);
  auto named = assets.remove_version(AssetKind::Definition, "p", "one", old->edition.version);
  EXPECT_EQ(named.error().text, "version " + old->edition.version + " is used by experiment exp");
  EXPECT_TRUE(assets.remove_version(AssetKind::Definition, "p", "one", fresh->edition.version));
  EXPECT_EQ(code(), "a") << "the one before is the present one";
}

TEST_F(kept_assets, runs_stay_with_an_experiment_whichever_version) {
  ASSERT_TRUE(define("a", first()));
  ASSERT_TRUE(plan({}, first()));
  ASSERT_TRUE(assets.add_run("p", "exp", "c-1"));
  auto later = plan({}, next());
  ASSERT_TRUE(later);
  ASSERT_TRUE(assets.add_run("p", "exp", "c-2"));
  EXPECT_EQ(assets.experiment("p", "exp")->runs, (std::vector<std::string>{"c-1", "c-2"}));
  EXPECT_EQ(assets.add_run("p", "none", "c-3").error().code, Code::NotFound);
}

TEST_F(kept_assets, runs_of_an_experiment_of_before_there_were_versions_stay) {
  ASSERT_TRUE(define("a", first()));
  auto old = folder.path() + "/projects/p/experiments/exp";
  fs::create_directories(old);
  std::ofstream(old + "/manifest.json") << R"({"name":"exp","definitions":["one"],"runs":["c-1"]})";
  EXPECT_EQ(assets.experiment("p", "exp")->runs, std::vector<std::string>{"c-1"});
  ASSERT_TRUE(plan({}, next()));
  ASSERT_TRUE(assets.add_run("p", "exp", "c-2"));
  EXPECT_EQ(assets.experiment("p", "exp")->runs, (std::vector<std::string>{"c-1", "c-2"}));
}

TEST_F(kept_assets, a_model_of_a_name_that_exists_keeps_its_package) {
  auto save = [&](const std::string& text, const Keeping& how) {
    auto package = folder.path() + "/package";
    fs::create_directories(package);
    std::ofstream(package + "/model.pt") << text;
    rest::SavedModel model;
    model.name = "m";
    return assets.keep("p", model, package, how);
  };
  auto old = save("a", first());
  ASSERT_TRUE(old) << old.error().text;
  EXPECT_EQ(save("b", first()).error().code, Code::Conflict);
  auto fresh = save("b", next());
  ASSERT_TRUE(fresh);
  EXPECT_NE(fresh->edition.hash, old->edition.hash);
  auto at = [&](const std::string& version) {
    return text_of(*assets.package("p", "m", version) + "/model.pt");
  };
  EXPECT_EQ(at(""), "b");
  EXPECT_EQ(at(old->edition.version), "a");
  auto text = versions_text(assets, AssetKind::Model, "default", "m");
  EXPECT_EQ(text.error().code, Code::NotFound) << "of another project";
}

TEST_F(kept_assets, hostile_names_lead_nowhere) {
  ASSERT_TRUE(define("a", first()));
  for (const char* name : {"", "..", "../one", ".new-1", "a/b"}) {
    EXPECT_FALSE(assets.text(AssetKind::Definition, "p", name)) << name;
    EXPECT_FALSE(assets.remove(AssetKind::Definition, "p", name)) << name;
    EXPECT_FALSE(assets.code("p", "one", name == std::string() ? "x" : name)) << name;
  }
}

TEST_F(kept_assets, a_project_is_changed_by_who_knows_it) {
  rest::Project project{"p", "", "/a"};
  ASSERT_TRUE(assets.keep(project, first()));
  EXPECT_TRUE(assets.keep(project, first())) << "word for word";
  project.plan = "/b";
  EXPECT_EQ(assets.keep(project, first()).error().text, "project p exists: PUT /x changes it");
  auto how = next();
  how.match = tag_of("old");
  EXPECT_EQ(assets.keep(project, how).error().code, Code::Stale);
  how.match = tag_of(tag_of_words(rest::to_text(*assets.project("p"))));
  EXPECT_TRUE(assets.keep(project, how));
  EXPECT_EQ(assets.project("p")->plan, "/b");
  project.name = "q";
  EXPECT_EQ(assets.keep(project, next()).error().code, Code::NotFound);
}

TEST_F(kept_assets, the_text_of_each_kind_is_its_own) {
  ASSERT_TRUE(define("a", first()));
  ASSERT_TRUE(plan({}, first()));
  auto definition = assets.text(AssetKind::Definition, "p", "one");
  ASSERT_TRUE(definition) << definition.error().text;
  EXPECT_EQ(json_or_null(*definition)["command"], "main.py a");
  auto experiment = assets.text(AssetKind::Experiment, "p", "exp");
  ASSERT_TRUE(experiment) << experiment.error().text;
  EXPECT_EQ(json_or_null(*experiment)["name"], "exp");
  EXPECT_FALSE(assets.text(AssetKind::Model, "p", "one"));
  EXPECT_FALSE(assets.text(AssetKind::Experiment, "p", "one"));
}

}  // namespace
}  // namespace wm::user
