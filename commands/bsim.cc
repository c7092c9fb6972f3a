// bsim: runs a list of jobs under a policy in virtual time and says how they fared. Reads files,
// prints; all else is libwm/replay.
#include <sys/resource.h>

#include <boost/program_options.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "commands/common/command.h"
#include "commands/common/progress.h"
#include "libwm/base/clock.h"
#include "libwm/conf/load.h"
#include "libwm/replay/engine.h"
#include "libwm/replay/metrics.h"
#include "libwm/replay/read.h"
#include "libwm/replay/report.h"

namespace wm::cmd {
namespace {

namespace po = boost::program_options;
namespace fs = std::filesystem;

struct Asked {
  std::string format, workload, tables, policy, estimates = "exact", conf, json, plot, gpu_type,
                                                services;
  replay::Setup setup{16, 0, 0};
  double malleable = 0, resize_cost = 0, interval = 0;
  std::uint64_t seed = 1;
  bool sized = false;  // the cluster's size was given
};

po::options_description table_of(Asked& asked) {
  po::options_description table("Options");
  auto add = table.add_options();
  add("help", "this text");
  add("format", po::value(&asked.format)->required(),
      "pollux|sia|swf|philly|gavel|alibaba|tiresias|snapshot");
  add("workload", po::value(&asked.workload)->required(),
      "the job list, or what badmin snapshot saved");
  add("services", po::value(&asked.services), "services beside them: lines name,low,high,period_s");
  add("tables", po::value(&asked.tables), "folder of throughput tables; several: A:B");
  add("hosts", po::value(&asked.setup.hosts), "number of hosts; a snapshot has its own");
  add("gpus-per-host", po::value(&asked.setup.gpus_per_host), "0: a CPU cluster");
  add("cpus-per-host", po::value(&asked.setup.cpus_per_host), "default: 4 for each GPU");
  add("gpu-type", po::value(&asked.gpu_type), "whose tables: sia (aws), gavel (v100)");
  add("policy", po::value(&asked.policy)->required(),
      "fcfs|easy|conservative|tiresias|fairshare|goodput|ideal");
  add("malleable", po::value(&asked.malleable), "share of rigid jobs made malleable, 0..1");
  add("resize-cost", po::value(&asked.resize_cost), "seconds lost at every change of placement");
  add("estimates", po::value(&asked.estimates), "exact|user|none");
  add("interval", po::value(&asked.interval), "seconds between decisions; 0: at every event");
  add("conf", po::value(&asked.conf), "configuration folder");
  add("seed", po::value(&asked.seed), "which jobs are malleable");
  add("json", po::value(&asked.json), "write figures and records here");
  add("plot", po::value(&asked.plot), "write pictures into this folder");
  return table;
}

Result<std::string> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  if (!in || !(text << in.rdbuf())) {
    return fail(Code::NotFound, path.string() + ": cannot be read");
  }
  return text.str();
}

bool is_table(const fs::path& path) {
  return path.extension() == ".csv" || path.extension() == ".json";
}

// Files of a folder and of its folders; what an earlier folder has, a later one does not replace.
Result<void> add_tables(const std::string& folder, replay::TableTexts& tables) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return fail(Code::NotFound, folder + ": no such folder");
  for (const auto& entry : fs::recursive_directory_iterator(folder, error)) {
    if (!entry.is_regular_file() || !is_table(entry.path())) continue;
    auto name = fs::relative(entry.path(), folder).generic_string();
    WM_TRY(auto text, read_file(entry.path()));
    tables.emplace(name, std::move(text));
  }
  return {};
}

Result<replay::TableTexts> read_tables(const std::string& folders) {
  replay::TableTexts tables;
  std::stringstream words(folders);
  for (std::string folder; std::getline(words, folder, ':');) WM_TRY(add_tables(folder, tables));
  return tables;
}

double seconds_now() {
  return std::chrono::duration<double>(steady_now().time_since_epoch()).count();
}

double max_rss_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

Result<replay::Options> options_of(const Asked& asked) {
  replay::Options options;
  WM_TRY(options.policy, replay::policy_of(asked.policy));
  WM_TRY(options.estimates, replay::estimates_of(asked.estimates));
  options.interval_s = asked.interval;
  options.resize_cost_s = asked.resize_cost;
  options.stopwatch = seconds_now;
  options.progress = progress_bar();
  if (!asked.conf.empty()) {
    WM_TRY(auto config, conf::load(asked.conf));
    options.config = std::make_shared<const Config>(std::move(config));
  }
  return options;
}

// Hosts and configuration are the cluster's own, unless others are asked for.
Result<replay::Workload> live_of(const Asked& asked, const std::string& bytes, replay::Setup& setup,
                                 replay::Options& options) {
  auto saved = replay::read_snapshot(bytes);
  if (!saved) return saved.error().within(asked.workload);
  if (!asked.sized && options.policy == replay::Policy::Tiresias)
    return fail(Code::BadArgument,
                "policy tiresias runs on equal hosts: give --hosts and "
                "--gpus-per-host");
  if (!asked.sized) setup = saved->setup;
  if (!options.config) options.config = saved->config;
  return std::move(saved->workload);
}

