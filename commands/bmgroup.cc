// bmgroup: shows groups of hosts and their members, as the master has them.
#include "commands/common/group_listing.h"

namespace wm::cmd::bmgroup {
namespace {

Result<int> run(const Parsed& options) {
  return list_groups({{"bmgroup", "GROUPS", "group_name hosts"},
                      view::host_group_fields(),
                      view::host_groups,
                      "HOSTS",
                      "No host group found"},
                     options);
}

}  // namespace
}  // namespace wm::cmd::bmgroup

int main(int argc, char** argv) {
  using namespace wm::cmd::bmgroup;
  return main_of({"bmgroup", "bmgroup [options] [host_group ...]", wm::cmd::group_listing_options()}, argc,
                 argv, run);
}
