#include "daemons/wuserd/services/packages.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "daemons/wuserd/services/dlim.h"
#include "libwm/base/hash.h"
#include "libwm/files/tree.h"
#include "libwm/files/whole_file.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel = "/model";
constexpr const char* kCode = "/_submitted_code";

// The user's own folder may be a link, to a larger disk say; what is below it is no link.
Result<Tree> tree_at(const std::string& folder) {
  std::unique_ptr<char, void (*)(void*)> real(::realpath(folder.c_str(), nullptr), ::free);
  return Tree::open(real ? real.get() : folder);
}

// Paths of the plain files below `folder`, relative to it, sorted; none: there is no folder.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files;
  auto tree = tree_at(folder);
  if (!tree) return files;
  (void)tree->walk({.paths = {}, .unreadable = true}, [&](const TreeFile& file) -> Result<void> {
    files.push_back(file.path);
    return {};
  });
  std::sort(files.begin(), files.end());
  return files;
}

bool has(const std::vector<std::string>& files, const std::string& name) {
  return std::binary_search(files.begin(), files.end(), name);
}

// Of several the one that is called as most call theirs.
Result<std::string> weight_in(const std::vector<std::string>& files, std::string asked) {
  if (asked.starts_with("./")) asked.erase(0, 2);
  if (asked.starts_with("model/") && !has(files, asked)) asked.erase(0, 6);
  if (!asked.empty() && has(files, asked)) return asked;
  if (!asked.empty())
    return fail(Code::NotFound, "weight '" + asked + "': not among the run's model files");
  std::vector<std::string> found;
  for (const auto& file : files)
    if (serve::is_weight_name(file)) found.push_back(file);
  for (const char* usual : {"model.pt", "model.pth"})
    if (has(found, usual)) return std::string(usual);
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(Code::NotFound,
                "the run has no model: no .pt, .pth or .ts file in its folder model");
  return fail(Code::BadArgument,
              "weight: one of " + found[0] + ", " + found[1] + (found.size() > 2 ? ", …" : ""));
}

Result<std::string> kernel_in(const std::vector<std::string>& code,
                              const std::vector<std::string>& model, const std::string& asked) {
  if (has(code, asked)) return "code/" + asked;
  if (has(model, asked)) return "model/" + asked;
  return fail(Code::NotFound, "kernel '" + asked + "': neither in the run's code nor its model");
}

std::string readme_of(const JobView& run, const serve::Wanted& wanted) {
  return "# " + wanted.name + "\nMade of the model of job " + to_string(run.id) + " (" +
         run.job->spec().name + "): " + wanted.weight + "\n";
}

// Each block of an open file, from its beginning.
Result<void> each_block(const TreeFile& file,
                        const std::function<Result<void>(std::string_view)>& take) {
  std::array<char, 64 << 10> block{};
  for (;;) {
    auto n = ::read(file.fd, block.data(), block.size());
    if (n < 0) return system_error(file.path);
    if (n == 0) return {};
    WM_TRY(take({block.data(), static_cast<std::size_t>(n)}));
  }
}

Result<void> copy_file(const TreeFile& file, const Tree& to) {
  WM_TRY(auto out, to.make_file(file.path, file.facts.st_mode & 0777));
  return each_block(file, [&](auto bytes) { return write_all(out.get(), bytes, file.path); });
}

}  // namespace

std::string code_folder(const JobView& run) {
  const auto& inside = run.job->spec().exec.bundle_dir;
  return run.result_dir + kCode + (inside.empty() ? "" : "/" + inside);
}

Result<void> copy_folder(const std::string& from, const std::string& to) {
  std::error_code ec;
  fs::create_directories(to, ec);
  if (ec) return fail(Code::System, to + ": " + ec.message());
  auto source = tree_at(from);
  if (!source && source.error().code == Code::NotFound) return {};
  if (!source) return source.error();
  WM_TRY(auto target, Tree::open(to));
  return source->walk({}, [&](const TreeFile& file) { return copy_file(file, target); });
}

std::string tree_hash(const std::string& folder) {
  auto tree = tree_at(folder);
  if (!tree) return "";
  Hasher hash(16);
  bool any = false;
  auto add = [&](const TreeFile& file) {
    any = true;
    hash.add(file.path + '\0');
    return each_block(file, [&](auto bytes) -> Result<void> {
      hash.add(bytes);
      return {};
    });
  };
  auto whole = tree->walk({.paths = {}, .unreadable = true}, add);
  return any && whole ? hex(hash.finish()) : "";
}

Result<void> make_package(const JobView& run, serve::Wanted wanted, const std::string& into) {
  if (run.result_dir.empty())
    return fail(Code::NotFound, "job " + to_string(run.id) + " has no results");
  auto submitted = code_folder(run);
  auto model = files_in(run.result_dir + kModel), code = files_in(submitted);
  WM_TRY(auto weight, weight_in(model, wanted.weight));
  wanted.weight = "model/" + weight;
  bool ready = wanted.kernel.empty();
  if (!ready) {
    WM_TRY(wanted.kernel, kernel_in(code, model, wanted.kernel));
  }
  if (ready) {
    wanted.kernel = "kernel.py";
    wanted.attributes.emplace_back("protocol", "kserve-v2");
  }
  WM_TRY(copy_folder(run.result_dir + kModel, into + "/model"));
  WM_TRY(copy_folder(submitted, into + "/code"));
  std::error_code ec;
  if (has(model, "signature.json"))
    fs::copy_file(into + "/model/signature.json", into + "/signature.json", ec);
  if (ec) return fail(Code::System, into + "/signature.json: " + ec.message());
  if (ready) WM_TRY(replace_file(into + "/kernel.py", std::string(serve::ready_kernel()), 0600));
  WM_TRY(replace_file(into + "/README.md", readme_of(run, wanted), 0600));
  return replace_file(into + "/model.json", serve::model_text(wanted), 0600);
}

}  // namespace wm::user
