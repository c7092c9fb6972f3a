// lsclusters: the one cluster that there is, in the line that LSF's clients read.
#include <algorithm>

#include "commands/common/command.h"
#include "libwm/view/table.h"

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
  // Programs take the cluster's name from here: it is whole.
  const int widths[] = {std::max(14, static_cast<int>(here.cluster.size())), 8, 24, 8, 6};
  auto line = [&](const view::Cells& cells) {
    auto too_wide = options.has("w") ? view::TooWide::Keep : view::TooWide::Cut;
    say(view::line_of(cells, widths, too_wide) + "\n");
  };
  auto hosts = std::to_string(reply.hosts.size());
  auto admin = conf.admins.empty() ? conf.master_user : conf.admins.front();
  line({"CLUSTER_NAME", "STATUS", "MASTER_HOST", "ADMIN", "HOSTS", "SERVERS"});
  line({here.cluster, "ok", here.master, admin, hosts, hosts});
  return 0;
}

}  // namespace
}  // namespace wm::cmd::lsclusters

int main(int argc, char** argv) {
  using namespace wm::cmd::lsclusters;
  return main_of({"lsclusters", "lsclusters [-w]", kOptions}, argc, argv, run);
}
