// Role: inference.GRPCInferenceService: KServe's protocol v2 over gRPC, by the rows of /dlim/v2
// that speak it over HTTP. Of this folder only.
#pragma once

#include "daemons/wgrpc/caller.h"
#include "daemons/wgrpc/kserve.grpc.pb.h"

namespace wm::grpc_door {

/// See kserve.proto. @thread any
class Kserve final : public inference::GRPCInferenceService::Service {
 public:
  /// @owns shares: the caller's, lives as long
  explicit Kserve(Shares& shares) : shares_(shares) {}
  grpc::Status ServerLive(grpc::ServerContext* context, const inference::ServerLiveRequest* request,
                          inference::ServerLiveResponse* response) override;
  grpc::Status ServerReady(grpc::ServerContext* context,
                           const inference::ServerReadyRequest* request,
                           inference::ServerReadyResponse* response) override;
  grpc::Status ModelReady(grpc::ServerContext* context, const inference::ModelReadyRequest* request,
                          inference::ModelReadyResponse* response) override;
  grpc::Status ModelInfer(grpc::ServerContext* context, const inference::ModelInferRequest* request,
                          inference::ModelInferResponse* response) override;

 private:
  Shares& shares_;
};

}  // namespace wm::grpc_door
