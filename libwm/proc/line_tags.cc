#include "libwm/proc/line_tags.h"

namespace wm::proc {
namespace {

void append_line(std::string& text, std::uint32_t rank, const std::string& line) {
  text += "[" + std::to_string(rank) + "] " + line + "\n";
}

}  // namespace

std::string LineTags::add(std::uint32_t rank, std::uint32_t stream, const std::string& bytes) {
  auto& begun = begun_[{rank, stream}];
  std::string ready;
  for (std::size_t from = 0; from < bytes.size();) {
    auto end = bytes.find('\n', from);
    bool whole = end != bytes.npos;
    begun.append(bytes, from, whole ? end - from : bytes.npos);
    from = whole ? end + 1 : bytes.size();
    for (; begun.size() > kLongest; begun.erase(0, kLongest))
      append_line(ready, rank, begun.substr(0, kLongest));
    if (!whole) continue;
    append_line(ready, rank, begun);
    begun.clear();
  }
  return ready;
}

std::string LineTags::end(std::uint32_t rank, std::uint32_t stream) {
  std::string ready;
  auto begun = begun_.extract({rank, stream});
  if (begun && !begun.mapped().empty()) append_line(ready, rank, begun.mapped());
  return ready;
}

}  // namespace wm::proc
