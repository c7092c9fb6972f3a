// bparams: the parameters of the batch system by their LSF names, as wm.conf here has them; behind
// them what LSF has no name for, by wm.conf's own.
#include <algorithm>
#include <cctype>

#include "commands/common/command.h"
#include "libwm/conf/keys.h"
#include "libwm/conf/lsf_conf.h"
#include "libwm/view/format.h"

namespace wm::cmd::bparams {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"a", Kind::Flag, "", "All parameters, a line each: NAME = value"},
    {"l", Kind::Flag, "", "The same, with what each means"},
    {"json", Kind::Flag, "", "All parameters as JSON"},
};

std::string brief(const std::vector<conf::LsfSetting>& params) {
  auto value = [&](const char* name) {
    return std::find_if(params.begin(), params.end(), [&](auto& one) { return one.name == name; })
        ->value;
  };
  return "Default Queues:  " + value("DEFAULT_QUEUE") +
         "\nMBD_SLEEP_TIME used for calculations:  " + value("MBD_SLEEP_TIME") +
         " seconds\nJob Accepting Interval:  " + value("JOB_ACCEPT_INTERVAL") + " seconds\n";
}

// "clean_period" as "WM_CLEAN_PERIOD": no name of LSF's.
std::string own_name(std::string_view key) {
  std::string name = "WM_";
  for (char c : key) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

std::string listed(ClusterConf conf, const std::vector<conf::LsfSetting>& params, bool with_doc) {
  std::string text;
  for (const auto& [name, value] : params) text += name + " = " + value + "\n";
  for (const auto& key : conf::cluster_keys()) {
    auto line = own_name(key.name) + " = " + conf::show_field(key.field(conf)) + "\n";
    text += with_doc ? "\n" + std::string(key.doc) + "\n" + std::string(8, ' ') + line : line;
  }
  return text;
}

std::string as_json(ClusterConf conf, const std::vector<conf::LsfSetting>& params) {
  std::vector<view::Record> records;
  for (const auto& [name, value] : params)
    records.push_back({{"PARAMETER", name}, {"VALUE", value}});
  for (const auto& key : conf::cluster_keys())
    records.push_back(
        {{"PARAMETER", own_name(key.name)}, {"VALUE", conf::show_field(key.field(conf))}});
  return view::json_text("bparams", "PARAMETERS", records);
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto conf, cluster_conf());
  auto params = conf::lsb_params(conf);
  if (options.has("json")) return say(as_json(conf, params)), 0;
  bool all = options.has("a"), explained = options.has("l");
  say(all || explained ? listed(conf, params, explained && !all) : brief(params));
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bparams

int main(int argc, char** argv) {
  using namespace wm::cmd::bparams;
  return main_of({"bparams", "bparams [-a | -l | -json]", kOptions}, argc, argv, run);
}
