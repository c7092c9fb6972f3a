// Role: stands for the tests of the gRPC door where they cannot be built (Makefile, GRPC_TESTS).
#include <gtest/gtest.h>

namespace wm::grpc_door {
namespace {

TEST(door, is_tested_where_grpc_is) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "gRPC's libraries are not built with this sanitizer";
#else
  GTEST_SKIP() << "no gRPC here: run scripts/bootstrap grpc";
#endif
}

}  // namespace
}  // namespace wm::grpc_door
