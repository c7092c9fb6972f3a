// Role: which lists of groups, and which open arrays, are refused and by what words.
#include "libwm/expr/groups.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::expr {
namespace {

using test::SpecBuilder;

std::string refusal(const SpecBuilder& builder) {
  auto good = check_groups(builder.spec);
  return good ? "" : good.error().text;
}
TaskGroup group(const std::string& name) { return {.name = name, .command = "true"}; }

TEST(groups, sound_ones_pass) {
  auto kernels = group("kernel-2");
  kernels.min_tasks = 0, kernels.max_tasks = 9, kernels.restart = Restart::Independent;
  auto workers = group("worker");
  workers.max_tasks = 4, workers.elastic = true;
  EXPECT_EQ(refusal(SpecBuilder().group(group("router")).group(kernels).group(workers)), "");
  EXPECT_EQ(refusal(SpecBuilder()), "");
  EXPECT_EQ(refusal(SpecBuilder().array(1, 9).open()), "");
}

TEST(groups, each_fault_is_named) {
  auto say = [](auto change) {
    auto one = group("w");
    change(one);
    SpecBuilder builder;
    builder.spec.groups = {one};
    return refusal(builder);
  };
  EXPECT_EQ(say([](auto& g) { g.name = "Two"; }),
            "group 'Two': a name is up to 32 of a-z 0-9 _ -, a letter first");
  EXPECT_EQ(say([](auto& g) { g.role = "\"x"; }),
            "group 'w': role '\"x': up to 32 of a-z 0-9 _ -, a letter first");
  EXPECT_EQ(say([](auto& g) { g.command = ""; }), "group 'w': no command");
  EXPECT_EQ(say([](auto& g) { g.min_tasks = 3; }),
            "group 'w': 3 to 1 tasks: at least 1, and the least first");
  EXPECT_EQ(say([](auto& g) { g.min_tasks = 0; }),
            "group 'w': a minimum of 0 goes with restart = independent only");
  EXPECT_EQ(say([](auto& g) { g.max_tasks = 2; }),
            "group 'w': 1 to 2 tasks: say elastic or restart = independent, or one number");
}

TEST(groups, names_are_given_once_and_there_are_not_too_many) {
  EXPECT_EQ(refusal(SpecBuilder().group(group("a")).group(group("a"))), "group 'a': named twice");
  SpecBuilder many;
  for (std::size_t i = 0; i <= kMostGroups; ++i) many.group(group("g" + std::to_string(i)));
  EXPECT_EQ(refusal(many), "17 groups; at most 16");
}

TEST(groups, what_does_not_go_together_is_said) {
  EXPECT_EQ(refusal(SpecBuilder().elastic().group(group("a"))),
            "a job with groups has no -ar of its own: a group may be elastic");
  auto script = SpecBuilder().group(group("a"));
  script.spec.program.script_hash = "x";
  EXPECT_EQ(refusal(script), "a job with groups has no script: each group has its command");
  EXPECT_EQ(refusal(SpecBuilder().open()), "an open array needs its indexes: -J name[1-n]");
  EXPECT_EQ(refusal(SpecBuilder().array(2, 5).open()), "the indexes of an open array are 1-n");
}

}  // namespace
}  // namespace wm::expr
