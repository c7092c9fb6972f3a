// bgmod: changes the limit of a job group.
#include "commands/common/command.h"
#include "commands/common/group_limits.h"

namespace wm::cmd::bgmod {
namespace {

constexpr Option kOptions[] = {
    {"L", Option::Kind::Text, "n", "Jobs of it and the groups below it that may run at a time"},
    {"Ln", Option::Kind::Flag, "", "Any number of them"},
};

Result<int> run(const Parsed& options) {
  return change_groups("bgmod", options, GroupRequest::Act::Modify, "modified");
}

}  // namespace
}  // namespace wm::cmd::bgmod

int main(int argc, char** argv) {
  using namespace wm::cmd::bgmod;
  return main_of({.name = "bgmod",
                  .synopsis = "bgmod {-L n | -Ln} /group ...",
                  .options = kOptions,
                  .acts = true},
                 argc, argv, run);
}
