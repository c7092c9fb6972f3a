#include "daemons/wuserd/jobs/checkpoints.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostCheckpoints = 200, kMostEntries = 10'000;

// "checkpoint.pt.4711.tmp", "….link": the writer has not finished.
bool is_under_way(const std::string& name) {
  return name.ends_with(".tmp") || name.ends_with(".link") || name.starts_with('.');
}

// What trainers of ours write, and so what a run that resumes reads.
bool is_trainers(const std::string& name) {
  return name == "checkpoint.pt" || name == "checkpoint.wm";
}

std::uint64_t size_below(const fs::path& folder) {
  std::uint64_t sum = 0;
  std::size_t seen = 0;
  std::error_code ec;
  for (fs::recursive_directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    if (++seen > kMostEntries) break;
    std::error_code none;
    if (at->is_regular_file(none)) sum += at->file_size(none);
  }
  return sum;
}

void add_from(const std::string& folder, std::vector<CheckpointFile>& all) {
  std::error_code ec;
  std::size_t seen = 0;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec)) {
    if (++seen > kMostEntries) break;
    auto name = at->path().filename().string();
    struct stat facts {};
    if (is_under_way(name) || ::lstat(at->path().c_str(), &facts) != 0) continue;
    bool is_folder = S_ISDIR(facts.st_mode);
    if (!is_folder && !S_ISREG(facts.st_mode)) continue;
    CheckpointFile file{name, 0, facts.st_mtim.tv_sec, is_trainers(name)};
    file.size = is_folder ? size_below(at->path()) : static_cast<std::uint64_t>(facts.st_size);
    all.push_back(std::move(file));
  }
}

}  // namespace

std::vector<CheckpointFile> checkpoints_of(const std::string& result_dir) {
  std::vector<CheckpointFile> all;
  if (result_dir.empty()) return all;
  add_from(result_dir + "/checkpoint", all);
  if (all.empty()) add_from(result_dir + ".1/checkpoint", all);  // of a job with groups
  std::ranges::sort(all, [](const CheckpointFile& a, const CheckpointFile& b) {
    if (a.saved != b.saved) return a.saved > b.saved;
    return a.newest != b.newest ? a.newest : a.name < b.name;
  });
  if (all.size() > kMostCheckpoints) all.resize(kMostCheckpoints);
  return all;
}

std::string checkpoints_json(const std::string& result_dir) {
  Json list = Json::array();
  bool resumable = false;
  for (const auto& file : checkpoints_of(result_dir)) {
    resumable = resumable || file.newest;
    list.push_back(
        {{"name", file.name}, {"size", file.size}, {"time", file.saved}, {"newest", file.newest}});
  }
  return to_text(Json{{"checkpoints", list}, {"resumable", resumable}});
}

}  // namespace wm::user
