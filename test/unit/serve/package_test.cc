// Role: what a deployer asks for of a run's model, and model.json that comes of it.
#include "libwm/serve/package.h"

#include <gtest/gtest.h>

#include "libwm/serve/model.h"

namespace wm::serve {
namespace {

TEST(package, what_is_asked_for_is_read_in_both_spellings_and_becomes_a_model) {
  auto wanted = read_wanted(R"({"name":"digits","kernel":"k.py","weight":"w.pt","tag":"v1",
      "attributes":{"a":"b","n":3},"environments":[{"name":"E","value":"1"}]})");
  ASSERT_TRUE(wanted) << wanted.error().text;
  auto model = read_model(model_text(*wanted));
  ASSERT_TRUE(model) << model.error().text;
  EXPECT_EQ(model->name, "digits");
  EXPECT_EQ(model->kernel_path, "k.py");
  EXPECT_EQ(model->weight_path, "w.pt");
  EXPECT_EQ(model->tag, "v1");
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(model->attributes, (Pairs{{"a", "b"}, {"n", "3"}}));
  EXPECT_EQ(model->environments, (Pairs{{"E", "1"}}));
  EXPECT_EQ(read_model(renamed_model(model->text, "other").value())->name, "other");
}

TEST(package, what_cannot_be_asked_for_is_refused) {
  for (auto bad : {"", "[]", "{}", R"({"name":"../x"})", R"({"name":"x","kernel":1})",
                   R"({"name":"x","attributes":"a"})", R"({"name":"x","attributes":{"a":{}}})",
                   R"({"name":"x","attributes":[1]})",
                   R"({"name":"x","environments":[{"name":1,"value":"b"}]})"})
    EXPECT_FALSE(read_wanted(bad)) << bad;
  EXPECT_FALSE(renamed_model("[]", "x"));
}

TEST(package, files_of_weights_are_known_by_their_names) {
  for (auto name : {"model.pt", "a/b.pth", "x.ts", "m.torchscript"})
    EXPECT_TRUE(is_weight_name(name));
  for (auto name : {"model.json", "pt", "a.pt.txt", ""}) EXPECT_FALSE(is_weight_name(name));
}

TEST(package, a_kernel_of_torch_is_known_by_what_it_imports_or_its_framework) {
  EXPECT_TRUE(is_torch("import os\nimport torch\n", ""));
  EXPECT_TRUE(is_torch(ready_kernel(), ""));
  EXPECT_TRUE(is_torch("", "PyTorch 2"));
  EXPECT_FALSE(is_torch("import os\nfrom redhareapi import Kernel\n", "TensorFlow"));
}

}  // namespace
}  // namespace wm::serve
