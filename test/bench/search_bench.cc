// Role: how long one suggestion takes, JSON read and written: TPE after 1,000 trials, the Gaussian
// process after 100, both over ten parameters of each sort.
#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>

#include "libwm/search/search.h"
#include "test/support/surfaces.h"

namespace wm {
namespace {

using Json = nlohmann::json;

Json search_of(const char* algorithm) {
  return {{"algorithm", algorithm},
          {"metric", "loss"},
          {"goal", "minimize"},
          {"space", Json::parse(surfaces::all().back().space)},
          {"seed", 1}};
}

// So many finished trials at random, the loss a function of some of their values.
std::string history_of(std::uint32_t trials) {
  auto random = search::suggest(search_of("Random").dump(), "[]", trials);
  auto history = Json::array();
  auto configs = Json::parse(*random)["configs"];
  for (const auto& config : configs) {
    double loss = config["dropout"].get<double>() + config["lr"].get<double>() +
                  config["layers"].get<double>() / 8;
    history.push_back({{"index", history.size() + 1},
                       {"state", "finished"},
                       {"config", config},
                       {"metrics", {{"loss", {{"min", loss}, {"max", loss}, {"latest", loss}}}}}});
  }
  return history.dump();
}

void suggest_once(benchmark::State& state, const char* algorithm, std::uint32_t trials) {
  auto search = search_of(algorithm).dump(), history = history_of(trials);
  for (auto _ : state) benchmark::DoNotOptimize(search::suggest(search, history, 1));
}

void search_suggest_tpe_1000_ms(benchmark::State& state) { suggest_once(state, "TPE", 1000); }
void search_suggest_gp_100_ms(benchmark::State& state) { suggest_once(state, "Bayesian", 100); }
BENCHMARK(search_suggest_tpe_1000_ms)->Unit(benchmark::kMillisecond);
BENCHMARK(search_suggest_gp_100_ms)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace wm

BENCHMARK_MAIN();
