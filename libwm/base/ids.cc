#include "libwm/base/ids.h"

#include <charconv>

namespace wm {

std::string to_string(JobId id) {
  std::string text = std::to_string(id.job);
  return id.index == 0 ? text : text + "[" + std::to_string(id.index) + "]";
}

namespace {

// One positive decimal number at [p, end); null when there is none.
const char* read_number(const char* p, const char* end, std::uint32_t& out) {
  auto [next, ec] = std::from_chars(p, end, out);
  return ec == std::errc() && out > 0 ? next : nullptr;
}

}  // namespace

Result<JobId> parse_job_id(const std::string& text) {
  const Error bad = fail(Code::BadArgument, text + ": Illegal job ID");
  JobId id;
  const char* end = text.data() + text.size();
  const char* p = read_number(text.data(), end, id.job);
  if (!p) return bad;
  if (p == end) return id;
  if (*p != '[') return bad;
  p = read_number(p + 1, end, id.index);
  if (!p || end - p != 1 || *p != ']') return bad;
  return id;
}

}  // namespace wm
