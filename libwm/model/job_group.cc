#include "libwm/model/job_group.h"

namespace wm {

bool is_in_group(std::string_view path, std::string_view group) {
  if (path.empty() || group == "/") return !path.empty();
  return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
}

std::string_view group_above(std::string_view path) {
  auto slash = path.rfind('/');
  if (path.size() < 2 || slash == path.npos) return {};
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

}  // namespace wm
