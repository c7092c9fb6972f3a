// brsvs: shows advance reservations: for whom, on which hosts, when, and what of them is used.

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/base/local_time.h"
#include "libwm/view/format.h"
#include "libwm/view/table.h"

namespace wm::cmd::brsvs {
namespace {

using Kind = Option::Kind;
using V = ReservationView;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "All of each, with its jobs"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"p", Kind::IgnoredFlag, "", ""},
    {"z", Kind::IgnoredFlag, "", ""},
};

std::string kind_of(const V& view) {
  if (view.what.open) return "open";
  switch (view.what.kind) {
    case ReservedFor::User: return "user";
    case ReservedFor::Group: return "group";
    case ReservedFor::System: return "sys";
  }
  return "?";
}

std::string users_of(const V& view) {
  std::string text;
  for (const auto& user : view.what.users) text += (text.empty() ? "" : " ") + user;
  return text.empty() ? "-" : text;
}

std::uint64_t sum_of(const V& view, bool used) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < view.what.places.size(); ++i)
    sum += used ? (i < view.used.size() ? view.used[i] : 0) : view.what.places[i].tasks;
  return sum;
}

std::string slots_text(const V& view) {
  return std::to_string(sum_of(view, true)) + "/" + std::to_string(sum_of(view, false));
}

std::string hosts_of(const V& view) {
  std::string text;
  for (std::size_t i = 0; i < view.what.places.size(); ++i)
    text += (text.empty() ? "" : " ") + (i < view.hosts.size() ? view.hosts[i] : "?") + ":" +
            std::to_string(i < view.used.size() ? view.used[i] : 0) + "/" +
            std::to_string(view.what.places[i].tasks);
  return text.empty() ? "-" : text;
}

// month/day/hour/minute, as LSF has it.
std::string date_of(WallTime at) {
  auto parts = local_parts(at);
  return std::to_string(parts.tm_mon + 1) + "/" + std::to_string(parts.tm_mday) + "/" +
         std::to_string(parts.tm_hour) + "/" + std::to_string(parts.tm_min);
}

std::string window_of(const V& view) {
  if (!view.what.windows.empty()) return show_windows(view.what.windows) + " *";
  return date_of(view.what.begin) + "-" + date_of(view.what.end);
}

std::string jobs_of(const V& view) {
  std::string text;
  for (JobId id : view.jobs) text += (text.empty() ? "" : " ") + to_string(id);
  return text;
}

constexpr view::Field<V> kFields[] = {
    {{"rsvid", "", 12}, view::kText, [](const V& v) { return v.what.name; }},
    {{"type", "", 6}, view::kText, kind_of},
    {{"user", "", 10}, view::kText, users_of},
    {{"ncpus", "", 8}, view::kText, slots_text},
    {{"rsv_hosts", "rsv hosts", 20}, view::kText, hosts_of},
    {{"time_window", "time window", 30}, view::kText, window_of},
    {{"active", "", 6}, view::kText, [](const V& v) { return std::string(v.active ? "Y" : "N"); }},
    {{"jobs", "", 20}, view::kText, jobs_of},
    {{"description", "", 20}, view::kText, [](const V& v) { return v.what.text; }},
};
constexpr Listing kListing{"brsvs", "RESERVATIONS", "rsvid type user ncpus rsv_hosts time_window"};

std::string row(const view::Cells& cells) {
  static constexpr int kWidths[] = {12, 6, 10, 7, 20};
  return view::line_of(cells, kWidths, view::TooWide::Keep) + "\n";
}

std::string table(std::span<const V> views, bool with_header) {
  std::string text;
  if (with_header) text = row({"RSVID", "TYPE", "USER", "NCPUS", "RSV_HOSTS", "TIME_WINDOW"});
  for (const V& v : views)
    text += row({v.what.name, kind_of(v), users_of(v), slots_text(v), hosts_of(v), window_of(v)});
  return text;
}

std::string detail(const V& view) {
  std::string text = table({&view, 1}, true);
  text += "  Reservation Status: " + std::string(view.active ? "Active" : "Inactive") + "\n";
  if (view.from != WallTime{} && !view.active)
    text += "  Next active: " + date_of(view.from) + "\n";
  if (!view.what.text.empty()) text += "  Description: " + view::printable(view.what.text) + "\n";
  text += "  Made by: " + view::printable(view.what.by) + "\n";
  text += "  At its end: jobs " +
          std::string(view.what.open ? "go on" : "that still run are ended") + "\n";
  return text + "  Jobs: " + (view.jobs.empty() ? "none" : jobs_of(view)) + "\n";
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(ReservationsRequest{options.words}));
  int code = 0;
  for (const auto& name : reply.missing) {
    complain(name + ": No such reservation\n");
    code = kRefused;
  }
  WM_TRY(auto listing, listed<V>(options, kListing, std::span<const view::Field<V>>(kFields),
                                 std::span<const V>(reply.reservations)));
  if (listing) return say(*listing), code;
  if (reply.reservations.empty()) {
    if (code == 0) complain("No reservation found\n");
    return code;
  }
  if (!options.has("l")) return say(table(reply.reservations, !options.has("noheader"))), code;
  std::string text;
  for (const V& view : reply.reservations) text += (text.empty() ? "" : "\n") + detail(view);
  say(text);
  return code;
}

}  // namespace
}  // namespace wm::cmd::brsvs

int main(int argc, char** argv) {
  using namespace wm::cmd::brsvs;
  return main_of({"brsvs", "brsvs [options] [reservation ...]", kOptions}, argc, argv, run);
}
