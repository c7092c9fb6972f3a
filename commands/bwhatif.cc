// bwhatif: says when the jobs that wait would start if there were more or fewer hosts, if one of
// them stood in another queue or plan, or if other files of configuration were in force, and who
// would start later for it. Asks the master for
// its state; the rest happens here (libwm/replay), nothing changes on the cluster.
#include <charconv>
#include <chrono>

#include "commands/common/command.h"
#include "commands/common/progress.h"
#include "libwm/base/clock.h"
#include "libwm/codec/codec.h"
#include "libwm/conf/load.h"
#include "libwm/replay/whatif.h"
#include "libwm/view/format.h"
#include "libwm/view/job_fields.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;
using replay::Foretold;

constexpr std::string_view kSynopsis =
    "bwhatif --hosts +N|-N [-json]\n"
    "       bwhatif --queue queue job_id [-json]\n"
    "       bwhatif --plan plan job_id [-json]\n"
    "       bwhatif --conf folder [-json]";

// Two dashes: the second belongs to the name.
constexpr Option kOptions[] = {
    {"-hosts", Kind::Text, "+N|-N", "So many hosts more, like most there are; or fewer, drained"},
    {"-queue", Kind::Text, "queue", "The pending job would be in this queue"},
    {"-plan", Kind::Text, "plan", "The pending job would be in this plan"},
    {"-conf", Kind::Text, "folder", "The files of this folder would be in force"},
    {"json", Kind::Flag, "", "JSON"},
};

std::string time_or_dash(WallTime time) {
  return time == WallTime{} ? "-" : view::dated_time(time);
}

constexpr view::Field<Foretold> kFields[] = {
    {{"jobid", "id", 10}, view::kText, [](const Foretold& f) { return to_string(f.job); }},
    {{"start_now", "", 15},
     view::kText,
     [](const Foretold& f) { return time_or_dash(f.start_now); }},
    {{"start_then", "", 15},
     view::kText,
     [](const Foretold& f) { return time_or_dash(f.start_then); }},
    {{"displaced", "", 9},
     view::kText,
     [](const Foretold& f) { return std::string(f.displaced ? "yes" : "no"); }},
};

Result<std::int32_t> hosts_of(const std::string& text) {
  constexpr std::int32_t kMost = 100'000;
  std::int32_t count = 0;
  const char* from = text.c_str() + (text.starts_with('+') ? 1 : 0);
  auto [end, error] = std::from_chars(from, text.c_str() + text.size(), count);
  bool whole = error == std::errc{} && *end == '\0' && count != 0;
  if (whole && count >= -kMost && count <= kMost) return count;
  return fail(Code::BadArgument, "--hosts '" + text + "': give a number such as +2 or -1, up to " +
                                     std::to_string(kMost));
}

Result<replay::Change> change_of(const Parsed& options) {
  replay::Change change;
  int kinds =
      options.has("-hosts") + options.has("-queue") + options.has("-plan") + options.has("-conf");
  if (kinds != 1) return fail(Code::BadArgument, "give one of --hosts, --queue, --plan and --conf");
  std::size_t wanted = options.has("-hosts") || options.has("-conf") ? 0 : 1;
  if (options.words.size() != wanted)
    return fail(Code::BadArgument, wanted ? "name one job" : "--hosts and --conf take no job");
  if (auto folder = options.first("-conf")) {
    WM_TRY(auto config, conf::load(*folder, conf::this_host()));
    change.config = std::make_shared<const Config>(std::move(config));
    return change;
  }
  if (wanted == 0) {
    WM_TRY(change.hosts, hosts_of(*options.first("-hosts")));
    return change;
  }
  WM_TRY(change.job, parse_job_id(options.words[0]));
  change.queue = options.first("-queue").value_or("");
  change.plan = options.first("-plan").value_or("");
  if (change.queue.empty() && change.plan.empty())
    return fail(Code::BadArgument, "the name of the queue or plan is empty");
  return change;
}

Result<std::string> shown(const Parsed& options, std::span<const Foretold> rows) {
  std::span<const view::Field<Foretold>> table = kFields;
  auto names = view::names_of(table);
  WM_TRY(auto format, view::parse_format("jobid start_now start_then displaced", names));
  auto headings = view::headings_of(format, names);
  auto cells = view::cells_of(format, table, rows);
  if (options.has("json"))
    return view::json_text("bwhatif", "JOBS", view::records_of(headings, cells));
  return view::aligned_text(format, headings, cells);
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto change, change_of(options));
  WM_TRY(auto from, master());
  WM_TRY(auto bytes, from.state());
  WM_TRY(auto live, codec::decode<Cluster>(bytes));
  auto now = wall_now();
  WM_TRY(auto rows, replay::foretell(live, change, std::max(now, live.time), progress_bar()));
  WM_TRY(auto text, shown(options, rows));
  say(text);
  if (rows.empty() && !options.has("json")) complain("No pending job found\n");
  return 0;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bwhatif", kSynopsis, kOptions}, argc, argv, run);
}
