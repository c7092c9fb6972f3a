#include "daemons/wnoded/rim/own_config.h"

#include <sys/stat.h>

#include "libwm/base/log.h"
#include "libwm/conf/files.h"

namespace wm::node {
namespace {

// Changes when a file does.
std::string stamp_of(const std::string& dir) {
  std::string stamp;
  for (const auto& name : conf::files_read(dir)) {
    struct stat file {};
    if (::stat(name.c_str(), &file) == 0)
      stamp += std::to_string(file.st_ino) + "," + std::to_string(file.st_size) + "," +
               std::to_string(file.st_mtim.tv_sec) + "." + std::to_string(file.st_mtim.tv_nsec);
    stamp += ";";
  }
  return stamp;
}

}  // namespace

Result<std::shared_ptr<const Config>> OwnConfig::read() {
  std::lock_guard lock(mutex_);
  auto stamp = stamp_of(dir_);
  if (config_ && stamp == stamp_) return config_;
  auto config = conf::load(dir_, host_);
  if (!config && !config_) return config.error();
  if (config) config_ = std::make_shared<const Config>(std::move(*config));
  else log::warn("own_config_kept", {{"folder", dir_}, {"why", config.error().text}});
  stamp_ = std::move(stamp);
  return config_;
}

}  // namespace wm::node
