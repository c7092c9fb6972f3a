#include "daemons/wmasterd/acct/audit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "libwm/base/log.h"
#include "test/support/folder.h"

namespace wm::master {
namespace {

struct Folder {
  std::string path = wm::test::made_folder();
  ~Folder() { std::filesystem::remove_all(path); }
  std::string text() const {
    std::ifstream in(path + "/audit.log");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(path + "/audit.log") << text; }
};

AuditEntry act(std::string by, std::string what, std::vector<std::string> objects) {
  AuditEntry entry;
  entry.by = std::move(by);
  entry.act = std::move(what);
  entry.objects = std::move(objects);
  entry.at = WallTime(std::chrono::seconds(1795160000));
  return entry;
}

void fill(const Folder& folder) {
  auto audit = Audit::open(folder.path).value();
  ASSERT_TRUE(audit.append(act("ann", "hclose", {"h1"})));
  ASSERT_TRUE(audit.append(act("bob", "qclose", {"night", "day"})));
  ASSERT_TRUE(audit.append(act("ann", "hopen", {"h1"})));
}

TEST(Audit, keeps_acts_in_order_with_a_chain_that_holds) {
  Folder folder;
  fill(folder);
  auto reply = Audit::open(folder.path)->reply({}).value();
  EXPECT_EQ(reply.entries.size(), 3u);
  EXPECT_EQ(reply.checked, 3u);
  EXPECT_EQ(reply.broken, "");
  EXPECT_EQ(reply.entries[1].by, "bob");
  EXPECT_EQ(reply.entries[1].number, 2u);
}

TEST(Audit, goes_on_where_it_was_after_a_restart) {
  Folder folder;
  fill(folder);
  ASSERT_TRUE(Audit::open(folder.path)->append(act("carol", "reconfig", {})));
  auto reply = read_audit(folder.text(), {});
  EXPECT_EQ(reply.checked, 4u);
  EXPECT_EQ(reply.broken, "");
}

TEST(Audit, any_change_of_any_line_is_told) {
  Folder folder;
  fill(folder);
  const auto good = folder.text();
  auto broken = [](const std::string& text) { return read_audit(text, {}).broken; };
  for (auto [from, to] : {std::pair("ann", "eve"), {"night", "nacht"}, {"hopen", "hclos"}}) {
    auto text = good;
    text.replace(text.find(from), std::string(from).size(), to);
    EXPECT_NE(broken(text), "") << from;
  }
  auto second = good.find('\n') + 1, third = good.find('\n', second) + 1;
  EXPECT_NE(broken(good.substr(0, second) + good.substr(third)), "") << "a line is missing";
  EXPECT_NE(broken(good.substr(second)), "") << "the first is missing";
  EXPECT_NE(broken(good + good.substr(third)), "") << "one is there twice";
  EXPECT_NE(broken(good + "nonsense\n"), "");
  EXPECT_EQ(read_audit(good.substr(0, second) + good.substr(third), {}).checked, 1u);
}

TEST(Audit, tells_what_was_asked_for) {
  Folder folder;
  fill(folder);
  auto text = folder.text();
  EXPECT_EQ(read_audit(text, {0, {"h1"}, {}}).entries.size(), 2u);
  EXPECT_EQ(read_audit(text, {1, {"h1"}, {}}).entries.size(), 1u);
  EXPECT_EQ(read_audit(text, {0, {}, {"qclose"}}).entries.size(), 1u);
  EXPECT_EQ(read_audit(text, {0, {"nothing"}, {}}).checked, 3u);
}

TEST(Audit, a_line_that_a_crash_cut_off_is_dropped) {
  log::open("audit", "", log::Level::Error);
  Folder folder;
  fill(folder);
  folder.write(folder.text() + R"({"number":4,"at_)");
  ASSERT_TRUE(Audit::open(folder.path)->append(act("ann", "qopen", {"day"})));
  auto reply = read_audit(folder.text(), {});
  EXPECT_EQ(reply.checked, 4u);
  EXPECT_EQ(reply.broken, "");
}

TEST(Audit, a_write_that_a_full_disk_cut_off_breaks_no_chain) {
  log::open("audit", "", log::Level::Error);
  Folder folder;
  fill(folder);
  auto audit = Audit::open(folder.path).value();
  rlimit before{}, tight{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = folder.text().size() + 20;  // the next line is cut off, as where a disk is full
  auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_FALSE(audit.append(act("ann", "qopen", {"day"})));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  ASSERT_TRUE(audit.append(act("ann", "qopen", {"day"})));
  auto reply = read_audit(folder.text(), {});
  EXPECT_EQ(reply.checked, 4u);
  EXPECT_EQ(reply.broken, "");
}

TEST(Audit, files_that_have_grown_are_put_aside_and_the_chain_goes_on) {
  Folder folder;
  for (int i = 0; i < 30; ++i) {
    auto audit = Audit::open(folder.path, 1000).value();  // each of them a start
    ASSERT_TRUE(audit.append(act("ann", "hclose", {"h" + std::to_string(i)})));
  }
  EXPECT_LT(folder.text().size(), 1300u);
  auto reply = Audit::open(folder.path, 1000)->reply({}).value();
  EXPECT_EQ(reply.checked, 30u);
  EXPECT_EQ(reply.broken, "");
  EXPECT_EQ(reply.entries.back().number, 30u);
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/audit-00000001.log"));
}

TEST(Audit, a_start_right_after_a_file_was_put_aside_goes_on_with_it) {
  Folder folder;
  fill(folder);
  std::filesystem::rename(folder.path + "/audit.log", folder.path + "/audit-00000001.log");
  ASSERT_TRUE(Audit::open(folder.path)->append(act("ann", "qopen", {"day"})));
  auto reply = Audit::open(folder.path)->reply({}).value();
  EXPECT_EQ(reply.checked, 4u);
  EXPECT_EQ(reply.broken, "");
}

TEST(audit_line, holds_whatever_somebody_names_things) {
  auto entry = act("a\"b\n", "hclose", {"x\xff", "{}"});
  entry.why = std::string("\0\x1b", 2);
  entry.number = 1;
  entry.chain = audit_chain("", entry);
  auto line = audit_line(entry);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

}  // namespace
}  // namespace wm::master
