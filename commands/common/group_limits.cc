#include "commands/common/group_limits.h"

#include <charconv>

namespace wm::cmd {

Result<void> read_group_limit(const Parsed& options, GroupRequest& request) {
  bool modifies = request.act == GroupRequest::Act::Modify;
  auto text = options.first("L");
  if (text && options.has("Ln")) return fail(Code::BadArgument, "-L and -Ln exclude each other");
  if (modifies && !text && !options.has("Ln"))
    return fail(Code::BadArgument, "bgmod: -L or -Ln is wanted");
  request.with_limit = text.has_value() || options.has("Ln");
  if (!text) return {};
  std::uint32_t limit = 0;
  auto [end, ec] = std::from_chars(text->data(), text->data() + text->size(), limit);
  if (ec != std::errc() || end != text->data() + text->size())
    return fail(Code::BadArgument, "-L " + *text + ": Bad argument, a number is wanted");
  request.limit = limit;
  return {};
}

}  // namespace wm::cmd
