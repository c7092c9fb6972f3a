#include "daemons/wmasterd/rim/user_names.h"



#include "libwm/base/log.h"
#include "libwm/proc/accounts.h"

namespace wm::master {

Result<std::string> look_up_user(std::uint32_t uid) {
  WM_TRY(auto found, proc::account(uid));
  return found.name;
}

std::optional<std::string> UserNames::known(std::uint32_t uid, TimePoint now) const {
  std::lock_guard lock(mutex_);
  auto it = known_.find(uid);
  if (it == known_.end() || now - it->second.since >= kNameLife) return {};
  return it->second.name;
}

std::string UserNames::of(std::uint32_t uid, TimePoint now) {
  if (auto name = known(uid, now)) return *name;
  auto name = look_up_(uid);
  std::lock_guard lock(mutex_);
  if (name) return (known_[uid] = {*std::move(name), now}).name;
  if (name.error().code != Code::NotFound) {
    log::warn("user_name_not_known", {{"uid", uid}, {"why", name.error().text}});
    if (auto it = known_.find(uid); it != known_.end()) return it->second.name;
  } else {
    known_.erase(uid);
  }
  return "#" + std::to_string(uid);
}

}  // namespace wm::master
