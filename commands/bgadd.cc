// bgadd: makes a job group that stays, with a limit on its running jobs.
#include "commands/common/command.h"
#include "commands/common/group_limits.h"

namespace wm::cmd::bgadd {
namespace {

constexpr Option kOptions[] = {
    {"L", Option::Kind::Text, "n", "Jobs of it and the groups below it that may run at a time"},
};

Result<int> run(const Parsed& options) {
  return change_groups("bgadd", options, GroupRequest::Act::Add, "added");
}

}  // namespace
}  // namespace wm::cmd::bgadd

int main(int argc, char** argv) {
  using namespace wm::cmd::bgadd;
  return main_of(
      {.name = "bgadd", .synopsis = "bgadd [-L n] /group ...", .options = kOptions, .acts = true},
      argc, argv, run);
}
