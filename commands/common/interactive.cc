#include "commands/common/interactive.h"

#include <chrono>

#include "commands/common/command.h"
#include "commands/common/terminal.h"
#include "libwm/base/backoff.h"
#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/client/launch.h"
#include "libwm/conf/load.h"

namespace wm::cmd {
namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(20);
constexpr Duration kLongestPause = std::chrono::milliseconds(500);
constexpr auto kDoorPatience = std::chrono::seconds(60);

}  // namespace

Result<AttachReply> find_door(client::Master& master, const AttachRequest& request) {
  auto until = steady_now() + kDoorPatience;
  for (Backoff tries(kFirstPause, kLongestPause, random_number());; tries.sleep()) {
    WM_TRY(auto where, master.ask(request));
    if (!where.door.empty()) return where;
    if (steady_now() > until)
      return fail(Code::Timeout, "the job's part on host " + where.host + " does not come up");
  }
}

Result<LaunchEnded> converse(const AttachReply& where, const ToLaunch& first, bool terminal) {
  WM_TRY(auto cluster, cluster_conf());
  WM_TRY(auto launch, client::Launch::open({where.door, cluster.munge_socket}, first));
  RawTerminal raw(terminal);
  return launch.run({true, terminal && raw.is_terminal()});
}

Result<void> follow_console(const AttachReply& where, bool terminal) {
  auto size = client::size_of_terminal(0);
  WM_TRY(auto ended, converse(where, LaunchAttach{where.task, size.rows, size.columns}, terminal));
  if (ended.refused) return fail(Code::Unavailable, ended.text);
  return {};
}

}  // namespace wm::cmd
