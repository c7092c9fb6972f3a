// Role: profiles and descriptions of packages: what is left out, and each rule with its words.
#include "libwm/serve/profile.h"

#include <gtest/gtest.h>

#include "libwm/expr/gpu.h"
#include "libwm/serve/model.h"
#include "libwm/serve/runtime.h"

namespace wm::serve {
namespace {

Result<Profile> read(std::string_view text) { return read_profile("m", "ann", text, WallTime{}); }

TEST(profile, what_is_left_out_has_its_default) {
  auto p = read("");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->policy, Policy());
  EXPECT_EQ(p->connection_timeout, std::chrono::seconds(90));
  EXPECT_EQ(p->gpu, GpuUse::None);
  EXPECT_EQ(p->envs.size(), 1u);
  EXPECT_NE(p->text.find("\"create_time\": \"Thu Jan  1 00:00:00 1970 GMT\""), std::string::npos);
  EXPECT_EQ(read(p->text)->text, p->text);
}

TEST(profile, what_is_given_is_meant) {
  auto p = read(R"({"policy": {"kernel_min": 0, "kernel_max": -1, "task_execution_timeout": -1,
    "schedule_intervel": 7}, "kernel": {"gpu": "exclusive", "umask": "077"},
    "resource_allocation": {"kernel": {"resources": "ncpus=0.5,ncpus_limit=2,mem=1024,mem_limit=4096"}}})");
  ASSERT_TRUE(p) << p.error().text;
  EXPECT_EQ(p->policy.kernel_min, 0u);
  EXPECT_EQ(p->policy.kernel_max, kMostKernels);
  EXPECT_EQ(p->policy.execution_timeout, Duration::zero());
  EXPECT_EQ(p->policy.schedule_interval, std::chrono::seconds(7));
  EXPECT_EQ(p->amounts, (Amounts{500, 1024, 4096}));
  EXPECT_EQ(p->umask, 077u);
  auto shared = read(R"({"kernel": {"gpu": "shared"},
    "resource_allocation": {"kernel": {"resources": "ncpus=0.5,ncpus_limit=2,mem=1024,mem_limit=4096"}}})");
  EXPECT_EQ(shared->amounts, (Amounts{2000, 4096, 4096}));
}

TEST(profile, four_kernels_that_share_have_one_gpu_together) {
  EXPECT_EQ(gpu_request(GpuUse::None), "");
  auto whole = expr::parse_gpu(gpu_request(GpuUse::Exclusive));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->milli_num, 1000u);
  EXPECT_NE(whole->mode, GpuMode::Shared);
  auto quarter = expr::parse_gpu(gpu_request(GpuUse::Shared));
  ASSERT_TRUE(quarter) << quarter.error().text;
  EXPECT_EQ(4 * quarter->milli_num.value_or(0), 1000u);
  EXPECT_EQ(quarter->mode, GpuMode::Shared);
}

TEST(profile, a_new_one_is_as_wmlas) {
  auto p = read("").value();
  EXPECT_EQ(p.amounts, (Amounts{500, 1024, 4096}));
  EXPECT_EQ(p.working_directory, "") << "a folder of WMLA's containers: ours stands for it";
  for (const char* part : {R"("working_directory": "${REDHARE_TOP}/work")", R"("type": "k8s")",
                           R"("resources": "ncpus=0.5,ncpus_limit=2,mem=1024,mem_limit=4096")"})
    EXPECT_NE(p.text.find(part), std::string::npos) << part;
}

TEST(profile, a_key_that_there_is_not_is_refused_by_its_path) {
  auto refusal = [](const char* text) {
    auto checked = check_keys(text);
    return checked ? std::string() : checked.error().text;
  };
  EXPECT_EQ(refusal(read("")->text.c_str()), "");
  EXPECT_EQ(refusal(R"({"policy":{"schedule_intervel":3},
    "resource_allocation":{"kernel":{"resource_group":"g","consumer":"c","resreq":"r"}}})"),
            "");
  EXPECT_TRUE(refusal(R"({"policy":{"kernel_mx":3}})")
                  .starts_with("profile: policy/kernel_mx: no such key; there are name, "));
  EXPECT_TRUE(refusal(R"({"polcy":{}})").starts_with("profile: polcy: no such key"));
  EXPECT_EQ(refusal("[]"), "");
}

