#include "daemons/wnoded/rim/accounts.h"

#include <unistd.h>

#include "daemons/wnoded/attempts/signed_order.h"
#include "libwm/proc/accounts.h"
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
  auto found = proc::account(uid);
  if (!found) return found.error().within("this host");
  if (owner.user != found->name)
    return fail(Code::Conflict, "uid " + std::to_string(uid) + " is '" + found->name +
                                    "' on this host, ordered as '" + owner.user + "'");
  auto groups = proc::groups_of(*found);
  return launch::Account{uid, found->gid, {groups.begin(), groups.end()}};
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

Result<launch::Account> prove_host(wire::Credentials& credentials) {
  WM_TRY(auto credential, credentials.encode("probe", std::chrono::minutes(1)));
  WM_TRY(auto read, credentials.decode(credential));
  if (::geteuid() != 0)
    return launch::Account{::geteuid(), static_cast<std::uint32_t>(::getegid()), {}};
  WM_TRY(auto nobody, proc::account("nobody"));
  return launch::Account{nobody.uid, nobody.gid, {}};
}

}  // namespace wm::node
