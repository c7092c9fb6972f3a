#include "commands/common/installation.h"

#include <algorithm>

#include "libwm/conf/folders.h"
#include "libwm/model/cluster.h"

namespace wm::cmd {
namespace {

// Where Debian's munge has them; with munge_socket another munged is meant: its key is not
// known.
constexpr const char* kMungeKey = "/etc/munge/munge.key";
constexpr const char* kMungeSocket = "/run/munge/munge.socket.2";

std::string octal(std::uint32_t mode) {
  std::string text;
  for (int shift = 9; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

struct Check {
  const ClusterConf& conf;
  const Machine& machine;
  Findings found{};

  void stops(const std::string& text) { found.push_back({true, text}); }
  void warns(const std::string& text) { found.push_back({false, text}); }

  void account(const char* key, const std::string& name) {
    if (!name.empty() && !machine.uid_of(name))
      stops(std::string("wm.conf: ") + key + ": no account '" + name +
            "' on this host: make it, or name another");
  }

  // A daemon's own folder. One that is not there is made when the daemon starts.
  void own_folder(const std::string& path, const std::string& user) {
    auto there = path.empty() ? std::nullopt : machine.file(path);
    auto uid = machine.uid_of(user);
    if (!there || !uid) return;
    if (!there->is_folder) stops(path + ": not a folder");
    else if (there->uid != *uid)
      stops(path + ": belongs to uid " + std::to_string(there->uid) + ", not to " + user +
            ": chown -R " + user + " " + path);
  }

  void job_folder(const char* key, const std::string& path) {
    auto there = path.empty() ? std::nullopt : machine.file(path);
    if (path.empty() || (there && there->is_folder)) return;
    warns(std::string("wm.conf: ") + key + ": no folder " + path +
          " on this host; jobs need it on every one");
  }

  // What users' jobs and doors refuse is said before they do. In a private cluster all is one's
  // own.
  void results_folder() {
    const auto& path = conf.dirs.results;
    job_folder("results_dir", path);
    auto there = path.empty() ? std::nullopt : machine.file(path);
    if (!there || !there->is_folder || machine.uid_of(conf.host_user) != 0u) return;
    bool open = (there->mode & 022) != 0, sticky = (there->mode & 01000) != 0;
    if (there->uid != 0)
      warns("wm.conf: results_dir: " + path + " belongs to uid " + std::to_string(there->uid) +
            ", which can change whatever users have in it; others' jobs are refused: chown root " +
            path);
    else if (open && !sticky)
      warns(
          "wm.conf: results_dir: " + path + ": mode " + octal(there->mode) +
          ": anybody can put a folder there in a user's name, so jobs are refused: chmod 0755 and "
          "badmin mkresults USER, or chmod 1777");
  }

  // The master fails all submissions over these, so they are said before.
  void submit_policy() {
    const auto& command = conf.submit_policy.command;
    if (command.empty()) return;
    auto master = machine.uid_of(conf.master_user), host = machine.uid_of(conf.host_user);
    bool is_private = master && master == host;
    if (machine.policy_command) {
      auto may = machine.policy_command(command, is_private ? *master : 0);
      if (!may && may.error().code == Code::NotFound)
        warns("wm.conf: submit_policy: " + may.error().text + "; the master's host needs it");
      else if (!may) stops("wm.conf: submit_policy: " + may.error().text);
    }
    if (is_private)
      return warns("wm.conf: submit_policy: runs as " +
                   (*master == 0 ? "wm-policy, or nobody, started by root"
                                 : "'" + conf.master_user + "', which can read the store") +
                   ": all daemons of this cluster have one account");
    if (!machine.uid_of("wm-policy"))
      stops(
          "wm.conf: submit_policy: no account 'wm-policy' on this host: make it "
          "(systemd-sysusers)");
    else if (!machine.file(conf::policy_socket(conf.dirs)))
      warns("wm.conf: submit_policy: wpolicyd does not listen on " +
            conf::policy_socket(conf.dirs) +
            " of this host; the master's needs it (systemctl enable --now wpolicyd)");
  }

  void munge() {
    auto key = conf.munge_socket.empty() ? machine.file(kMungeKey) : std::nullopt;
    if (key && (key->mode & 077) != 0)
      stops(std::string(kMungeKey) + ": mode " + octal(key->mode) +
            ": whoever reads it can be anybody in the cluster: chmod 0400, and make a new key");
    auto socket = conf.munge_socket.empty() ? kMungeSocket : conf.munge_socket;
    if (!machine.file(socket))
      stops("munged does not listen on " + socket + ": start it (systemctl start munge)");
  }
};

}  // namespace

Findings check_machine(const ClusterConf& conf, const Machine& machine) {
  Check check{conf, machine};
  check.account("master_user", conf.master_user);
  check.account("host_user", conf.host_user);
  auto master = conf::master_folders(conf.dirs);
  for (const auto& folder : {master.state, master.log}) check.own_folder(folder, conf.master_user);
  auto node = conf::node_folders(conf.dirs, machine.host);
  for (const auto& folder : {node.state, node.run, node.log})
    check.own_folder(folder, conf.host_user);
  check.results_folder();
  check.job_folder("data_dir", conf.dirs.data);
  check.munge();
  check.submit_policy();
  return check.found;
}

Findings check_lsf_conf(const std::string& file, const std::optional<std::string>& found,
                        const std::string& wanted) {
  auto first = wanted.substr(0, wanted.find('\n'));
  if (!found || *found == wanted || !found->starts_with(first)) return {};
  return {{false, file + ": is not what wm.conf says any more: badmin lsfconf makes it anew"}};
}

}  // namespace wm::cmd
