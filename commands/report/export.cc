// wmreport export: what was allocated, refunded and charged, for accounting departments.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "commands/common/command.h"
#include "commands/report/work.h"
#include "libwm/report/words.h"

namespace wm::cmd {
namespace {

/// Prices of an hour, in millionths of the currency. @units slot, cpu, gpu: per unit and hour
struct Prices {
  std::string id;
  std::map<std::string, std::int64_t> per_hour;
};

// "gpu = 1.25": at most six decimals.
Result<std::int64_t> micro_of(const std::string& text) {
  auto point = text.find('.');
  auto whole = text.substr(0, point), part = point == text.npos ? "" : text.substr(point + 1);
  bool digits = (whole + part).find_first_not_of("0123456789") == std::string::npos;
  if (whole.empty() || !digits || part.size() > 6 || whole.size() > 12)
    return fail(Code::BadArgument, "'" + text + "' is no price such as 1.25");
  part.resize(6, '0');
  return std::stoll(whole) * 1'000'000 + std::stoll(part);
}

Result<Prices> read_prices(const std::string& path) {
  Prices prices;
  if (path.empty()) return prices;
  std::ifstream file(path);
  if (!file) return fail(Code::NotFound, path + ": cannot be read");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string key, equals, value, more;
    if (!(words >> key)) continue;
    auto at = path + ":" + std::to_string(number) + ": ";
    if (!(words >> equals >> value) || equals != "=" || (words >> more))
      return fail(Code::BadArgument, at + "not 'slot = 0.02'");
    if (key == "id") {
      prices.id = value;
      continue;
    }
    if (key != "slot" && key != "cpu" && key != "gpu")
      return fail(Code::BadArgument,
                  at + "unknown key '" + key + "': there are id, slot, cpu, gpu");
    auto micro = micro_of(value);
    if (!micro) return fail(Code::BadArgument, at + micro.error().text);
    prices.per_hour[key] = *micro;
  }
  return prices;
}

Result<std::vector<std::string>> keys_of(const std::string& by) {
  std::vector<std::string> keys;
  std::istringstream list(by);
  for (std::string key; std::getline(list, key, ',');) {
    const std::string known[] = {"plan", "project", "user", "queue", "app"};
    if (std::find(std::begin(known), std::end(known), key) == std::end(known))
      return fail(Code::BadArgument,
                  "--by: no '" + key + "': there are plan, project, user, queue, app");
    keys.push_back(key);
  }
  return keys;
}

// Of a dimension only what was asked for stays.
report::Dim chosen(const report::Dim& dim, const std::vector<std::string>& keys) {
  report::Dim made;
  for (const auto& key : keys) {
    if (key == "plan") made.plan = dim.plan;
    if (key == "project") made.project = dim.project;
    if (key == "user") made.user = dim.user;
    if (key == "queue") made.queue = dim.queue;
    if (key == "app") made.app = dim.app;
  }
  return made;
}

struct Resource {
  const char* name;
  std::int64_t report::Amounts::*of;
  std::int64_t scale;  // to milli-units times ms
};
constexpr Resource kResources[] = {{"slot", &report::Amounts::slot_ms, 1000},
                                   {"cpu", &report::Amounts::cpu_mms, 1},
                                   {"gpu", &report::Amounts::gpueq_mms, 1}};

// Millionths for so many milli-units times ms, rounded to the nearest. @shape 128 bits between
std::int64_t priced(std::int64_t mms, std::int64_t per_hour) {
  __extension__ using Wide = __int128;
  return static_cast<std::int64_t>((static_cast<Wide>(mms) * per_hour + 1'800'000'000) /
                                   3'600'000'000);
}

struct Line {
  report::Dim dim;
  const Resource* resource;
  std::int64_t allocated, refund;  // milli-units times ms
};

std::string csv_line(const ReportWish& wish, const Line& line, const Prices& prices) {
  auto price = prices.per_hour.find(line.resource->name);
  auto charged = line.allocated - line.refund;
  std::string text = report::csv(wish.since) + "," + report::csv(wish.until);
  for (const auto* name :
       {&line.dim.plan, &line.dim.project, &line.dim.user, &line.dim.queue, &line.dim.app})
    text += "," + report::csv(*name);
  text += std::string(",") + line.resource->name;
  for (auto n : {line.allocated, line.refund, charged}) text += "," + report::unit_seconds(n);
  text += "," + report::csv(prices.id) + ",";
  return text +
         (price == prices.per_hour.end() ? "" : std::to_string(priced(charged, price->second))) +
         "\r\n";
}

std::string json_line(const Line& line) {
  std::string text = "{";
  const std::pair<const char*, const std::string*> names[] = {{"plan", &line.dim.plan},
                                                              {"project", &line.dim.project},
                                                              {"user", &line.dim.user},
                                                              {"queue", &line.dim.queue},
                                                              {"app", &line.dim.app}};
  for (const auto& [key, value] : names) {
    std::string quoted;
    for (char c : report::plain(*value))
      quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    text += "\"" + std::string(key) + "\": \"" + quoted + "\", ";
  }
  return text + "\"resource\": \"" + line.resource->name +
         "\", \"allocated_s\": " + report::unit_seconds(line.allocated) +
         ", \"refund_s\": " + report::unit_seconds(line.refund) +
         ", \"charged_s\": " + report::unit_seconds(line.allocated - line.refund) + "}";
}

}  // namespace

Result<int> do_export(const ReportSite& site, const ReportWish& wish) {
  WM_TRY(auto asked, asked_period(site, wish));
  if (!asked) return fail(Code::BadArgument, "export needs --from and --to, or a month");
  WM_TRY(auto keys, keys_of(wish.by.empty() ? "plan,project,user" : wish.by));
  WM_TRY(auto prices, read_prices(wish.price));
  WM_TRY(auto open, open_rolled(site, wish, kReportPatience));
  WM_TRY(auto dims, open.reports->dims(asked->from * 1000, asked->to * 1000));
  std::map<report::Dim, std::pair<report::Amounts, report::Amounts>> sums;
  for (const auto& use : dims) {
    auto& [allocated, refunded] = sums[chosen(use.dim, keys)];
    allocated += use.allocated;
    refunded += use.refunded;
  }
  auto told = wish;
  told.since = report::stamp(site.zone, asked->from),
  told.until = report::stamp(site.zone, asked->to);
  bool json = wish.format == "json";
  std::string text = json ? "["
                          : "from,to,plan,project,user,queue,app,resource,allocated_s,refund_s,"
                            "charged_s,price_id,amount_micro\r\n";
  bool first = true;
  for (const auto& [dim, amounts] : sums)
    for (const auto& resource : kResources) {
      Line line{dim, &resource, amounts.first.*resource.of * resource.scale,
                amounts.second.*resource.of * resource.scale};
      if (line.allocated == 0 && line.refund == 0) continue;
      text += json ? (first ? "\n" : ",\n") + json_line(line) : csv_line(told, line, prices);
      first = false;
    }
  say(json ? text + "\n]\n" : text);
  return kDone;
}

}  // namespace wm::cmd
