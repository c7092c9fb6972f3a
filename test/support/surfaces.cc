#include "test/support/surfaces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace wm::surfaces {
namespace {

using std::numbers::pi;
using Numbers = std::vector<double>;

double branin(const Numbers& v) {
  double x = v[0], y = v[1];
  double bend = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return bend * bend + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

double hartmann6(const Numbers& x) {
  constexpr double kA[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                               {.05, 10, 17, .1, 8, 14},
                               {3, 3.5, 1.7, 10, 17, 8},
                               {17, 8, .05, 10, .1, 14}};
  constexpr double kP[4][6] = {{1312, 1696, 5569, 124, 8283, 5886},
                               {2329, 4135, 8307, 3736, 1004, 9991},
                               {2348, 1451, 3522, 2883, 3047, 6650},
                               {4047, 8828, 8732, 5743, 1091, 381}};
  constexpr double kAlpha[4] = {1, 1.2, 3, 3.2};
  double sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double inner = 0;
    for (std::size_t j = 0; j < 6; ++j)
      inner += kA[i][j] * (x[j] - kP[i][j] * 1e-4) * (x[j] - kP[i][j] * 1e-4);
    sum += kAlpha[i] * std::exp(-inner);
  }
  return -sum;
}

double rosenbrock5(const Numbers& x) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    double bend = x[i + 1] - x[i] * x[i];
    sum += 100 * bend * bend + (1 - x[i]) * (1 - x[i]);
  }
  return sum;
}

const Numbers kShift{3.1, -7.7, 12.4, -15.2, 8.8, -1.3, 20.5, -18.1, 5.9, -11.6};

double ackley10(const Numbers& x) {
  double squares = 0, waves = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double z = x[i] - kShift[i];
    squares += z * z;
    waves += std::cos(2 * pi * z);
  }
  double n = static_cast<double>(x.size());
  return -20 * std::exp(-.2 * std::sqrt(squares / n)) - std::exp(waves / n) + 20 + std::numbers::e;
}

std::string box(std::size_t count, const std::vector<std::pair<std::string, std::string>>& ends) {
  std::string items;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [low, high] = ends[std::min(i, ends.size() - 1)];
    items += std::string(i ? "," : "") + R"({"name":"x)" + std::to_string(i) +
             R"(","type":"Range","dataType":"DOUBLE","minDbVal":)" + low + R"(,"maxDbVal":)" +
             high + "}";
  }
  return "[" + items + "]";
}

constexpr char kMixedSpace[] = R"([
 {"name":"opt","type":"Discrete","dataType":"STR","discreateStrVal":["sgd","adam","rmsprop"]},
 {"name":"lr","type":"Range","dataType":"DOUBLE","minDbVal":1e-6,"maxDbVal":1,"log":true},
 {"name":"batch","type":"Range","dataType":"INT","minIntVal":8,"maxIntVal":1024,"log":true},
 {"name":"momentum","type":"Range","dataType":"DOUBLE","minDbVal":0,"maxDbVal":0.99,"when":{"opt":["sgd"]}},
 {"name":"one_minus_beta2","type":"Range","dataType":"DOUBLE","minDbVal":1e-4,"maxDbVal":0.2,"log":true,
  "when":{"opt":["adam"]}},
 {"name":"layers","type":"Range","dataType":"INT","minIntVal":1,"maxIntVal":8},
 {"name":"units","type":"Range","dataType":"INT","minIntVal":8,"maxIntVal":1024,"log":true},
 {"name":"dropout","type":"Range","dataType":"DOUBLE","minDbVal":0,"maxDbVal":0.7},
 {"name":"wd","type":"Range","dataType":"DOUBLE","minDbVal":1e-8,"maxDbVal":1e-1,"log":true},
 {"name":"act","type":"Discrete","dataType":"STR","discreteStrVal":["relu","tanh","gelu"]},
 {"name":"aug","type":"Discrete","dataType":"STR","discreteStrVal":["off","on"]},
 {"name":"aug_strength","type":"Range","dataType":"DOUBLE","minDbVal":0,"maxDbVal":1,"when":{"aug":["on"]}}])";

// The same numbers wherever it runs, also in another language.
struct Source {
  std::uint64_t key, counter = 0;
  double uniform() {
    std::uint64_t z = key + ++counter * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double normal() {
    double u = 1 - uniform(), v = uniform();
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * pi * v);
  }
};

// Rows of normal numbers made orthogonal to each other.
std::vector<Numbers> rotation(std::size_t d, Source& source) {
  std::vector<Numbers> rows(d, Numbers(d));
  for (auto& row : rows)
    for (auto& x : row) x = source.normal();
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      double along = 0;
      for (std::size_t j = 0; j < d; ++j) along += rows[i][j] * rows[k][j];
      for (std::size_t j = 0; j < d; ++j) rows[i][j] -= along * rows[k][j];
    }
    double length = 0;
    for (double x : rows[i]) length += x * x;
    for (auto& x : rows[i]) x /= std::sqrt(length);
  }
  return rows;
}

}  // namespace

