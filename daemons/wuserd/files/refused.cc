#include "daemons/wuserd/files/refused.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"
#include "libwm/conf/catalog_conf.h"
#include "libwm/files/whole_file.h"
#include "libwm/rest/exec_json.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRefused = 200;
constexpr std::size_t kLongestArgs = 64 << 10;

std::mutex numbering;

}  // namespace

std::string Refused::path_of(std::uint64_t number) const {
  return folder_ + "/" + std::to_string(number) + ".json";
}

std::vector<std::uint64_t> Refused::numbers() const {
  std::vector<std::uint64_t> found;
  std::error_code ec;
  for (fs::directory_iterator at(folder_, ec), end; !ec && at != end; at.increment(ec)) {
    auto stem = at->path().stem().string();
    std::uint64_t number = 0;
    auto [last, bad] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    if (bad == std::errc() && last == stem.data() + stem.size()) found.push_back(number);
  }
  std::sort(found.begin(), found.end(), std::greater());
  return found;
}

bool Refused::is_one(const std::string& id) const { return number_of(id).has_value(); }

Result<std::uint64_t> Refused::number_of(const std::string& id) const {
  auto start = cluster_ + "-r";
  std::uint64_t number = 0;
  auto first = id.data() + std::min(start.size(), id.size()), last = id.data() + id.size();
  auto [end, ec] = std::from_chars(first, last, number);
  if (id.starts_with(start) && ec == std::errc() && end == last) return number;
  return fail(Code::NotFound, "execution " + id + " does not exist");
}

Result<std::string> Refused::add(const rest::ExecRequest& request, const std::string& user,
                                 const std::string& why, std::int64_t now) {
  std::lock_guard lock(numbering);
  std::error_code ec;
  fs::create_directories(folder_, ec);
  auto kept = numbers();
  std::uint64_t number = kept.empty() ? 1 : kept.front() + 1;
  auto id = cluster_ + "-r" + std::to_string(number);
  Json json{{"id", id},
            {"args", request.args.substr(0, kLongestArgs)},
            {"submissionId", id},
            {"creator", user},
            {"state", "ERROR"},
            {"appId", id},
            {"schedulerUrl", ""},
            {"modelFileOwnerName", user},
            {"workDir", ""},
            {"appName", request.name.empty() ? request.framework : request.name},
            {"createTime", rest::iso_time(WallTime(std::chrono::seconds(now)))},
            {"elastic", false},
            {"nameSpace", cluster_},
            {"numWorker", request.workers},
            {"framework", request.framework},
            {"error", why}};
  WM_TRY(replace_file(path_of(number), to_text(json), 0600));
  for (std::size_t i = kMostRefused - 1; i < kept.size(); ++i) fs::remove(path_of(kept[i]), ec);
  return id;
}

Result<std::string> Refused::find(const std::string& id) const {
  WM_TRY(auto number, number_of(id));
  auto text = conf::text_of_file(path_of(number));
  if (text && !text->empty()) return text;
  return fail(Code::NotFound, "execution " + id + " does not exist");
}

Result<std::string> Refused::reason(const std::string& id) const {
  WM_TRY(auto text, find(id));
  auto json = json_or_null(text);
  return json.is_object() ? json.value("error", "") : std::string();
}

std::vector<std::string> Refused::all() const {
  std::vector<std::string> texts;
  for (auto number : numbers())
    if (auto text = conf::text_of_file(path_of(number)); text && !text->empty())
      texts.push_back(*std::move(text));
  return texts;
}

Result<void> Refused::remove(const std::string& id) {
  WM_TRY(auto number, number_of(id));
  std::error_code ec;
  if (fs::remove(path_of(number), ec)) return {};
  return fail(Code::NotFound, "execution " + id + " does not exist");
}

void Refused::remove_all() {
  std::error_code ec;
  for (auto number : numbers()) fs::remove(path_of(number), ec);
}

}  // namespace wm::user
