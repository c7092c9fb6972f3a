#include "daemons/wgatewayd/revoked.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "libwm/files/whole_file.h"

namespace wm::gateway {
namespace {

WallTime at(std::int64_t seconds) { return WallTime(Duration(std::chrono::seconds(seconds))); }

std::int64_t seconds_of(WallTime time) {
  return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

Revoked::Revoked(std::string path, std::int64_t now) : path_(std::move(path)) {
  {
    std::ifstream in(path_);
    std::string word;
    std::int64_t time = 0, until = 0;
    while (in >> word >> time) {
      bool of_user = word.starts_with('@');
      if (of_user && !(in >> until)) break;
      if (of_user && until > now) told_.users[word.substr(1)] = {at(time), at(until)};
      if (!of_user && time > now) ids_[word] = time;
    }
  }
  (void)save();
}

Result<void> Revoked::save() {
  std::ostringstream out;
  for (const auto& [id, expires] : ids_) out << id << ' ' << expires << '\n';
  for (const auto& [id, until] : told_.ids)
    if (!ids_.contains(id)) out << id << ' ' << seconds_of(until) << '\n';
  for (const auto& [user, one] : told_.users)
    out << '@' << user << ' ' << seconds_of(one.before) << ' ' << seconds_of(one.until) << '\n';
  return replace_file(path_, out.str(), 0644);
}

Result<void> Revoked::add(const std::string& id, std::int64_t expires) {
  std::lock_guard lock(mutex_);
  if (!ids_.emplace(id, expires).second) return {};
  std::ofstream out(path_, std::ios::app);
  out << id << ' ' << expires << '\n';
  if (!out.flush()) return fail(Code::System, path_ + ": cannot be written");
  return {};
}

bool Revoked::has(const rest::Claims& claims) {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(rest::ids_of(claims.id), [&](const auto& id) {
    return ids_.contains(id) || told_.hold(id, claims.user, claims.issued);
  });
}

Result<void> Revoked::heard(const Revocations& all) {
  std::lock_guard lock(mutex_);
  if (told_ == all) return {};
  told_ = all;
  return save();
}

}  // namespace wm::gateway
