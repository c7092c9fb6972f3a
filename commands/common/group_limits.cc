#include "commands/common/group_limits.h"

#include <charconv>

#include "commands/common/command.h"
#include "libwm/submit/job_names.h"

namespace wm::cmd {
namespace {

// -L and -Ln into the request.
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

}  // namespace

Result<int> change_groups(std::string_view command, const Parsed& options, GroupRequest::Act act,
                          std::string_view done) {
  if (options.words.empty())
    return fail(Code::BadArgument, std::string(command) + ": a job group is wanted");
  WM_TRY(auto to, master());
  int code = 0;
  for (const auto& word : options.words) {
    GroupRequest request;
    request.act = act;
    WM_TRY(request.path, parse_job_group(word));
    WM_TRY(read_group_limit(options, request));
    if (auto reply = to.ask(request)) {
      say("Job group <" + request.path + "> was " + std::string(done) + ".\n");
    } else {
      complain(reply.error().text + "\n");
      code = kRefused;
    }
  }
  return code;
}

}  // namespace wm::cmd
