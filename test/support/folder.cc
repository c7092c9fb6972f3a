// Role: see folder.h.
#include "test/support/folder.h"

#include <stdlib.h>

#include <filesystem>

#include "libwm/base/result.h"

namespace wm::test {

std::string made_folder() {
  auto path = (std::filesystem::temp_directory_path() / "wmXXXXXX").string();
  WM_CHECK(::mkdtemp(path.data()) != nullptr);
  return path;
}

OwnFolder::~OwnFolder() {
  std::error_code none;
  std::filesystem::remove_all(path_, none);
}

}  // namespace wm::test
