// What WM tells a worker of its place: the environment of DESIGN 6, read once.
#include <cstdlib>
#include <string>

#include "libwm/trainer/groups/train.h"

namespace wm::groups {

Place place_from_environment() {
  auto text = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  return {.socket = text("WM_ELASTIC_SOCKET"),
          .task = static_cast<std::uint32_t>(std::strtoul(text("WM_TASK").c_str(), nullptr, 10)),
          .log_dir = text("LOG_DIR"),
          .result_dir = text("RESULT_DIR"),
          .job = text("WM_JOB"),
          .resume_from = text("WM_RESUME_FROM")};
}

}  // namespace wm::groups
