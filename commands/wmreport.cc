// wmreport: sums of accounting by hour, and the reports made of them, for cron. Works on the
// databases themselves, whether the master is up or not.
#include <algorithm>
#include <vector>

#include "commands/common/command.h"
#include "commands/report/work.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"q", Kind::Flag, "", "Nothing on standard output unless something is wrong"},
    {"-mail", Kind::Flag, "", "Mail reports to whom report.conf names"},
    {"-dry-run", Kind::Flag, "", "Print the report and who would get it; write and mail nothing"},
    {"-since", Kind::Text, "time",
     "With --until: a report of this time; of roll: again from there"},
    {"-until", Kind::Text, "time", ""},
    {"-from", Kind::Text, "date", "Of export: from this day"},
    {"-to", Kind::Text, "date", "Of export: until this day, which is not in it"},
    {"-timezone", Kind::Text, "zone", "Days of this place, such as Europe/Berlin"},
    {"-out", Kind::Text, "folder", "Page, tables, JSON and mails as files there; mails nothing"},
    {"-about", Kind::Text, "name", "Of show: a user, or a plan such as /research"},
    {"-format", Kind::Text, "form", "Of show: text, json or csv; of export: csv or json"},
    {"-by", Kind::Text, "keys", "Of export: plan,project,user,queue,app"},
    {"-price", Kind::Text, "file", "Of export: prices of an hour, lines such as gpu = 1.25"},
};

constexpr const char* kSynopsis =
    "wmreport roll | day [period] | week [period] | month [period] | "
    "show [day|week|month] [period] | export [month] [options]";

Result<report::Kind> kind_named(const std::string& word) {
  for (auto kind : {report::Kind::Day, report::Kind::Week, report::Kind::Month})
    if (word == report::kind_name(kind)) return kind;
  return fail(Code::BadArgument, "'" + word + "' is none of day, week and month");
}

Result<void> take_words(ReportWish& wish, std::vector<std::string> words) {
  if (words.empty())
    return fail(Code::BadArgument,
                "what to do is not said: roll, day, week, month, show or export");
  wish.act = words.front();
  words.erase(words.begin());
  const std::string acts[] = {"roll", "day", "week", "month", "show", "export"};
  if (std::find(std::begin(acts), std::end(acts), wish.act) == std::end(acts))
    return fail(Code::BadArgument,
                "no '" + wish.act + "': there are roll, day, week, month, show and export");
  if (wish.act == "export") wish.kind = report::Kind::Month;
  else if (wish.act == "show" && !words.empty()) {
    WM_TRY(wish.kind, kind_named(words.front()));
    words.erase(words.begin());
  } else if (wish.act != "show" && wish.act != "roll") {
    WM_TRY(wish.kind, kind_named(wish.act));
  }
  if (!words.empty() && wish.act != "roll") {
    wish.period = words.front();
    words.erase(words.begin());
  }
  if (words.empty()) return {};
  return fail(Code::BadArgument, "'" + words.front() + "' is one word too many");
}

Result<ReportWish> wish_of(const Parsed& options) {
  ReportWish wish;
  WM_TRY(take_words(wish, options.words));
  wish.quiet = options.has("q");
  wish.mail = options.has("-mail");
  wish.dry = options.has("-dry-run");
  auto text = [&](std::string_view name) { return options.first(name).value_or(""); };
  wish.since = text("-since"), wish.until = text("-until"), wish.out = text("-out");
  wish.timezone = text("-timezone"), wish.format = text("-format"), wish.by = text("-by");
  wish.price = text("-price"), wish.about = text("-about");
  if (wish.act == "export" && options.has("-from")) wish.since = text("-from");
  if (wish.act == "export" && options.has("-to")) wish.until = text("-to");
  bool csv = wish.format.empty() || wish.format == "csv" || wish.format == "json";
  bool known = csv || (wish.act == "show" && wish.format == "text");
  if (!known) return fail(Code::BadArgument, "--format: no '" + wish.format + "' here");
  if (wish.act != "show" && !wish.about.empty())
    return fail(Code::BadArgument, "--about goes with show");
  return wish;
}

Result<int> act(const ReportSite& site, const ReportWish& wish) {
  if (wish.act == "roll") return do_roll(site, wish);
  if (wish.act == "show") return do_show(site, wish);
  if (wish.act == "export") return do_export(site, wish);
  return do_report(site, wish);
}

int refuse(const Error& error, int code) {
  complain("wmreport: " + error.text + "\n");
  return code;
}

Result<int> run(const Parsed& options) {
  auto wish = wish_of(options);
  if (!wish) return refuse(wish.error(), kUsage);
  auto site = report_site(*wish);
  if (!site) return refuse(site.error(), kNotMade);
  auto code = act(*site, *wish);
  if (code) return code;
  return refuse(code.error(), code.error().code == Code::BadArgument ? kUsage : kNotMade);
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  auto code = main_of({"wmreport", kSynopsis, kOptions}, argc, argv, run);
  return code == kRefused ? kUsage : code;
}
