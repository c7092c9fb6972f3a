#include "libwm/rest/frameworks.h"

#include <algorithm>

namespace wm::rest {
namespace {

constexpr Framework kFrameworks[] = {
    {"PyTorch", "SingleNodePytorchTrain", "pytorch", "4G", false, false, "torch",
     "One worker that runs a PyTorch script"},
    {"distPyTorch", "DistributePyTorchTrain", "pytorch", "4G", true, false, "torch",
     "A fixed number of workers that meet by MASTER_ADDR, RANK and WORLD_SIZE"},
    {"tensorflow", "SingleNodeTensorflowTrain", "tensorflow", "8G", false, false, "tensorflow",
     "One worker that runs a TensorFlow script"},
    {"disttensorflow", "DistributeTensorflow2xTrain", "tensorflow", "8G", true, false, "tensorflow",
     "A fixed number of workers that meet by TF_CONFIG"},
    {"edtPyTorch", "ElasticPyTorchTrain", "pytorch", "4G", true, true, "torch",
     "An elastic job: workers come and go while it trains, at most --numWorker of them"},
    {"edtTensorflow", "ElasticTensorflow1xTrain", "tensorflow", "8G", true, true, "tensorflow",
     "An elastic job of TensorFlow's"},
};

bool same(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::span<const Framework> frameworks() { return kFrameworks; }

Result<Framework> find_framework(std::string_view name) {
  std::string names;
  for (const auto& framework : kFrameworks) {
    if (same(framework.name, name)) return framework;
    names += (names.empty() ? "" : ", ") + std::string(framework.name);
  }
  return fail(Code::BadArgument, "framework '" + std::string(name) + "' is not known: " + names);
}

}  // namespace wm::rest
