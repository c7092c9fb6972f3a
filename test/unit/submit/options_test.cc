#include "libwm/submit/options.h"

#include <gtest/gtest.h>

#include <sstream>

namespace wm::cmd {
namespace {

using Kind = Option::Kind;
using List = std::vector<std::string>;

constexpr Option kOptions[] = {
    {"q", Kind::Text, "queue", "Queue"}, {"n", Kind::Number, "min[,max]", "Tasks"},
    {"nnodes", Kind::Number, "n", ""},   {"o", Kind::Text, "file", ""},
    {"oo", Kind::Text, "file", ""},      {"a", Kind::Flag, "", "All"},
    {"J", Kind::Text, "name", ""},       {"ar", Kind::Flag, "", ""},
    {"app", Kind::Text, "profile", ""},  {"R", Kind::Text, "req", ""},
    {"ptl", Kind::Ignored, "t", ""},     {"w", Kind::Flag, "", ""},
    {"h", Kind::Flag, "", ""},           {"g", Kind::Refused, "", "groups are not supported"},
    {"aq", Kind::Refused, "", "no aq"},
};

Parsed parsed(List args, Words words = Words::Anywhere) {
  auto result = parse_options(kOptions, args, words);
  EXPECT_TRUE(result) << (result ? "" : result.error().text);
  return result ? *result : Parsed();
}

std::string option_refusal(List args) {
  auto result = parse_options(kOptions, args, Words::Anywhere);
  return result ? "accepted" : result.error().text;
}

TEST(options, values_stand_next_or_attached) {
  EXPECT_EQ(parsed({"-q", "short"}).first("q"), "short");
  EXPECT_EQ(parsed({"-qshort"}).first("q"), "short");
  EXPECT_EQ(parsed({"-n4"}).first("n"), "4");
  EXPECT_EQ(parsed({"-o exit_code"}).first("o"), "exit_code");
  EXPECT_EQ(parsed({"-o", ""}).first("o"), "");
}

TEST(options, long_names_win_over_attached_values) {
  auto p = parsed({"-app", "training", "-ar", "-nnodes", "2", "-oo", "f"});
  EXPECT_EQ(p.first("app"), "training");
  EXPECT_TRUE(p.has("ar"));
  EXPECT_EQ(p.first("nnodes"), "2");
  EXPECT_EQ(p.first("oo"), "f");
  EXPECT_FALSE(p.has("a"));
}

TEST(options, flags_stand_together) {
  auto p = parsed({"-aJ", "*uuid*"});
  EXPECT_TRUE(p.has("a"));
  EXPECT_EQ(p.first("J"), "*uuid*");
  EXPECT_TRUE(parsed({"-aw"}).has("w"));
}

TEST(options, help_stands_alone) {
  EXPECT_TRUE(parsed({"-h"}).has("h"));
  EXPECT_EQ(option_refusal({"-hostfile", "f"}), "-hostfile: unknown option");
  EXPECT_EQ(option_refusal({"-ah"}), "-ah: unknown option (nearest: -a)");
}

TEST(options, what_is_refused_says_why) {
  EXPECT_EQ(option_refusal({"-g", "/x"}), "-g: groups are not supported");
  EXPECT_EQ(option_refusal({"-g/x"}), "-g: groups are not supported");
  EXPECT_EQ(option_refusal({"-aq", "short"}), "-aq: no aq") << "and not -a -q short";
  EXPECT_EQ(option_refusal({"-wg", "/x"}), "-g: groups are not supported");
}

TEST(options, an_unlisted_option_is_named) {
  EXPECT_EQ(option_refusal({"-ap", "x"}), "-ap: unknown option (nearest: -a)");
  EXPECT_EQ(option_refusal({"-nodes", "3"}), "-nodes: unknown option (nearest: -nnodes)");
  EXPECT_EQ(option_refusal({"-zzzzzz"}), "-zzzzzz: unknown option");
  EXPECT_EQ(option_refusal({"--queue"}), "--queue: unknown option");
  EXPECT_EQ(option_refusal({"-q"}), "option -q needs a value");
}

TEST(options, the_first_word_may_end_the_options) {
  auto p = parsed({"-a", "echo", "-q", "x"}, Words::Last);
  EXPECT_EQ(p.words, (List{"echo", "-q", "x"}));
  EXPECT_FALSE(p.has("q"));
  EXPECT_EQ(parsed({"12", "-a", "13"}).words, (List{"12", "13"}));
  EXPECT_EQ(parsed({"--", "-a"}).words, (List{"-a"}));
  EXPECT_EQ(parsed({"-"}).words, (List{"-"}));
}

TEST(options, repeated_values_keep_their_order_and_the_first_counts) {
  auto p = parsed({"-R", "a", "-R", "b"});
  p.append(parsed({"-R", "c", "-q", "late"}));
  EXPECT_EQ(p.all("R"), (List{"a", "b", "c"}));
  EXPECT_EQ(p.first("R"), "a");
  EXPECT_EQ(p.first("q"), "late");
  EXPECT_EQ(p.first("J"), std::nullopt);
}

TEST(options, accepted_without_effect_is_told) {
  EXPECT_EQ(parsed({"-ptl", "5"}).ignored, List{"ptl"});
}

TEST(options, usage_lists_what_is_documented) {
  EXPECT_EQ(usage("t [options]", kOptions),
            "usage: t [options]\n"
            "  -q queue               Queue\n"
            "  -n min[,max]           Tasks\n"
            "  -a                     All\n");
}

constexpr Option kGrouped[] = {
    {"q", Kind::Text, "queue", "Queue", "The job"},
    {"x", Kind::IgnoredFlag, "", ""},
    {"W", Kind::Number, "[h:]m", "Run limit", "Limits"},
    {"U", Kind::Refused, "", "not supported"},
};

TEST(options, groups_have_headings_in_the_usage) {
  EXPECT_EQ(usage("t", kGrouped),
            "usage: t\nThe job:\n  -q queue               Queue\n"
            "Limits:\n  -W [h:]m               Run limit\n");
}

TEST(options, the_table_is_told_a_line_each) {
  EXPECT_EQ(table_text("t a\n  t b", kGrouped),
            "synopsis\tt a\nsynopsis\t  t b\n"
            "option\t-q\ttext\tqueue\tThe job\tQueue\n"
            "option\t-x\tignored-flag\t\tThe job\t\n"
            "option\t-W\tnumber\t[h:]m\tLimits\tRun limit\n"
            "option\t-U\trefused\t\tLimits\tnot supported\n");
}

TEST(usage, no_line_is_wider_than_a_terminal) {
  std::string many;
  for (int i = 0; i < 30; ++i) many += "word" + std::to_string(i) + " ";
  many += "end";
  const std::vector<Option> options = {{"o", Option::Kind::Text, "file", many}};
  auto text = usage("t " + many + "\n       t -o\n  verb      " + many, options);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_NE(text.find("\n           word"), std::string::npos) << text;
  EXPECT_NE(text.find("\n       t -o\n  verb      word0 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n            word"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  -o file                word0 "), std::string::npos) << text;
  EXPECT_NE(text.find("\n                         word"), std::string::npos) << text;
}

}  // namespace
}  // namespace wm::cmd
