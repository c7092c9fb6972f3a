// lsload: how busy hosts are; with -gpu and -gpuload how busy and full their GPUs are.
#include <algorithm>

#include "commands/common/host_listing.h"

namespace wm::cmd::lsload {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"gpu", Kind::Flag, "", "Of each host how busy and full its GPUs are"},
    {"gpuload", Kind::Flag, "", "The same of each GPU, a line each"},
    {"l", Kind::Flag, "", "Wide, with disk traffic and GPUs"},
    {"I", Kind::Text, "index[:index ...]", "These load indices only"},
    {"N", Kind::Flag, "", "Run queues divided by the host's CPUs, all of which are as fast"},
    {"E", Kind::Flag, "", "Run queues divided by the host's CPUs"},
    {"n", Kind::Number, "num_hosts", "At most so many hosts"},
    {"s", Kind::Flag, "", "Resources of hosts.conf that have a value; words name resources"},
    {"o", Kind::Text, "\"field[:[width][:unit]] ... delimiter='c'\"",
     "These fields, \"all\" for every one; a name with a * is a pattern of resources and gpu_ "
     "names"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"R", Kind::Text, "res_req", "Hosts for which its select section holds"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"a", Kind::IgnoredFlag, "", ""},
    {"loc", Kind::IgnoredFlag, "", ""},
};

// Queues as they are for each CPU.
void divide(std::vector<HostView>& hosts) {
  for (auto& view : hosts) {
    const double cpus = std::max(view.host.capacity.milli_cpus / 1000.0, 1.0);
    view.load /= cpus;
    for (double* queue : {&view.more.r15s, &view.more.r15m})
      if (*queue > 0) *queue /= cpus;
  }
}

// "r1m:ut" as -o "host_name status r1m ut", in columns. @source LSF lsload -I
Parsed with_indices(Parsed options) {
  auto asked = options.first("I");
  if (!asked) return options;
  std::string fields = "host_name:15 status:7 ";
  for (char c : *asked) c == ':' ? fields += ":-7:S " : fields += c;
  options.options["o"] = {fields + ":-7:S"};
  return options;
}

const HostListing kHow{
    {"lsload", "HOSTS",
     "host_name status r15s r1m r15m ut pg ls it io tmp swp mem maxtmp maxswp maxmem ngpus",
     "LSF_LSLOAD_FORMAT"},
    view::load_fields(),
    {{"gpuload", view::each_gpu_load_table},
     {"gpu", view::gpu_load_table},
     {"l", view::long_load_table},
     {"", view::load_table}},
    view::extra_load_names};

Result<int> run(const Parsed& given) {
  if (given.has("s")) return list_host_resources(given, "lsload");
  if (given.has("N") && given.has("E"))
    return fail(Code::BadArgument, "lsload: -N and -E exclude each other");
  return list_hosts(kHow, with_indices(given), given.has("N") || given.has("E") ? divide : nullptr);
}

}  // namespace
}  // namespace wm::cmd::lsload

int main(int argc, char** argv) {
  using namespace wm::cmd::lsload;
  return main_of({"lsload", "lsload [options] [host_name ...]", kOptions}, argc, argv, run);
}
