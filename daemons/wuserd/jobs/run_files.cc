#include "daemons/wuserd/jobs/run_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "libwm/base/json.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostCounted = 200'000;

void add_folder(const RunFolder& folder, RunFiles& found) {
  std::error_code ec;
  const auto base = folder.path.size() + 1;
  for (fs::recursive_directory_iterator at(folder.path, ec), end; !ec && at != end;
       at.increment(ec)) {
    struct stat facts {};
    if (::lstat(at->path().c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) continue;
    if (found.count == kMostCounted) {
      found.complete = false;
      return;
    }
    auto path = at->path().string().substr(base);
    auto size = static_cast<std::uint64_t>(facts.st_size);
    found.files.push_back({folder.prefix + path, kind_of_file(path), size, facts.st_mtim.tv_sec});
    found.bytes += size;
    ++found.count;
  }
}

}  // namespace

std::vector<ResultFolder> result_folders(const JobView& job) {
  if (job.result_dir.empty()) return {};
  std::vector<ResultFolder> folders{{job.id, job.result_dir}};
  // Not spec(): that of a group has no groups.
  auto groups = job.id.index == 0 ? job.job->sealed->spec.groups.size() : 0;
  for (std::uint32_t n = 1; n <= groups; ++n)
    folders.push_back({{job.id.job, n}, job.result_dir + "." + std::to_string(n)});
  return folders;
}

std::vector<RunFolder> folders_of(const RunView& run) {
  std::vector<RunFolder> folders;
  std::set<std::string> seen;
  auto add = [&](const std::string& prefix, const std::string& path) {
    if (seen.insert(path).second) folders.push_back({prefix, path});
  };
  for (const auto& part : run.parts) {
    // Elements of a batch array have one folder, trials of a search one each.
    auto index = std::to_string(part.id.index);
    bool own = part.id.index != 0 && part.result_dir.ends_with("." + index);
    for (const auto& [of, path] : result_folders(part)) {
      bool group = of != part.id;
      add(group ? "." + std::to_string(of.index) + "/" : own ? "[" + index + "]/" : "", path);
    }
  }
  return folders;
}

std::string kind_of_file(const std::string& path) {
  auto top = path.substr(0, path.find('/'));
  bool is_folder = top.size() < path.size();
  if (is_folder && (top == "checkpoint" || top == "model" || top == "log")) return top;
  if (is_folder && top == "_submitted_code") return "code";
  auto name = path.substr(path.rfind('/') + 1);
  bool metrics = name == "val_dict_list.json" || name == "metrics.idx" ||
                 name.starts_with("events.out.tfevents");
  return metrics ? "metrics" : "result";
}

RunFiles files_in(const std::vector<RunFolder>& folders, std::size_t most) {
  RunFiles found;
  for (const auto& folder : folders) add_folder(folder, found);
  auto larger = [](const RunFile& a, const RunFile& b) {
    return a.size != b.size ? a.size > b.size : a.path < b.path;
  };
  most = std::min(most, found.files.size());
  std::partial_sort(found.files.begin(), found.files.begin() + static_cast<std::ptrdiff_t>(most),
                    found.files.end(), larger);
  found.files.resize(most);
  return found;
}

std::string run_files_json(const RunFiles& found) {
  Json list = Json::array();
  for (const auto& file : found.files)
    list.push_back(
        {{"path", file.path}, {"kind", file.kind}, {"size", file.size}, {"time", file.time}});
  return to_text(Json{{"files", std::move(list)},
                      {"count", found.count},
                      {"bytes", found.bytes},
                      {"complete", found.complete}});
}

}  // namespace wm::user