TEST(profile, a_plan_is_named_with_and_without_its_slash) {
  for (const char* name : {"a/b", "/a/b"})
    EXPECT_EQ(read((std::string(R"({"resource_allocation":{"kernel":{"resource_plan":")") + name +
                    "\"}}}")
                       .c_str())
                  ->plan,
              "/a/b");
}

TEST(profile, kernel_warm_is_a_number_of_hosts_that_the_package_may_decide) {
  EXPECT_EQ(warm_hosts(read("")->text), 0u);
  auto torch = with_warm("", 4);
  EXPECT_EQ(read(torch)->policy.warm, 4u);
  EXPECT_EQ(warm_hosts(read(torch)->text), 4u);
  EXPECT_EQ(warm_hosts(with_warm(R"({"policy":{"kernel_warm":0}})", 4)), 0u);
  EXPECT_EQ(with_warm("[]", 4), "[]") << "what is wrong is told by whoever reads it";
  EXPECT_EQ(warm_hosts("nonsense"), 0u);
  EXPECT_FALSE(check_live(*read(""), *read(torch)));
}

TEST(profile, each_rule_is_told_by_its_name) {
  for (auto [text, words] : std::vector<std::pair<const char*, const char*>>{
           {"[]", "profile: a JSON object is wanted"},
           {R"({"policy":{"kernel_min":-1}})",
            "profile: policy/kernel_min: -1: at least 0 is wanted"},
           {R"({"policy":{"kernel_min":3,"kernel_max":2}})",
            "profile: policy/kernel_max: 2: less than kernel_min, 3"},
           {R"({"policy":{"schedule_interval":0}})",
            "profile: policy/schedule_interval: 0: at least 1 is wanted"},
           {R"({"policy":{"kernel_delay_release_time":"x"}})",
            "profile: policy/kernel_delay_release_time: a whole number is wanted"},
           {R"({"policy":{"task_execution_timeout":0}})",
            "profile: policy/task_execution_timeout: 0: -1, or at least 1 is wanted"},
           {R"({"policy":{"task_batch_size":0}})",
            "profile: policy/task_batch_size: 0: at least 1 is wanted"},
           {R"({"policy":{"kernel_warm":65}})", "profile: policy/kernel_warm: at most 64"},
           {R"({"kernel":{"connection_timeout":0}})",
            "profile: kernel/connection_timeout: 0: at least 1 is wanted"},
           {R"({"kernel":{"gpu":"two"}})",
            "profile: kernel/gpu: 'two': no, shared or exclusive is wanted"},
           {R"({"kernel":{"run_as":"bob"}})",
            "profile: kernel/run_as: kernels run as the owner, ann"},
           {R"({"kernel":{"envs":[{"name":"1","value":""}]}})",
            "profile: kernel/envs: '1' is no name of a variable"},
           {R"({"replica":17})", "profile: replica: at most 16"},
           {R"({"replica":0})", "profile: replica: 0: at least 1 is wanted"},
           {R"({"policy":3})", "profile: policy/schedule_interval: a whole number is wanted"}}) {
    auto p = read(text);
    ASSERT_FALSE(p) << text;
    EXPECT_EQ(p.error().text, words);
  }
}

TEST(model, is_read_and_what_cannot_be_is_refused) {
  auto m = read_model(R"({"name":"ping","attributes":[{"key":"a","value":"b"}]})");
  ASSERT_TRUE(m);
  EXPECT_EQ(m->kernel_path, "kernel.py");
  EXPECT_EQ(m->attributes.size(), 1u);
  for (auto bad : {"", "{}", R"({"name":"a b"})", R"({"name":"../x"})",
                   R"({"name":"a","kernel_path":"../k.py"})", R"({"name":"a","runtime":"p/y"})",
                   R"({"name":"a","kernel_path":"k'.py"})", R"({"name":3})"})
    EXPECT_FALSE(read_model(bad)) << bad;
}

TEST(runtime, is_a_python_with_what_goes_before_it) {
  auto r = read_runtime(R"({"type":"mine","conda_home":"/opt/c","conda_env_name":"e",
    "pre_exec":"ulimit -c 0","envs":[{"name":"A","value":"b"}]})",
                        "", WallTime(std::chrono::seconds(7)));
  ASSERT_TRUE(r) << r.error().text;
  EXPECT_EQ(runtime_prelude(*r),
            ". '/opt/c/etc/profile.d/conda.sh' && conda activate 'e' && { ulimit -c 0\n} && ");
  EXPECT_EQ(r->envs.front(), (std::pair<std::string, std::string>("A", "b")));
  EXPECT_NE(r->text.find("\"epoch_created\":7"), std::string::npos);
  auto changed = read_runtime(R"({"conda_home":"","conda_env_name":"","venv":"/v"})", r->text,
                              WallTime(std::chrono::seconds(9)));
  ASSERT_TRUE(changed) << changed.error().text;
  EXPECT_EQ(changed->type, "mine");
  EXPECT_EQ(runtime_prelude(*changed), ". '/v/bin/activate' && { ulimit -c 0\n} && ");
  EXPECT_NE(changed->text.find("\"epoch_created\":7,\"epoch_updated\":9"), std::string::npos);
  EXPECT_EQ(runtime_prelude({}), "");
  EXPECT_TRUE(is_own_python("dlipy3") && !is_own_python("mine"));
}

