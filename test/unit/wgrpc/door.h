// Role: the gRPC door between clients and a user's wuserd, both played: a server of both services
// on a socket, stubs that call it, and a wuserd that answers as a test wants.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemons/wgrpc/inference.h"
#include "daemons/wgrpc/kserve.h"
#include "libwm/files/fd.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "test/support/folder.h"

namespace wm::grpc_door {

/// A request as the wuserd got it.
struct Asked {
  http::Head head;
  std::string body;
  std::string line() const { return head.method + " " + head.target; }
  std::string field(const char* name) const { return std::string(head.field(name)); }
};

/// A user's wuserd that answers as the test wants: with status 0 it hangs up instead, with a field
/// Connection after it has answered. @owns its thread, which ends with it
class PlayedAgent {
 public:
  using Answer = std::function<http::Reply(const Asked&)>;
  PlayedAgent(const std::string& path, Answer answer) : answer_(std::move(answer)) {
    auto listening = http::listen_at(path, 0600);
    EXPECT_TRUE(listening) << path;
    if (!listening) return;
    listening_.reset(*listening);
    thread_ = std::thread([this] {
      EXPECT_FALSE(http::serve(listening_.get(), {}, [this](auto& exchange) { take(exchange); }));
    });
  }
  PlayedAgent(const PlayedAgent&) = delete;
  ~PlayedAgent() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    std::unique_lock all_over(under_way_);
  }
  /// All requests so far, those that are not answered yet among them.
  std::vector<Asked> asked() {
    std::lock_guard hold(lock_);
    return asked_;
  }
  /// Connections that it has ended.
  int hung_up() const { return hung_up_; }

 private:
  void take(http::Exchange& exchange) {
    std::shared_lock hold_on(under_way_);
    auto body = http::read_body(exchange, 1 << 20);
    EXPECT_TRUE(body);
    Asked asked{exchange.head(), body ? *body : ""};
    {
      std::lock_guard hold(lock_);
      asked_.push_back(asked);
    }
    auto reply = answer_(asked);
    bool ends = reply.status == 0 || !reply.fields.empty();
    if (reply.status != 0) (void)exchange.reply(reply);
    if (!ends) return;
    ::shutdown(exchange.take_over().fd, SHUT_RDWR);
    ++hung_up_;
  }

  Fd listening_;
  Answer answer_;
  std::atomic<int> hung_up_ = 0;
  std::shared_mutex under_way_;  // Shared by requests while they are answered.
  std::mutex lock_;
  std::vector<Asked> asked_;  // Guarded by lock_.
  std::thread thread_;
};

/// A door on a socket of its own.
class DoorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto door = "unix:" + folder.path() + "/door";
    grpc::ServerBuilder builder;
    builder.AddListeningPort(door, grpc::InsecureServerCredentials());
    builder.RegisterService(&streams_);
    builder.RegisterService(&kserve_);
    server_ = builder.BuildAndStart();
    ASSERT_TRUE(server_);
    auto channel = grpc::CreateChannel(door, grpc::InsecureChannelCredentials());
    kserve_stub = inference::GRPCInferenceService::NewStub(channel);
    stream_stub = v1::Inference::NewStub(channel);
  }
  void TearDown() override {
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
  }

  /// As nginx and wgatewayd have found out who calls; no call takes longer than `limit`.
  void name(grpc::ClientContext& context, const std::string& socket = "",
            std::chrono::milliseconds limit = kPatience) const {
    context.set_deadline(std::chrono::system_clock::now() + limit);
    context.AddMetadata("x-wm-agent", socket.empty() ? agent_ : socket);
    context.AddMetadata("x-wm-token", "the token");
    context.AddMetadata("x-wm-host", "door.example");
  }
  void play(PlayedAgent::Answer answer) {
    agent.reset();
    agent = std::make_unique<PlayedAgent>(agent_, std::move(answer));
  }
  void says(int status, const std::string& body = "") {
    play([=](const Asked&) { return http::Reply{status, {}, body}; });
  }
  /// Waits until it is so. False: it has not come to be.
  template <class Condition>
  static bool comes(Condition condition) {
    auto until = std::chrono::steady_clock::now() + kPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  static constexpr std::chrono::seconds kPatience{20};
  static constexpr std::size_t kShare = 2;
  test::OwnFolder folder;
  std::string agent_ = folder.path() + "/agent";
  std::unique_ptr<PlayedAgent> agent;
  Shares shares_{kShare};
  Inference streams_{1, shares_};
  Kserve kserve_{shares_};
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<inference::GRPCInferenceService::Stub> kserve_stub;
  std::unique_ptr<v1::Inference::Stub> stream_stub;
};

}  // namespace wm::grpc_door
