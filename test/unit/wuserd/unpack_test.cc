// Role: what is unpacked for a user, and what is refused as a whole: archives made here by
// libarchive.
#include "daemons/wuserd/files/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "daemons/wuserd/files/upload.h"
#include "test/support/folder.h"
#include "test/support/mutate.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

struct Made {
  std::string path;
  mode_t type = AE_IFREG;
  std::string text, link;
};

class unpacking : public ::testing::Test {
 protected:
  void SetUp() override {
    top = wm::test::made_folder();
    fs::create_directory(folder());
  }
  void TearDown() override { fs::remove_all(top); }
  std::string folder() const { return top + "/in"; }

  std::string make(const std::vector<Made>& entries, bool zip = false, bool gzip = true) {
    auto path = top + "/archive";
    archive* out = archive_write_new();
    if (zip) archive_write_set_format_zip(out);
    else archive_write_set_format_pax_restricted(out);
    if (gzip && !zip) archive_write_add_filter_gzip(out);
    archive_write_open_filename(out, path.c_str());
    for (const auto& made : entries) add(out, made);
    archive_write_close(out);
    archive_write_free(out);
    return path;
  }

  std::string text(const std::string& name) const {
    std::ifstream in(folder() + "/" + name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string top;

 private:
  static void add(archive* out, const Made& made) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, made.path.c_str());
    archive_entry_set_perm(entry, 04755);
    if (made.link.empty() || made.type == AE_IFLNK) archive_entry_set_filetype(entry, made.type);
    if (made.type == AE_IFLNK) archive_entry_set_symlink(entry, made.link.c_str());
    else if (!made.link.empty()) archive_entry_set_hardlink(entry, made.link.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(made.text.size()));
    archive_write_header(out, entry);
    archive_write_data(out, made.text.data(), made.text.size());
    archive_entry_free(entry);
  }
};

TEST_F(unpacking, tar_gzipped_tar_and_zip_are_told_apart_by_content) {
  for (auto [zip, gzip] : {std::pair{false, true}, {false, false}, {true, false}}) {
    auto unpacked = unpack(make({{"./m/a.py", AE_IFREG, "print()", ""}}, zip, gzip), folder());
    ASSERT_TRUE(unpacked) << unpacked.error().text;
    EXPECT_EQ(text("m/a.py"), "print()");
    fs::remove_all(folder() + "/m");
  }
}

