#include "libwm/base/whole_lines.h"

#include <algorithm>
#include <utility>

namespace wm {

std::vector<std::string> WholeLines::add(std::string_view bytes) {
  std::vector<std::string> lines;
  while (!bytes.empty()) {
    if (begun_.size() == kLongest && bytes.front() != '\n') lines.push_back(rest());
    auto most = kLongest - begun_.size(), end = bytes.find('\n');
    bool ends = end <= most;
    auto size = ends ? end + 1 : std::min(most, bytes.size());
    begun_ += bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (ends) lines.push_back(rest());
  }
  return lines;
}

std::string WholeLines::rest() { return std::exchange(begun_, {}); }

}  // namespace wm
