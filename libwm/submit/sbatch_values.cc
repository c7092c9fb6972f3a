#include "libwm/submit/sbatch_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace wm::cmd {
namespace {

Error bad_value(std::string_view text, const char* expected) {
  return fail(Code::BadArgument, "'" + std::string(text) + "' is not " + expected);
}

Result<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size() && value >= 0;
  if (!whole || value > 1'000'000'000) return bad_value(text, "a number");
  return value;
}

bool is_never(std::string_view text) {
  return text == "UNLIMITED" || text == "INFINITE" || text == "unlimited" || text == "infinite";
}

// What the parts of a time are of, by how many there are and whether days stand before.
Result<std::int64_t> seconds_of(std::string_view text, bool days) {
  auto parts = sbatch_list(text, ':');
  if (parts.empty() || parts.size() > 3) return bad_value(text, "a time");
  std::array<std::int64_t, 3> all{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    WM_TRY(all[i], number(parts[i]));
  }
  if (days || parts.size() == 3) return (all[0] * 60 + all[1]) * 60 + all[2];
  return all[0] * 60 + all[1];
}

// "12" or "12_3" of a dependency.
Result<std::string> job_of(std::string_view text) {
  auto line = text.find('_');
  auto id = text.substr(0, line);
  if (!number(id)) return bad_value(text, "a job's number");
  if (line == text.npos) return std::string(id);
  auto index = text.substr(line + 1);
  if (index != "*" && !number(index)) return bad_value(text, "a job's number");
  return std::string(id) + "[" + std::string(index) + "]";
}

// "afterok:12:13" as "done(12) && done(13)".
Result<std::string> condition_of(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds = {
      {{"afterok", "done"}, {"afternotok", "exit"}, {"afterany", "ended"}, {"after", "started"}}};
  auto parts = sbatch_list(text, ':');
  auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& one) {
    return !parts.empty() && one.first == parts[0];
  });
  if (kind == kKinds.end() || parts.size() < 2)
    return bad_value(text, "afterok, afternotok, afterany or after with numbers of jobs");
  std::string all;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    WM_TRY(auto job, job_of(parts[i]));
    all += (all.empty() ? "" : " && ") + std::string(kind->second) + "(" + job + ")";
  }
  return all;
}

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

