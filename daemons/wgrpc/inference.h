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
  /// @owns shares: the caller's, lives as long
  Inference(std::uint64_t first, Shares& shares) : groups_(first), shares_(shares) {}

  using Messages = grpc::ServerReaderWriter<v1::InferResponse, v1::InferRequest>;
  grpc::Status Infer(grpc::ServerContext* context, Messages* messages) override;

 private:
  std::mutex lock_;
  serve::StreamGroups groups_;  // Guarded by lock_.
  Shares& shares_;
};

}  // namespace wm::grpc_door
