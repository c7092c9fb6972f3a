// The built-in profiles and queue, in the order of their names.
#include "libwm/conf/built_in.h"

namespace wm::conf {

std::vector<AppConf> built_in_apps() {
  return {
      {.name = "batch", .type = AppType::Batch, .description = "One command on the first host"},
      {.name = "inference", .type = AppType::Inference, .description = "A service of many tasks"},
      {.name = "notebook",
       .type = AppType::Notebook,
       .description = "A notebook server and its kernels"},
      {.name = "training",
       .type = AppType::Training,
       .description = "Distributed training, one task per slot",
       .warm_imports = {"torch", "fabric_model"}},
  };
}

QueueConf built_in_queue() {
  return {.name = "normal", .description = "For everybody, when nothing is configured"};
}

}  // namespace wm::conf