std::vector<std::string> sbatch_list(std::string_view text, char by) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char c : text) {
    depth += (c == '[') - (c == ']');
    if (c != by || depth > 0) {
      part += c;
      continue;
    }
    if (!part.empty()) parts.push_back(std::move(part));
    part.clear();
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

Result<std::uint32_t> sbatch_count(std::string_view text) {
  bool thousands = text.ends_with('k') || text.ends_with('K');
  if (thousands) text.remove_suffix(1);
  WM_TRY(auto value, number(text));
  value *= thousands ? 1000 : 1;
  if (value < 1 || value > 10'000'000) return bad_value(text, "a number from 1 to 10000000");
  return static_cast<std::uint32_t>(value);
}

Result<std::int64_t> sbatch_minutes(std::string_view text) {
  if (is_never(text)) return std::int64_t{0};
  auto dash = text.find('-');
  std::int64_t days = 0;
  if (dash != text.npos) {
    WM_TRY(days, number(text.substr(0, dash)));
  }
  WM_TRY(auto seconds,
         seconds_of(dash == text.npos ? text : text.substr(dash + 1), dash != text.npos));
  return days * 24 * 60 + (seconds + 59) / 60;
}

Result<std::int64_t> sbatch_megabytes(std::string_view text) {
  constexpr std::string_view kUnits = "KMGT";
  auto body = text;
  if (body.size() > 2 && (body.back() == 'B' || body.back() == 'b')) body.remove_suffix(1);
  std::size_t unit = 1;
  if (!body.empty() && !is_digits(body.substr(body.size() - 1))) {
    unit = kUnits.find(static_cast<char>(body.back() & ~0x20));
    body.remove_suffix(1);
  }
  auto value = number(body);
  if (!value || unit == kUnits.npos) return bad_value(text, "a size such as 4000, 4000M or 4G");
  if (unit == 0) return (*value + 1023) / 1024;
  for (; unit > 1; --unit) *value *= 1024;
  return value;
}

Result<std::string> sbatch_date(std::string_view text) {
  constexpr const char* kForms = "a date as 16:00, 2026-12-01 or 2026-12-01T16:00";
  auto mark = text.find('T');
  auto day = text.find('-') == text.npos ? std::string_view() : text.substr(0, mark);
  auto time = day.empty()         ? text
              : mark == text.npos ? std::string_view("00:00")
                                  : text.substr(mark + 1);
  auto hours = sbatch_list(time, ':');
  auto days = sbatch_list(day, '-');
  bool fine = (hours.size() == 2 || hours.size() == 3) && (days.empty() || days.size() == 3);
  for (const auto* list : {&hours, &days})
    for (const auto& part : *list) fine = fine && is_digits(part);
  if (!fine) return bad_value(text, kForms);
  std::string made;
  for (const auto& part : days) made += part + ":";
  return made + hours[0] + ":" + hours[1];
}

Result<std::string> sbatch_dependency(std::string_view text) {
  bool any = text.find('?') != text.npos;
  std::string all;
  for (const auto& part : sbatch_list(text, any ? '?' : ',')) {
    WM_TRY(auto one, condition_of(part));
    all += (all.empty() ? "" : any ? " || " : " && ") + (any ? "(" + one + ")" : one);
  }
  if (all.empty()) return bad_value(text, "a dependency");
  return all;
}

Result<std::string> sbatch_constraint(std::string_view text) {
  std::string made;
  for (char c : text) {
    if (c == '&' || c == ',') made += " && ";
    else if (c == '|') made += " || ";
    else if (c == '(' || c == ')' || c == '!') made += c;
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') made += c;
    else return bad_value(text, "features with & and |: counts and brackets have no place here");
  }
  if (made.empty()) return bad_value(text, "a feature");
  return "(" + made + ")";
}

Result<std::string> sbatch_mail_types(std::string_view text) {
  bool start = false, done = false, exit = false;
  for (const auto& type : sbatch_list(text)) {
    if (type == "NONE") continue;
    bool all = type == "ALL", end = type == "END";
    bool known = all || end || type == "BEGIN" || type == "FAIL" || type == "REQUEUE" ||
                 type.starts_with("TIME_LIMIT") || type == "ARRAY_TASKS" ||
                 type == "INVALID_DEPEND" || type == "STAGE_OUT";
    if (!known) return bad_value(type, "NONE, BEGIN, END, FAIL or ALL");
    start = start || all || type == "BEGIN";
    done = done || all || end;
    exit = exit || all || end || type == "FAIL" || type == "TIME_LIMIT";
  }
  std::string words;
  const std::pair<bool, const char*> all_words[] = {
      {start, "start"}, {done, "done"}, {exit, "exit"}};
  for (auto [wanted, word] : all_words)
    if (wanted) words += (words.empty() ? "" : " ") + std::string(word);
  return words;
}

bool sbatch_counts_from_zero(std::string_view array) {
  for (const auto& part : sbatch_list(array.substr(0, array.find('%'))))
    if (auto first = part.substr(0, part.find_first_of("-:"));
        is_digits(first) && first.find_first_not_of('0') == first.npos)
      return true;
  return false;
}

Result<std::string> sbatch_array_from_one(std::string_view array) {
  std::string made;
  auto limit = std::min(array.find('%'), array.size());
  for (const auto& part : sbatch_list(array.substr(0, limit))) {
    auto colon = std::min(part.find(':'), part.size());
    std::string moved;
    for (const auto& bound : sbatch_list(part.substr(0, colon), '-')) {
      WM_TRY(auto index, number(bound));
      moved += (moved.empty() ? "" : "-") + std::to_string(index + 1);
    }
    made += (made.empty() ? "" : ",") + moved + part.substr(colon);
  }
  if (made.empty()) return bad_value(array, "a list of indices");
  return made + std::string(array.substr(limit));
}

}  // namespace wm::cmd
