// bugroup: shows groups of users and their members, as the master has them.
#include "commands/common/group_listing.h"

namespace wm::cmd::bugroup {
namespace {

Result<int> run(const Parsed& options) {
  return list_groups({{"bugroup", "GROUPS", "group_name users"},
                      view::user_group_fields(),
                      view::user_groups,
                      "USERS",
                      "No user group found"},
                     options);
}

}  // namespace
}  // namespace wm::cmd::bugroup

int main(int argc, char** argv) {
  using namespace wm::cmd::bugroup;
  return main_of({"bugroup", "bugroup [options] [user_group ...]", wm::cmd::group_listing_options()}, argc,
                 argv, run);
}
