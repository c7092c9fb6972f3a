#include "libwm/report/figures.h"

#include <algorithm>
#include <set>

#include "libwm/report/tell.h"
#include "libwm/report/words.h"

namespace wm::report {
namespace {

// Okabe and Ito's hues, told apart with every kind of colour blindness.
constexpr const char* kHues[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                 "#56b4e9", "#d55e00", "#f0e442", "#8c8c8c"};
constexpr std::size_t kMostPlans = 7;  // the rest is told together
constexpr std::size_t kMostBars = 62;

std::string head(int height) {
  std::string text =
      "set terminal svg dynamic noenhanced size 880," + std::to_string(height) +
      " font 'sans-serif,13'\nset encoding utf8\nset datafile separator tab\n"
      "set border 3 lw 0.7 lc rgb '#8c8c8c'\nset tics nomirror out\nset grid ytics lw 0.4\n"
      "set key outside top left horizontal Left reverse samplen 1.5\n"
      "set style fill solid 1.0 noborder\nset boxwidth 0.86\n";
  for (std::size_t i = 0; i < std::size(kHues); ++i)
    text += "set linetype " + std::to_string(i + 1) + " lc rgb '" + kHues[i] + "' lw 2 pt 7\n";
  return text;
}

std::string block(const std::string& rows) {
  return "$data << END_OF_DATA\n" + rows + "END_OF_DATA\n";
}

std::string amount(double n) { return std::to_string(n); }
double hours_in(std::int64_t mms) { return static_cast<double>(mms) / 3.6e9; }

// "14", and at a change of the clock which of the two: "02+02:00".
std::string hour_label(const Facts& f, std::int64_t s) {
  auto text = stamp(f.zone, s);
  bool odd = f.period.kind == Kind::Day && f.period.to - f.period.from != 86400;
  return odd && text.substr(11, 2) < "04" ? text.substr(11, 2) + text.substr(16, 3)
                                          : text.substr(11, 2);
}

std::vector<std::string> main_plans(const Facts& f) {
  std::map<std::string, std::int64_t> sums;
  for (const auto& hour : f.hours)
    for (const auto& [plan, a] : hour.plans) sums[plan] += main_amount(f, a);
  std::vector<std::pair<std::int64_t, std::string>> order;
  for (const auto& [plan, sum] : sums) order.emplace_back(-sum, plan);
  std::sort(order.begin(), order.end());
  if (order.size() > kMostPlans) order.resize(kMostPlans);
  std::vector<std::string> plans;
  for (const auto& [sum, plan] : order) plans.push_back(plan);
  std::sort(plans.begin(), plans.end());
  return plans;
}

// As far as accounting has come.
std::vector<HourFacts> clipped_hours(const Facts& f) {
  auto hours = f.hours;
  for (auto& hour : hours)
    hour.hour.len = std::clamp<std::int64_t>(f.horizon * 1000 - hour.hour.start, 0, hour.hour.len);
  return hours;
}

// Bars of hours, or of days where there would be too many.
std::vector<HourFacts> bars_of(const Facts& f) {
  auto hours = clipped_hours(f);
  if (hours.size() <= kMostBars) return hours;
  std::map<std::int64_t, HourFacts> days;
  for (const auto& hour : hours) {
    auto& day = days[days_of(local(f.zone, hour.hour.start / 1000))];
    if (day.hour.start == 0) day.hour.start = hour.hour.start;
    day.hour.len += hour.hour.len;
    day.uses += hour.uses;
    for (const auto& [plan, a] : hour.plans) day.plans[plan] += a;
  }
  std::vector<HourFacts> bars;
  for (auto& [day, sums] : days) bars.push_back(std::move(sums));
  return bars;
}

// F1: where the day went.
Figure util(const Facts& f) {
  Figure made{"util", f.has_gpus() ? "GPUs in use by plan" : "Slots in use by plan",
              "Stacked bars of each hour: what each plan's jobs held, under what there was."};
  made.csv = "hour_start,offset,plan,slot_s,gpu_s,gpueq_s\r\n";
  auto plans = main_plans(f);
  std::set<std::string> shown(plans.begin(), plans.end());
  std::string rows = "hour";
  for (const auto& plan : plans) rows += "\t" + data_word(plan);
  rows += "\tothers\tthere is\n";
  bool any_others = false, by_day = false;
  for (const auto& hour : bars_of(f)) {
    auto s = hour.hour.start / 1000;
    by_day = f.hours.size() > kMostBars;
    auto units = [&](const Amounts& a) {
      if (hour.hour.len == 0) return 0.0;
      return static_cast<double>(main_amount(f, a)) / 1000 / static_cast<double>(hour.hour.len);
    };
    rows += by_day ? date_text(local(f.zone, s)).substr(f.period.kind == Kind::Month ? 8 : 5)
                   : hour_label(f, s);
    double others = 0;
    for (const auto& plan : plans) {
      auto at = hour.plans.find(plan);
      rows += "\t" + amount(at == hour.plans.end() ? 0 : units(at->second));
    }
    auto text = stamp(f.zone, s);
    for (const auto& [plan, a] : hour.plans) {
      if (!shown.contains(plan)) others += units(a);
      any_others = any_others || others > 0;
      made.csv += csv(text.substr(0, 16)) + "," + csv(" " + text.substr(16)).substr(1) + "," +
                  csv(plan) + "," + slot_seconds(a.slot_ms) + "," + unit_seconds(a.gpu_mms) + "," +
                  unit_seconds(a.gpueq_mms) + "\r\n";
    }
    bool to_come = hour.hour.len == 0;
    rows +=
        "\t" + amount(others) + "\t" + (to_come ? "?" : amount(units(hour.uses.capacity()))) + "\n";
  }
  auto last = std::to_string(plans.size() + 1), other = std::to_string(plans.size() + 2),
       room = std::to_string(plans.size() + 3);
  made.script =
      head(300) + block(rows) +
      "set datafile missing '?'\nset style data histograms\nset style histogram rowstacked\n"
      "set yrange [0:*]\nset xtics scale 0\nplot for [i=2:" +
      last + "] $data using i:xticlabels(1) title columnheader(i) lt i-1, " +
      (any_others ? "$data using " + other + " title columnheader(" + other + ") lt 8, " : "") +
      "$data using 0:" + room + " with lines lt 8 dt 2 title columnheader(" + room + ")\n";
  return made;
}

struct Resource {
  const char* name;
  std::int64_t Amounts::*of;
  std::int64_t scale;  // to milli-units times ms
};
constexpr Resource kResources[] = {{"slots", &Amounts::slot_ms, 1000},
                                   {"CPUs", &Amounts::cpu_mms, 1},
                                   {"GPUs", &Amounts::gpueq_mms, 1}};

// F2: what of the time was not work.
Figure classes(const Facts& f) {
  Figure made{
      "hours", "What the time went to",
      "A bar for slots, CPUs and GPUs: how much of the time was held, idle, down or drained."};
  made.csv = "resource,class,unit_s\r\n";
  std::string rows = "class";
  for (std::size_t use = 0; use < kUses - 1; ++use)
    rows += "\t" + std::string(use_name(static_cast<Use>(use)));
  rows += "\n";
  for (const auto& resource : kResources) {
    auto whole = f.total.capacity().*resource.of;
    if (whole <= 0) continue;
    rows += resource.name;
    for (std::size_t use = 0; use < kUses - 1; ++use) {
      auto n = f.total.of[use].*resource.of;
      rows += "\t" + amount(100 * static_cast<double>(n) / static_cast<double>(whole));
      made.csv += std::string(resource.name) + "," + std::string(use_name(static_cast<Use>(use))) +
                  "," + unit_seconds(n * resource.scale) + "\r\n";
    }
    rows += "\n";
  }
  made.script = head(230) + block(rows) +
                "set style data histograms\nset style histogram rowstacked\nset yrange [0:100]\n"
                "set ylabel '%'\nset linetype 7 lc rgb '#882255'\nset linetype 9 lc rgb '#bbbb66'\n"
                "set linetype 10 lc rgb '#dddddd'\nset xtics scale 0\n"
                "plot for [i=2:11] $data using i:xticlabels(1) title columnheader(i) lt i-1\n";
  return made;
}

// F3: tails, not means.
Figure waits(const Facts& f) {
  Figure made{"wait", "Waits in queue",
              "For each queue and size of job: half, nine of ten and ninety-nine of a hundred "
              "started within this time."};
  made.csv = "queue,size,n,p50_s,p90_s,p99_s,max_s\r\n";
  std::string rows = "what\thalf\t9 of 10\t99 of 100\n";
  for (const auto& w : f.waits) {
    if (w.size.empty()) continue;
    auto drawn = [](double s) { return amount(std::max(s, 0.3)); };
    rows += data_word(w.queue + " " + w.size) + "\t" + drawn(w.p50) + "\t" + drawn(w.p90) + "\t" +
            drawn(w.p99) + "\n";
    made.csv += csv(w.queue) + "," + csv(w.size) + "," + std::to_string(w.n) + "," + amount(w.p50) +
                "," + amount(w.p90) + "," + amount(w.p99) + "," + amount(w.most) + "\r\n";
  }
  made.script = head(260) + block(rows) +
                "set logscale y\nset yrange [0.25:*]\nset offsets 0.5,0.5,0,0\n"
                "set ytics ('0' 0.3, '1 s' 1, '10 s' 10, '1 min' 60, '10 min' 600, '1 h' 3600, "
                "'1 d' 86400, '7 d' 604800)\nset xtics scale 0\n"
                "plot $data using ($0-0.08):2 with points ps 1.1 lt 1 title columnheader(2), "
                "$data using 0:3:xticlabels(1) with points ps 1.1 lt 2 title columnheader(3), "
                "$data using ($0+0.08):4 with points ps 1.1 lt 3 title columnheader(4)\n";
  return made;
}

// F4: does sharing work: sizes of elastic jobs over time, the largest twelve.
Figure elastic(const Facts& f) {
  Figure made{"elastic", "Sizes of elastic jobs", "Steps: how many tasks each had when."};
  made.csv = "job,at,from,to,cause\r\n";
  std::string rows;
  auto until = std::min(f.period.to, f.horizon);
  std::size_t count = 0;
  std::int64_t most = 1;
  auto unit = f.period.to - f.period.from > 4 * 86'400 ? 86'400.0 : 3600.0;
  for (const auto& job : f.elastic) {
    if (job.resizes.empty()) continue;
    for (const auto& r : job.resizes)
      made.csv += csv(job.id) + "," + csv(stamp(f.zone, r.at)) + "," + std::to_string(r.from) +
                  "," + std::to_string(r.to) + "," + csv(r.cause) + "\r\n";
    if (count == 12) continue;
    rows += std::string(count++ ? "\n\n" : "") + "h\t" + data_word(job.id + " " + job.name) + "\n";
    auto point = [&](std::int64_t at, std::int64_t n) {
      most = std::max(most, n);
      rows +=
          amount(static_cast<double>(at - f.period.from) / unit) + "\t" + std::to_string(n) + "\n";
    };
    point(std::max(job.began, f.period.from), job.resizes.front().from);
    for (const auto& r : job.resizes) point(r.at, r.to);
    point(job.ended ? job.ended : until, job.resizes.back().to);
  }
  if (count == 0) return {};
  made.script =
      head(260) + block(rows) + "set xlabel '" + std::string(unit > 3600 ? "days" : "hours") +
      " since the beginning'\nset ylabel 'tasks'\nset yrange [0:" + std::to_string(most + 1) +
      "]\nset ytics " + std::to_string((most + 5) / 6) +
      "\n"
      "set xrange [0:" +
      amount(static_cast<double>(f.period.to - f.period.from) / unit) +
      "]\nplot for [i=0:" + std::to_string(count - 1) +
      "] $data index i using 1:2 with steps lt i+1 title columnheader(2)\n";
  return made;
}

// F5: a bad host is a row.
Figure failures(const Facts& f) {
  Figure made{"failures", "Failed attempts by host and cause",
              "The darker, the more attempts failed."};
  made.csv = "host,term,attempts\r\n";
  std::vector<std::string> hosts, terms;
  auto place = [](std::vector<std::string>& all, const std::string& name) {
    auto at = std::find(all.begin(), all.end(), name);
    if (at == all.end()) at = all.insert(all.end(), name);
    return std::to_string(at - all.begin());
  };
  std::string rows;
  for (const auto& row : f.failures) {
    made.csv += csv(row.host) + "," + csv(row.term) + "," + std::to_string(row.n) + "\r\n";
    if (hosts.size() >= 20) continue;
    auto y = place(hosts, row.host), x = place(terms, row.term);
    rows += x + "\t" + y + "\t" + std::to_string(row.n) + "\t" + data_word(row.term) + "\t" +
            data_word(row.host) + "\n";
  }
  if (rows.empty()) return {};
  made.script = head(120 + 26 * static_cast<int>(hosts.size())) + block(rows) +
                "unset key\nunset grid\nset palette defined (0 '#fde0dd', 1 '#f768a1')\n"
                "set cbrange [1:*]\nunset colorbox\nset xrange [-0.5:" +
                std::to_string(terms.size()) + "-0.5]\nset yrange [" +
                std::to_string(hosts.size()) +
                "-0.5:-0.5]\nset tics scale 0\nplot $data using 1:2:(0.46):(0.42):3:"
                "xticlabels(4):yticlabels(5) with boxxyerror fc palette, "
                "$data using 1:2:3 with labels tc rgb '#000000'\n";
  return made;
}

// F6: can people plan?
Figure promises(const Facts& f) {
  Figure made{"promises", "Starts against what was promised",
              "How many started how early or late."};
  made.csv = "bin,n\r\n";
  std::string rows;
  for (const auto& [bin, n] : promise_bins(f.promise_errors)) {
    made.csv += csv(bin) + "," + std::to_string(n) + "\r\n";
    rows += bin + "\t" + std::to_string(n) + "\n";
  }
  made.script = head(220) + block(rows) +
                "unset key\nset yrange [0:*]\nset xtics scale 0\nset style data histograms\n"
                "plot $data using 2:xticlabels(1) lt 1\n";
  return made;
}

// F7: a user's own hours, day by day.
Figure mine(const Facts& f) {
  Figure made{"mine", f.has_gpus() ? "My GPU hours" : "My slot hours", "A bar for each day."};
  made.csv = "day,slot_s,gpu_s\r\n";
  std::map<std::string, Amounts> days;
  for (const auto& hour : f.hours) {
    auto& day = days[date_text(local(f.zone, hour.hour.start / 1000))];
    for (const auto& [plan, a] : hour.plans) day += a;
  }
  std::string rows;
  for (const auto& [day, a] : days) {
    made.csv += day + "," + slot_seconds(a.slot_ms) + "," + unit_seconds(a.gpu_mms) + "\r\n";
    rows += day.substr(5) + "\t" + amount(hours_in(main_amount(f, a))) + "\n";
  }
  made.script = head(220) + block(rows) +
                "unset key\nset yrange [0:*]\nset xtics scale 0\nset style data histograms\n"
                "plot $data using 2:xticlabels(1) lt 1\n";
  return made;
}

std::string day_rows(const Facts& f, std::string& csv_text) {
  csv_text = "day,owned_s,used_s,borrowed_s,lent_s\r\n";
  std::string rows = "day\towned\tused\tlent\tborrowed\n";
  auto hours = [](std::int64_t ms) { return amount(static_cast<double>(ms) / 3.6e6); };
  for (const auto& [day, a] : f.plan_days) {
    csv_text += day + "," + slot_seconds(a.owned) + "," + slot_seconds(a.used) + "," +
                slot_seconds(a.borrowed) + "," + slot_seconds(a.lent) + "\r\n";
    bool to_come = day > date_text(local(f.zone, std::max<std::int64_t>(0, f.horizon - 1)));
    rows += day.substr(8) + "\t" + (to_come ? "?" : hours(a.owned)) + "\t" + hours(a.used) + "\t" +
            hours(a.lent) + "\t" + hours(-a.borrowed) + "\n";
  }
  return rows;
}

std::string day_range(const Facts& f) {
  return "set datafile missing '?'\nset xrange [-0.7:" + std::to_string(f.plan_days.size()) +
         "-0.3]\n";
}

// F8: did the plan get what it owns?
Figure entitlement(const Facts& f) {
  Figure made{"entitlement", "Used and owned", "Bars: slot hours used each day; line: owned."};
  auto rows = day_rows(f, made.csv);
  made.script = head(240) + block(rows) +
                "set yrange [0:*]\nset xtics scale 0\nset ylabel 'slot hours'\n" + day_range(f) +
                "plot $data using 0:3:xticlabels(1) with boxes lt 1 title columnheader(3), "
                "$data using 0:2 with histeps lt 6 title columnheader(2)\n";
  return made;
}

// F9: what it lent up, what it borrowed down.
Figure balance(const Facts& f) {
  Figure made{"balance", "Lent and borrowed", "Bars up: slot hours lent; down: borrowed."};
  auto rows = day_rows(f, made.csv);
  made.script = head(220) + block(rows) +
                "set xtics scale 0\nset xzeroaxis\nset ylabel 'slot hours'\n" + day_range(f) +
                "plot $data using 0:4:xticlabels(1) with boxes lt 3 title columnheader(4), "
                "$data using 0:5 with boxes lt 2 title columnheader(5)\n";
  return made;
}

// F10: who of a plan used how much.
Figure members(const Facts& f) {
  Figure made{"members", f.has_gpus() ? "GPU hours of members" : "Slot hours of members",
              "A bar for each member, the largest on top."};
  made.csv = "user,jobs,failed,slot_s,gpu_s,cpu_used_s,mem_asked_mib_s,mem_peak_mib_s\r\n";
  std::string rows;
  std::size_t count = 0;
  for (const auto& u : f.users) {
    made.csv += csv(u.name) + "," + std::to_string(u.ended) + "," + std::to_string(u.failed) + "," +
                slot_seconds(u.allocated.slot_ms) + "," + unit_seconds(u.allocated.gpu_mms) + "," +
                amount(static_cast<double>(u.cpu_us) / 1e6) + "," + std::to_string(u.mem_mib_s) +
                "," + std::to_string(u.mem_peak_mib_s) + "\r\n";
    if (count >= 20) continue;
    rows += std::to_string(count++) + "\t" + amount(hours_in(main_amount(f, u.allocated))) + "\t" +
            data_word(u.name) + "\n";
  }
  made.script = head(110 + 24 * static_cast<int>(count)) + block(rows) +
                "unset key\nunset grid\nset grid xtics lw 0.4\nset yrange [" +
                std::to_string(count) +
                "-0.5:-0.5]\nset xrange [0:*]\nset ytics scale 0\n"
                "plot $data using ($2/2):1:($2/2):(0.4):yticlabels(3) with boxxyerror lt 1\n";
  return made;
}

// F11: when will it be full: each day, the line through them, where it may go, and 85 %.
Figure full(const Facts& f) {
  const auto& c = f.forecast;
  Figure made{"forecast", "How full it is, and when it will be",
              "Of what is available, the part in use each day; the line that the days follow, the "
              "range where it goes with 80 %, and the mark of 85 %."};
  made.csv = "day,ratio,trend,low,high\r\n";
  std::string rows = "day\tin use\ttrend\tlow\thigh\n";
  auto first = c.of.front().first, last = c.of.back().first;
  auto ahead = c.trend ? std::clamp<std::int64_t>((last - first) / 2, 14, 60) : 0;
  std::map<std::int64_t, double> ratios(c.of.begin(), c.of.end());
  for (auto day = first; day <= last + ahead; ++day) {
    auto date = date_text(date_of(day));
    auto on = [&](double slope) {
      return std::max(0.0, c.ratio + slope * static_cast<double>(day - last));
    };
    std::vector<std::string> cells(4);
    if (auto at = ratios.find(day); at != ratios.end()) cells[0] = amount(100 * at->second);
    if (c.trend) cells[1] = amount(100 * on(c.per_day));
    if (c.trend && day >= last) cells[2] = amount(100 * on(c.low));
    if (c.trend && day >= last) cells[3] = amount(100 * on(c.high));
    made.csv += date;
    rows += date;
    for (const auto& cell : cells) {
      made.csv += "," + (cell.empty() ? cell : amount(std::stod(cell) / 100));
      rows += "\t" + (cell.empty() ? "?" : cell);
    }
    made.csv += "\r\n", rows += "\n";
  }
  made.script = head(240) + block(rows) +
                "set datafile missing '?'\nset xdata time\nset timefmt '%Y-%m-%d'\n"
                "set format x '%d %b'\nset ylabel '%'\nset yrange [0:100]\nset xtics scale 0\n"
                "set xrange ['" +
                date_text(date_of(first)) + "':'" + date_text(date_of(last + ahead)) + "']\nplot " +
                (c.trend ? "$data using 1:4:5 with filledcurves fc rgb '#e69f00' fs transparent "
                           "solid 0.3 title 'range of 80 %', $data using 1:3 with lines lt 2 title "
                           "columnheader(3), "
                         : "") +
                "$data using 1:2 with linespoints lt 1 ps 0.6 title columnheader(2), "
                "85 with lines lt 6 dt 2 title '85 %'\n";
  return made;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

std::vector<Figure> figures_of(const Facts& f) {
  bool of_user = !f.about.empty() && f.about[0] != '/', of_plan = !f.about.empty() && !of_user;
  bool has_waits = f.waits.size() > 1;
  std::vector<Figure> made;
  auto add = [&](bool has, Figure (*draw)(const Facts&)) {
    if (!has) return;
    if (auto figure = draw(f); !figure.id.empty()) made.push_back(std::move(figure));
  };
  add(of_user && !f.hours.empty(), mine);
  add(!of_user && !f.hours.empty(), util);
  add(f.about.empty() && f.total.capacity().slot_ms > 0, classes);
  add(of_plan && !f.plan_days.empty(), entitlement);
  add(of_plan && !f.plan_days.empty(), balance);
  add(of_plan && !f.users.empty(), members);
  add(f.forecast.of.size() > 1, full);
  add(has_waits, waits);
  add(!f.elastic.empty(), elastic);
  add(!f.failures.empty(), failures);
  add(!f.promise_errors.empty(), promises);
  return made;
}

std::string svg_part(const std::string& id, const std::string& svg, const std::string& says) {
  auto begin = svg.find("<svg"), end = svg.rfind("</svg>");
  auto head_end = begin == svg.npos ? svg.npos : svg.find('>', begin);
  if (head_end == svg.npos || end == svg.npos || end < head_end) return "";
  auto view = svg.find("viewBox=\"", begin);
  if (view == svg.npos || view > head_end) return "";
  auto box = svg.substr(view, svg.find('"', view + 9) + 1 - view);
  auto body = svg.substr(head_end + 1, end - head_end - 1);
  for (const char* tag : {"title", "desc"}) {
    auto from = body.find("<" + std::string(tag) + ">");
    auto close = "</" + std::string(tag) + ">";
    auto to = body.find(close);
    if (from != body.npos && to != body.npos && to > from)
      body.erase(from, to + close.size() - from);
  }
  body = replaced(body, "id=\"", "id=\"" + id + "-");
  body = replaced(body, "id='", "id='" + id + "-");
  body = replaced(body, "href='#", "href='#" + id + "-");
  body = replaced(body, "href=\"#", "href=\"#" + id + "-");
  body = replaced(body, "url(#", "url(#" + id + "-");
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" " +
         box + " role=\"img\" aria-label=\"" + html(says) + "\">" + body + "</svg>\n";
}

}  // namespace wm::report
