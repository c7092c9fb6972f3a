#include "daemons/wgatewayd/revoked.h"

#include <fstream>

namespace wm::gateway {

Revoked::Revoked(std::string path, std::int64_t now) : path_(std::move(path)) {
  {
    std::ifstream in(path_);
    std::string id;
    std::int64_t expires = 0;
    while (in >> id >> expires)
      if (expires > now) ids_[id] = expires;
  }
  std::ofstream out(path_, std::ios::trunc);
  for (const auto& [id, expires] : ids_) out << id << ' ' << expires << '\n';
}

Result<void> Revoked::add(const std::string& id, std::int64_t expires) {
  std::lock_guard lock(mutex_);
  if (!ids_.emplace(id, expires).second) return {};
  std::ofstream out(path_, std::ios::app);
  out << id << ' ' << expires << '\n';
  if (!out.flush()) return fail(Code::System, path_ + ": cannot be written");
  return {};
}

bool Revoked::has(const std::string& id) {
  std::lock_guard lock(mutex_);
  return ids_.contains(id);
}

}  // namespace wm::gateway
