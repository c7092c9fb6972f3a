// Role: a form's parts on disk: files under names that are ours, fields within their bounds.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "daemons/wuserd/data/routes.h"
#include "daemons/wuserd/files/unpack.h"
#include "daemons/wuserd/files/upload.h"
#include "daemons/wuserd/site/keeping.h"
#include "libwm/base/json.h"
#include "libwm/files/whole_file.h"
#include "test/support/folder.h"
#include "test/support/said_exchange.h"
#include "test/unit/wuserd/asked.h"

namespace wm::user {
namespace {

/// A form of parts, each the head of one and its body.
std::string form(const std::vector<std::pair<std::string, std::string>>& parts) {
  std::string text;
  for (const auto& [head, body] : parts)
    text += "--B\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + body + "\r\n";
  return text + "--B--\r\n";
}

class uploads : public ::testing::Test {
 protected:
  Result<Upload> came(const std::string& body,
                      const std::string& type = "multipart/form-data; boundary=B") {
    test::SaidExchange exchange({"POST", "/x", {{"content-type", type}}}, body, 7);
    return receive(exchange, folder.path() + "/uploads");
  }
  test::OwnFolder folder;
};

TEST_F(uploads, files_and_fields_are_what_was_sent) {
  auto upload = came(form({{"name=\"file\"; filename=\"main.py\"", "print(1)"},
                           {"name=\"data\"; filename=\"blob\"", "{}"},
                           {"name=\"unpack\"", "yes"}}));
  ASSERT_TRUE(upload) << upload.error().text;
  ASSERT_EQ(upload->files.size(), 1u);
  EXPECT_EQ(upload->files[0].name, "main.py");
  EXPECT_EQ(read_file(upload->files[0].path).value(), "print(1)");
  EXPECT_EQ(upload->fields["data"], "{}") << "some clients send it as a file";
  EXPECT_EQ(upload->fields["unpack"], "yes");
}

TEST_F(uploads, a_name_is_its_last_part_where_that_can_be_one) {
  for (auto [sent, name] : {std::pair<std::string, std::string>("a/b/main.py", "main.py"),
                            {"C:\\\\code\\\\main.py", "main.py"},
                            {"../../etc/passwd", "passwd"},
                            {".", "file"},
                            {"..", "file"},
                            {"a/..", "file"},
                            {"a/", "file"},
                            {std::string(199, 'x'), std::string(199, 'x')},
                            {std::string(200, 'x'), "file"}}) {
    auto upload = came(form({{"name=\"file\"; filename=\"" + sent + "\"", "x"}}));
    ASSERT_TRUE(upload) << sent;
    ASSERT_EQ(upload->files.size(), 1u) << sent;
    EXPECT_EQ(upload->files[0].name, name) << sent;
    EXPECT_TRUE(upload->files[0].path.starts_with(folder.path() + "/uploads/")) << sent;
  }
}

TEST_F(uploads, fields_and_parts_have_bounds) {
  auto at_most = came(form({{"name=\"data\"", std::string(1 << 20, 'x')}}));
  ASSERT_TRUE(at_most) << at_most.error().text;
  EXPECT_EQ(came(form({{"name=\"data\"", std::string((1 << 20) + 1, 'x')}})).error().code,
            Code::Limit);
  std::vector<std::pair<std::string, std::string>> parts(64, {"name=\"a\"", "x"});
  EXPECT_TRUE(came(form(parts)));
  parts.push_back(parts.front());
  EXPECT_EQ(came(form(parts)).error().code, Code::Limit);
}

TEST_F(uploads, another_body_is_an_upload_of_nothing) {
  auto upload = came("{}", "application/json");
  ASSERT_TRUE(upload);
  EXPECT_TRUE(upload->files.empty());
  EXPECT_TRUE(upload->fields.empty());
  EXPECT_FALSE(came("rubbish")) << "it says that it is a form";
}

// A data asset of an archive is the archive, or what is in it.
TEST_F(uploads, an_archive_is_unpacked_where_that_is_asked_for_and_else_stays_one) {
  Site site{ClusterConf{}, "ann", folder.path(), folder.path()};
  site.own_dir = folder.path() + "/own";
  for (const auto& made : {folder.path() + "/packed/sub", site.records.incoming()})
    std::filesystem::create_directories(made);
  ASSERT_TRUE(replace_file(folder.path() + "/packed/sub/a.csv", "1,2", 0600));
  auto path = folder.path() + "/a.zip";
  Fd zip(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_TRUE(zip_folder(folder.path() + "/packed", {}, zip.get()));
  auto bytes = read_file(path).value();
  auto content = [&](const std::string& name, const std::string& unpack) {
    std::vector<std::pair<std::string, std::string>> parts{
        {"name=\"data\"", R"({"name":")" + name + "\"}"},
        {"name=\"file\"; filename=\"a.zip\"", bytes}};
    if (!unpack.empty()) parts.push_back({"name=\"unpack\"", unpack});
    auto address = std::string("/api/v1/projects/default/data");
    http::Head head{"POST", address, {{"content-type", "multipart/form-data; boundary=B"}}};
    auto made = ask(site, data_asset_routes(), head, form(parts));
    EXPECT_TRUE(made) << made.error().text;
    auto shown = json_of(ask(site, data_asset_routes(), {"GET", address + "/" + name, {}}));
    return shown["content"].empty() ? shown.dump() : shown["content"][0]["path"].get<std::string>();
  };
  EXPECT_EQ(content("unsaid", ""), "a.zip");
  EXPECT_EQ(content("no", "no"), "a.zip");
  EXPECT_EQ(content("yes", "yes"), "sub/a.csv");
}

TEST(with_name, an_object_has_the_name_of_its_address_and_no_other) {
  EXPECT_EQ(json_or_null(with_name(R"({"a":1})", "n").value()), (Json{{"a", 1}, {"name", "n"}}));
  EXPECT_TRUE(with_name(R"({"name":"n"})", "n"));
  for (const char* text : {R"({"name":"m"})", R"({"name":1})", "[]", "rubbish", ""})
    EXPECT_EQ(with_name(text, "n").error().code, Code::BadArgument) << text;
}

}  // namespace
}  // namespace wm::user
