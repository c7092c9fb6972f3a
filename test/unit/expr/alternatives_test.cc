// Role: alternatives, -m lists, the terms that a host does not meet, and what hostile text does
// to all parsers of the folder: an error or a value, in bounded time.
#include "libwm/expr/alternatives.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "libwm/expr/asked_hosts.h"
#include "libwm/expr/explain.h"
#include "libwm/expr/gpu.h"
#include "libwm/expr/request.h"
#include "libwm/expr/select.h"

namespace wm::expr {
namespace {

std::string alternatives_refusal(std::string_view text) {
  auto parsed = parse_alternatives(text);
  return parsed ? "accepted" : parsed.error().text;
}

TEST(alternatives, are_whole_requirements_in_order) {
  auto all = parse_alternatives("{select[ssd] span[hosts=1]} || {rusage[mem=4G] span[ptile=2]}");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[0].select, "ssd");
  EXPECT_EQ((*all)[0].span.hosts, 1);
  EXPECT_EQ((*all)[1].span.ptile, 2u);
  auto again = parse_alternatives(to_string(*all));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *all);
}

TEST(alternatives, a_text_without_braces_is_one) {
  auto all = parse_alternatives("select[mem>1]");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 1u);
  EXPECT_EQ(to_string(*all), "select[mem>1]");
}

TEST(alternatives, sections_beside_them_count_for_each) {
  std::vector<std::string> texts{"{select[a]}||{select[b]}", "span[ptile=3]", "select[c]"};
  auto all = parse_requirements(texts);
  ASSERT_TRUE(all) << all.error().text;
  ASSERT_EQ(all->size(), 2u);
  EXPECT_EQ((*all)[1].span.ptile, 3u);
  EXPECT_EQ((*all)[1].select, "(c) && (b)");
}

TEST(alternatives, what_is_not_supported_is_named) {
  EXPECT_NE(alternatives_refusal("2*{select[a]}+1*{select[b]}").find("compound"),
            std::string::npos);
  EXPECT_NE(alternatives_refusal("{select[a]}||{select[b]}@10").find("delay"), std::string::npos);
  EXPECT_NE(alternatives_refusal("{select[a]").find("not closed"), std::string::npos);
  EXPECT_NE(alternatives_refusal("{select[a]}||").find("Expected"), std::string::npos);
  EXPECT_NE(alternatives_refusal("{{select[a]}}").find("within"), std::string::npos);
  std::string many = "{a}";
  for (int i = 0; i < 9; ++i) many += "||{a}";
  EXPECT_NE(alternatives_refusal(many).find("more than 8"), std::string::npos);
  std::vector<std::string> two{"{a}||{b}", "{c}||{d}"};
  EXPECT_FALSE(parse_requirements(two));
}

TEST(alternatives, each_becomes_a_specification) {
  JobSpec spec;
  spec.asked.resreq = "{select[big] rusage[mem=8G:duration=10m]} || {rusage[mem=1G] span[block=2]}";
  auto others = fill_request(spec, QueueConf{}, AppConf{});
  ASSERT_TRUE(others) << others.error().text;
  ASSERT_EQ(others->size(), 1u);
  EXPECT_EQ(spec.asked.select, "big");
  EXPECT_EQ(spec.task.mem, (Bytes{std::int64_t{8} << 30}));
  EXPECT_EQ(spec.mem_for, Duration(std::chrono::minutes(10)));
  EXPECT_EQ(others->front().task.mem, (Bytes{std::int64_t{1} << 30}));
  EXPECT_EQ(others->front().mem_for, Duration{});
  EXPECT_EQ(others->front().span.block, 2u);
}

TEST(asked_hosts, preferences_groups_others_and_exclusions) {
  std::vector<std::string> words{"node3+2", "fast", "others", "~node9", "node1!"};
  auto asked = parse_asked_hosts(words);
  ASSERT_TRUE(asked);
  std::vector<std::string> fast{"fast"};
  EXPECT_EQ(preference_of(*asked, "node3", {}), 2);
  EXPECT_EQ(preference_of(*asked, "node4", fast), 0);
  EXPECT_EQ(preference_of(*asked, "node5", {}), 0);
  EXPECT_EQ(preference_of(*asked, "node9", fast), kNotAsked);
  EXPECT_EQ(preference_of(*asked, "node1", {}), kFirstHost);
}

TEST(asked_hosts, without_others_only_named_hosts_do) {
  std::vector<std::string> words{"node3"}, not_these{"~node3"};
  EXPECT_EQ(preference_of(*parse_asked_hosts(words), "node4", {}), kNotAsked);
  EXPECT_EQ(preference_of(*parse_asked_hosts(not_these), "node4", {}), 0);
  EXPECT_EQ(preference_of(*parse_asked_hosts(not_these), "node3", {}), kNotAsked);
  EXPECT_EQ(preference_of({}, "node4", {}), 0);
}

