// Role: hostile configuration files: random pieces, huge ranges, very deep or long values. An
// error with file and line, or a configuration; in bounded time and memory.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "libwm/conf/load.h"

namespace wm::conf {
namespace {

double parse_ms(const Texts& texts) {
  auto begin = std::chrono::steady_clock::now();
  if (auto parsed = parse(texts); !parsed) {
    EXPECT_EQ(parsed.error().code, Code::BadArgument);
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

TEST(hostile_conf, random_pieces_give_a_configuration_or_an_error) {
  const std::vector<std::string> pieces{
      "[",          "]",        "[node[1-4]]", "\n",         "=",    "slots",
      "switches",   "a/b/c",    "16G",         "2h",         "-1",   "99999999999999999999",
      "priority",   "preempts", "lower",       "preempt_by", "kill", "place",
      "pack",       "/a",       "/a/b",        "shares",     "owns", "limit",
      "res_req",    "select[",  "((((",        "||",         "{",    "#",
      "\xff",       ",",        " ",           "[default]",  "gpus", "none",
      "unit_types", "\t"};
  for (unsigned seed = 0; seed < 5000; ++seed) {
    std::mt19937 random(seed);
    Texts texts;
    for (auto name : file_names()) {
      std::string& text = texts[std::string(name)];
      for (auto n = random() % 30; n > 0; --n) {
        text += pieces[random() % pieces.size()];
        if (random() % 3 == 0) text += random() % 2 ? " = " : "\n";
      }
    }
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ASSERT_LT(parse_ms(texts), 5000);
  }
}

TEST(hostile_conf, what_is_very_large_ends_in_bounded_time) {
  std::string deep(100000, '('), path;
  for (int i = 0; i < 20000; ++i) path += "/p";
  std::string chain = "[/]\nshares = 1\n";
  for (std::size_t n = 2; n <= 600; n += 2) chain += "[" + path.substr(0, n) + "]\nshares = 1\n";
  std::string ranges;
  for (int i = 0; i < 50; ++i) ranges += "[1-99999999]";
  for (const Texts& texts : std::vector<Texts>{
           {{"queues.conf", "[q]\nres_req = select[" + deep + "]\n"}},
           {{"queues.conf", "[q]\nres_req = " + deep + "\n"}},
           {{"plans.conf", "[" + path + "]\nshares = 1\n"}},
           {{"plans.conf", chain}},
           {{"hosts.conf", "[n" + ranges + "]\nslots = 1\n"}},
           {{"hosts.conf", "[n[1-4000000000]]\nslots = 1\n"}},
           {{"hosts.conf", "[n[" + std::string(100000, '0') + "1-99999]]\nslots = 1\n"}},
           {{"hosts.conf", "[" + std::string(100000, 'n') + "[1-99999]]\nslots = 1\n"}},
           {{"hosts.conf", "[n1]\nswitches = " + path + "\n"}},
           {{"apps.conf", "[a]\nenv = " + std::string(200000, ',') + "\n"}},
           {{"wm.conf", std::string(300000, '[')}},
           {{"wm.conf", std::string(300000, '\n')}},
       })
    EXPECT_LT(parse_ms(texts), 20000);
}

}  // namespace
}  // namespace wm::conf
