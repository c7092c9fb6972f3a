// A specification states the options that make it again; a policy changes some, and no others.
#include "libwm/submit/stated.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "libwm/submit/modification.h"

namespace wm::cmd {
namespace {

const Surroundings kStatedBy{.who = {7, 8, "ann"}, .cwd = "/srv", .home = "/users/ann"};

JobSpec spec_of(std::vector<std::string> args) {
  auto options = parse_options(submit_options(), args, Words::Last).value();
  auto spec = make_spec(options, {"run me", ""}, kStatedBy).value();
  spec.queue = asked_queues(options, kStatedBy).front();
  return spec;
}

// The words of a command line that says the same.
std::vector<std::string> typed(const std::vector<OptionChange>& stated) {
  std::vector<std::string> words;
  for (const auto& [name, values] : stated)
    for (const auto& value : values) {
      words.push_back("-" + name);
      if (!value.empty()) words.push_back(value);
    }
  return words;
}

const std::vector<std::string> kStatedLines[] = {
    {},
    {"-q", "night", "-J", "sweep[1-9:2,20]%3", "-n", "2,8", "-ar", "-sizes", "pow2"},
    {"-W", "90", "-We", "1:30", "-ptl", "30", "-c", "5", "-wa", "USR1", "-wt", "2"},
    {"-W", "00:00:30", "-M", "1536K", "-F", "1G", "-D", "2M", "-S", "512", "-C", "0", "-v", "5G"},
    {"-p", "10", "-T", "20", "-m", "a+2 b others", "-x", "-r", "-sp", "5", "-P", "x", "-Jd", "a b"},
    {"-R", "select[mem>10] rusage[mem=5]", "-R", "span[ptile=2]", "-n", "4", "-gpu", "num=2"},
    {"-R", "{select[a]}||{select[b]}", "-U", "res", "-sla", "gold", "-g", "/risk/day"},
    {"-E", "pre", "-Ep", "post", "-Q", "3 EXCLUDE(9)", "-rnc", "told", "-k", "/c 5 method=wm"},
    {"-o", "out", "-eo", "err", "-i", "in", "-cwd", "/x", "-outdir", "/y", "-f", "a > b"},
    {"-N", "-B", "-u", "ann@b", "-notify", "start exit", "-w", "done(1)", "-ti", "-H"},
    {"-b", "2031:2:3:4:5", "-t", "2031:3:1:1:1", "-L", "/bin/sh", "-app", "x", "-plan", "/a/b"},
    {"-Is"},
    {"-mpi", "pmix", "-tag", "-n", "3"},
};

TEST(stated, says_what_makes_the_same_specification) {
  for (const auto& line : kStatedLines) {
    auto spec = spec_of(line);
    EXPECT_EQ(spec_of(typed(stated_options(spec))), spec) << change_text(stated_options(spec));
  }
}

// What a policy may change is taken by a client from any specification to any other.
TEST(stated, options_of_a_policy_make_another_specification_state_the_same) {
  auto policys = [](const JobSpec& spec) {
    auto stated = stated_options(spec);
    std::erase_if(stated, [](const OptionChange& one) { return !is_policys(one.name); });
    return stated;
  };
  std::size_t done = 0;
  for (const auto& from : kStatedLines)
    for (const auto& to : kStatedLines) {
      auto spec = spec_of(from);
      auto wanted = policys(spec_of(to));
      for (const auto& now : policys(spec))  // what only the first one states goes
        if (now.name != "n" &&
            std::ranges::none_of(wanted, [&](const auto& one) { return one.name == now.name; }))
          wanted.push_back({now.name, {}});
      const auto before = spec;
      auto taken = take_options(wanted, kStatedBy, spec);
      if (!taken) {  // bmod has no word for taking it away, or the two do not go together
        EXPECT_EQ(taken.error().code, Code::BadArgument) << change_text(wanted);
        EXPECT_EQ(spec, before);
        continue;
      }
      ++done;
      auto made = policys(spec), meant = policys(spec_of(to));
      auto is_n = [](const OptionChange& one) { return one.name == "n"; };
      if (std::ranges::none_of(meant, is_n)) std::erase_if(made, is_n);  // it stays as it was
      EXPECT_EQ(made, meant) << change_text(wanted);
    }
  EXPECT_GT(done, std::size(kStatedLines) * std::size(kStatedLines) / 2);
}

TEST(stated, what_is_run_read_or_written_is_not_the_policys) {
  for (const char* name :
       {"E",   "Ep", "rnc", "wa", "L",    "i",      "o", "oo", "e", "f",      "cwd", "outdir",
        "env", "u",  "k",   "Z",  "spec", "bundle", "J", "w",  "K", "nosuch", ""}) {
    auto spec = spec_of({"-n", "4"});
    const auto before = spec;
    const OptionChange change{name, {"value"}};
    auto taken = take_options({&change, 1}, kStatedBy, spec);
    EXPECT_EQ(taken.error().code, Code::Denied) << name;
    EXPECT_EQ(spec, before) << name;
  }
}

TEST(stated, a_change_that_does_not_read_changes_nothing) {
  auto spec = spec_of({"-n", "4"});
  const auto before = spec;
  const OptionChange changes[] = {{"q", {"night"}}, {"W", {"soon"}}};
  EXPECT_EQ(take_options(changes, kStatedBy, spec).error().code, Code::BadArgument);
  EXPECT_EQ(spec, before);
  const OptionChange gone[] = {{"b", {}}, {"sizes", {}}};
  EXPECT_EQ(take_options(gone, kStatedBy, spec).error().text, "-sizes cannot be taken away");
  EXPECT_EQ(spec, before);
}

TEST(stated, a_number_of_tasks_that_is_taken_away_is_the_queues) {
  auto spec = spec_of({"-n", "4"});
  const OptionChange gone[] = {{"n", {}}};
  ASSERT_TRUE(take_options(gone, kStatedBy, spec));
  EXPECT_TRUE(spec.default_tasks);
  EXPECT_EQ(spec.max_tasks, 1u);
}

TEST(stated, a_change_is_told_as_it_would_be_typed) {
  const OptionChange changes[] = {
      {"q", {"night"}}, {"x", {""}}, {"R", {"select[a] order[b]"}}, {"gpu", {}}, {"W", {}}};
  EXPECT_EQ(change_text(changes), "-q night -x -R \"select[a] order[b]\", without -gpu -W");
}

}  // namespace
}  // namespace wm::cmd
