#include "daemons/wnoded/accounts.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "daemons/wnoded/signed_order.h"
#include "libwm/wire/spec_signature.h"

namespace wm::node {
namespace {

Result<void> check_signature(const HostOrder& order, wire::Credentials& credentials) {
  auto job = "job " + to_string(order.job);
  WM_TRY(auto signer, wire::signer_of_spec(credentials, order.sealed.credential, order.sealed.spec,
                                           order.sealed.request_key));
  if (signer != order.resolved.owner.uid)
    return fail(Code::Denied, job + ": signed by uid " + std::to_string(signer) +
                                  ", ordered for uid " + std::to_string(order.resolved.owner.uid));
  return check_as_signed(order);
}

// Of a name that is another's here, folders would be made and files named.
Result<launch::Account> look_up(const Identity& owner) {
  auto uid = owner.uid;
  std::string buffer(16384, '\0');
  passwd entry{}, *found = nullptr;
  ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr)
    return fail(Code::NotFound, "no account with uid " + std::to_string(uid) + " on this host");
  if (owner.user != entry.pw_name)
    return fail(Code::Denied, "uid " + std::to_string(uid) + " is '" + entry.pw_name +
                                  "' on this host, ordered as '" + owner.user + "'");
  launch::Account account{uid, entry.pw_gid, {}};
  int count = 64;
  std::vector<gid_t> groups(static_cast<std::size_t>(count));
  if (::getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count) < 0) {
    groups.resize(static_cast<std::size_t>(count));
    ::getgrouplist(entry.pw_name, entry.pw_gid, groups.data(), &count);
  }
  account.groups.assign(groups.begin(), groups.begin() + count);
  return account;
}

}  // namespace

Result<launch::Account> authorise(const HostOrder& order, wire::Credentials& credentials) {
  WM_TRY(check_signature(order, credentials));
  auto uid = order.resolved.owner.uid;
  auto own = static_cast<std::uint32_t>(::geteuid());
  if (own == 0) return look_up(order.resolved.owner);
  if (uid == own) return launch::Account{uid, static_cast<std::uint32_t>(::getegid()), {}};
  return fail(Code::Denied, "this host runs as uid " + std::to_string(own) +
                                " and cannot start jobs of uid " + std::to_string(uid));
}

}  // namespace wm::node
