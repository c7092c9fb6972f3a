// Role: the surfaces of benchmarks are those that they are said to be: known values, the least
// value where it is known to be however they are turned, and equality with a definition in Python
// where there is one.
#include "test/support/surfaces.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "libwm/search/draws.h"

namespace wm::surfaces {
namespace {

constexpr char kDefinition[] = "../shared/data/search/objectives.py";

const Surface& named(const std::string& name) {
  for (const auto& surface : all())
    if (surface.name == name) return surface;
  return all().front();
}

TEST(surfaces, have_their_least_value_where_it_is_known) {
  for (const auto& surface : all()) {
    if (!surface.numbers) continue;
    for (const auto& least : surface.least)
      EXPECT_NEAR(surface.numbers(least), surface.best, 1e-5) << surface.name;
  }
  EXPECT_NEAR(named("branin").numbers({0, 0}), 55.602113, 1e-5);
  EXPECT_NEAR(named("rosenbrock5").numbers({0, 0, 0, 0, 0}), 4, 1e-12);
}

TEST(surfaces, mixed_is_least_at_its_optimum) {
  double reg = .6;  // with a capacity of 4.65
  std::map<std::string, double> numbers{{"lr", 1e-3},
                                        {"batch", 64},
                                        {"one_minus_beta2", std::pow(10, -2.7)},
                                        {"layers", 3},
                                        {"units", std::pow(2, 9)},
                                        {"dropout", .15},
                                        {"wd", 1e-5},
                                        {"aug_strength", .35}};
  EXPECT_NEAR(mixed(numbers, {{"opt", "adam"}, {"act", "gelu"}, {"aug", "on"}}), 0, 1e-4) << reg;
}

// Numbers of `what`, printed by Python with the definition as `o` and the turned surfaces as `q`.
std::vector<double> python(const std::string& what) {
  auto command = std::string("${PYTHON:-python3} -c \"import sys, importlib.util as u\n") +
                 "def load(p):\n s=u.spec_from_file_location('m',p);m=u.module_from_spec(s);"
                 "s.loader.exec_module(m);return m\n" +
                 "o=load('" + kDefinition + "')\nq=load('test/bench/search/optuna_quality.py')\n" +
                 what + "\"";
  std::vector<double> numbers;
  auto* out = ::popen(command.c_str(), "r");
  for (double number = 0; out && std::fscanf(out, "%lf", &number) == 1;) numbers.push_back(number);
  if (out) ::pclose(out);
  return numbers;
}

TEST(surfaces, agree_with_their_definition_in_python) {
  if (::access(kDefinition, R_OK) != 0) GTEST_SKIP() << "no " << kDefinition;
  for (const auto& surface : all())
    for (std::uint64_t seed : {0u, 1u, 7u}) {
      if (!surface.numbers) continue;
      std::vector<double> x;
      search::Draws draws(seed, 1);
      std::string params;
      for (std::size_t i = 0; i < surface.middle.size(); ++i) {
        x.push_back(surface.middle[i] + (draws.uniform() - 0.5) * (surface.high - surface.low));
        char text[64];
        std::snprintf(text, sizeof text, "'x%zu':%.17g,", i, x.back());
        params += text;
      }
      auto name = "'" + surface.name + "'";
      auto found = python("print(repr(q.Turned(" + name + ",o.OBJ[" + name + "].f," +
                          std::to_string(seed) + ").value({" + params + "})))");
      ASSERT_EQ(found.size(), 1u) << surface.name;
      double value = Turned(surface, seed).value(x);
      EXPECT_NEAR(found[0], value, 1e-9 * (1 + std::abs(value))) << surface.name << seed;
    }
}

TEST(surfaces, mixed_agrees_with_its_definition_in_python) {
  if (::access(kDefinition, R_OK) != 0) GTEST_SKIP() << "no " << kDefinition;
  std::map<std::string, double> numbers{
      {"lr", .02},   {"batch", 100},  {"momentum", .8}, {"one_minus_beta2", .01}, {"layers", 5},
      {"units", 77}, {"dropout", .4}, {"wd", 1e-3},     {"aug_strength", .7}};
  std::string params;
  for (const auto& [name, value] : numbers)
    params += "'" + name + "':" + std::to_string(value) + ",";
  for (const char* opt : {"sgd", "adam", "rmsprop"})
    for (const char* act : {"relu", "tanh", "gelu"})
      for (const char* aug : {"on", "off"}) {
        auto words = std::string("'opt':'") + opt + "','act':'" + act + "','aug':'" + aug + "'";
        auto found = python("print(repr(o.mlsurface({" + params + words + "})))");
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0], mixed(numbers, {{"opt", opt}, {"act", act}, {"aug", aug}}), 1e-12);
      }
}

}  // namespace
}  // namespace wm::surfaces
