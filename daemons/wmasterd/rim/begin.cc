#include "daemons/wmasterd/rim/begin.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "libwm/files/fd.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/spawn.h"

namespace wm::master {
namespace {

namespace fs = std::filesystem;

std::string account_name(uid_t uid) {
  auto found = proc::account(uid);
  return found ? found->name : std::to_string(uid);
}

Result<proc::Account> account_of(const std::string& user) {
  if (user.empty())
    return proc::Account{account_name(::geteuid()), "", "", ::geteuid(), ::getegid()};
  auto found = proc::account(user);
  if (found || found.error().code != Code::NotFound) return found;
  return fail(Code::NotFound, "wm.conf: master_user: no account '" + user +
                                  "' on this host; make it (systemd-sysusers) or name another");
}

// One that is there stays as it is: an administrator may have chosen other modes.
Result<void> make_own_folder(const std::string& path, const proc::Account& owner) {
  std::error_code ec;
  if (path.empty() || fs::is_directory(path, ec)) return {};
  WM_TRY(proc::make_folders(path));
  if (::chmod(path.c_str(), 0750) != 0) return system_error("chmod " + path);
  if (::chown(path.c_str(), owner.uid, owner.gid) != 0) return system_error("chown " + path);
  return {};
}

Result<void> become_master(const proc::Account& user) {
  if (::geteuid() == user.uid) return {};
  auto done = proc::become(user);
  return done ? done : Result<void>(done.error().within("master_user"));
}

}  // namespace

Result<void> begin_as(const std::string& user, const conf::MasterFolders& folders) {
  WM_TRY(const auto who, account_of(user));
  if (::geteuid() != 0 && ::geteuid() != who.uid)
    return fail(Code::Denied,
                "started by '" + account_name(::geteuid()) +
                    "', but wm.conf says master_user = " + who.name +
                    ", and commands and hosts refuse any other: start it as root or as " +
                    who.name + ", or change master_user");
  for (const auto& folder : {folders.state, folders.log}) WM_TRY(make_own_folder(folder, who));
  return become_master(who);
}

Result<void> check_state_place(const std::string& state_dir, const conf::MasterFolders& folders) {
  std::error_code ec;
  if (!fs::exists(state_dir + "/core.db", ec) || fs::exists(folders.state + "/core.db", ec))
    return {};
  return fail(Code::Conflict, state_dir + "/core.db is the state of an earlier version and " +
                                  folders.state +
                                  " holds none: stop the daemons and move core.db* acct.db* "
                                  "history-*.db* there");
}

}  // namespace wm::master