TEST_F(unpacking, links_inside_work_and_set_uid_is_dropped) {
  ASSERT_TRUE(unpack(
      make({{"a", AE_IFREG, "x", ""}, {"d/l", AE_IFLNK, "", "../a"}, {"h", AE_IFREG, "", "a"}}),
      folder()));
  EXPECT_EQ(text("d/l"), "x");
  EXPECT_EQ(text("h"), "x");
  struct stat facts {};
  ASSERT_EQ(::stat((folder() + "/a").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07000, 0u);
}

TEST_F(unpacking, hostile_entries_are_refused_and_write_nothing_outside) {
  const std::vector<std::vector<Made>> hostile{
      {{"../out", AE_IFREG, "x", ""}},
      {{"/tmp/wm-unpack-out", AE_IFREG, "x", ""}},
      {{"a/../../out", AE_IFREG, "x", ""}},
      {{"l", AE_IFLNK, "", ".."}, {"l/out", AE_IFREG, "x", ""}},
      {{"l", AE_IFLNK, "", "/tmp"}},
      {{"h", AE_IFREG, "", "../archive"}},
      {{"p", AE_IFIFO, "", ""}},
      {{"c", AE_IFCHR, "", ""}},
  };
  for (const auto& entries : hostile) {
    auto unpacked = unpack(make(entries), folder());
    ASSERT_FALSE(unpacked) << entries[0].path;
    EXPECT_EQ(unpacked.error().code, Code::BadArgument) << unpacked.error().text;
    EXPECT_FALSE(fs::exists(top + "/out"));
    EXPECT_FALSE(fs::exists("/tmp/wm-unpack-out"));
  }
}

TEST_F(unpacking, a_link_to_a_folder_inside_is_not_written_through) {
  auto unpacked = unpack(
      make({{"d/x", AE_IFREG, "1", ""}, {"l", AE_IFLNK, "", "d"}, {"l/y", AE_IFREG, "2", ""}}),
      folder());
  EXPECT_FALSE(unpacked);
  EXPECT_FALSE(fs::exists(folder() + "/d/y"));
}

// "l" alone stays inside; through "d" it leads to what is above.
TEST_F(unpacking, a_link_that_leads_through_a_link_is_refused_in_either_order) {
  const Made d{"a/b/d", AE_IFLNK, "", "../.."}, l{"l", AE_IFLNK, "", "a/b/d/../../secret"};
  for (const auto& entries : {std::vector{d, l}, {l, d}}) {
    auto unpacked = unpack(make(entries), folder());
    ASSERT_FALSE(unpacked);
    EXPECT_EQ(unpacked.error().code, Code::BadArgument);
    EXPECT_NE(unpacked.error().text.find("leads through a link"), std::string::npos);
    fs::remove_all(folder());
    fs::create_directory(folder());
  }
}

TEST_F(unpacking, a_second_name_of_a_link_is_refused) {
  auto unpacked =
      unpack(make({{"a/b/l", AE_IFLNK, "", "../../x"}, {"h", AE_IFREG, "", "a/b/l"}}), folder());
  EXPECT_EQ(unpacked.error().code, Code::BadArgument) << unpacked.error().text;
  EXPECT_FALSE(fs::is_symlink(folder() + "/h"));
}

TEST_F(unpacking, archives_of_others_hold_no_links) {
  ASSERT_TRUE(unpack(make({{"a", AE_IFREG, "x", ""}}), folder(), kFromOthers));
  for (const auto& link : {Made{"l", AE_IFLNK, "", "a"}, Made{"h", AE_IFREG, "", "a"}}) {
    auto unpacked = unpack(make({{"a", AE_IFREG, "x", ""}, link}), folder(), kFromOthers);
    ASSERT_FALSE(unpacked) << link.path;
    EXPECT_NE(unpacked.error().text.find("is a link"), std::string::npos);
    EXPECT_FALSE(fs::exists(folder() + "/" + link.path));
  }
}

// What is there already is as what the archive brings.
TEST_F(unpacking, links_in_the_folder_are_not_followed) {
  fs::create_directory(top + "/victim");
  std::ofstream(top + "/victim/.bashrc") << "old";
  fs::create_directory_symlink(top + "/victim", folder() + "/m");
  EXPECT_FALSE(unpack(make({{"m/.bashrc", AE_IFREG, "new", ""}}), folder()));
  EXPECT_FALSE(
      unpack(make({{"m", AE_IFDIR, "", ""}, {"m/.bashrc", AE_IFREG, "new", ""}}), folder()));
  fs::create_symlink(top + "/victim/.bashrc", folder() + "/f");
  ASSERT_TRUE(unpack(make({{"f", AE_IFREG, "mine", ""}}), folder()));
  std::ifstream in(top + "/victim/.bashrc");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "old");
  EXPECT_EQ(text("f"), "mine");
}

// Names and bytes of a tar that are a little wrong: whatever comes of it stays in the folder.
TEST_F(unpacking, spoiled_archives_write_nothing_outside) {
  std::vector<Made> entries{{"m/a.py", AE_IFREG, "print()", ""},
                            {"m/l", AE_IFLNK, "", "a.py"},
                            {"m/h", AE_IFREG, "", "m/a.py"}};
  std::string good[2];
  for (bool zip : {false, true}) {
    std::ifstream in(make(entries, zip, false), std::ios::binary);
    good[zip] = std::string(std::istreambuf_iterator<char>(in), {});
  }
  test::Mutator mutator(5, {"../", "/tmp/", "..", std::string(1, '\0'), "7777777", "\x7f", "l/out",
                            std::string(100, 'n'), "\xff\xff\xff\xff"});
  const auto tries = test::fuzz_count(400);
  for (unsigned i = 0; i < tries && !HasFailure(); ++i) {
    std::ofstream(top + "/archive", std::ios::binary) << mutator.spoiled(good[i % 2]);
    bool others = i % 3 == 0;
    auto unpacked =
        unpack(top + "/archive", folder(), others ? kFromOthers : rest::ArchiveLimits());
    auto said = unpacked ? "unpacked" : unpacked.error().text;
    EXPECT_EQ(test::trouble_with_refusal(said), "") << "try " << i;
    std::size_t beside = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(top)) ++beside;
    EXPECT_EQ(beside, 2u) << "try " << i;
    for (const auto& entry : fs::recursive_directory_iterator(folder()))
      if (entry.is_symlink()) {
        EXPECT_FALSE(others) << "try " << i;
        auto leads = fs::weakly_canonical(entry.path()).string();
        EXPECT_TRUE(leads.starts_with(fs::canonical(folder()).string())) << leads;
      }
    fs::remove_all(folder());
    fs::create_directory(folder());
  }
}

