// bhosts: shows hosts. The master says what is there; the rest is formatting by
// libwm/view/host_fields and common/listing.
#include <algorithm>

#include "commands/common/aligned.h"
#include "commands/common/command.h"
#include "commands/common/display_unit.h"
#include "commands/common/group_listing.h"
#include "commands/common/host_listing.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/host_fields.h"
#include "libwm/view/topology.h"

namespace wm::cmd::bhosts {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "Everything about each host"},
    {"w", Kind::Flag, "", "Wide: nothing is cut off, closed says why"},
    {"gpu", Kind::Flag, "",
     "One line per GPU: memory, jobs, whether it is set aside; also with -o, -json"},
    {"o", Kind::Text, "\"field[:[width][:unit]] ... delimiter='c'\"",
     "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"aff", Kind::Flag, "", "Their NUMA nodes, sockets and cores, from which affinity[] chooses"},
    {"s", Kind::Flag, "", "Numbers that hosts.conf gives hosts as resources; words name resources"},
    {"a", Kind::IgnoredFlag, "", ""},
    {"alloc", Kind::IgnoredFlag, "", ""},
    {"attr", Kind::IgnoredFlag, "", ""},
    {"cname", Kind::IgnoredFlag, "", ""},
    {"loc", Kind::IgnoredFlag, "", ""},
    {"rc", Kind::Refused, "", "not supported: no hosts are borrowed from clouds"},
    {"rconly", Kind::Refused, "", "not supported: no hosts are borrowed from clouds"},
    {"x", Kind::IgnoredFlag, "", ""},
    {"e", Kind::IgnoredFlag, "", ""},
    {"cl", Kind::IgnoredFlag, "", ""},
    {"X", Kind::IgnoredFlag, "", ""},
    {"R", Kind::Text, "res_req", "Hosts for which its select section holds"},
};

constexpr Listing kListing{
    "bhosts", "HOSTS",
    "host_name status jl_u max njobs run ssusp ususp rsv nstuck ngpus ngpus_alloc "
    "ngpus_stuck ngpus_aside ncpus ncpus_alloc total_mem reserved_mem load type model address "
    "comments",
    "LSB_BHOSTS_FORMAT"};

constexpr Listing kGpuListing{"bhosts", "GPUS",
                              "host_name gpu_id gpu_model gpu_status gpu_reason mtotal mused mrsv "
                              "gpu_mode jobids ut temp over_gmem uuid "
                              "pci numa_id nvlink mig parent vendor gpu_driver gpu_factor"};

// What advance reservations keep there, a line each.
std::string kept_on(const HostView& host, std::span<const ReservationView> all) {
  std::string text;
  for (const auto& view : all)
    for (std::size_t i = 0; i < view.hosts.size() && i < view.used.size(); ++i)
      if (view.hosts[i] == host.host.name)
        text += (text.empty() ? " ADVANCE RESERVATIONS:\n" : "") + std::string("  ") +
                view.what.name + ": " + std::to_string(view.used[i]) + " of " +
                std::to_string(view.what.places[i].tasks) + " slots in use, " +
                (view.active ? "active" : "not active") + "\n";
  return text;
}

std::string long_texts(const Parsed& options, std::span<const HostView> hosts,
                       std::span<const ReservationView> kept) {
  std::string text;
  for (const auto& view : hosts) {
    text += text.empty() ? "" : "\n";
    if (options.has("l")) text += view::host_long_text(view) + kept_on(view, kept);
    if (options.has("aff")) text += view::topology_text(view);
  }
  return text;
}

Result<std::string> shown(const Parsed& options, std::span<const HostView> hosts,
                          std::span<const ReservationView> kept) {
  bool header = !options.has("noheader");
  if (options.has("gpu")) {
    auto rows = view::gpu_rows(hosts);
    WM_TRY(auto gpus, listed<view::GpuRow>(options, kGpuListing, view::gpu_fields(), rows));
    return gpus ? *gpus : view::gpu_table(hosts, header);
  }
  WM_TRY(auto listing,
         listed<HostView>(options, kListing, view::host_fields(), hosts, display_unit()));
  if (listing) return *listing;
  if (options.has("l") || options.has("aff")) return long_texts(options, hosts, kept);
  return view::host_table(hosts, options.has("w"), header);
}

bool is_asked(const Parsed& options, const std::string& name) {
  return options.words.empty() || std::ranges::find(options.words, name) != options.words.end();
}

// On stderr, beside whatever format: no client of the table takes one for a host.
void name_strangers(const Parsed& options, std::span<const Stranger> strangers) {
  for (const auto& stranger : strangers) {
    if (!is_asked(options, stranger.name)) continue;
    auto from = stranger.address.empty() ? "" : " (" + stranger.address + ")";
    complain("Host <" + stranger.name + ">" + from +
             " asks to join and is refused: add a section [" + stranger.name +
             "] to hosts.conf and run badmin reconfig\n");
  }
}

constexpr Listing kShared{"bhosts", "RESOURCES", "resource total reserved location"};

// -s: requirements choose hosts by them and take nothing away, so nothing is ever reserved.
Result<int> show_resources(const Parsed& options) {
  WM_TRY(auto config, whole_conf());
  auto rows = view::resource_rows(config);
  std::erase_if(rows, [&](const auto& row) {
    return row.value.find_first_not_of("0123456789.") != row.value.npos || row.value.empty() ||
           !is_asked(options, row.name);
  });
  WM_TRY(auto text, listed_or_aligned<view::ResourceRow>(options, kShared,
                                                         view::shared_resource_fields(), rows));
  if (!rows.empty() || options.has("json")) say(text);
  else complain("No shared resource found\n");
  return rows.empty() && !options.words.empty() ? kRefused : 0;
}

Result<int> run(const Parsed& options) {
  if (options.has("s")) return show_resources(options);
  WM_TRY(auto from, master());
  int code = 0;
  WM_TRY(auto reply, hosts_asked(from, options, code));
  ReservationsReply kept;
  if (options.has("l")) {
    WM_TRY(kept, from.ask(ReservationsRequest{}));
  }
  WM_TRY(auto text, shown(options, reply.hosts, kept.reservations));
  if (!reply.hosts.empty() || options.has("json")) say(text);
  if (reply.hosts.empty() && options.words.empty() && !options.has("json") && !options.has("R"))
    complain("No host has registered and hosts.conf names none\n");
  name_strangers(options, reply.strangers);
  return code;
}

}  // namespace
}  // namespace wm::cmd::bhosts

int main(int argc, char** argv) {
  using namespace wm::cmd::bhosts;
  return main_of({"bhosts", "bhosts [options] [host_name ...]", kOptions}, argc, argv, run);
}
