#include "daemons/wuserd/site/guest.h"

#include "libwm/proc/accounts.h"

namespace wm::user {

Result<Guest> guest_of(uid_t uid) {
  auto found = proc::account(uid);
  if (!found)
    return found.error().code == Code::NotFound ? fail(Code::Denied, "the account has no name")
                                                : found.error();
  Guest guest{found->name, {}};
  for (gid_t id : proc::groups_of(*found))
    if (auto known = proc::group(id)) guest.groups.push_back(known->name);
  return guest;
}

Result<std::string> guests_socket(const Site& site, const std::string& user) {
  WM_TRY(auto found, proc::account(user));
  return site.door_dir + "/" + std::to_string(found.uid) + ".guests.sock";
}

Result<std::vector<std::string>> accounts_of(const std::string& member) {
  if (!member.starts_with('@')) {
    WM_TRY(auto found, proc::account(member));
    return std::vector{found.name};
  }
  WM_TRY(auto found, proc::group(member.substr(1)));
  return found.members;
}

}  // namespace wm::user