TEST_F(unpacking, what_is_no_archive_is_told_apart_from_a_broken_one) {
  auto path = top + "/script.py";
  std::ofstream(path) << "print(1)\n";
  EXPECT_EQ(unpack(path, folder()).error().code, Code::NotFound);
  auto archive = make({{"a", AE_IFREG, std::string(100000, 'x'), ""}}, false, false);
  fs::resize_file(archive, 5000);
  EXPECT_EQ(unpack(archive, folder()).error().code, Code::BadArgument);
}

TEST_F(unpacking, code_is_found_in_the_named_folder_the_only_one_or_here) {
  fs::create_directories(folder() + "/m");
  std::ofstream(folder() + "/m/a.py") << "";
  EXPECT_EQ(find_code(folder(), "m", "a.py").value(), folder() + "/m");
  EXPECT_EQ(find_code(folder(), "", "a.py").value(), folder() + "/m");
  EXPECT_EQ(find_code(folder(), "other", "a.py").value(), folder() + "/m");
  EXPECT_FALSE(find_code(folder(), "", "b.py"));
  std::ofstream(folder() + "/b.py") << "";
  EXPECT_EQ(find_code(folder(), "", "b.py").value(), folder());
}

TEST_F(unpacking, results_come_as_a_zip_without_what_is_left_out) {
  for (auto name : {"model/a", "checkpoint/b", "log/1/stdout"}) {
    fs::create_directories(fs::path(folder() + "/" + name).parent_path());
    std::ofstream(folder() + "/" + name) << name;
  }
  fs::create_directory_symlink("/etc", folder() + "/link");
  int fd = ::open((top + "/zip").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_TRUE(zip_folder(folder(), {"checkpoint"}, fd));
  ::close(fd);
  fs::remove_all(folder());
  fs::create_directory(folder());
  ASSERT_TRUE(unpack(top + "/zip", folder()));
  EXPECT_EQ(text("model/a"), "model/a");
  EXPECT_EQ(text("log/1/stdout"), "log/1/stdout");
  EXPECT_FALSE(fs::exists(folder() + "/checkpoint"));
  EXPECT_FALSE(fs::exists(folder() + "/link"));
}

TEST_F(unpacking, what_is_zipped_and_unpacked_again_is_the_same) {
  const std::vector<Made> entries{{"run.sh", AE_IFREG, "echo", ""}, {"d/empty", AE_IFREG, "", ""}};
  ASSERT_TRUE(unpack(make(entries), folder()));
  fs::permissions(folder() + "/run.sh", fs::perms(0750));
  int fd = ::open((top + "/zip").c_str(), O_RDWR | O_CREAT, 0600);
  ASSERT_TRUE(zip_folder(folder(), {}, fd));
  ::close(fd);
  auto again = top + "/again";
  fs::create_directory(again);
  ASSERT_TRUE(unpack(top + "/zip", again, kFromOthers));
  std::ifstream in(again + "/run.sh");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "echo");
  EXPECT_EQ(fs::status(again + "/run.sh").permissions(), fs::perms(0750));
  EXPECT_EQ(fs::file_size(again + "/d/empty"), 0u);
}

}  // namespace
}  // namespace wm::user
