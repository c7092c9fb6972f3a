// wgrpc: inference services over gRPC, behind nginx: streams of tasks, and KServe's protocol v2.
//
//   wgrpc --socket PATH     nginx alone connects there: the socket is of mode 0600
//
// Built by `make grpc` alone, and in a Debian package of its own.
#include <signal.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "daemons/wgrpc/inference.h"
#include "daemons/wgrpc/kserve.h"
#include "libwm/base/hash.h"
#include "libwm/base/log.h"
#include "libwm/proc/ready.h"

namespace wm::grpc_door {
namespace {

constexpr int kMostThreads = 1024;       // a stream has two; who comes beyond is told to come again
constexpr std::size_t kMostOfUser = 64;  // calls: whatever their wuserd does, others have threads
constexpr int kLongestMessage = (32 << 20) + 4096;

Result<void> run(const std::string& socket) {
  if (sodium_init() < 0) return fail(Code::System, "libsodium does not start");
  log::open("wgrpc", "", log::level_named("info"));
  Shares shares(kMostOfUser);
  Inference streams(random_number(), shares);
  Kserve kserve(shares);
  grpc::ResourceQuota bounds;
  bounds.SetMaxThreads(kMostThreads);
  grpc::ServerBuilder builder;
  builder.SetResourceQuota(bounds);
  builder.SetMaxReceiveMessageSize(kLongestMessage);
  builder.SetMaxSendMessageSize(-1);
  builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
  builder.RegisterService(&streams);
  builder.RegisterService(&kserve);
  ::unlink(socket.c_str());
  auto server = builder.BuildAndStart();
  if (!server) return fail(Code::System, socket + ": it cannot listen there");
  proc::tell_ready();
  log::info("grpc_door_up", {{"socket", socket}});
  server->Wait();
  return {};
}

}  // namespace
}  // namespace wm::grpc_door

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(077);
  if (argc != 3 || std::strcmp(argv[1], "--socket") != 0) {
    std::fprintf(stderr, "usage: wgrpc --socket PATH (see wgrpc(8))\n");
    return 2;
  }
  auto done = wm::grpc_door::run(argv[2]);
  if (done) return 0;
  std::fprintf(stderr, "wgrpc: %s\n", done.error().text.c_str());
  return 1;
}
