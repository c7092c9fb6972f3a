// brsvmod: changes an advance reservation: its times, users and hosts.
#include <algorithm>
#include <chrono>

#include "commands/common/command.h"
#include "commands/common/reserving.h"
#include "libwm/base/clock.h"

namespace wm::cmd::brsvmod {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"u", Kind::Text, "\"user ...\"", "For jobs of these users from now on"},
    {"g", Kind::Text, "group", "For jobs of the users of a group"},
    {"b", Kind::Text, "[[[y:]m:]d:]h:m", "From this time"},
    {"e", Kind::Text, "[[[y:]m:]d:]h:m", "Until this time"},
    {"t", Kind::Text, "\"[d:]h:m-[d:]h:m ...\"", "Every week at these times"},
    {"d", Kind::Text, "text", "What it is for"},
    {"o", Kind::Flag, "", "Jobs that run at its end go on"},
    {"on", Kind::Flag, "", "They are ended"},
    {"n", Kind::Number, "n", "With addhost and rmhost: so many slots"},
    {"unit", Kind::Text, "slot|host", "What -n counts"},
    {"m", Kind::Text, "\"host ...\"", "With addhost and rmhost: on these hosts"},
    {"R", Kind::Text, "\"select[...]\"", "With addhost: on hosts for which this holds"},
};

Result<ReserveRequest::Act> act_of(const std::string& word) {
  if (word == "addhost") return ReserveRequest::Act::AddHosts;
  if (word == "rmhost") return ReserveRequest::Act::RemoveHosts;
  return fail(Code::BadArgument, "brsvmod: '" + word + "' is neither addhost nor rmhost");
}

Result<int> run(const Parsed& options) {
  const auto& words = options.words;
  if (words.empty() || words.size() > 2)
    return fail(Code::BadArgument, "brsvmod: the name of a reservation is wanted");
  ReserveRequest request;
  request.act = ReserveRequest::Act::Modify;
  if (words.size() == 2) {
    WM_TRY(request.act, act_of(words.front()));
  }
  WM_TRY(auto to, master());
  WM_TRY(auto known, to.ask(ReservationsRequest{{words.back()}}));
  if (known.reservations.empty())
    return fail(Code::NotFound, words.back() + ": No such reservation");
  request.what = known.reservations.front().what;
  auto now = wall_now();
  if (request.act == ReserveRequest::Act::Modify) {
    if (options.has("m") || options.has("n"))
      return fail(Code::BadArgument, "brsvmod: -m and -n go with addhost or rmhost");
    WM_TRY(read_reservation(options, now, request.what));
  } else {
    WM_TRY(read_places(options, request));
    if (request.amount == 0 && request.hosts.empty())
      return fail(Code::BadArgument, "brsvmod: -n or -m is wanted");
  }
  WM_TRY(auto reply, to.ask(request));
  for (const auto& warning : reply.warnings) complain(warning + "\n");
  say("Reservation " + reply.name + " is modified\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::brsvmod

int main(int argc, char** argv) {
  using namespace wm::cmd::brsvmod;
  return main_of({.name = "brsvmod",
                  .synopsis = "brsvmod [options] [addhost | rmhost] reservation",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
