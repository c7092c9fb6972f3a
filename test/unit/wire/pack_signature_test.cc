#include "libwm/wire/pack_signature.h"

#include <gtest/gtest.h>

#include "libwm/wire/spec_signature.h"
#include "test/support/fake_munge.h"

namespace wm::wire {
namespace {

using test::FakeMunge;
const std::string kPackKey(16, 'k');

std::string spec(std::uint32_t place) { return "spec " + std::to_string(place); }

PackTree tree_of(std::uint32_t count) {
  std::vector<std::string> digests;
  for (std::uint32_t i = 0; i < count; ++i)
    digests.push_back(spec_digest(spec(i), pack_item_key(kPackKey, i)));
  return PackTree(std::move(digests));
}

TEST(pack_signature, each_job_of_any_number_is_signed_by_the_submitter) {
  auto munge = FakeMunge::make();
  for (std::uint32_t count : {1u, 2u, 3u, 5u, 8u, 13u, 100u}) {
    auto tree = tree_of(count);
    auto credential = *munge->as(1001)->encode(tree.root(), Duration(0));
    for (std::uint32_t i = 0; i < count; ++i) {
      auto own = tree.credential_of(i, credential);
      EXPECT_EQ(*signer_of_spec(*munge->as(0), own, spec(i), pack_item_key(kPackKey, i)), 1001u)
          << i << " of " << count;
      EXPECT_FALSE(signer_of_spec(*munge->as(0), own, spec(i) + "x", pack_item_key(kPackKey, i)));
      EXPECT_FALSE(signer_of_spec(*munge->as(0), own, spec(i), pack_item_key(kPackKey, i + 1)));
    }
  }
}

TEST(pack_signature, a_job_cannot_be_put_elsewhere_or_into_another_pack) {
  auto munge = FakeMunge::make();
  auto tree = tree_of(5);
  auto credential = *munge->as(1001)->encode(tree.root(), Duration(0));
  auto own = tree.credential_of(2, credential);
  for (auto [from, to] :
       {std::pair("|2|", "|3|"), {"|5|", "|6|"}, {"|5|", "|4|"}, {"|2|", "|9|"}}) {
    auto moved = own;
    moved.replace(moved.find(from), 3, to);
    EXPECT_FALSE(signer_of_spec(*munge->as(0), moved, spec(2), pack_item_key(kPackKey, 2))) << to;
  }
  for (std::size_t cut = 1; cut < 40; ++cut)
    EXPECT_FALSE(signer_of_spec(*munge->as(0), own.substr(0, own.size() - cut), spec(2),
                                pack_item_key(kPackKey, 2)));
  EXPECT_FALSE(signer_of_spec(*munge->as(0), own + "x", spec(2), pack_item_key(kPackKey, 2)));
  // A signature of a pack's root is none of the root taken for a specification.
  EXPECT_FALSE(signer_of_spec(*munge->as(0), credential, spec(2), pack_item_key(kPackKey, 2)));
}

TEST(pack_proof, what_is_no_pack_is_none) {
  for (const char* text :
       {"", "MUNGE:abc:", "a|b", "a|1|", "a|1|1|", "a|x|2|", "a|-1|2|", "a|0|1|x"})
    EXPECT_FALSE(pack_proof(text, std::string(32, 'd'))) << text;
}

TEST(pack_item_key, is_another_for_each_place_and_pack) {
  EXPECT_EQ(pack_item_key(kPackKey, 1).size(), 16u);
  EXPECT_NE(pack_item_key(kPackKey, 1), pack_item_key(kPackKey, 2));
  EXPECT_NE(pack_item_key(kPackKey, 1), pack_item_key(std::string(16, 'j'), 1));
}

}  // namespace
}  // namespace wm::wire
