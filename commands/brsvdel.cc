// brsvdel: removes advance reservations; jobs that run in them go on.
#include "commands/common/command.h"

namespace wm::cmd::brsvdel {
namespace {

constexpr Option kOptions[] = {{"f", Option::Kind::IgnoredFlag, "", ""}};

Result<int> run(const Parsed& options) {
  if (options.words.empty())
    return fail(Code::BadArgument, "brsvdel: the name of a reservation is wanted");
  WM_TRY(auto to, master());
  int code = 0;
  for (const auto& name : options.words) {
    ReserveRequest request;
    request.act = ReserveRequest::Act::Remove;
    request.what.name = name;
    auto reply = to.ask(request);
    if (reply) {
      say("Reservation " + name + " is being deleted\n");
      continue;
    }
    complain(reply.error().text + "\n");
    code = kRefused;
  }
  return code;
}

}  // namespace
}  // namespace wm::cmd::brsvdel

int main(int argc, char** argv) {
  using namespace wm::cmd::brsvdel;
  return main_of(
      {.name = "brsvdel", .synopsis = "brsvdel reservation ...", .options = kOptions, .acts = true},
      argc, argv, run);
}
