// lshosts: what hosts are: type, CPUs, memory; with -gpu what their GPUs are.
#include "commands/common/gpu_fields.h"
#include "commands/common/host_listing.h"
#include "commands/common/load_fields.h"

int main(int argc, char** argv) {
  using namespace wm::cmd;
  HostListing how{
      {"lshosts", "HOSTS", "host_name type model cpuf ncpus maxmem maxswp server ngpus"},
      host_facts(),
      host_facts_table,
      gpu_inventory};
  return main_of({"lshosts", "lshosts [options] [host_name ...]", host_listing_options()}, argc,
                 argv, [&](const Parsed& options) { return list_hosts(how, options); });
}
