// Role: the files of tokens' keys: made once, changed while both keys are good, read again.
#include "libwm/http/token_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "test/support/folder.h"

namespace wm::http {
namespace {

constexpr std::int64_t kNow = 1000;

class token_files : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(sodium_init(), 0);
    folder = wm::test::made_folder();
    ASSERT_TRUE(own_token_keys(folder));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string sign() {
    return rest::sign_token({"ann", "one", "id", 7, kNow, kNow + 9999, ""},
                            token_keys_in(folder).value().secret);
  }
  static bool fits(PublicKeys& keys, const std::string& token, std::int64_t now) {
    auto good = keys.good(now);
    return rest::verify_token(token, good, "one", now).has_value();
  }
  std::string folder;
};

TEST_F(token_files, a_start_keeps_what_is_there) {
  auto first = own_token_keys(folder).value().open;
  EXPECT_EQ(own_token_keys(folder).value().open, first);
  EXPECT_EQ(token_keys_in(folder).value().open, first);
  struct stat facts {};
  ASSERT_EQ(::stat((folder + "/token.seed").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(token_files, a_seed_that_cannot_be_read_is_not_written_anew) {
  auto seed = folder + "/token.seed";
  auto own = own_token_keys(folder).value();
  std::filesystem::rename(seed, seed + ".kept");
  std::filesystem::create_symlink(seed + ".kept", seed);
  EXPECT_EQ(own_token_keys(folder).value().open, own.open) << "wlogind keeps it elsewhere";
  EXPECT_TRUE(std::filesystem::is_symlink(seed));
  std::filesystem::remove(seed);
  std::filesystem::create_directory(seed);
  EXPECT_EQ(token_keys_in(folder).error().code, Code::Denied);
}

TEST_F(token_files, while_it_is_changed_both_keys_are_good_then_the_old_one_ends) {
  auto keys = PublicKeys::open(folder + "/token.pub").value();
  auto old = sign();
  EXPECT_TRUE(fits(*keys, old, kNow));
  ASSERT_TRUE(change_token_keys(folder, kNow + 100, kNow));
  auto fresh = sign();
  EXPECT_TRUE(fits(*keys, old, kNow + 99));
  EXPECT_TRUE(fits(*keys, fresh, kNow + 99));
  EXPECT_FALSE(fits(*keys, old, kNow + 100));
  EXPECT_TRUE(fits(*keys, fresh, kNow + 100));
  EXPECT_EQ(own_token_keys(folder).value().open, token_keys_in(folder).value().open);
  EXPECT_TRUE(fits(*keys, old, kNow + 50)) << "a start keeps the old one, too";
}

TEST_F(token_files, a_lost_key_ends_at_once_and_an_older_one_is_not_made_good_for_longer) {
  auto keys = PublicKeys::open(folder + "/token.pub").value();
  auto first = sign();
  ASSERT_TRUE(change_token_keys(folder, kNow + 10, kNow));
  auto second = sign();
  ASSERT_TRUE(change_token_keys(folder, kNow + 100, kNow));
  EXPECT_FALSE(fits(*keys, first, kNow + 50));
  EXPECT_TRUE(fits(*keys, second, kNow + 50));
  ASSERT_TRUE(change_token_keys(folder, kNow, kNow));
  EXPECT_FALSE(fits(*keys, second, kNow));
  EXPECT_EQ(keys->good(kNow).size(), 1u);
}

// The nanoseconds of its time are all that tells them apart.
TEST_F(token_files, one_that_is_written_over_within_a_second_is_read_again) {
  auto path = folder + "/token.pub";
  auto dated = [&](long ns) {
    timespec times[2] = {{kNow, ns}, {kNow, ns}};
    return ::utimensat(AT_FDCWD, path.c_str(), times, 0) == 0;
  };
  auto of = [&](const std::string& folder) {
    std::ifstream in(folder + "/token.pub");
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  wm::test::OwnFolder others;
  ASSERT_TRUE(own_token_keys(others.path()));
  ASSERT_TRUE(dated(1));
  auto keys = PublicKeys::open(path).value();
  auto token = sign();
  EXPECT_TRUE(fits(*keys, token, kNow));
  auto other = of(others.path());
  std::ofstream(path, std::ios::in | std::ios::out) << other;
  ASSERT_TRUE(dated(2));
  EXPECT_FALSE(fits(*keys, token, kNow));
  EXPECT_EQ(keys->good(kNow).size(), 1u);
}

TEST_F(token_files, a_service_without_a_seed_has_no_keys_to_sign_with) {
  wm::test::OwnFolder empty;
  EXPECT_EQ(token_keys_in(empty.path()).error().code, Code::NotFound);
  auto key = own_app_key(empty.path());
  ASSERT_TRUE(key);
  EXPECT_EQ(own_app_key(empty.path()).value(), *key) << "kept";
  std::ofstream(empty.path() + "/apps.key") << "short";
  EXPECT_EQ(own_app_key(empty.path()).error().code, Code::Damaged);
}

TEST_F(token_files, what_cannot_be_read_leaves_what_was_known) {
  auto keys = PublicKeys::open(folder + "/token.pub").value();
  auto token = sign();
  std::ofstream(folder + "/token.pub") << "no key\n";
  EXPECT_TRUE(fits(*keys, token, kNow));
  EXPECT_EQ(PublicKeys::open(folder + "/token.pub").error().code, Code::Damaged);
  EXPECT_EQ(PublicKeys::open(folder + "/none").error().code, Code::NotFound);
}

}  // namespace
}  // namespace wm::http
