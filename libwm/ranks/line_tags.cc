#include "libwm/ranks/line_tags.h"

namespace wm::ranks {
namespace {

void append_line(std::string& text, std::uint32_t rank, const std::string& line) {
  text += "[" + std::to_string(rank) + "] " + line;
  if (!line.ends_with('\n')) text += '\n';
}

}  // namespace

std::string LineTags::add(std::uint32_t rank, std::uint32_t stream, const std::string& bytes) {
  std::string ready;
  for (const auto& line : begun_[{rank, stream}].add(bytes)) append_line(ready, rank, line);
  return ready;
}

std::string LineTags::end(std::uint32_t rank, std::uint32_t stream) {
  std::string ready;
  auto begun = begun_.extract({rank, stream});
  auto line = begun ? begun.mapped().rest() : "";
  if (!line.empty()) append_line(ready, rank, line);
  return ready;
}

}  // namespace wm::ranks