TEST(asked_hosts, a_bad_word_is_named) {
  for (const char* word : {"+2", "~", "a+x", "a+12x", "a+-1", "a+99999", "a+99999999999", "!"}) {
    std::vector<std::string> words{word};
    auto asked = parse_asked_hosts(words);
    ASSERT_FALSE(asked) << word;
    EXPECT_NE(asked.error().text.find(word), std::string::npos);
  }
}

TEST(explain, names_the_terms_that_fail_with_the_hosts_values) {
  Lookup lookup = [](std::string_view name) -> std::optional<Value> {
    if (name == "ncpus") return Value(16.0);
    if (name == "mem") return Value(24105.558594);
    if (name == "type") return Value(std::string("LINUX"));
    return std::nullopt;
  };
  auto failing = failing_terms("(ncpus>64) && ((type==LINUX && gpu) || ncpus>8)", lookup);
  EXPECT_EQ(failing, (std::vector<std::string>{"ncpus>64 (ncpus=16)"}));
  EXPECT_EQ(failing_terms("mem>90000", lookup),
            (std::vector<std::string>{"mem>90000 (mem=24105.56)"}));
  EXPECT_EQ(failing_terms("ssd && ncpus>4", lookup), (std::vector<std::string>{"ssd"}));
  EXPECT_EQ(terms_of("((a && b) && (c || d))"), (std::vector<std::string>{"a", "b", "c || d"}));
  EXPECT_EQ(terms_of("(a) || (b)"), (std::vector<std::string>{"(a) || (b)"}));
}

TEST(explain, as_many_brackets_are_taken_off_as_an_expression_may_have) {
  auto in_brackets = [](std::size_t n) { return std::string(n, '(') + "a" + std::string(n, ')'); };
  EXPECT_EQ(terms_of(in_brackets(200)), std::vector<std::string>{"a"});
  EXPECT_EQ(terms_of(in_brackets(201)), std::vector<std::string>{"(a)"});
}

// ---- hostile input -------------------------------------------------------------------------

// Every parser takes it; the error is short. Returns the milliseconds it took.
double parse_everything(const std::string& text) {
  auto begin = std::chrono::steady_clock::now();
  if (auto parsed = parse_alternatives(text); !parsed) {
    EXPECT_LT(parsed.error().text.size(), 1000u);
    EXPECT_EQ(parsed.error().code, Code::BadArgument);
  }
  if (auto parsed = Select::parse(text)) {
    parsed->matches([](std::string_view) { return std::optional<Value>(1.0); });
    terms_of(text);
  } else {
    EXPECT_LT(parsed.error().text.size(), 1000u);
  }
  (void)parse_gpu(text);
  (void)parse_asked_hosts(std::vector<std::string>{text});
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

std::string repeat(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

TEST(hostile, expressions_100000_deep_are_refused_in_bounded_time) {
  constexpr int kDeep = 100000;
  std::vector<std::string> texts;
  for (const char* piece : {"(", "!", "-", "!(", "a&&", "a||", "(a)&&", "1+", "a<", "select[", "{",
                            "{a}||", "'", "[", "]", "defined(", ",", ":", "rusage[mem=1"}) {
    texts.push_back(repeat(piece, kDeep));
    texts.push_back(repeat(piece, kDeep) + "a");
    texts.push_back("rusage[" + repeat(piece, kDeep) + "]");
    texts.push_back("cu[" + repeat(piece, kDeep) + "]");
    texts.push_back("order[" + repeat(piece, kDeep) + "]");
  }
  texts.push_back(repeat("(", kDeep) + "a" + repeat(")", kDeep));
  // Generous: linear work is some 50 ms; backtracking would be hours.
  for (const auto& text : texts) EXPECT_LT(parse_everything(text), 20000) << text.substr(0, 20);
}

TEST(hostile, random_pieces_give_a_value_or_an_error) {
  const std::vector<std::string> pieces{
      "select", "order", "rusage", "span",  "same", "cu", "affinity", "[",     "]",  "(",
      ")",      "{",     "}",      "||",    "&&",   "!",  "==",       ">=",    "<",  "-",
      "mem",    "slots", "4G",     "1e308", "0.5",  ":",  "=",        "'a'",   "\"", ",",
      "ptile",  "hosts", "block",  "type",  "core", "/",  "duration", "decay", "\n", "\xff"};
  for (unsigned seed = 0; seed < 20000; ++seed) {
    std::mt19937 random(seed);
    std::string text;
    for (auto n = random() % 24; n > 0; --n) text += pieces[random() % pieces.size()];
    SCOPED_TRACE(testing::Message() << "seed " << seed << " text " << text);
    ASSERT_LT(parse_everything(text), 5000);
    auto parsed = parse_alternatives(text);
    if (!parsed) continue;
    auto again = parse_alternatives(to_string(*parsed));
    ASSERT_TRUE(again) << to_string(*parsed) << ": " << again.error().text;
  }
}

}  // namespace
}  // namespace wm::expr
