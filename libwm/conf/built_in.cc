// The built-in profiles and queue, in the order of their names.
#include "libwm/conf/built_in.h"

namespace wm::conf {
namespace {

AppConf profile(AppConf start, const char* name, AppType type, const char* description) {
  start.name = name;
  start.type = type;
  start.description = description;
  return start;
}

}  // namespace

std::vector<AppConf> built_in_apps(const AppConf& start) {
  auto training =
      profile(start, "training", AppType::Training, "Distributed training, one task per slot");
  training.warm_imports = {"torch", "fabric_model"};
  auto notebook =
      profile(start, "notebook", AppType::Notebook, "A notebook server and its kernels");
  notebook.command = "wm-notebook";
  auto inference = profile(start, "inference", AppType::Inference, "A service of many tasks");
  inference.warm_imports = {"torch", "numpy", "redharetorch"};
  return {profile(start, "batch", AppType::Batch, "One command on the first host"),
          std::move(inference), std::move(notebook), std::move(training)};
}

QueueConf built_in_queue(const QueueConf& start) {
  auto queue = start;
  queue.name = "normal";
  queue.description = "For everybody, when nothing is configured";
  return queue;
}

}  // namespace wm::conf
