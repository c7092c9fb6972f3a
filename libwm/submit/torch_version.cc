#include "libwm/submit/torch_version.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <string_view>
#include <vector>

namespace wm::cmd {
namespace {

constexpr std::size_t kMostBytes = 4096;  // of version.py

// The folder above the one with the program: what Python calls its prefix.
std::string first_prefix(std::string_view path) {
  while (!path.empty()) {
    auto folder = std::string(path.substr(0, path.find(':')));
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
    bool there = ::access((folder + "/python3").c_str(), X_OK) == 0 ||
                 ::access((folder + "/python").c_str(), X_OK) == 0;
    auto slash = folder.rfind('/');
    if (there && slash != folder.npos) return folder.substr(0, slash);
  }
  return "";
}

// "lib/python3.11" and the like below this folder.
std::vector<std::string> library_folders(const std::string& lib) {
  std::vector<std::string> found;
  std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(lib.c_str()), ::closedir);
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
    if (std::string_view(entry->d_name).starts_with("python3"))
      found.push_back(lib + "/" + entry->d_name);
  std::sort(found.begin(), found.end());
  return found;
}

// __version__ = '2.1.0+cu118'
std::string version_in(const std::string& packages) {
  std::ifstream file(packages + "/torch/version.py");
  std::string text(kMostBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  auto at = text.find("__version__");
  auto begin = at == text.npos ? at : text.find_first_of("'\"", at);
  if (begin == text.npos) return "";
  auto end = text.find_first_not_of("0123456789.", ++begin);
  return text.substr(begin, end == text.npos ? end : end - begin);
}

}  // namespace

std::string torch_of(const std::string& path, const std::string& home) {
  auto prefix = first_prefix(path);
  if (prefix.empty()) return "";
  bool venv = ::access((prefix + "/pyvenv.cfg").c_str(), F_OK) == 0;
  std::vector<std::string> places{prefix + "/lib"};
  if (!venv && !home.empty()) places.insert(places.begin(), home + "/.local/lib");
  if (prefix == "/usr") places.insert(places.begin() + 1, "/usr/local/lib");
  for (const auto& place : places)
    for (const auto& folder : library_folders(place))
      for (const char* packages : {"/site-packages", "/dist-packages"})
        if (auto version = version_in(folder + packages); !version.empty()) return version;
  return "";
}

}  // namespace wm::cmd
