#include "commands/report/old_pages.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "libwm/files/fd.h"

namespace wm::cmd {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// As deliver.cc leaves names.
bool is_file_letter(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
         c == '.';
}

// A 0 of the pattern stands for any digit, all else for itself.
bool begins_as(std::string_view text, std::string_view pattern) {
  return text.size() >= pattern.size() &&
         std::equal(pattern.begin(), pattern.end(), text.begin(),
                    [](char wanted, char c) { return wanted == '0' ? is_digit(c) : wanted == c; });
}
bool is_as(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size() && begins_as(text, pattern);
}

// Takes the first of these that is there off the front.
bool take(std::string_view& text, std::initializer_list<std::string_view> patterns) {
  for (auto pattern : patterns) {
    if (!begins_as(text, pattern)) continue;
    text.remove_prefix(pattern.size());
    return true;
  }
  return false;
}

bool take_instant(std::string_view& text) {
  return take(text, {"0000-00-00_00_00", "0000-00-00T00_00", "0000-00-00"});
}

// "2026-10-25..2026-10-26_14_30", or what reports of this kind are about.
bool take_period(std::string_view& text, std::string_view usual) {
  auto rest = text;
  if (take_instant(rest) && take(rest, {".."}) && take_instant(rest)) {
    text = rest;
    return true;
  }
  return take(text, {usual});
}

// ".html", "-user.json", "-plan-util.csv".
bool is_rest(std::string_view text) {
  auto dot = text.rfind('.');
  if (dot == text.npos) return false;
  auto words = text.substr(0, dot), ending = text.substr(dot);
  bool plain = ending == ".html" || ending == ".json" || ending == ".txt";
  if (words.empty()) return plain;
  return words.size() > 1 && words[0] == '-' && (plain || ending == ".csv") &&
         std::all_of(words.begin(), words.end(), is_file_letter);
}

// As replace_file names what it has not finished: ".NAME.new.4711.0".
std::string_view without_draft(std::string_view name) {
  auto end = name.rfind(".new.");
  if (!name.starts_with(".") || end == name.npos) return name;
  auto count = name.substr(end + 5);
  bool numbers = std::all_of(count.begin(), count.end(),
                             [](char c) { return is_digit(c) || c == '.'; });
  return numbers ? name.substr(1, end - 1) : name;
}

Fd folder_in(int parent, const std::string& name) {
  return Fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  DIR* list = ::fdopendir(::fcntl(folder, F_DUPFD_CLOEXEC, 0));
  if (list == nullptr) return names;
  while (const dirent* entry = ::readdir(list)) names.emplace_back(entry->d_name);
  ::closedir(list);
  return names;
}

std::size_t remove_from_month(int folder, std::int64_t oldest) {
  std::size_t removed = 0;
  for (const auto& name : names_in(folder)) {
    struct stat file {};
    bool own = is_page_name(name) &&
               ::fstatat(folder, name.c_str(), &file, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISREG(file.st_mode) && file.st_uid == ::geteuid();
    if (own && file.st_mtime < oldest && ::unlinkat(folder, name.c_str(), 0) == 0) ++removed;
  }
  return removed;
}

}  // namespace

bool is_page_name(std::string_view name) {
  auto rest = without_draft(name);
  if (take(rest, {"day-"})) return take_period(rest, "0000-00-00") && is_rest(rest);
  if (take(rest, {"week-"})) return take_period(rest, "0000-W00") && is_rest(rest);
  if (take(rest, {"month-"})) return take_period(rest, "0000-00") && is_rest(rest);
  return false;
}

std::size_t remove_old_pages(const std::string& dir, std::int64_t oldest) {
  std::size_t removed = 0;
  // It may be a link itself: it is the site's word.
  Fd top(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!top) return 0;
  for (const auto& year : names_in(top.get())) {
    auto months = is_as(year, "0000") ? folder_in(top.get(), year) : Fd();
    if (!months) continue;
    for (const auto& month : names_in(months.get()))
      if (auto pages = is_as(month, "00") ? folder_in(months.get(), month) : Fd())
        removed += remove_from_month(pages.get(), oldest);
  }
  return removed;
}

}  // namespace wm::cmd
