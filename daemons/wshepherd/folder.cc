#include "daemons/wshepherd/folder.h"

namespace wm::shepherd {

void Folder::ensure() {
  if (std::exchange(made_, true)) return;
  attempt_.env.files.make_folder(path(), attempt_.spec.account);
}

Result<void> Folder::put_files() {
  if (attempt_.spec.files.empty()) return {};
  ensure();
  for (const auto& file : std::exchange(attempt_.spec.files, {}))
    WM_TRY(attempt_.env.files.put_file(path(), file, attempt_.spec.account));
  return {};
}

Fd Folder::open_log(const std::string& name) {
  ensure();
  return attempt_.env.files.open_log(path() + "/" + name);
}

void Folder::remove() {
  if (made_) attempt_.env.files.remove_folder(path(), attempt_.spec.account);
}

}  // namespace wm::shepherd