Turned::Turned(const Surface& surface, std::uint64_t seed) : surface_(surface) {
  if (!surface.numbers) return;
  Source source{seed * 1000003 + 17};
  auto d = surface.middle.size();
  double width = surface.high - surface.low;
  shift_.assign(d, 0);
  do {
    if (seed == 0) return;
    turn_ = rotation(d, source);
    for (auto& s : shift_) s = (source.uniform() - 0.5) * 0.2 * width;
  } while (!holds_least());
}

// x = middle + shift + turnᵀ (least - middle) for one of the least places.
bool Turned::holds_least() const {
  auto d = shift_.size();
  double half = (surface_.high - surface_.low) / 2;
  return std::ranges::any_of(surface_.least, [&](const Numbers& least) {
    for (std::size_t j = 0; j < d; ++j) {
      double x = shift_[j];
      for (std::size_t i = 0; i < d; ++i) x += turn_[i][j] * (least[i] - surface_.middle[i]);
      if (std::abs(x) > 0.95 * half) return false;
    }
    return true;
  });
}

double Turned::value(const Numbers& x) const {
  if (turn_.empty()) return surface_.numbers(x);
  Numbers at = surface_.middle;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j)
      at[i] += turn_[i][j] * (x[j] - surface_.middle[j] - shift_[j]);
  return surface_.numbers(at);
}

const std::vector<Surface>& all() {
  static const std::vector<Surface> kAll{{"branin",
                                          box(2, {{"-5", "10"}, {"0", "15"}}),
                                          0.39788735772973816,
                                          branin,
                                          0,
                                          15,
                                          {2.5, 7.5},
                                          {{-pi, 12.275}, {pi, 2.275}, {9.42478, 2.475}},
                                          60},
                                         {"hartmann6",
                                          box(6, {{"0", "1"}}),
                                          -3.322368011415512,
                                          hartmann6,
                                          0,
                                          1,
                                          Numbers(6, 0.5),
                                          {{.20169, .150011, .476874, .275332, .311652, .6573}},
                                          60},
                                         {"rosenbrock5",
                                          box(5, {{"-5", "10"}}),
                                          0,
                                          rosenbrock5,
                                          -5,
                                          10,
                                          Numbers(5, 2.5),
                                          {Numbers(5, 1)},
                                          100},
                                         {"ackley10",
                                          box(10, {{"-32.768", "32.768"}}),
                                          0,
                                          ackley10,
                                          -32.768,
                                          32.768,
                                          Numbers(10, 0),
                                          {kShift},
                                          100},
                                         {"mlsurface", kMixedSpace, 0, nullptr, 0, 1, {}, {}, 100}};
  return kAll;
}

double mixed(const std::map<std::string, double>& p, const std::map<std::string, std::string>& w) {
  static const std::map<std::string, std::pair<double, double>> kOptimizers{
      {"sgd", {-1.3, .02}}, {"adam", {-3.0, 0}}, {"rmsprop", {-3.4, .05}}};
  const auto& opt = w.at("opt");
  double lr = std::log10(p.at("lr")), bs = std::log2(p.at("batch"));
  auto [best_lr, loss] = kOptimizers.at(opt);
  best_lr += 0.15 * (bs - 6);
  if (opt == "sgd") {
    best_lr -= .8 * std::max(0., p.at("momentum") - .5);
    loss += .3 * std::pow(p.at("momentum") - .9, 2);
  }
  if (opt == "adam") loss += .02 * std::pow(std::log10(p.at("one_minus_beta2")) + 2.7, 2);
  double d = lr - best_lr;
  loss += d < 0 ? .06 * d * d : d < .8 ? .15 * d * d : .096 + .6 * (1 - std::exp(-3 * (d - .8)));
  double cap = p.at("layers") * .5 + std::log2(p.at("units")) * .35, drop = p.at("dropout");
  double reg = 4 * drop + .5 * (std::log10(p.at("wd")) + 5);
  loss += .03 * std::pow(cap - 4.65, 2) + .04 * std::pow(reg - .6 - (cap - 4.65) * .8, 2) +
          .05 * std::pow(drop - .15, 2);
  const auto& act = w.at("act");
  loss += act == "relu" ? .015 : act == "gelu" ? 0. : .06;
  loss += w.at("aug") == "on" ? .2 * std::pow(p.at("aug_strength") - .35, 2) : .04;
  return loss + .01 * std::pow(bs - 6, 2);
}

}  // namespace wm::surfaces
