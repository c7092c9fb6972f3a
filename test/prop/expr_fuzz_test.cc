// Role: requirements, conditions and GPU strings that somebody got wrong: each parser gives a
// value that reads back as itself, or a refusal that can be printed. Prints the text.
#include <gtest/gtest.h>

#include "libwm/expr/alternatives.h"
#include "libwm/expr/asked_hosts.h"
#include "libwm/expr/depend.h"
#include "libwm/expr/gpu.h"
#include "libwm/expr/requeue_exits.h"
#include "libwm/expr/select.h"
#include "test/support/mutate.h"

namespace wm::expr {
namespace {

using test::Mutator;
using test::trouble_with_refusal;

const std::vector<std::string> kRequirements{
    "select[mem>500 && (type==any || !defined(bigmem))] order[-ut:mem] rusage[mem=200/task]",
    "rusage[mem=4000:duration=2h:decay=1] span[ptile=4] same[model:type]",
    "{4*{select[ngpus>0] span[hosts=1]}} || {8*{rusage[tmp=100]}@5}",
    "cu[type=rack:pref=maxavail:maxcus=3] affinity[core(2,same=socket):cpubind=core]",
    "select[cpuf>=1.5e3 && hname!='node1' && -3<ncpus*2+1/4] span[block=4]",
    "mem>1000",
    "1*{span[hosts=1]} + 3*{}",
    "select[type==\"X86_64\"]"};
const std::vector<std::string> kConditions{"done(12) && ended(\"night[*]\")",
                                           "!(exit(3,>=2) || started(name)) && 77",
                                           "numdone(8[1-10], >= 5) || post_done(\"a b\")"};
const std::vector<std::string> kGpus{"num=2/task:mode=exclusive_process:mps=yes:j_exclusive=yes",
                                     "num=4:gmodel=NVIDIAA100:gmem=40G:glink=yes",
                                     "mig=1/1:aff=no:block=yes:gpack=yes:gtile=!", "-"};
const std::vector<std::string> kHosts{"node1+3", "gpu[01-16]+2", "~bad", "others", "first!"};
const std::vector<std::string> kExits{"1 2 EXCLUDE(3)", "all ~1 EXCLUDE(9 10)",
                                      "EXCLUDE(all ~7),0"};
const std::vector<std::string> kPieces{"(",       ")",
                                       "[",       "]",
                                       "{",       "}",
                                       "||",      "&&",
                                       "!",       "-",
                                       "select[", "rusage[",
                                       "span[",   "done(",
                                       "*",       ":",
                                       "=",       ">=",
                                       ",",       "\"",
                                       "'",       "@",
                                       "~",       "/",
                                       "1e999",   "99999999999999999999",
                                       " "};

template <class Parse>
void survives(const std::vector<std::string>& good, unsigned seed, Parse parse) {
  Mutator mutator(seed, kPieces);
  const auto tries = test::fuzz_count(4000);
  for (unsigned i = 0; i < tries && !testing::Test::HasFailure(); ++i) {
    auto text = mutator.spoiled(mutator.one_of(good));
    SCOPED_TRACE(testing::PrintToString(text));
    parse(text);
  }
}

template <class T>
bool taken(const Result<T>& value) {
  if (value) return true;
  EXPECT_EQ(trouble_with_refusal(value.error().text), "") << value.error().text.substr(0, 200);
  EXPECT_TRUE(value.error().code == Code::BadArgument || value.error().code == Code::Limit);
  return false;
}

TEST(expr_fuzz, requirements) {
  survives(kRequirements, 1, [](const std::string& text) {
    auto value = parse_alternatives(text);
    if (!taken(value)) return;
    auto again = parse_alternatives(to_string(*value));
    ASSERT_TRUE(again) << to_string(*value) << ": " << again.error().text;
    EXPECT_EQ(*again, *value) << to_string(*value);
  });
}

TEST(expr_fuzz, selects_of_any_host) {
  survives(kRequirements, 2, [](const std::string& text) {
    auto value = Select::parse(text);
    if (!taken(value)) return;
    value->matches([](std::string_view) { return std::nullopt; });
    value->matches([](std::string_view name) -> std::optional<Value> {
      return name.size() % 2 != 0 ? Value(0.0) : Value(std::string(name));
    });
  });
}

TEST(expr_fuzz, conditions) {
  survives(kConditions, 3, [](const std::string& text) {
    auto value = Depend::parse(text);
    if (!taken(value)) return;
    auto again = Depend::parse(value->text());
    ASSERT_TRUE(again) << value->text() << ": " << again.error().text;
    EXPECT_EQ(again->text(), value->text());
  });
}

TEST(expr_fuzz, gpus) {
  survives(kGpus, 4, [](const std::string& text) { taken(parse_gpu(text)); });
}

TEST(expr_fuzz, asked_hosts) {
  survives(kHosts, 5, [](const std::string& text) {
    taken(parse_asked_hosts(std::vector<std::string>{text, "node2"}));
  });
}

TEST(expr_fuzz, requeue_exits) {
  survives(kExits, 6, [](const std::string& text) {
    auto exits = parse_requeue_exits(text);
    if (!taken(exits)) return;
    EXPECT_EQ(*parse_requeue_exits(format_requeue_exits(*exits)), *exits);
  });
}

// Nothing that nests may use the stack a level each, nothing may try every way to match.
TEST(expr_fuzz, a_hundred_thousand_levels_and_a_megabyte_are_refused_or_read) {
  const auto times = [](std::string_view piece, std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += piece;
    return text;
  };
  constexpr std::size_t kDeep = 100'000;
  for (const auto& text :
       {times("(", kDeep) + "1" + times(")", kDeep), times("!", kDeep) + "1", times("-", kDeep),
        times("{", kDeep) + times("}", kDeep), times("1||", kDeep) + "1",
        "select[" + times("(", kDeep), times("a", 1 << 20), times("\"", kDeep + 1),
        times("rusage[mem=1:", kDeep), times("done(1)&&", kDeep) + "done(1)",
        times("num=1:", kDeep), times("1*{} + ", kDeep) + "1*{}"}) {
    SCOPED_TRACE(text.substr(0, 40));
    taken(parse_alternatives(text));
    taken(Select::parse(text));
    taken(Depend::parse(text));
    taken(parse_gpu(text));
    taken(parse_asked_hosts(std::vector<std::string>{text}));
  }
}

}  // namespace
}  // namespace wm::expr
