// lsload: how busy hosts are; with -gpu how busy and full their GPUs are.
#include "commands/common/host_listing.h"
#include "libwm/view/load_fields.h"

int main(int argc, char** argv) {
  using namespace wm::cmd;
  HostListing how{
      {"lsload", "HOSTS",
       "host_name status r15s r1m r15m ut pg ls it tmp swp mem maxtmp maxswp maxmem ngpus"},
      wm::view::load_fields(),
      wm::view::load_table,
      wm::view::gpu_load_table,
      wm::view::long_load_table};
  return main_of({"lsload", "lsload [options] [host_name ...]", host_listing_options()}, argc, argv,
                 [&](const Parsed& options) { return list_hosts(how, options); });
}
