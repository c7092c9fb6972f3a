#include "libwm/conf/zone_file.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace wm::conf {
namespace {

constexpr std::size_t kHeader = 44;
constexpr std::int64_t kFirst = -8'520'336'000;  // 1700
constexpr std::int64_t kLatest = 1'577'836'800;  // 2020: before it no budget was
constexpr int kEndYear = 2062;

/// Big-endian numbers of a file, one after the other.
class ZoneBytes {
 public:
  explicit ZoneBytes(std::string_view bytes) : bytes_(bytes) {}
  std::int64_t next(std::size_t size) {
    if (at_ + size > bytes_.size()) return failed_ = true, 0;
    std::uint64_t n = static_cast<unsigned char>(bytes_[at_]) & 0x80 ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < size; ++i) n = n << 8 | static_cast<unsigned char>(bytes_[at_ + i]);
    at_ += size;
    return static_cast<std::int64_t>(n);
  }
  void skip(std::size_t size) { at_ += size; }
  bool failed() const { return failed_ || at_ > bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// How many of what a part of the file has.
struct Counts {
  std::size_t isut = 0, isstd = 0, leaps = 0, times = 0, types = 0, chars = 0;
  std::size_t size(std::size_t time) const {
    return times * time + times + types * 6 + chars + leaps * (time + 4) + isstd + isut;
  }
};

Counts counts_of(ZoneBytes& bytes) {
  Counts c;
  bytes.skip(20);
  for (auto* n : {&c.isut, &c.isstd, &c.leaps, &c.times, &c.types, &c.chars})
    *n = static_cast<std::size_t>(bytes.next(4)) & 0xffffff;
  return c;
}

/// The rule of the file's last line, such as CET-1CEST,M3.5.0,M10.5.0/3.
class Rule {
 public:
  explicit Rule(std::string_view text) : rest_(text) {}

  // Its changes in the years to come; a rule of another form changes nothing.
  void add_to(report::Zone& zone) {
    name();
    auto standard = -clock();
    if (rest_.empty()) return;
    name();
    auto summer = rest_.starts_with(',') ? standard + 3600 : -clock();
    auto begin = change(), end = change();
    if (failed_) return;
    auto after = zone.steps.back().first;
    for (int year = report::local(zone, std::max(after, kLatest)).year; year < kEndYear; ++year) {
      auto first = at(begin, year) - standard, second = at(end, year) - summer;
      std::vector<std::pair<std::int64_t, int>> both = {{first, summer}, {second, standard}};
      if (second < first) std::swap(both[0], both[1]);
      for (const auto& step : both)
        if (step.first > after) zone.steps.push_back(step);
    }
  }

 private:
  /// The week-th such day of a month; 5: the last. @units time: s of the day
  struct Change {
    int month = 1, week = 1, day = 0, time = 7200;
  };
  void name() {
    if (rest_.starts_with('<'))
      return rest_.remove_prefix(std::min(rest_.find('>'), rest_.size() - 1) + 1);
    while (!rest_.empty() && std::isalpha(static_cast<unsigned char>(rest_[0])))
      rest_.remove_prefix(1);
  }
  bool takes(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  int number() {
    int n = 0;
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0])) && n < 1000) {
      n = n * 10 + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return n;
  }
  int clock() {
    bool minus = takes('-');
    if (!minus) takes('+');
    int s = number() * 3600;
    if (takes(':')) s += number() * 60;
    if (takes(':')) s += number();
    return minus ? -s : s;
  }
  Change change() {
    Change made;
    failed_ = failed_ || !takes(',') || !takes('M');
    made.month = number(), takes('.'), made.week = number(), takes('.'), made.day = number();
    if (takes('/')) made.time = clock();
    failed_ = failed_ || made.month < 1 || made.month > 12 || made.week < 1 || made.day > 6;
    return made;
  }
  // As clocks show it.
  static std::int64_t at(const Change& change, int year) {
    auto month = static_cast<unsigned>(change.month);
    report::Civil first{year, month, 1};
    auto begin = report::days_of(first);
    auto end = report::days_of(month == 12 ? report::Civil{year + 1, 1, 1}
                                           : report::Civil{year, month + 1, 1});
    auto weekday = static_cast<int>((report::weekday(first) + 1) % 7);  // 0: Sunday
    auto day = begin + (change.day - weekday + 7) % 7 + 7 * (change.week - 1);
    while (day >= end) day -= 7;
    return day * 86'400 + change.time;
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

Result<report::Zone> zone_of(const std::string& name, const std::string& bytes) {
  auto broken =
      fail(Code::BadArgument, "time zone '" + name + "': its file is none of a time zone");
  if (bytes.size() < kHeader || bytes.substr(0, 4) != "TZif" || bytes[4] < '2') return broken;
  ZoneBytes old(bytes);
  auto begin = kHeader + counts_of(old).size(4);
  if (begin + kHeader > bytes.size()) return broken;
  ZoneBytes head(std::string_view(bytes).substr(begin));
  auto counts = counts_of(head);
  if (counts.types == 0 || begin + kHeader + counts.size(8) > bytes.size()) return broken;
  std::vector<std::int64_t> times, types, offsets;
  for (std::size_t i = 0; i < counts.times; ++i) times.push_back(head.next(8));
  for (std::size_t i = 0; i < counts.times; ++i) types.push_back(head.next(1) & 0xff);
  for (std::size_t i = 0; i < counts.types; ++i) {
    offsets.push_back(head.next(4));
    head.skip(2);
  }
  if (head.failed()) return broken;
  report::Zone zone{name, {{kFirst, static_cast<int>(offsets[0])}}};
  for (std::size_t i = 0; i < times.size(); ++i) {
    auto type = static_cast<std::size_t>(types[i]);
    if (type >= offsets.size()) return broken;
    zone.steps.emplace_back(times[i], static_cast<int>(offsets[type]));
  }
  auto foot = std::string_view(bytes).substr(begin + kHeader + counts.size(8));
  if (foot.starts_with('\n')) Rule(foot.substr(1, foot.find('\n', 1) - 1)).add_to(zone);
  return zone;
}

Result<report::Zone> read_zone(const std::string& name) {
  const char* dir = std::getenv("TZDIR");
  auto path = std::string(dir && *dir ? dir : "/usr/share/zoneinfo") + "/" + name;
  std::error_code none;
  bool inside = !name.empty() && name[0] != '/' && name.find("..") == name.npos;
  if (!inside || !std::filesystem::is_regular_file(path, none))
    return fail(Code::BadArgument, "no time zone '" + name + "' (such as Europe/Berlin)");
  std::ifstream file(path, std::ios::binary);
  return zone_of(name, {std::istreambuf_iterator<char>(file), {}});
}

}  // namespace wm::conf
