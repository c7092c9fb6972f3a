#include "daemons/wmasterd/acct/audit.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "libwm/base/hash.h"
#include "libwm/base/json.h"
#include "libwm/base/log.h"
#include "libwm/proc/channel.h"

namespace wm::master {
namespace {

constexpr std::size_t kMostEntries = 10000;  // of one answer

std::int64_t microseconds(WallTime at) { return at.time_since_epoch().count(); }

// Everything but the chain.
Json words_of(const AuditEntry& entry) {
  return {{"number", entry.number},  {"at_us", microseconds(entry.at)}, {"by", entry.by},
          {"act", entry.act},        {"objects", entry.objects},        {"why", entry.why},
          {"outcome", entry.outcome}};
}

std::optional<AuditEntry> entry_of(std::string_view line) {
  auto json = json_or_null(line);
  if (!json.is_object()) return {};
  try {
    AuditEntry entry;
    entry.number = json.at("number").get<std::uint64_t>();
    entry.at = WallTime(Duration(json.at("at_us").get<std::int64_t>()));
    entry.by = json.at("by").get<std::string>();
    entry.act = json.at("act").get<std::string>();
    entry.objects = json.at("objects").get<std::vector<std::string>>();
    entry.why = json.at("why").get<std::string>();
    entry.outcome = json.at("outcome").get<std::string>();
    entry.chain = json.at("chain").get<std::string>();
    return entry;
  } catch (const Json::exception&) {
    return {};
  }
}

bool wants(const AuditRequest& request, const AuditEntry& entry) {
  auto any_of = [](const auto& wanted, const auto& has) {
    return wanted.empty() || std::ranges::any_of(has, [&](const auto& one) {
             return std::ranges::find(wanted, one) != wanted.end();
           });
  };
  return entry.number > request.after && any_of(request.objects, entry.objects) &&
         any_of(request.acts, std::vector{entry.act});
}

Error error_of(const std::string& path) {
  return fail(Code::System, path + ": " + std::strerror(errno));
}

Result<std::string> whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return error_of(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Files that were put aside, oldest first.
std::vector<std::string> put_aside_in(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    auto name = entry.path().filename().string();
    if (name.starts_with("audit-") && name.ends_with(".log")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The last line that says something; none in an empty file.
std::optional<AuditEntry> last_entry(std::string_view text) {
  if (text.empty()) return {};
  auto before = text.size() > 1 ? text.rfind('\n', text.size() - 2) : text.npos;
  return entry_of(text.substr(before == text.npos ? 0 : before + 1));
}

// What a crash left of a line goes.
Result<void> cut_torn_line(const std::string& path, std::string& text) {
  auto end = text.rfind('\n');
  auto kept = end == text.npos ? 0 : end + 1;
  if (kept == text.size()) return {};
  log::warn("audit_torn", {{"file", path}, {"bytes", text.size() - kept}});
  if (::truncate(path.c_str(), static_cast<off_t>(kept)) != 0) return error_of(path);
  text.resize(kept);
  return {};
}

}  // namespace

std::string audit_chain(std::string_view before, const AuditEntry& entry) {
  return hex(Hasher().add(before).add(to_text(words_of(entry))).finish());
}

std::string audit_line(const AuditEntry& entry) {
  auto json = words_of(entry);
  json["chain"] = entry.chain;
  return to_text(json) + "\n";
}

AuditReply read_audit(std::string_view text, const AuditRequest& request) {
  AuditReply reply;
  std::string chain;
  for (std::uint64_t line = 1; !text.empty(); ++line) {
    auto end = std::min(text.find('\n'), text.size());
    auto entry = entry_of(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    bool holds = entry && entry->number == line && entry->chain == audit_chain(chain, *entry);
    if (!holds && reply.broken.empty())
      reply.broken = "line " + std::to_string(line) + (entry ? " of " + entry->by : "") +
                     " is not what was written";
    if (reply.broken.empty()) reply.checked = line;
    if (!entry) continue;
    chain = entry->chain;
    if (!wants(request, *entry)) continue;
    if (reply.entries.size() == kMostEntries) {
      reply.more = true;
      continue;  // the chain is followed to its end
    }
    reply.entries.push_back(*std::move(entry));
  }
  return reply;
}

Result<Audit> Audit::open(const std::string& folder, std::size_t segment_bytes) {
  Audit audit;
  audit.folder_ = folder;
  audit.path_ = folder + "/audit.log";
  audit.segment_bytes_ = segment_bytes;
  Fd made(::open(audit.path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!made) return error_of(audit.path_);
  WM_TRY(auto text, whole(audit.path_));
  WM_TRY(cut_torn_line(audit.path_, text));
  audit.size_ = text.size();
  auto lines = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  if (auto aside = put_aside_in(folder); text.empty() && !aside.empty()) {
    WM_TRY(text, whole(aside.back()));
  }
  if (text.empty()) return audit;
  auto entry = last_entry(text);
  if (entry) audit.chain_ = entry->chain;
  else log::error("audit_damaged", {{"file", audit.path_}, {"line", lines}});
  audit.number_ = entry ? entry->number : lines;
  audit.first_ = audit.number_ + 1 - std::min(lines, audit.number_);
  return audit;
}

Result<void> Audit::put_aside() {
  char name[32];
  std::snprintf(name, sizeof name, "/audit-%08llu.log", static_cast<unsigned long long>(first_));
  if (::rename(path_.c_str(), (folder_ + name).c_str()) != 0) return error_of(path_);
  size_ = 0;
  first_ = number_ + 1;
  return {};
}

// Cut off first: what an earlier write has left behind the last whole line.
Result<void> Audit::write(std::string_view line) {
  Fd fd(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(size_)) != 0) return error_of(path_);
  auto at = static_cast<off_t>(size_);
  errno = 0;
  auto written = ::pwrite(fd.get(), line.data(), line.size(), at);
  if (written == static_cast<ssize_t>(line.size()) && ::fdatasync(fd.get()) == 0) return {};
  auto error = written >= 0 && errno == 0 ? fail(Code::System, path_ + ": " + std::strerror(ENOSPC))
                                          : error_of(path_);
  if (::ftruncate(fd.get(), at) != 0) return error;  // tried again before the next line
  return error;
}

Result<void> Audit::append(AuditEntry entry) {
  if (size_ >= segment_bytes_) WM_TRY(put_aside());
  entry.number = number_ + 1;
  entry.chain = audit_chain(chain_, entry);
  auto line = audit_line(entry);
  WM_TRY(write(line));
  size_ += line.size();
  ++number_;
  chain_ = std::move(entry.chain);
  return {};
}

Result<AuditReply> Audit::reply(const AuditRequest& request) const {
  // The newest first: it may be put aside meanwhile, and then it is in that file.
  WM_TRY(auto newest, whole(path_));
  newest.resize(newest.rfind('\n') == newest.npos ? 0 : newest.rfind('\n') + 1);
  std::string text;
  for (const auto& path : put_aside_in(folder_)) {
    WM_TRY(auto part, whole(path));
    if (!newest.empty() && part.starts_with(newest)) newest.clear();  // put aside just now
    text += part;
  }
  return read_audit(text + newest, request);
}

}  // namespace wm::master
