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

std::string id_line(const std::string& id, std::int64_t expires) {
  return id + " " + std::to_string(expires) + "\n";
}

std::string user_line(const std::string& user, const Revocations::OfUser& one) {
  return "@" + user + " " + std::to_string(seconds_of(one.before)) + " " +
         std::to_string(seconds_of(one.until)) + "\n";
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
  std::string text;
  for (const auto& [id, expires] : ids_) text += id_line(id, expires);
  for (const auto& [id, until] : told_.ids)
    if (!ids_.contains(id)) text += id_line(id, seconds_of(until));
  for (const auto& [user, one] : told_.users) text += user_line(user, one);
  lines_ = live();
  written_ += text.size();
  return replace_file(path_, text, 0644);
}

// A file of more lines that say nothing any more than lines that do is written anew.
Result<void> Revoked::append(const std::string& lines, std::size_t count) {
  constexpr std::size_t kFew = 64;
  if (lines_ + count > 2 * live() + kFew) return save();
  std::ofstream out(path_, std::ios::app);
  out << lines;
  if (!out.flush()) return fail(Code::System, path_ + ": cannot be written");
  lines_ += count;
  written_ += lines.size();
  return {};
}

Result<void> Revoked::add(const std::string& id, std::int64_t expires) {
  std::lock_guard lock(mutex_);
  if (!ids_.emplace(id, expires).second) return {};
  return append(id_line(id, expires), 1);
}

bool Revoked::has(const rest::Claims& claims) {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(rest::ids_of(claims.id), [&](const auto& id) {
    return ids_.contains(id) || told_.hold(id, claims.user, claims.issued);
  });
}

Result<void> Revoked::heard(const Revocations& all) {
  std::lock_guard lock(mutex_);
  std::string lines;
  std::size_t count = 0;
  for (const auto& [id, until] : all.ids) {
    if (told_.ids.contains(id) || ids_.contains(id)) continue;
    lines += id_line(id, seconds_of(until));
    ++count;
  }
  for (const auto& [user, one] : all.users) {
    auto known = told_.users.find(user);
    if (known != told_.users.end() && known->second == one) continue;
    lines += user_line(user, one);
    ++count;
  }
  told_ = all;
  return count == 0 && lines_ <= 2 * live() ? Result<void>() : append(lines, count);
}

std::uint64_t Revoked::written() {
  std::lock_guard lock(mutex_);
  return written_;
}

}  // namespace wm::gateway
