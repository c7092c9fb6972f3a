#include "commands/common/archive_words.h"

#include "commands/common/command.h"
#include "libwm/model/verbs/run_verbs.h"

namespace wm::cmd {
namespace {

// "12.3M": one digit behind the point, as sizes of lists are.
std::string size_words(Bytes bytes) {
  constexpr const char* kUnits[] = {"", "K", "M", "G", "T"};
  double value = static_cast<double>(bytes.value);
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) value /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, unit ? "%.1f%s" : "%.0f%s", value, kUnits[unit]);
  return text;
}

}  // namespace

Result<int> archive_standing(const std::vector<std::string>& words) {
  ArchiveRequest request;
  request.rebuild = words.size() == 1 && words[0] == "rebuild";
  if (!words.empty() && !request.rebuild)
    return fail(Code::BadArgument, "badmin archive: nothing or the word rebuild is wanted");
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.ask(request));
  say("Records of runs        " + std::to_string(reply.runs) + "\n");
  say("With words of owners   " + std::to_string(reply.described) + "\n");
  say("Size of archive.db     " + size_words(reply.bytes) + "\n");
  say("Jobs on their way      " + std::to_string(reply.waiting) + "\n");
  say("Up to event            " + std::to_string(reply.mark.value) + "\n");
  if (reply.filling) say("It is being made again from what the master has on disk\n");
  if (!reply.trouble.empty()) say("It takes nothing: " + reply.trouble + "\n");
  return reply.trouble.empty() ? 0 : 1;
}

}  // namespace wm::cmd
