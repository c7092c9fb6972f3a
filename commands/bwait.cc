// bwait: waits until a condition about jobs is met, as bsub -w has it.
#include <algorithm>
#include <chrono>

#include "commands/common/command.h"
#include "libwm/base/clock.h"
#include "libwm/model/verbs/watch_verbs.h"

namespace wm::cmd::bwait {
namespace {

using Kind = Option::Kind;
using std::chrono::steady_clock;

constexpr Option kOptions[] = {
    {"w", Kind::Text, "condition", "What is waited for: done(12), ended(name) && exit(13, >1) ..."},
    {"t", Kind::Text, "minutes", "At most so long; also 90s, 1h"},
    {"r", Kind::Ignored, "minutes", ""},
};

constexpr int kNever = 1, kTimeOver = 2;
constexpr Duration kPatience = std::chrono::seconds(30);

Result<Duration> limit_of(const Parsed& options) {
  auto text = options.first("t");
  if (!text) return Duration::max();
  bool plain = text->find_first_not_of("0123456789") == std::string::npos;
  auto limit = parse_duration(plain ? *text + "m" : *text);
  if (!limit) return limit.error().within("-t " + *text);
  return limit;
}

Result<int> run(const Parsed& options) {
  auto condition = options.first("w");
  if (!condition || !options.words.empty())
    return fail(Code::BadArgument, "bwait: what to wait for is wanted: -w \"done(12)\"");
  WM_TRY(auto limit, limit_of(options));
  WM_TRY(auto from, master());
  AwaitRequest request{*condition, {}};
  const auto begun = steady_now();
  while (true) {
    Duration left = limit - std::chrono::duration_cast<Duration>(steady_now() - begun);
    request.patience = std::clamp(left, Duration{}, kPatience);
    WM_TRY(auto reply, from.ask(request));
    if (reply.outcome == AwaitReply::Outcome::Met) return 0;
    bool never = reply.outcome == AwaitReply::Outcome::Never;
    if (never) complain("bwait: can never be met: " + reply.unmet + "\n");
    else if (left <= Duration{}) complain("bwait: not met in time: " + reply.unmet + "\n");
    if (never || left <= Duration{}) return never ? kNever : kTimeOver;
    request.condition = reply.condition;
  }
}

}  // namespace
}  // namespace wm::cmd::bwait

int main(int argc, char** argv) {
  using namespace wm::cmd::bwait;
  return main_of({.name = "bwait",
                  .synopsis = "bwait -w condition [-t minutes]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
