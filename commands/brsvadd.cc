// brsvadd: keeps slots for users from a date to a date, or in windows that come again.
#include <chrono>

#include "commands/common/command.h"
#include "commands/common/reserving.h"
#include "libwm/base/clock.h"

namespace wm::cmd::brsvadd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"u", Kind::Text, "\"user ...\"", "For jobs of these users, and groups of users"},
    {"g", Kind::Text, "group", "For jobs of the users of a group"},
    {"s", Kind::Flag, "", "For nobody: no job runs there then, for work on the hosts"},
    {"n", Kind::Number, "n", "So many slots, or hosts with -unit host"},
    {"unit", Kind::Text, "slot|host", "What -n counts; slots, unless it says host"},
    {"m", Kind::Text, "\"host ...\"", "On these hosts or groups of hosts, in this order"},
    {"R", Kind::Text, "\"select[...]\"", "On hosts for which this holds"},
    {"b", Kind::Text, "[[[y:]m:]d:]h:m", "From this time"},
    {"e", Kind::Text, "[[[y:]m:]d:]h:m", "Until this time"},
    {"t", Kind::Text, "\"[d:]h:m-[d:]h:m ...\"", "Every week at these times; days 0 (Sunday) to 6"},
    {"N", Kind::Text, "name", "Its name; user#n without it"},
    {"d", Kind::Text, "text", "What it is for"},
    {"o", Kind::Flag, "", "Jobs that run at its end go on"},
    {"q", Kind::IgnoredFlag, "", ""},
};

Result<int> run(const Parsed& options) {
  ReserveRequest request;
  auto now = wall_now();
  WM_TRY(read_reservation(options, now, request.what));
  WM_TRY(read_places(options, request));
  if (!options.has("t") && !(options.has("b") && options.has("e")))
    return fail(Code::BadArgument, "brsvadd: -b and -e, or -t, are wanted");
  if (request.amount == 0 && request.hosts.empty())
    return fail(Code::BadArgument, "brsvadd: -n or -m is wanted");
  request.what.name = options.first("N").value_or("");
  WM_TRY(auto to, master());
  WM_TRY(auto reply, to.ask(request));
  for (const auto& warning : reply.warnings) complain(warning + "\n");
  say("Reservation " + reply.name + " is created\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::brsvadd

int main(int argc, char** argv) {
  using namespace wm::cmd::brsvadd;
  return main_of({.name = "brsvadd",
                  .synopsis = "brsvadd {-u \"user ...\" | -g group | -s} {-n n | -m \"host ...\"} "
                              "{-b time -e time | -t \"window ...\"} [options]",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
