#include "libwm/store/core/outranked.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"

namespace wm::store {
namespace {

constexpr Bytes kLongestOutranked{64 << 10};

std::string path_in(const std::string& dir) { return dir + "/outranked"; }

Error failed(const std::string& what) {
  return fail(Code::System, what + ": " + std::strerror(errno));
}

}  // namespace

Result<std::optional<Outranked>> read_outranked(const std::string& dir) {
  auto text = read_file(path_in(dir), kLongestOutranked);
  if (!text && text.error().code == Code::NotFound) return std::optional<Outranked>();
  if (!text) return text.error();
  auto json = json_or_null<Json>(*text);
  try {
    Outranked words;
    words.host = json.at("host").get<std::string>();
    words.met.store = json.at("store").get<std::string>();
    words.met.term = json.at("term").get<std::uint32_t>();
    words.met.seq = Seq{json.at("event").get<std::uint64_t>()};
    words.met.last_job = json.at("last_job").get<std::uint32_t>();
    words.by = json.value("by", "");
    words.why = json.value("why", "");
    return std::optional(words);
  } catch (const nlohmann::json::exception&) {
    return fail(Code::Damaged, path_in(dir) + ": not as the master writes it");
  }
}

Result<void> write_outranked(const std::string& dir, const Outranked& words) {
  Json json = {{"host", words.host},
               {"store", words.met.store},
               {"term", words.met.term},
               {"event", words.met.seq.value},
               {"last_job", words.met.last_job},
               {"by", words.by},
               {"why", words.why}};
  WM_TRY(replace_file(path_in(dir), to_text(json) + "\n", 0600));
  struct stat folder {};
  if (::stat(dir.c_str(), &folder) != 0) return failed(dir);
  if (::geteuid() == folder.st_uid) return {};
  if (::chown(path_in(dir).c_str(), folder.st_uid, folder.st_gid) != 0)
    return failed("chown " + path_in(dir));
  return {};
}

Result<void> forget_outranked(const std::string& dir) {
  if (::unlink(path_in(dir).c_str()) == 0 || errno == ENOENT) return {};
  return failed("remove " + path_in(dir));
}

std::string must_not_start(const Outranked& words, const MasterRank& own) {
  if (!words.by.empty() || may_obey(words.met, own)) return "";
  return "host " + words.host + " has obeyed a newer state of this cluster (" +
         to_string(words.met) + ") than the store has (" + to_string(own) +
         "): bring that store back, or go on with this one by 'badmin take-over'; what runs and "
         "is unknown to it will be ended";
}

}  // namespace wm::store
