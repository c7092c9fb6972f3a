// Role: one user's calls over gRPC hold no more than a share of the threads.
#include "daemons/wgrpc/shares.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace wm::grpc_door {
namespace {

TEST(shares, one_users_calls_are_bounded_and_others_are_not_touched) {
  Shares shares(2);
  Shares::Call first(shares, "ann");
  auto second = std::make_unique<Shares::Call>(shares, "ann");
  EXPECT_TRUE(first.is_admitted());
  EXPECT_TRUE(second->is_admitted());
  EXPECT_FALSE(Shares::Call(shares, "ann").is_admitted());
  EXPECT_FALSE(Shares::Call(shares, "ann").is_admitted()) << "a refusal takes none away";
  EXPECT_TRUE(Shares::Call(shares, "bob").is_admitted());
  second.reset();
  EXPECT_TRUE(Shares::Call(shares, "ann").is_admitted());
}

TEST(shares, who_has_no_call_is_forgotten) {
  Shares shares(1);
  for (const char* user : {"ann", "bob", "cy"}) {
    Shares::Call call(shares, user);
    EXPECT_EQ(shares.users(), 1u);
  }
  EXPECT_EQ(shares.users(), 0u);
}

}  // namespace
}  // namespace wm::grpc_door
