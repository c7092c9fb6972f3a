#include "libwm/submit/checkpoints.h"

#include <algorithm>
#include <sstream>

namespace wm::cmd {
namespace {

Error bad_checkpoint(const std::string& text, const std::string& why) {
  return fail(Code::BadArgument, "-k " + text + ": Bad argument, " + why);
}

bool is_method(const std::string& name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '_' || c == '-' || c == '.';
         });
}

// Minutes, as LSF has them, or a time with its unit.
Result<Duration> parse_period(const std::string& word) {
  constexpr Duration kLongest = std::chrono::hours(24 * 365);
  bool bare = word.find_first_not_of("0123456789") == word.npos;
  WM_TRY(auto period, parse_duration(bare ? word + "m" : word));
  if (period > kLongest) return fail(Code::BadArgument, word);
  return period;
}

}  // namespace

Result<void> read_checkpoint(const Parsed& options, JobSpec& spec) {
  auto text = options.first("k");
  if (!text) return {};
  Checkpoint made;
  std::istringstream words(*text);
  words >> made.dir;
  if (made.dir.empty()) return bad_checkpoint(*text, "a folder is wanted");
  if (made.dir[0] != '/') made.dir = spec.program.cwd + "/" + made.dir;
  for (std::string word; words >> word;) {
    if (word.starts_with("method=")) {
      made.method = word.substr(7);
      if (!is_method(made.method)) return bad_checkpoint(*text, "'" + word + "' names no method");
      continue;
    }
    if (word.starts_with("init=")) continue;  // the first comes after a period, as the others do
    auto period = parse_period(word);
    if (!period) return bad_checkpoint(*text, "'" + word + "' is no number of minutes, nor 90s");
    made.period = *period;
  }
  spec.checkpoint = std::move(made);
  return {};
}

Result<Checkpoint> checkpoint_of(client::Master& master, JobId job) {
  JobSelection selection;
  selection.ids = {job};
  WM_TRY(auto reply, master.ask(JobsRequest{selection}));
  const std::string name = "Job <" + to_string(job) + ">";
  if (reply.jobs.empty()) return fail(Code::NotFound, name + ": No matching job found");
  const Checkpoint& how = reply.jobs.front().job->spec().checkpoint;
  if (how.dir.empty()) return fail(Code::Conflict, name + ": Job is not checkpointable");
  return how;
}

}  // namespace wm::cmd
