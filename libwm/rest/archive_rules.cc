#include "libwm/rest/archive_rules.h"

#include <algorithm>

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

Error out_of(const ArchiveEntry& entry) {
  return fail(Code::BadArgument,
              "archive: '" + entry.path.substr(0, 200) + "' leads out of its folder");
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

Result<void> ArchiveRules::admit(const ArchiveEntry& entry) {
  using Kind = ArchiveEntry::Kind;
  if (++entries_ > limits_.entries)
    return fail(Code::Limit, "archive: more than " + std::to_string(limits_.entries) + " entries");
  if (!stays_below(entry.path)) return out_of(entry);
  // The folder it is unpacked to, which must not become a file or a link.
  if (depth_of(entry.path, 0) == 0 && entry.kind != Kind::Folder) return out_of(entry);
  if (entry.kind == Kind::SymbolicLink && !link_stays_below(entry.path, entry.link))
    return out_of(entry);
  if (entry.kind == Kind::HardLink && !stays_below(entry.link)) return out_of(entry);
  if (entry.kind == Kind::Other)
    return fail(Code::BadArgument, "archive: '" + entry.path.substr(0, 200) +
                                       "' is neither a file, a folder nor a link");
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
