#include "libwm/rest/archive_rules.h"

#include <algorithm>
#include <vector>

#include "libwm/base/excerpt.h"

namespace wm::rest {
namespace {

// How deep below its start a path ends; negative as soon as it leaves it.
int depth_of(std::string_view path, int depth) {
  while (!path.empty()) {
    auto end = std::min(path.find('/'), path.size());
    auto part = path.substr(0, end);
    if (part == "..") --depth;
    else if (!part.empty() && part != ".") ++depth;
    if (depth < 0) return depth;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return depth;
}

Error refused(const ArchiveEntry& entry, const char* why) {
  return fail(Code::BadArgument, "archive: '" + excerpt(entry.path, 200) + "' " + why);
}

std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  while (!path.empty()) {
    auto step = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(step.size() + 1, path.size()));
    if (!step.empty() && step != ".") steps.emplace_back(step);
  }
  return steps;
}

std::string plain_path(const std::vector<std::string>& steps) {
  std::string path;
  for (const auto& step : steps) path += (path.empty() ? "" : "/") + step;
  return path;
}

// The folders that a link's target is looked up in, each by its plain path.
std::vector<std::string> ways_of(std::string_view path, std::string_view target) {
  auto at = steps_of(path);
  if (!at.empty()) at.pop_back();
  std::vector<std::string> ways;
  for (const auto& step : steps_of(target)) {
    if (!at.empty()) ways.push_back(plain_path(at));
    if (step != "..") at.push_back(step);
    else if (!at.empty()) at.pop_back();
  }
  return ways;
}

}  // namespace

bool stays_below(std::string_view path) {
  if (path.starts_with('/') || path.find('\0') != path.npos) return false;
  // ".." is refused also where it would not lead out: a link may stand in its way.
  return ("/" + std::string(path) + "/").find("/../") == std::string::npos;
}

bool link_stays_below(std::string_view path, std::string_view link) {
  if (link.empty() || link.starts_with('/') || link.find('\0') != link.npos) return false;
  auto slash = path.rfind('/');
  int start = slash == path.npos ? 0 : depth_of(path.substr(0, slash), 0);
  return depth_of(link, start) >= 0;
}

// Each target is judged by its words, which is what it means where no step of it is a link itself.
Result<void> ArchiveRules::admit_link(const ArchiveEntry& entry) {
  if (!link_stays_below(entry.path, entry.link)) return refused(entry, "leads out of its folder");
  auto own = plain_path(steps_of(entry.path));
  auto ways = ways_of(entry.path, entry.link);
  bool leads =
      through_.contains(own) ||
      std::any_of(ways.begin(), ways.end(), [&](const auto& way) { return links_.contains(way); });
  if (leads) return refused(entry, "leads through a link");
  links_.insert(own);
  through_.insert(ways.begin(), ways.end());
  return {};
}

Result<void> ArchiveRules::admit(const ArchiveEntry& entry) {
  using Kind = ArchiveEntry::Kind;
  if (++entries_ > limits_.entries)
    return fail(Code::Limit, "archive: more than " + std::to_string(limits_.entries) + " entries");
  if (!stays_below(entry.path)) return refused(entry, "leads out of its folder");
  // The folder it is unpacked to, which must not become a file or a link.
  if (depth_of(entry.path, 0) == 0 && entry.kind != Kind::Folder)
    return refused(entry, "leads out of its folder");
  bool is_link = entry.kind == Kind::SymbolicLink || entry.kind == Kind::HardLink;
  if (is_link && !limits_.links) return refused(entry, "is a link: files and folders are wanted");
  if (entry.kind == Kind::SymbolicLink) return admit_link(entry);
  if (entry.kind == Kind::HardLink && !stays_below(entry.link))
    return refused(entry, "leads out of its folder");
  if (entry.kind == Kind::Other) return refused(entry, "is neither a file, a folder nor a link");
  return {};
}

Result<void> ArchiveRules::grow(std::uint64_t bytes) {
  bytes_ += bytes;
  bool bomb = bytes_ > limits_.small && bytes_ / limits_.expansion > packed_;
  if (bytes_ > limits_.bytes || bomb)
    return fail(Code::Limit, "archive: unpacks to more than may be");
  return {};
}

}  // namespace wm::rest
