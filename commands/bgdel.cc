// bgdel: removes job groups that have no job.
#include "commands/common/command.h"
#include "commands/common/group_limits.h"

namespace wm::cmd::bgdel {
namespace {

constexpr Option kOptions[] = {
    {"u", Option::Kind::Ignored, "", ""},
};

Result<int> run(const Parsed& options) {
  return change_groups("bgdel", options, GroupRequest::Act::Remove, "deleted");
}

}  // namespace
}  // namespace wm::cmd::bgdel

int main(int argc, char** argv) {
  using namespace wm::cmd::bgdel;
  return main_of(
      {.name = "bgdel", .synopsis = "bgdel /group ...", .options = kOptions, .acts = true}, argc,
      argv, run);
}
