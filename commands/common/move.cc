// move: what its header promises.
#include "commands/common/move.h"

#include <charconv>
#include <iterator>
#include <sstream>

#include "commands/common/command.h"
#include "commands/common/outcomes.h"
#include "libwm/submit/selection.h"

namespace wm::cmd {
namespace {

// As in LSF the word behind the job is its position; several jobs are one word.
Result<MoveRequest> request_of(bool top, const Parsed& options) {
  if (options.words.size() > 2)
    return fail(Code::BadArgument,
                "a job ID and a position are wanted; several jobs are one word: \"12 13 14\"");
  MoveRequest request;
  request.top = top;
  if (options.words.size() == 2) {
    const auto& word = options.words[1];
    auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), request.position);
    bool whole = ec == std::errc{} && end == word.data() + word.size();
    if (!whole || request.position == 0 || request.position > kMostPosition)
      return fail(Code::BadArgument,
                  word + ": Bad position, 1 to " + std::to_string(kMostPosition) + " is wanted");
  }
  Parsed named = options;
  std::istringstream ids(options.words.empty() ? "" : options.words.front());
  named.words.assign(std::istream_iterator<std::string>(ids), {});
  WM_TRY(auto selection, select_jobs(named));
  request.jobs = selection.ids;
  if (request.jobs.empty()) return fail(Code::BadArgument, "a job ID is wanted");
  if (request.position != 1 && request.jobs.size() != 1)
    return fail(Code::BadArgument, "a position is given to one job at a time");
  return request;
}

Result<int> move_jobs(bool top, const Parsed& options) {
  WM_TRY(auto request, request_of(top, options));
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.ask(request));
  return tell(reply);
}

}  // namespace

int move_main(bool top, int argc, char** argv) {
  const Command command{
      .name = top ? "btop" : "bbot",
      .synopsis = top ? "btop job_id[[index]] [position]" : "bbot job_id[[index]] [position]",
      .acts = true};
  return main_of(command, argc, argv,
                 [top](const Parsed& options) { return move_jobs(top, options); });
}

}  // namespace wm::cmd
