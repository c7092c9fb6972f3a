#include "daemons/wshepherd/records.h"

namespace wm::shepherd {

void Records::write_and_tell() {
  if (unwritten_.empty()) return;
  auto& words = attempt_.kernel.words;
  auto written = attempt_.kernel.files.append_exits({unwritten_.begin(), unwritten_.end()});
  if (!written) return words.complain("exit record kept in memory: " + written.error().text);
  for (auto& record : std::exchange(unwritten_, {})) {
    if (record.task) words.say(launch::TaskEnded{record});
    else words.say(launch::AttemptEnded{record});
  }
}

}  // namespace wm::shepherd
