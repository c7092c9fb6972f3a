// lsclusters: the one cluster that there is, in the line that LSF's clients read.
#include "commands/common/command.h"
#include "libwm/view/format.h"

namespace wm::cmd::lsclusters {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"w", Kind::Flag, "", "Wide: nothing is cut off"},
};

Result<int> run(const Parsed& options) {
  WM_TRY(auto conf, cluster_conf());
  WM_TRY(auto from, client::Master::of(conf));
  WM_TRY(auto here, from.ask(PingRequest{}));
  WM_TRY(auto reply, from.ask(HostsRequest{}));
  bool wide = options.has("w");
  auto cell = [&](const std::string& text, int width) {
    return (wide && static_cast<int>(text.size()) > width ? text : view::fit(text, width)) + " ";
  };
  auto hosts = std::to_string(reply.hosts.size());
  auto admin = conf.admins.empty() ? conf.master_user : conf.admins.front();
  say(cell("CLUSTER_NAME", 14) + cell("STATUS", 8) + cell("MASTER_HOST", 24) + cell("ADMIN", 8) +
      cell("HOSTS", 6) + "SERVERS\n");
  say(cell(here.cluster, 14) + cell("ok", 8) + cell(here.master, 24) + cell(admin, 8) +
      cell(hosts, 6) + hosts + "\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::lsclusters

int main(int argc, char** argv) {
  using namespace wm::cmd::lsclusters;
  return main_of({"lsclusters", "lsclusters [-w]", kOptions}, argc, argv, run);
}
