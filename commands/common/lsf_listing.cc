// Settings by their LSF names, as text.
#include "commands/common/lsf_listing.h"

#include <filesystem>

#include "commands/common/command.h"

namespace wm::cmd {

conf::LsfPlaces lsf_places() {
  std::error_code ec;
  auto program = std::filesystem::read_symlink("/proc/self/exe", ec);
  return {conf_dir(), ec ? "" : program.parent_path().string()};
}

std::string lsf_listing(const std::string& daemon, std::span<const conf::LsfSetting> settings) {
  std::string text = daemon + " configuration at " + conf_dir() + "\n";
  for (const auto& [name, value] : settings) text += "  " + name + " = " + value + "\n";
  return text;
}

}  // namespace wm::cmd
