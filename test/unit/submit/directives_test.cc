#include "libwm/submit/directives.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

using List = std::vector<std::string>;

List words(std::string_view script) {
  auto result = directive_words(script);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result ? *result : List();
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
  auto result = directive_words("#!/bin/sh\n#BSUB -J 'x\n");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().text, "line 2 of the script: a quote is not closed");
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
