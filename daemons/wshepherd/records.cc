#include "daemons/wshepherd/records.h"

namespace wm::shepherd {

void Records::write_and_tell() {
  if (unwritten_.empty()) return;
  auto& words = attempt_.env.words;
  std::vector<launch::ExitRecord> records;
  for (const auto& end : unwritten_) records.push_back(end.record);
  auto written = attempt_.env.files.append_exits(records);
  if (!written) return words.complain("exit record kept in memory: " + written.error().text);
  for (auto& end : std::exchange(unwritten_, {})) {
    if (end.record.task) words.say(end);
    else words.say(launch::AttemptEnded{end.record});
  }
}

}  // namespace wm::shepherd
