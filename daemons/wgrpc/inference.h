// Role: wm.v1.Inference: streams of tasks to services. Of this folder only.
#pragma once

#include <mutex>
#include <string>

#include "daemons/wgrpc/caller.h"
#include "daemons/wgrpc/stream.grpc.pb.h"
#include "libwm/serve/streams.h"

namespace wm::grpc_door {

/// See stream.proto. @thread any
class Inference final : public v1::Inference::Service {
 public:
  /// @shape first: as StreamGroups'
  explicit Inference(std::uint64_t first) : groups_(first) {}

  using Messages = grpc::ServerReaderWriter<v1::InferResponse, v1::InferRequest>;
  grpc::Status Infer(grpc::ServerContext* context, Messages* messages) override;

 private:
  std::mutex lock_;
  serve::StreamGroups groups_;  // Guarded by lock_.
};

}  // namespace wm::grpc_door
