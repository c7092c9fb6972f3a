// Role: how well searches search: the median, over seeds, of how far the best of 60 to 100 trials
// is from the least value of each surface of test/support/surfaces.h. One line an algorithm and
// surface: `search_regret_SURFACE_ALGORITHM value regret`.
// usage: search_quality [--seeds N] [--algorithms A,B] [--surfaces A,B] [--in-flight N] [--fewer N]
//   [--raw]
// --fewer: so many trials less, which is what those in flight at the end do not know yet.
// --raw: one line a seed, for comparisons.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <nlohmann/json.hpp>
#include <sstream>

#include "libwm/search/search.h"
#include "test/support/surfaces.h"

namespace wm {
namespace {

using Json = nlohmann::json;

struct Options {
  std::uint64_t seeds = 5;
  std::size_t in_flight = 1, fewer = 0;
  std::vector<std::string> algorithms{"Random", "TPE"}, surfaces;
  bool raw = false;
};

double value_at(const surfaces::Surface& surface, const surfaces::Turned& turned,
                const Json& config) {
  if (!surface.numbers) {
    std::map<std::string, double> numbers;
    std::map<std::string, std::string> words;
    for (const auto& [name, value] : config.items())
      if (value.is_string()) words[name] = value;
      else numbers[name] = value;
    return surfaces::mixed(numbers, words);
  }
  std::vector<double> x;
  for (std::size_t i = 0; i < surface.middle.size(); ++i)
    x.push_back(config.at("x" + std::to_string(i)));
  return turned.value(x);
}

// One search to its end; the oldest trial in flight ends first.
double regret(const surfaces::Surface& surface, const std::string& algorithm, std::uint64_t seed,
              const Options& options) {
  const auto trials = surface.trials - options.fewer, in_flight = options.in_flight;
  Json search{{"algorithm", algorithm}, {"metric", "loss"},
              {"goal", "minimize"},     {"space", Json::parse(surface.space)},
              {"max_trials", trials},   {"seed", seed}};
  auto text = search.dump();
  surfaces::Turned turned(surface, seed);
  Json history = Json::array();
  double best = 1e300;
  for (std::size_t ended = 0; ended < trials; ++ended) {
    if (history.size() < trials) {
      auto wanted = static_cast<std::uint32_t>(ended + in_flight - history.size());
      auto answer = search::suggest(text, history.dump(), wanted);
      if (!answer) std::fprintf(stderr, "%s\n", answer.error().text.c_str()), std::exit(1);
      auto configs = Json::parse(*answer)["configs"];
      for (const auto& config : configs)
        history.push_back(
            {{"index", history.size() + 1}, {"state", "running"}, {"config", config}});
    }
    auto& trial = history.at(ended);
    double value = value_at(surface, turned, trial["config"]);
    trial["state"] = "finished";
    trial["metrics"]["loss"] = {{"min", value}, {"max", value}, {"latest", value}};
    best = std::min(best, value);
  }
  return best - surface.best;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> list;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, ',');) list.push_back(word);
  return list;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--raw") options.raw = true;
    else if (word == "--seeds") options.seeds = std::stoul(value), ++i;
    else if (word == "--in-flight") options.in_flight = std::stoul(value), ++i;
    else if (word == "--fewer") options.fewer = std::stoul(value), ++i;
    else if (word == "--algorithms") options.algorithms = words(value), ++i;
    else if (word == "--surfaces") options.surfaces = words(value), ++i;
  }
  return options;
}

void measure(const Options& options, const surfaces::Surface& surface,
             const std::string& algorithm) {
  std::vector<double> regrets;
  auto name = surface.name + "_" + algorithm;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  auto start = std::chrono::steady_clock::now();
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    regrets.push_back(regret(surface, algorithm, seed, options));
    if (options.raw) std::printf("raw %s %g\n", name.c_str(), regrets.back());
  }
  std::ranges::sort(regrets);
  double middle = (regrets[regrets.size() / 2] + regrets[(regrets.size() - 1) / 2]) / 2;
  std::printf("search_regret_%s %.4g regret\n", name.c_str(), middle);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "%s: %.3f s a search\n", name.c_str(),
               took.count() / static_cast<double>(options.seeds));
  std::fflush(stdout);
}

}  // namespace
}  // namespace wm

int main(int argc, char** argv) {
  auto options = wm::parse(argc, argv);
  for (const auto& surface : wm::surfaces::all())
    for (const auto& algorithm : options.algorithms)
      if (options.surfaces.empty() ||
          std::ranges::find(options.surfaces, surface.name) != options.surfaces.end())
        wm::measure(options, surface, algorithm);
}
