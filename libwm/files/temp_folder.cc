#include "libwm/files/temp_folder.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "libwm/files/fd.h"

namespace wm {

Result<TempFolder> TempFolder::make(const std::string& parent, const std::string& prefix) {
  auto path = parent + "/" + prefix + "XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) return system_error(parent + "/" + prefix + "*");
  return TempFolder(std::move(path));
}

TempFolder::TempFolder(TempFolder&& other) noexcept : path_(other.keep()) {}

TempFolder& TempFolder::operator=(TempFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TempFolder::~TempFolder() {
  std::error_code ec;
  if (!path_.empty()) std::filesystem::remove_all(path_, ec);
}

std::string TempFolder::keep() { return std::exchange(path_, {}); }

}  // namespace wm
