#include "daemons/wmasterd/rim/user_names.h"

#include <pwd.h>

#include <cerrno>
#include <cstring>

#include "libwm/base/log.h"

namespace wm::master {

Result<std::string> look_up_user(std::uint32_t uid) {
  constexpr std::size_t kMost = 1 << 20;
  std::string buffer(4096, '\0');
  passwd entry{};
  passwd* found = nullptr;
  int error = 0;
  while ((error = ::getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found)) != 0) {
    if (error == ERANGE && buffer.size() < kMost) buffer.resize(buffer.size() * 2);
    else if (error == ENOENT || error == ESRCH) break;  // what some services say for "none"
    else if (error != EINTR) return fail(Code::System, std::strerror(error));
  }
  if (error == 0 && found) return std::string(found->pw_name);
  return fail(Code::NotFound, "no account with uid " + std::to_string(uid));
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
