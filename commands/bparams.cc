// bparams: the parameters of the batch system by their LSF names, as wm.conf here has them.
#include <algorithm>

#include "commands/common/command.h"
#include "libwm/conf/lsf_conf.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"a", Kind::Flag, "", "All parameters, a line each: NAME = value"},
    {"l", Kind::Flag, "", "The same"},
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

Result<int> run(const Parsed& options) {
  WM_TRY(auto conf, cluster_conf());
  auto params = conf::lsb_params(conf);
  bool all = options.has("a") || options.has("l");
  if (!all) say(brief(params));
  for (const auto& [name, value] : params)
    if (all) say(name + " = " + value + "\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bparams", "bparams [-a | -l]", kOptions}, argc, argv, run);
}