TEST(runtime, what_cannot_be_one_is_refused_by_its_key) {
  for (auto [text, key] : std::vector<std::pair<const char*, const char*>>{
           {"[]", "runtime: a JSON object"},
           {R"({"type":"a b"})", "runtime: type: "},
           {R"({"type":"python"})", "runtime: type: python is there already"},
           {R"({"type":"a","conda_home":"/c"})", "runtime: conda_env_name: "},
           {R"({"type":"a","venv":"v"})", "runtime: venv: 'v': a whole path"},
           {R"({"type":"a","launcher":"java"})", "runtime: launcher: "},
           {R"({"type":"a","enves":[]})", "runtime: enves: no such key"},
           {R"({"type":3})", "runtime: type: a text is wanted"},
           {R"({"type":"a","envs":[{"name":"1","value":""}]})", "runtime: envs: '1'"}}) {
    auto r = read_runtime(text, "", WallTime{});
    ASSERT_FALSE(r) << text;
    EXPECT_TRUE(r.error().text.starts_with(key)) << r.error().text;
  }
}

Profile with(const std::string& text) { return read_profile("m", "ann", text, WallTime{}).value(); }

TEST(profile, while_it_runs_what_the_router_decides_by_may_change_and_nothing_else) {
  auto running = with(R"({"policy":{"kernel_min":1,"kernel_max":4}})");
  auto verdict = [&](const std::string& text) {
    auto checked = check_live(running, with(text));
    return checked ? std::string() : checked.error().text;
  };
  EXPECT_EQ(verdict(R"({"policy":{"kernel_min":2,"kernel_max":3,"schedule_interval":9,
      "kernel_delay_release_time":9,"task_execution_timeout":-1,"task_batch_size":9,
      "task_pipe_size":9},"kernel":{"connection_timeout":9}})"),
            "");
  std::string most = R"({"policy":{"kernel_max":4},)";
  EXPECT_EQ(verdict(R"({"policy":{"kernel_max":5}})"),
            "profile: policy/kernel_max: it was started with 4: stop it first");
  EXPECT_EQ(verdict(R"({"policy":{"kernel_min":0,"kernel_max":4}})"),
            "profile: policy/kernel_min: it was started with 1: stop it first");
  auto fixed = [](const char* key) {
    return std::string("profile: ") + key + ": kernels that run have it already: stop it first";
  };
  EXPECT_EQ(verdict(R"({"policy":{"kernel_max":4,"task_parallel_size":2}})"),
            fixed("policy/task_parallel_size"));
  EXPECT_EQ(verdict(most + R"("kernel":{"gpu":"exclusive"}})"), fixed("kernel/gpu"));
  EXPECT_EQ(verdict(most + R"("kernel":{"umask":"077"}})"), fixed("kernel/umask"));
  EXPECT_EQ(verdict(most + R"("kernel":{"envs":[]}})"), fixed("kernel/envs"));
  EXPECT_EQ(verdict(most + R"("resource_allocation":{"kernel":{"resource_plan":"/p"}}})"),
            fixed("resource_allocation/kernel/resource_plan"));
  EXPECT_EQ(verdict(most + R"("resource_allocation":{"kernel":{"resources":"ncpus=3"}}})"),
            fixed("resource_allocation/kernel/resources"));
}

}  // namespace
}  // namespace wm::serve
