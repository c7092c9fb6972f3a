#include "daemons/wnoded/accounts.h"

#include <grp.h>
#include <pwd.h>
#include <sodium.h>
#include <unistd.h>

#include "libwm/codec/codec.h"
#include "libwm/wire/spec_signature.h"

namespace wm::node {
namespace {

std::string blake2b(const std::string& bytes) {
  std::string hash(32, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(hash.data()), hash.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr,
                     0);
  return hash;
}

bool matches(const std::string& hash, const std::string& bytes) {
  return bytes.empty() || hash == blake2b(bytes);
}

/// What the user decided and nobody may change on the way.
bool is_as_signed(const JobSpec& own, const HostOrder& order) {
  const auto& resolved = order.resolved;
  return own.command == resolved.command && own.cwd == resolved.cwd &&
         own.script_hash == resolved.script_hash && own.env_hash == resolved.env_hash &&
         own.out_file == resolved.out_file && own.err_file == resolved.err_file &&
         matches(own.script_hash, order.script) && matches(own.env_hash, order.env);
}

Result<void> check_signature(const HostOrder& order, wire::Credentials& credentials) {
  auto job = "job " + to_string(order.job);
  WM_TRY(auto signer,
         wire::signer_of_spec(credentials, order.credential, order.spec, order.request_key));
  WM_TRY(auto own, codec::decode<JobSpec>(order.spec));
  if (signer != order.resolved.owner.uid)
    return fail(Code::Denied, job + ": signed by uid " + std::to_string(signer) +
                                  ", ordered for uid " + std::to_string(order.resolved.owner.uid));
  if (!is_as_signed(own, order))
    return fail(Code::Denied, job + ": the order differs from what its owner signed");
  return {};
}

Result<launch::Account> look_up(std::uint32_t uid) {
  std::string buffer(16384, '\0');
  passwd entry{}, *found = nullptr;
  ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found);
  if (found == nullptr)
    return fail(Code::NotFound, "no account with uid " + std::to_string(uid) + " on this host");
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
  if (own == 0) return look_up(uid);
  if (uid == own) return launch::Account{uid, static_cast<std::uint32_t>(::getegid()), {}};
  return fail(Code::Denied, "this host runs as uid " + std::to_string(own) +
                                " and cannot start jobs of uid " + std::to_string(uid));
}

}  // namespace wm::node
