#include "libwm/submit/directives.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

using List = std::vector<std::string>;

List words(std::string_view script) {
  auto result = directives_of(script);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  List all;
  if (result)
    for (const auto& directive : *result)
      all.insert(all.end(), directive.words.begin(), directive.words.end());
  return all;
}

std::string refused(std::string_view script) {
  auto result = script_options(script);
  return result ? "taken" : result.error().text;
}

TEST(directives, options_are_gathered_from_the_whole_script) {
  EXPECT_EQ(words("#!/bin/sh\n#BSUB -n 4 -q short\necho\n  \t#BSUB -J late\n"),
            (List{"-n", "4", "-q", "short", "-J", "late"}));
}

TEST(directives, quotes_and_comments_are_a_shells) {
  EXPECT_EQ(words("#BSUB -P \"Dask On LSF\"  # the project\n#BSUB -R 'span[hosts=1]' -env \"all, "
                  "A=B\"\r\n"),
            (List{"-P", "Dask On LSF", "-R", "span[hosts=1]", "-env", "all, A=B"}));
  EXPECT_EQ(words("#BSUB -J a#b -o \"x\"'y'\n"), (List{"-J", "a#b", "-o", "xy"}));
  EXPECT_EQ(words("#BSUB -o \"\""), (List{"-o", ""}));
  EXPECT_EQ(words("#BSUB -J $HOME"), (List{"-J", "$HOME"}));
}

TEST(directives, other_comments_are_none) {
  EXPECT_EQ(words("##BSUB -n 4\n#BSUBX -n 4\n# BSUB -n 4\n#BSUB\necho #BSUB -n 4\n"), List());
}

TEST(directives, an_open_quote_names_its_line) {
  EXPECT_EQ(refused("#!/bin/sh\n#BSUB -J 'x\n"), "line 2 of the script: a quote is not closed");
}

TEST(directives, no_blank_need_stand_before_the_dash) {
  EXPECT_EQ(words("#BSUB-J name\n#BSUB-n 2\n  #BSUB-W 99:00\t \t# limit\n"),
            (List{"-J", "name", "-n", "2", "-W", "99:00"}));
}

TEST(directives, a_line_that_ends_in_a_backslash_goes_on) {
  constexpr std::string_view script =
      "#BSUB -J x \\\n    -n 2 -R \"a \\\nb\" \\\r\n#BSUB -oo out\ntrue\n";
  EXPECT_EQ(words(script), (List{"-J", "x", "-n", "2", "-R", "a b", "-oo", "out"}));
  EXPECT_EQ(without_continuations(script),
            "#BSUB -J x \\\n#    -n 2 -R \"a \\\n#b\" \\\r\n#BSUB -oo out\ntrue\n");
  EXPECT_EQ(words("#BSUB -n 2 \\"), (List{"-n", "2"})) << "nothing is left to go on in";
}

TEST(directives, a_backslash_in_a_comment_swallows_no_command) {
  constexpr std::string_view script = "#BSUB -n 2 # in C:\\\nrm x\n# other \\\ntrue";
  EXPECT_EQ(words(script), (List{"-n", "2"}));
  EXPECT_EQ(without_continuations(script), script);
}

TEST(directives, a_value_is_not_taken_from_the_next_line) {
  EXPECT_EQ(refused("#!/bin/sh\n#BSUB -q \n#BSUB -J x\n"),
            "line 2 of the script: option -q needs a value");
}

TEST(directives, errors_name_their_line) {
  EXPECT_EQ(refused("\n#BSUB -J x y\n"), "line 2 of the script: 'y' is no option");
  EXPECT_TRUE(refused("#BSUB -J x\n#BSUB -nosuch\n").starts_with("line 2 of the script: -nosuch:"));
}

TEST(directives, words_without_an_option_are_a_remark) {
  auto found = script_options("#BSUB -J x\n#BSUB options of the site end here\n#BSUB -n 2\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->remarks, std::vector<int>{2});
  EXPECT_EQ(found->options.first("n"), "2");
}

TEST(directives, interpreter_is_the_first_lines) {
  EXPECT_EQ(interpreter_of("#!/usr/bin/env python3 \nprint()"), "/usr/bin/env python3");
  EXPECT_EQ(interpreter_of("#! /bin/bash"), "/bin/bash");
  EXPECT_EQ(interpreter_of("echo\n#!/bin/bash"), "");
  EXPECT_EQ(interpreter_of("#!"), "");
}

TEST(directives, comments_alone_are_no_command) {
  EXPECT_FALSE(has_command("#!/bin/sh\n#BSUB -n 4\n\n  # x\n"));
  EXPECT_TRUE(has_command("#BSUB -n 4\n  true\n"));
  EXPECT_FALSE(has_command(""));
}

}  // namespace
}  // namespace wm::cmd
