#include "libwm/proc/accounts.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libwm/files/fd.h"

namespace wm::proc {
namespace {

/// A group of a whole site may list very many accounts.
constexpr std::size_t kFirst = 4096, kMost = 16 << 20;

/// Calls a look-up with a buffer that is large enough; `make` gets the entry.
template <class Entry, class Call, class Make>
auto look_up(const std::string& what, Call call, Make make)
    -> Result<decltype(make(std::declval<const Entry&>()))> {
  std::vector<char> buffer(kFirst);
  Entry entry{}, *found = nullptr;
  for (;;) {
    int error = call(&entry, buffer.data(), buffer.size(), &found);
    if (error == EINTR) continue;
    if (error == ERANGE && buffer.size() < kMost) {
      buffer.resize(buffer.size() * 4);
      continue;
    }
    if (error == 0 && found != nullptr) return make(*found);
    return not_looked_up(error, what);
  }
}

Account account_of(const passwd& entry) {
  return {entry.pw_name, entry.pw_dir, entry.pw_shell, entry.pw_uid, entry.pw_gid};
}

Group group_of(const ::group& entry) {
  Group made{entry.gr_name, entry.gr_gid, {}};
  for (char** name = entry.gr_mem; name != nullptr && *name != nullptr; ++name)
    made.members.emplace_back(*name);
  return made;
}

std::string quoted_name(const std::string& name) { return "'" + name.substr(0, 64) + "'"; }

}  // namespace

Error not_looked_up(int error, const std::string& what) {
  // What services say of a name that they do not have. @source getpwnam(3), "RETURN VALUE"
  bool none = error == 0 || error == ENOENT || error == ESRCH || error == EBADF || error == EPERM;
  if (none) return fail(Code::NotFound, "no " + what);
  return fail(Code::Unavailable, what + " cannot be looked up: " + std::strerror(error));
}

Result<Account> account(uid_t uid) {
  return look_up<passwd>(
      "account with uid " + std::to_string(uid),
      [uid](auto... rest) { return ::getpwuid_r(uid, rest...); }, account_of);
}

Result<Account> account(const std::string& name) {
  return look_up<passwd>(
      "account " + quoted_name(name),
      [&](auto... rest) { return ::getpwnam_r(name.c_str(), rest...); }, account_of);
}

Result<Group> group(gid_t gid) {
  return look_up<::group>(
      "group with gid " + std::to_string(gid),
      [gid](auto... rest) { return ::getgrgid_r(gid, rest...); }, group_of);
}

Result<Group> group(const std::string& name) {
  return look_up<::group>(
      "group " + quoted_name(name),
      [&](auto... rest) { return ::getgrnam_r(name.c_str(), rest...); }, group_of);
}

std::vector<gid_t> groups_of(const Account& account) {
  std::vector<gid_t> groups(64);
  auto count = static_cast<int>(groups.size());
  auto ask = [&] {
    return ::getgrouplist(account.name.c_str(), account.gid, groups.data(), &count);
  };
  while (ask() < 0) groups.resize(static_cast<std::size_t>(count) + 16);
  groups.resize(static_cast<std::size_t>(count));
  return groups;
}

Result<void> become(const Account& account) {
  bool done = ::initgroups(account.name.c_str(), account.gid) == 0 &&
              ::setresgid(account.gid, account.gid, account.gid) == 0 &&
              ::setresuid(account.uid, account.uid, account.uid) == 0;
  if (!done) return system_error("becoming '" + account.name + "'");
  return {};
}

}  // namespace wm::proc
