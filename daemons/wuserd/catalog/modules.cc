#include "daemons/wuserd/catalog/modules.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>

#include "daemons/wuserd/site/site.h"
#include "libwm/base/clock.h"
#include "libwm/proc/process.h"

namespace wm::user {
namespace {

// Finds modules without running them; versions from what their packagers wrote down, else from the
// module itself.
constexpr const char* kVersions = R"(
import importlib, importlib.metadata, importlib.util, platform
print('Python', platform.python_version())
for shown, module, dist in (('PyTorch', 'torch', 'torch'), ('torchvision', 'torchvision', 'torchvision'),
                            ('TensorFlow', 'tensorflow', 'tensorflow'), ('TensorBoard', 'tensorboard', 'tensorboard'),
                            ('NumPy', 'numpy', 'numpy'), ('SciPy', 'scipy', 'scipy'), ('pandas', 'pandas', 'pandas'),
                            ('OpenCV', 'cv2', 'opencv-python'), ('scikit-learn', 'sklearn', 'scikit-learn'),
                            ('XGBoost', 'xgboost', 'xgboost'), ('ONNX', 'onnx', 'onnx'), ('PyArrow', 'pyarrow', 'pyarrow'),
                            ('Matplotlib', 'matplotlib', 'matplotlib'), ('Pillow', 'PIL', 'Pillow')):
    version = ''
    if importlib.util.find_spec(module):
        try:
            version = importlib.metadata.version(dist)
        except importlib.metadata.PackageNotFoundError:
            try:
                version = str(getattr(importlib.import_module(module), '__version__', '?'))
            except Exception:
                version = ''
    print(shown, version.removesuffix('+gitunknown'))
)";

constexpr Duration kPatience = std::chrono::seconds(60);
constexpr Bytes kMostOutput{1 << 20};

/// What Python says of a few lines; none: it does not start, or fails.
std::optional<std::string> said_by(const std::string& python, const std::string& lines) {
  auto ended = proc::run({{python, "-c", lines}}, kPatience, kMostOutput);
  if (!ended || ended->status != 0) return std::nullopt;
  return std::move(ended->out);
}

bool is_there(const std::string& python, const std::string& module) {
  return said_by(python, "import importlib.util, sys; sys.exit(importlib.util.find_spec('" +
                             module + "') is None)")
      .has_value();
}

/// Whether a module was found, and when to look again if not.
struct Looked {
  bool found = false;
  std::chrono::steady_clock::time_point next{};
};

bool is_plain(const std::string& module) {
  return module.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == module.npos;
}

}  // namespace

std::string python_of(const Framework& framework) {
  if (!framework.venv.empty()) return framework.venv + "/bin/python3";
  if (!framework.conda_env.empty())
    return framework.conda_home + "/envs/" + framework.conda_env + "/bin/python3";
  return "python3";
}

std::string conda_there() {
  std::error_code ec;
  for (const char* home : {"/opt/conda", "/opt/miniconda3", "/opt/miniforge3", "/opt/anaconda3"})
    if (std::filesystem::exists(std::string(home) + "/etc/profile.d/conda.sh", ec)) return home;
  std::istringstream folders{kPath};
  for (std::string folder; std::getline(folders, folder, ':');) {
    auto program = std::filesystem::canonical(folder + "/conda", ec);
    auto home = program.parent_path().parent_path();
    if (!ec && std::filesystem::exists(home / "etc/profile.d/conda.sh", ec)) return home;
  }
  return "";
}

Result<void> need_module(const Framework& framework) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, Looked> known;
  auto python = python_of(framework);
  auto refuse = [&](const std::string& why) {
    return fail(Code::Impossible, "framework " + framework.name + ": " + why);
  };
  if (python.starts_with('/') && ::access(python.c_str(), X_OK) != 0)
    return refuse("its environment is not there: " + python);
  // Environment modules may bring anything; only the task will know.
  if (framework.module.empty() || !framework.env_modules.empty()) return {};
  if (!is_plain(framework.module)) return refuse("module: not a name of Python");
  std::lock_guard lock(mutex);
  auto& looked = known[{python, framework.module}];
  auto now = steady_now();
  // What is not there may be installed meanwhile.
  if (!looked.found && now >= looked.next)
    looked = {is_there(python, framework.module), now + std::chrono::seconds(5)};
  if (looked.found) return {};
  return refuse("the Python module " + framework.module + " is not installed");
}

std::vector<Package> runtime_packages() {
  static std::mutex mutex;
  static std::vector<Package> packages;
  std::lock_guard lock(mutex);
  if (!packages.empty()) return packages;
  std::istringstream lines(said_by("python3", kVersions).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    auto blank = line.find(' ');
    if (blank != line.npos) packages.push_back({line.substr(0, blank), line.substr(blank + 1)});
  }
  return packages;
}

}  // namespace wm::user
