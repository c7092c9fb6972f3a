// Role: messages of KServe's protocol v2 over gRPC as the JSON that kernels read and write, and
// back. Pure. Of this folder only.
#pragma once

#include <string>

#include "daemons/wgrpc/kserve.pb.h"
#include "libwm/base/result.h"

namespace wm::grpc_door {

/// @errors BadArgument: a datatype that is none, raw contents that do not fit it or not each input
Result<std::string> json_of(const inference::ModelInferRequest& request);

/// @errors Damaged: the text is no such answer
Result<inference::ModelInferResponse> response_of(const std::string& json);

}  // namespace wm::grpc_door
