// bhosts: shows hosts: state, slots, GPUs. "Stuck" are slots and GPUs whose last task is not
// proven gone; they are out of capacity until it is.
#include <algorithm>

#include "commands/common/command.h"
#include "commands/common/listing.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"w", Kind::Flag, "", "Wide: why a host is closed"},
    {"l", Kind::Flag, "", "Everything about each host"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"gpu", Kind::IgnoredFlag, "", ""},
    {"X", Kind::IgnoredFlag, "", ""},
};

bool is_full(const HostView& h) { return h.host.used_slots >= h.host.capacity.slots; }

std::string detailed_status(const HostView& h) {
  if (h.host.state == HostState::Silent) return h.host.id ? "unreach" : "unavail";
  if (h.host.state == HostState::Dead) return "unavail";
  if (h.host.closed) return "closed_Adm";
  return is_full(h) ? "closed_Full" : "ok";
}

std::string status(const HostView& h) {
  auto text = detailed_status(h);
  return text.substr(0, text.find('_'));
}

std::string number(std::uint64_t n) { return std::to_string(n); }

std::uint64_t gpus_taken(const HostView& h) {
  return static_cast<std::uint64_t>(std::count_if(h.host.gpu_owners.begin(), h.host.gpu_owners.end(),
                                                  [](const GpuOwner& o) { return bool(o.job); }));
}

std::string megabytes(Bytes bytes) { return bytes.value == 0 ? "" : format_bytes(bytes); }

std::string load_text(const HostView& h) {
  auto hundredths = static_cast<int>(h.load * 100 + 0.5);
  return number(hundredths / 100) + "." + std::to_string(hundredths % 100 + 100).substr(1);
}

constexpr Shown<HostView> kFields[] = {
    {{"host_name", "hname host", 18}, [](const HostView& h) { return h.host.name; }},
    {{"status", "stat", 14}, status},
    {{"status_detail", "", 14}, detailed_status},
    {{"jl_u", "jlu", 5}, [](const HostView&) { return std::string(); }},
    {{"max", "", 5}, [](const HostView& h) { return number(h.host.capacity.slots); }},
    {{"njobs", "", 5}, [](const HostView& h) { return number(h.jobs); }},
    {{"run", "", 5}, [](const HostView& h) { return number(h.running); }},
    {{"ssusp", "", 5}, [](const HostView& h) { return number(h.suspended); }},
    {{"ususp", "", 5}, [](const HostView&) { return std::string("0"); }},
    {{"rsv", "", 5}, [](const HostView&) { return std::string("0"); }},
    {{"nstuck", "", 6}, [](const HostView& h) { return number(h.host.stuck_slots); }},
    {{"ngpus", "", 5}, [](const HostView& h) { return number(h.host.capacity.gpus.size()); }},
    {{"ngpus_alloc", "", 11}, [](const HostView& h) { return number(gpus_taken(h)); }},
    {{"ngpus_stuck", "", 11}, [](const HostView& h) { return number(h.stuck_gpus); }},
    {{"ncpus", "", 5}, [](const HostView& h) { return number(h.host.capacity.milli_cpus / 1000); }},
    {{"load", "r1m", 6}, load_text},
    {{"maxmem", "", 8}, [](const HostView& h) { return megabytes(h.host.capacity.mem); }},
    {{"mem", "", 8}, [](const HostView& h) { return megabytes(h.host.capacity.mem - h.host.used_mem); }},
    {{"type", "", 8}, [](const HostView& h) { return h.host.type; }},
    {{"model", "", 8}, [](const HostView& h) { return h.host.model; }},
    {{"gpu_model", "", 12},
     [](const HostView& h) { return h.host.capacity.gpus.empty() ? "" : h.host.capacity.gpus[0].model; }},
    {{"address", "", 16}, [](const HostView& h) { return h.host.address; }},
    {{"closed_by", "", 10}, [](const HostView& h) { return h.host.closed_by; }},
    {{"closed_why", "comments", 20}, [](const HostView& h) { return h.host.closed_why; }},
};

constexpr Listing kListing{
    "bhosts", "HOSTS",
    "host_name status jl_u max njobs run ssusp ususp rsv ngpus ngpus_alloc ngpus_stuck"};

std::string row(const HostView& h, bool wide) {
  auto column = [](std::uint64_t n) { return fit(number(n), 7, true); };
  return fit(h.host.name, 18) + " " + fit(wide ? detailed_status(h) : status(h), 14) + fit("-", 3, true) +
         column(h.host.capacity.slots) + column(h.jobs) + column(h.running) + column(h.suspended) +
         column(0) + column(h.host.stuck_slots) + "\n";
}

std::string table(std::span<const HostView> hosts, bool wide) {
  std::string text =
      "HOST_NAME          STATUS       JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV\n";
  for (const auto& host : hosts) text += row(host, wide);
  return text;
}

std::string long_form(const HostView& h) {
  std::string text = "HOST  " + h.host.name + "\n" + table({&h, 1}, true);
  auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += " " + fit(name, 14) + value + "\n";
  };
  line("address", h.host.address);
  line("cpus", number(h.host.capacity.milli_cpus / 1000));
  line("memory", megabytes(h.host.capacity.mem));
  line("load", load_text(h));
  line("gpus", number(h.host.capacity.gpus.size()) + ", in use " + number(gpus_taken(h)) + ", stuck " +
                   number(h.stuck_gpus));
  if (h.host.closed) line("closed by", h.host.closed_by + (h.host.closed_why.empty() ? "" : ": " + h.host.closed_why));
  return text + "\n";
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.hosts({options.words}));
  int code = 0;
  for (const auto& name : options.words) {
    bool known = std::any_of(reply.hosts.begin(), reply.hosts.end(),
                             [&](const HostView& h) { return h.host.name == name; });
    if (!known) complain(name + ": Bad host name, host group name or cluster name\n");
    if (!known) code = kRefused;
  }
  WM_TRY(auto text, listed<HostView>(options, kListing, kFields, reply.hosts));
  if (!text && options.has("l")) {
    text.emplace();
    for (const auto& host : reply.hosts) *text += long_form(host);
  }
  say(text ? *text : reply.hosts.empty() ? "" : table(reply.hosts, options.has("w")));
  return code;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bhosts", "bhosts [options] [host ...]", kOptions}, argc, argv, run);
}