Result<replay::Workload> workload_of(const Asked& asked, replay::Setup& setup,
                                     replay::Options& chosen) {
  WM_TRY(auto format, replay::format_of(asked.format));
  WM_TRY(auto text, read_file(asked.workload));
  if (format == replay::Format::Snapshot) return live_of(asked, text, setup, chosen);
  WM_TRY(auto tables, read_tables(asked.tables));
  replay::ReadOptions options{asked.setup.hosts * asked.setup.gpus_per_host, asked.gpu_type};
  auto workload = replay::read_workload(format, text, tables, options);
  if (!workload) return workload.error().within(asked.workload);
  replay::make_malleable(*workload, asked.malleable, asked.seed, asked.setup.units());
  return workload;
}

Result<void> write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  if (out << text << std::flush) return {};
  return fail(Code::System, path.string() + ": cannot be written");
}

Result<void> write_pictures(const std::string& folder, const replay::Outcome& outcome,
                            const replay::Setup& setup) {
  std::error_code error;
  fs::create_directories(folder, error);
  for (const auto& [name, text] : replay::to_pictures(outcome, setup)) {
    WM_TRY(write_file(fs::path(folder) / name, text));
  }
  return {};
}

Result<void> check(const Asked& asked) {
  if (!asked.sized && asked.format != "snapshot")
    return fail(Code::BadArgument,
                "--hosts and --gpus-per-host: both are needed, but for a snapshot");
  auto outside = [](const char* name, double value, double most) -> Result<void> {
    if (value >= 0 && value <= most) return {};
    return fail(Code::BadArgument, std::string("--") + name + ": outside 0.." +
                                       std::to_string(static_cast<std::int64_t>(most)));
  };
  WM_TRY(outside("malleable", asked.malleable, 1));
  WM_TRY(outside("resize-cost", asked.resize_cost, 86400));
  WM_TRY(outside("interval", asked.interval, 86400));
  WM_TRY(outside("hosts", asked.setup.hosts, 1'000'000));
  WM_TRY(outside("gpus-per-host", asked.setup.gpus_per_host, 1024));
  WM_TRY(outside("cpus-per-host", asked.setup.cpus_per_host, 1'000'000));
  constexpr std::uint64_t kMostSlots = 4'000'000;
  const replay::Setup& setup = asked.setup;
  auto slots = std::uint64_t{setup.hosts} * std::max(setup.gpus_per_host, setup.cpus_per_host);
  if (slots <= kMostSlots) return {};
  return fail(Code::BadArgument, "the cluster has " + std::to_string(slots) + " slots, more than " +
                                     std::to_string(kMostSlots));
}

Result<void> add_services_of(const Asked& asked, replay::Workload& workload) {
  if (asked.services.empty()) return {};
  WM_TRY(auto text, read_file(asked.services));
  auto services = replay::read_services(text);
  if (!services) return services.error().within(asked.services);
  replay::add_services(workload, std::move(*services));
  return {};
}

Result<void> simulate(Asked asked) {
  WM_TRY(check(asked));
  auto& setup = asked.setup;
  if (setup.cpus_per_host == 0) setup.cpus_per_host = std::max(1u, 4 * setup.gpus_per_host);
  WM_TRY(auto options, options_of(asked));
  WM_TRY(auto workload, workload_of(asked, setup, options));
  WM_TRY(add_services_of(asked, workload));
  WM_TRY(auto outcome, replay::simulate(workload, setup, options));
  if (!asked.json.empty()) {
    WM_TRY(write_file(asked.json, replay::to_json(outcome, setup, options, max_rss_mb())));
  }
  if (!asked.plot.empty()) WM_TRY(write_pictures(asked.plot, outcome, setup));
  std::cout << replay::to_table(outcome, setup, options);
  return {};
}

// As other commands tell theirs. What a value is called is its choices, where they are all of its
// doc.
std::string told(const po::options_description& table) {
  std::vector<std::string> names;
  for (const auto& option : table.options()) names.push_back("-" + option->long_name());
  std::vector<Option> rows;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& doc = table.options()[i]->description();
    bool valued = table.options()[i]->semantic()->max_tokens() > 0;
    bool choices = doc.find('|') != doc.npos && doc.find(' ') == doc.npos;
    auto kind = valued ? Option::Kind::Text : Option::Kind::Flag;
    rows.push_back({names[i], kind, !valued ? "" : choices ? std::string_view(doc) : "value", doc});
  }
  return table_text("bsim [options]", rows);
}

int run(int argc, char** argv) {
  Asked asked;
  po::options_description table = table_of(asked);
  if (argc == 2 && argv[1] == kTableOption) {
    std::cout << told(table);
    return 0;
  }
  po::variables_map found;
  po::store(po::parse_command_line(
                argc, argv, table,
                po::command_line_style::default_style & ~po::command_line_style::allow_guessing),
            found);
  if (found.count("help")) {
    std::cout << "usage: bsim [options]\n" << table;
    return 0;
  }
  po::notify(found);
  asked.sized = found.count("hosts") && found.count("gpus-per-host");
  auto done = simulate(asked);
  if (done) return 0;
  complain("bsim: " + done.error().text + "\n");
  return 255;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  try {
    return wm::cmd::run(argc, argv);
  } catch (const std::exception& error) {
    wm::cmd::complain("bsim: " + std::string(error.what()) + "\nusage: bsim --help\n");
    return 255;
  }
}
