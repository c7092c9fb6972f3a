#include "libwm/base/exit_status.h"

#include <sys/wait.h>

namespace wm {

int shell_status(std::int32_t wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace wm
