#include "libwm/rest/routes.h"

#include <algorithm>

#include "libwm/base/joined.h"

namespace wm::rest {

std::optional<std::vector<std::string>> match(std::string_view pattern,
                                              const std::vector<std::string>& segments) {
  std::vector<std::string> found;
  auto next = segments.begin();
  while (!pattern.empty()) {
    pattern.remove_prefix(1);  // the slash
    auto end = std::min(pattern.find('/'), pattern.size());
    auto part = pattern.substr(0, end);
    pattern.remove_prefix(end);
    if (next == segments.end()) return std::nullopt;
    if (part.ends_with("...}")) {
      found.push_back(joined({next, segments.end()}, "/"));
      return found;
    }
    if (part.starts_with('{')) found.push_back(*next);
    else if (part != *next) return std::nullopt;
    ++next;
  }
  if (next != segments.end()) return std::nullopt;
  return found;
}

}  // namespace wm::rest
