// lshosts: what hosts are: type, CPUs, memory; with -gpu what their GPUs are.
#include "commands/common/host_listing.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/topology.h"

namespace wm::cmd::lshosts {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"gpu", Kind::Flag, "", "What their GPUs are"},
    {"l", Kind::Flag, "", "A section for each host, with what its CPUs are"},
    {"T", Kind::Flag, "", "Their NUMA nodes, sockets and cores"},
    {"s", Kind::Flag, "", "Resources of hosts.conf that have a value; words name resources"},
    {"o", Kind::Text, "\"field[:[width][:unit]] ... delimiter='c'\"",
     "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"R", Kind::Text, "res_req", "Hosts for which its select section holds"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"a", Kind::IgnoredFlag, "", ""},
    {"cname", Kind::IgnoredFlag, "", ""},
    {"mig", Kind::IgnoredFlag, "", ""},
    {"loc", Kind::IgnoredFlag, "", ""},
};

std::vector<HostView> views(std::span<const view::ShownHost> hosts) {
  std::vector<HostView> all;
  for (const auto& host : hosts) all.push_back(*host.view);
  return all;
}

std::string gpus(std::span<const view::ShownHost> hosts, bool with_header) {
  return view::gpu_inventory(views(hosts), with_header);
}

std::string topologies(std::span<const view::ShownHost> hosts, bool) {
  std::string text;
  for (const auto& host : hosts) text += view::topology_text(*host.view);
  return text;
}

// Names of resources that have values; GPUs are told by -gpu.
std::vector<std::string> site_names(std::span<const view::ShownHost> hosts) {
  auto names = view::extra_load_names(hosts);
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with("gpu_") || name.starts_with("gpuid") || name == "ngpus_physical";
  });
  return names;
}

Result<int> run(const Parsed& options) {
  if (options.has("s")) return list_host_resources(options, "lshosts");
  const HostListing how{
      {"lshosts", "HOSTS",
       "host_name type model cpuf ncpus maxmem maxswp server RESOURCES ndisks maxtmp rexpri nprocs "
       "ncores nthreads RUN_WINDOWS ngpus",
       "LSF_LSHOSTS_FORMAT"},
      view::host_facts(),
      {{"gpu", gpus},
       {"T", topologies},
       {"l", view::long_host_facts},
       {"", view::host_facts_table}},
      site_names,
      true};
  return list_hosts(how, options);
}

}  // namespace
}  // namespace wm::cmd::lshosts

int main(int argc, char** argv) {
  using namespace wm::cmd::lshosts;
  return main_of({"lshosts", "lshosts [options] [host_name ...]", kOptions}, argc, argv, run);
}
