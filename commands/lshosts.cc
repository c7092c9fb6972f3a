// lshosts: what hosts are: type, CPUs, memory; with -gpu what their GPUs are.
#include "commands/common/host_listing.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/load_fields.h"

int main(int argc, char** argv) {
  using namespace wm::cmd;
  HostListing how{
      {"lshosts", "HOSTS", "host_name type model cpuf ncpus maxmem maxswp server ngpus"},
      wm::view::host_facts(),
      wm::view::host_facts_table,
      wm::view::gpu_inventory};
  return main_of({"lshosts", "lshosts [options] [host_name ...]", host_listing_options()}, argc,
                 argv, [&](const Parsed& options) { return list_hosts(how, options); });
}
