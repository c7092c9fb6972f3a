// Role: executions as WMLA's clients ask for them and read them; archives that may be unpacked.
#include <gtest/gtest.h>

#include "libwm/base/joined.h"
#include "libwm/rest/app_json.h"
#include "libwm/rest/archive_rules.h"
#include "libwm/rest/exec_json.h"
#include "libwm/rest/exec_outcome.h"
#include "libwm/rest/exec_words.h"
#include "libwm/rest/json_string.h"
#include "libwm/rest/parallel_job.h"

namespace wm::rest {
namespace {

using Words = std::vector<std::string>;

ExecRequest request(std::string_view args) {
  auto parsed = parse_exec(args);
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().text);
  return parsed ? *parsed : ExecRequest();
}
std::string refusal(std::string_view args) {
  auto parsed = parse_exec(args);
  return parsed ? "accepted" : parsed.error().text;
}
std::string line(const ExecRequest& wanted, bool gpus = false) {
  auto framework = find_framework(wanted.framework);
  auto words = bsub_words(wanted, framework.value(), {"/out", "/data", gpus});
  return words ? shell_line(*words) : words.error().text;
}

TEST(exec_request, what_is_no_option_of_wmlas_is_the_scripts_in_order) {
  auto r = request(
      "--exec-start  disttensorflow --numWorker 3\n --workerDeviceType cpu --lr 0.1 "
      "--model-main main.py --model-dir a/tf2x/ -- --numWorker 9 --epochs 10");
  EXPECT_EQ(r.framework, "disttensorflow");
  EXPECT_EQ(r.workers, 3u);
  EXPECT_EQ(r.device, Device::Cpu);
  EXPECT_EQ(r.main, "main.py");
  EXPECT_EQ(r.model_dir, "tf2x");
  EXPECT_EQ(r.words, (Words{"--lr", "0.1", "--numWorker", "9", "--epochs", "10"}));
}

TEST(exec_request, a_value_with_a_blank_was_split_by_the_client) {
  auto r = request("--exec-start PyTorch --appName DDP Tutorial --model-main m.py");
  EXPECT_EQ(r.name, "DDP");
  EXPECT_EQ(r.words, Words{"Tutorial"});
}

TEST(exec_request, older_spellings_and_what_has_no_meaning_here_are_accepted) {
  auto r = request(
      "--exec-start edtPyTorch --ig sig --edt-options maxWorkers=4 --gpuPerWorker 2 "
      "--python-version 2.7 --exclusive --msd-label=a=b --model-main x.py "
      "--cs-datastore-meta type=fs,data_path=mnist");
  EXPECT_EQ(r.workers, 4u);
  EXPECT_EQ(r.devices, 2u);
  EXPECT_EQ(r.data_path, "mnist");
  EXPECT_EQ(r.words, Words{});
  EXPECT_EQ(r.unused, (Words{"--ig", "--python-version", "--exclusive"}));
  auto warnings = warnings_of(r, false);
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_TRUE(warnings[0].starts_with("--ig: there are no instance groups")) << warnings[0];
  EXPECT_EQ(r.labels, (std::map<std::string, std::string>{{"a", "b"}}));
}

TEST(exec_request, what_does_not_read_is_refused_by_name) {
  EXPECT_EQ(refusal("--numWorker 2"), "args: --exec-start FRAMEWORK is wanted");
  EXPECT_EQ(refusal("--exec-start PyTorch --numWorker"), "--numWorker: a value is missing");
  EXPECT_EQ(refusal("--exec-start PyTorch --numWorker 0"),
            "--numWorker: '0': a number from 1 to 100000 is wanted");
  EXPECT_EQ(refusal("--exec-start PyTorch --workerDeviceType tpu"),
            "--workerDeviceType: 'tpu': cpu or gpu is wanted");
  EXPECT_EQ(refusal("--exec-start PyTorch --msd-env =x"), "--msd-env: '=x': NAME=VALUE is wanted");
  EXPECT_EQ(refusal("--exec-start PyTorch --user-cmd"), "--user-cmd: -- COMMAND is missing");
}

TEST(exec_request, newer_clients_send_json_beside_it) {
  auto r = request("--exec-start distPyTorch --user-cmd -- bash run.sh");
  const auto* data = R"({"hardwareSpec":{"nodes":{"num_nodes":4,"mem":{"size":"16g"},
    "gpu":{"num_gpu":1},"cpu":{"units":"0.25"}}},"dataSource":[{"type":"fs","location":{"paths":"mnist"}}]})";
  ASSERT_TRUE(add_exec_data(data, r));
  EXPECT_EQ(r.workers, 4u);
  EXPECT_EQ(r.memory, "16384M");
  EXPECT_EQ(r.device, Device::Gpu);
  EXPECT_EQ(r.devices, 1u);
  EXPECT_EQ(r.data_path, "mnist");
  EXPECT_EQ(args_in_data(R"({"args":"--exec-start x"})").value(), "--exec-start x");
  EXPECT_EQ(args_in_data("{}").value(), "");
}

TEST(exec_request, hostile_json_is_an_error) {
  ExecRequest r;
  std::string deep(100000, '[');
  for (auto bad :
       {std::string("[]"), std::string("{"), deep, "{\"a\":" + deep,
        std::string(R"({"hardwareSpec":{"nodes":{"num_nodes":-1}}})"), std::string(2 << 20, ' ')})
    EXPECT_FALSE(add_exec_data(bad, r)) << bad.substr(0, 20);
}

// Golden: what each request comes to.
TEST(exec_words, each_framework_is_a_line_of_bsub) {
  EXPECT_EQ(line(request("--exec-start PyTorch --model-main m.py --lr 0.1")),
            "bsub -app training -J SingleNodePytorchTrain -n 1 -o /out python3 m.py --lr 0.1");
  EXPECT_EQ(
      line(request("--exec-start edtpytorch --numWorker 4 --appName a --consumer /p/q --model-main "
                   "m.py"),
           true),
      "bsub -app training -J a -n 1,4 -ar -gpu num=1 -plan /p/q -o /out python3 m.py");
  EXPECT_EQ(
      line(
          request(
              "--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --workerDeviceNum 1.5 "
              "--workerMemory 2g --msd-priority 7 --model-main m.py"),
          true),
      "bsub -app training -J DistributePyTorchTrain -n 2 -R 'affinity[core(2)]' -R "
      "'rusage[mem=2048M]' "
      "-sp 7 -o /out python3 m.py");
  EXPECT_EQ(line(request("--exec-start distPyTorch --msd-env HF_HOME=/tmp --cs-datastore-meta "
                         "type=fs,data_path=d --user-cmd -- bash run.sh $(id) ;x")),
            "bsub -app training -J DistributePyTorchTrain -n 1 -o /out -env 'all, "
            "HF_HOME=/tmp, "
            "DATA_DIR=/data/d' bash run.sh '$(id)' ';x'");
  EXPECT_NE(line(request("--exec-start PyTorch --msd-env A=x,y --model-main m.py"))
                .find("A='\\''x,y'\\''"),
            std::string::npos);
}

TEST(exec_words, a_run_that_goes_on_from_another_is_bsubs_resume) {
  EXPECT_EQ(line(request("--exec-start PyTorch --msd-env WM_RESUME_FROM=12 --msd-env A=1 "
                         "--workerDeviceType cpu --model-main m.py")),
            "bsub -app training -J SingleNodePytorchTrain -n 1 -o /out -resume 12 -env 'all, A=1' "
            "python3 m.py");
}

TEST(exec_words, nothing_leads_out_of_the_code_or_the_data) {
  EXPECT_EQ(line(request("--exec-start PyTorch")), "--model-main: which script is to run?");
  for (auto bad : {"/etc/passwd", "../x.py", "a/../../x"})
    EXPECT_EQ(line(request(std::string("--exec-start PyTorch --model-main ") + bad)),
              std::string("--model-main ") + bad + ": leads out of the code");
  EXPECT_EQ(
      line(request(
          "--exec-start PyTorch --model-main m.py --cs-datastore-meta type=fs,data_path=../x")),
      "data path ../x: leads out of the data");
  EXPECT_EQ(line(request("--exec-start PyTorch --model-main m.py --msd-env A=x'y")),
            "--msd-env A: a quote in its value");
}

TEST(exec_words, elastic_scripts_that_read_the_number_of_workers_get_it_back) {
  auto r =
      request("--exec-start edtPyTorch --numWorker 4 --gpuPerWorker 2 --model-main m.py --lr 1");
  auto words = [&](const char* framework, const char* script) {
    auto copy = r;
    give_worker_words(script, find_framework(framework).value(), copy);
    return copy.words;
  };
  EXPECT_EQ(words("edtPyTorch", "add_argument('--numWorker')"),
            (Words{"--lr", "1", "--numWorker", "4"}));
  EXPECT_EQ(words("edtPyTorch", "'--gpuPerWorker' '--numWorker'"),
            (Words{"--lr", "1", "--numWorker", "4", "--gpuPerWorker", "2"}));
  EXPECT_EQ(words("edtPyTorch", "parse_args()"), (Words{"--lr", "1"}));
  EXPECT_EQ(words("PyTorch", "--numWorker"), (Words{"--lr", "1"}));
}

TEST(exec_request, an_image_comes_with_when_and_how_it_is_fetched) {
  auto r = request(
      "--exec-start PyTorch --model-main m.py --msd-image-name reg/i:1 "
      "--msd-image-pull-policy Always --msd-image-pull-secret lab");
  EXPECT_EQ(r.image, "reg/i:1");
  EXPECT_EQ(r.image_policy, "always");
  EXPECT_EQ(r.image_secret, "lab");
  EXPECT_EQ(refusal("--exec-start PyTorch --msd-image-pull-policy Now"),
            "--msd-image-pull-policy: 'Now': Always, Never or IfNotPresent is wanted");
}

TEST(exec_words, an_environment_that_is_described_is_made_once_before_the_command) {
  auto r = request(
      "--exec-start PyTorch --model-main m.py --conda-home /opt/c --conda-env-yaml a/env.yml");
  EXPECT_EQ(r.conda_yaml, "env.yml");
  auto made = line(r);
  EXPECT_NE(made.find(". /opt/c/etc/profile.d/conda.sh && { flock 9; "), made.npos) << made;
  EXPECT_NE(made.find("conda env create -q -p \"$RESULT_DIR/conda\" -f env.yml"), made.npos);
  EXPECT_TRUE(made.ends_with("conda activate \"$RESULT_DIR/conda\" && python3 m.py")) << made;
  r.conda_home.clear();
  EXPECT_EQ(line(r), "--conda-env-yaml env.yml: there is no conda here; --conda-home names one");
}

TEST(exec_words, an_environment_that_is_packed_is_unpacked_once_before_the_command) {
  auto r = request("--exec-start PyTorch --model-main m.py --conda-package a/e.tar.gz");
  EXPECT_EQ(r.conda_package, "e.tar.gz");
  r.conda_env = "unused";  // of the framework: the package goes before it
  auto made = line(r);
  EXPECT_NE(made.find("export CONDA_PREFIX=\"$RESULT_DIR/conda\" PATH="), made.npos) << made;
  EXPECT_NE(made.find("tar -xf e.tar.gz -C \"$CONDA_PREFIX\" && "), made.npos) << made;
  EXPECT_TRUE(made.ends_with("9>\"$RESULT_DIR/.conda.lock\" && python3 m.py")) << made;
  EXPECT_EQ(refusal("--exec-start PyTorch --conda-package a/"),
            "--conda-package: a file is wanted");
}

JobView view_of(JobState state) {
  auto sealed = std::make_shared<SealedSpec>();
  auto& spec = sealed->spec;
  spec.name = "n";
  spec.owner.user = "ann";
  spec.min_tasks = spec.max_tasks = 2;
  spec.exec.args = "--exec-start PyTorch \"x\"";
  spec.exec.framework = "PyTorch";
  spec.exec.bundle_dir = "mnist";
  auto job = std::make_shared<Job>();
  job->sealed = sealed;
  job->state = state;
  job->times.submitted = WallTime(std::chrono::seconds(1615173880));
  JobView view;
  view.id = {398, 0};
  view.job = job;
  view.result_dir = "/r/398";
  return view;
}

TEST(exec_json, an_execution_has_the_fields_that_clients_read) {
  EXPECT_EQ(
      exec_json(view_of(JobState::Pending), "wmla"),
      R"({"id":"wmla-398","args":"--exec-start PyTorch \"x\"","submissionId":"wmla-398","creator":"ann",)"
      R"("state":"PENDING_CRD_SCHEDULER","appId":"wmla-398","schedulerUrl":"","modelFileOwnerName":"ann",)"
      R"("workDir":"/r/398/_submitted_code/mnist","appName":"n","createTime":"2021-03-08T03:24:40Z",)"
      R"("elastic":false,"nameSpace":"wmla","numWorker":2,"framework":"PyTorch",)"
      R"("userName":"ann","executionUserName":"ann","sigName":"wmla",)"
      R"("sigId":")" +
          instance_id("wmla") + R"(","masterURL":""})");
}

TEST(exec_json, data_sources_are_a_list_where_there_are_any) {
  auto view = view_of(JobState::Pending);
  auto sealed = std::make_shared<SealedSpec>(*view.job->sealed);
  sealed->spec.exec.data = {R"({"type":"fs"})", "no json"};
  auto job = std::make_shared<Job>(*view.job);
  job->sealed = sealed;
  view.job = job;
  EXPECT_NE(exec_json(view, "c").find(R"("dataSource":[{"type":"fs"}])"), std::string::npos);
}

TEST(exec_json, what_bsub_began_is_no_execution) {
  auto view = view_of(JobState::Pending);
  EXPECT_TRUE(is_execution(view));
  auto job = std::make_shared<Job>(*view.job);
  job->sealed = std::make_shared<SealedSpec>();
  view.job = job;
  EXPECT_FALSE(is_execution(view));
}

TEST(exec_json, pollers_see_only_words_that_they_know) {
  for (auto state : {JobState::Pending, JobState::Held, JobState::Launching, JobState::Running,
                     JobState::Unknown, JobState::Finished, JobState::Failed, JobState::Killed,
                     JobState::Error, JobState::Array, JobState::Suspended}) {
    auto word = exec_state(*view_of(state).job);
    bool waits = word == "SUBMITTED" || word == "PENDING_CRD_SCHEDULER" || word == "RUNNING";
    bool over = word == "FINISHED" || word == "KILLED" || word == "ERROR";
    EXPECT_TRUE(waits || over);
    EXPECT_EQ(over, is_over(state));
  }
}

JobView killed_by(const std::string& who, Term term, const std::string& why) {
  auto view = view_of(JobState::Killed);
  auto job = std::make_shared<Job>(*view.job);
  job->kill = KillWish{term, who, why, {}, false};
  view.job = job;
  return view;
}

TEST(exec_outcome, what_wm_itself_ends_is_an_error_with_its_reason) {
  auto late = killed_by("wm", Term::PendLimit, "it waited longer than 5s");
  EXPECT_EQ(exec_state(*late.job), "ERROR");
  EXPECT_EQ(app_state(*late.job), "ERROR");
  EXPECT_NE(exec_json(late, "c").find(R"("error":"it waited longer than 5s")"), std::string::npos);
  EXPECT_NE(exec_json(late, "c", "no such bucket").find(R"("error":"no such bucket")"),
            std::string::npos);
  auto stopped = killed_by("ann", Term::Owner, "stopped at the web door");
  EXPECT_EQ(exec_state(*stopped.job), "KILLED");
  EXPECT_EQ(exec_json(stopped, "c").find("\"error\""), std::string::npos);
}

TEST(exec_outcome, a_failed_task_says_how_it_ended) {
  auto view = view_of(JobState::Failed);
  auto job = std::make_shared<Job>(*view.job);
  job->outcome = {127 << 8, Term::None, "its stderr ended: bash: not found"};
  EXPECT_EQ(error_of(*job), "exit code 127: its stderr ended: bash: not found");
  job->outcome = {9, Term::MemLimit, ""};
  EXPECT_EQ(error_of(*job), "ended by signal 9: " + std::string(term_text(Term::MemLimit)));
  job->outcome = {};
  EXPECT_EQ(error_of(*job), "it could not be run");
}

TEST(exec_json, options_without_effect_are_told_as_long_as_it_is_known) {
  auto view = view_of(JobState::Running);
  EXPECT_EQ(exec_json(view, "c").find("warnings"), std::string::npos);
  auto job = std::make_shared<Job>(*view.job);
  auto sealed = std::make_shared<SealedSpec>(*job->sealed);
  sealed->spec.exec.args = "--exec-start PyTorch --sc-runasuser 7 --debug-level debug";
  job->sealed = sealed;
  view.job = job;
  EXPECT_NE(exec_json(view, "c").find(R"("warnings":["--sc-runasuser: a job runs as its owner"])"),
            std::string::npos);
}

TEST(parallel_job, says_why_a_job_waits_and_what_its_tasks_ask_for) {
  auto view = view_of(JobState::Pending);
  view.reasons = {{{}, "no host has 9 GPUs", {}}};
  auto text = parallel_job_json(view, "c");
  for (const char* part :
       {R"("jobStatus":"Pending")", R"("jobPendingReason":"no host has 9 GPUs")",
        R"("creationTimestamp":"2021-03-08T03:24:40Z")", R"("replica":2)", R"("name":"task12n")"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find("jobStartTime"), std::string::npos);
}

// An execution with a driver that is a group of its own, as its whole is seen.
JobView with_driver() {
  auto view = view_of(JobState::Pending);
  auto sealed = std::make_shared<SealedSpec>(*view.job->sealed);
  sealed->spec.groups = {{.name = "driver", .role = "worker"}, {.name = "worker", .max_tasks = 2}};
  sealed->alternatives = {sealed->spec, sealed->spec};
  sealed->alternatives[0].task.mem = Bytes{8LL << 30};
  sealed->alternatives[0].max_tasks = 3;  // the whole is seen with all of its workers
  sealed->alternatives[1].task.milli_gpus = 2000;
  auto job = std::make_shared<Job>(*view.job);
  job->sealed = sealed;
  job->alternative = 1;
  view.job = job;
  return view;
}

TEST(parallel_job, a_driver_that_is_a_group_of_its_own_is_the_first_task) {
  auto text = parallel_job_json(with_driver(), "c");
  auto driver = text.find(R"("name":"task0")"), workers = text.find(R"("name":"task12n")");
  ASSERT_NE(driver, text.npos) << text;
  ASSERT_NE(workers, text.npos) << text;
  EXPECT_LT(driver, text.find(R"("memory":"8192M")"));
  EXPECT_LT(text.find(R"("replica":1)"), workers);
  EXPECT_GT(text.find(R"("replica":2)"), workers);
  EXPECT_GT(text.find(R"("nvidia.com/gpu":"2")"), workers);
  auto app = app_json(with_driver(), "c");
  EXPECT_NE(app.find(R"("task0_resreq":"ngpus=0,mem=8192,)"), app.npos) << app;
  EXPECT_NE(app.find(R"("task12n_resreq":"ngpus=2,mem=0,)"), app.npos) << app;
}

// What pods would be told, as bsub has it.
TEST(exec_needs, selectors_limits_and_affinity_are_requirements_of_the_job) {
  auto of = [](const std::string& more) {
    return line(
        request("--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu "
                "--model-main m.py " +
                more));
  };
  auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != text.npos;
  };
  auto selected = of("--msd-task12n-node-selector example.com/rack=r-1,ssd=true,old=false,gen=3");
  EXPECT_TRUE(has(selected, R"(select[(rack=='\''r-1'\'') && (ssd) && (!old) && (gen==3)])"))
      << selected;
  EXPECT_TRUE(has(of("--msd-podaffinity-rule required --msd-podaffinity-topology-key "
                     "kubernetes.io/hostname"),
                  "-R 'span[hosts=1]'"));
  EXPECT_TRUE(has(of("--msd-podaffinity-rule required --msd-podaffinity-topology-key a.io/rack"),
                  "-R 'same[rack]'"));
  auto limited = of("--workerMemory 2g --workerMemoryLimit 4g --workerCPULimit 3");
  EXPECT_TRUE(has(limited, "-R 'affinity[core(3)]' -R 'rusage[mem=2048M]' -M 4096M")) << limited;
  EXPECT_FALSE(has(of(""), "-R"));
}

// The tasks of an execution with a driver, as its groups ask for them.
std::vector<TaskGroup> groups_of(const ExecRequest& wanted, bool gpus = false) {
  auto made = task_groups(wanted, find_framework(wanted.framework).value(), {"/out", "/d", gpus});
  EXPECT_TRUE(made) << (made ? "" : made.error().text);
  return made ? *made : std::vector<TaskGroup>();
}

TEST(exec_needs, a_driver_that_asks_for_something_else_is_the_first_worker_and_a_group_of_its_own) {
  auto wanted = request(
      "--exec-start distPyTorch --numWorker 4 --workerDeviceType gpu --workerDeviceNum 2 "
      "--workerMemory 2g --msd-task12n-node-selector fast=true --driverDeviceType cpu "
      "--driverDeviceNum 3 --driverMemory 8g --msd-task0-node-selector big=true --model-main m.py");
  auto groups = groups_of(wanted);
  ASSERT_EQ(groups.size(), 2u);
  const TaskGroup driver{.name = "driver",
                         .role = "worker",
                         .command = "python3 m.py",
                         .resreq = "select[(big)] affinity[core(3)] rusage[mem=8192M]"};
  TaskGroup workers{.name = "worker",
                    .role = "worker",
                    .command = "python3 m.py",
                    .min_tasks = 3,
                    .max_tasks = 3,
                    .resreq = "select[(fast)] rusage[mem=2048M]",
                    .gpu = "num=2"};
  EXPECT_EQ(groups[0], driver);
  EXPECT_EQ(groups[1], workers);
  auto job = job_request(wanted, find_framework("distPyTorch").value(), {"/out", "/d", false});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->command + job->gpu, "");
  EXPECT_TRUE(job->resreqs.empty());
  EXPECT_TRUE(warnings_of(wanted, true).empty());
}

TEST(exec_needs, what_is_not_said_of_a_driver_is_as_of_the_workers) {
  auto groups = groups_of(
      request("--exec-start distPyTorch --numWorker 2 --workerDeviceNum 2 --workerMemory 2g "
              "--workerMemoryLimit 3g --driverMemory 4g --model-main m.py"),
      true);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].gpu, "num=2");
  EXPECT_EQ(groups[0].resreq, "rusage[mem=4096M]");
  auto on_gpu = groups_of(
      request("--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --workerDeviceNum 6 "
              "--driverDeviceType gpu --model-main m.py"));
  ASSERT_EQ(on_gpu.size(), 2u);
  EXPECT_EQ(on_gpu[0].gpu + on_gpu[0].resreq, "num=1");
  EXPECT_EQ(on_gpu[1].gpu + on_gpu[1].resreq, "affinity[core(6)]");
}

TEST(exec_needs, a_driver_beside_parameter_servers_is_one_of_the_workers) {
  auto groups = groups_of(
      request("--exec-start disttensorflow --numWorker 3 --numPs 1 --workerDeviceType cpu "
              "--driverMemory 4g --model-main m.py"));
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].name + " " + groups[0].role, "driver worker");
  EXPECT_EQ(groups[1].max_tasks, 2u);
  EXPECT_EQ(groups[2].role, "ps");
  EXPECT_EQ(groups[2].resreq, "");
}

TEST(exec_needs, a_driver_like_the_workers_or_alone_is_no_group) {
  for (auto args : {"--exec-start distPyTorch --numWorker 2 --workerMemory 2g --driverMemory 2g",
                    "--exec-start distPyTorch --numWorker 1 --driverMemory 2g",
                    "--exec-start PyTorch --numWorker 2 --driverMemory 2g"}) {
    auto wanted = request(std::string(args) + " --workerDeviceType cpu --model-main m.py");
    EXPECT_TRUE(groups_of(wanted).empty()) << args;
    EXPECT_NE(line(wanted).find("rusage[mem=2048M]"), std::string::npos) << line(wanted);
  }
}

TEST(exec_needs, limits_of_a_driver_are_refused_by_its_own_options) {
  auto of = [](const std::string& more) {
    return line(request(
        "--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --model-main m.py " + more));
  };
  EXPECT_EQ(of("--driverMemory 4g --driverMemoryLimit 2g"),
            "--driverMemoryLimit 2048M: less than the 4096M asked for");
  EXPECT_EQ(of("--driverDeviceNum 4 --driverCPULimit 2"),
            "--driverCPULimit 2: less than the 4 asked for");
}

TEST(exec_needs, one_limit_of_memory_holds_for_all_groups_and_is_told_about) {
  auto wanted = request(
      "--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --workerMemoryLimit 1g "
      "--driverMemory 2g --driverMemoryLimit 3g --model-main m.py");
  EXPECT_EQ(memory_limit_of(wanted), "3072M");
  auto warnings = warnings_of(wanted, true);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].ends_with("it is the larger one, 3072M")) << warnings[0];
  // A kind of tasks without a limit gets what is asked for.
  wanted.driver.limits.memory.clear();
  EXPECT_EQ(memory_limit_of(wanted), "2048M");
  EXPECT_EQ(memory_limit_of(request("--exec-start PyTorch --workerMemory 1g")), "");
}

TEST(exec_words, groups_are_a_document_for_bsub) {
  auto text =
      line(request("--exec-start distPyTorch --numWorker 3 --workerDeviceType cpu "
                   "--driverMemory 4g --model-main m.py"));
  EXPECT_EQ(text,
            "bsub -app training -J DistributePyTorchTrain -o /out -spec - <<'GROUPS'\n"
            R"({"groups":[{"name":"driver","role":"worker","command":"python3 m.py","tasks":1,)"
            R"("resreq":"rusage[mem=4096M]"},)"
            R"({"name":"worker","role":"worker","command":"python3 m.py","tasks":2}]})"
            "\nGROUPS");
}

TEST(exec_needs, what_contradicts_itself_is_refused) {
  auto of = [](const std::string& more) {
    return line(request("--exec-start PyTorch --workerDeviceType cpu --model-main m.py " + more));
  };
  EXPECT_EQ(of("--workerMemory 4g --workerMemoryLimit 2g"),
            "--workerMemoryLimit 2048M: less than the 4096M asked for");
  EXPECT_EQ(of("--workerDeviceNum 4 --workerCPULimit 2"),
            "--workerCPULimit 2: less than the 4 asked for");
  EXPECT_EQ(of("--msd-task12n-node-selector rack"), "node selector: 'rack': NAME=VALUE is wanted");
  EXPECT_EQ(of("--msd-podaffinity-rule required"),
            "--msd-podaffinity-rule required: --msd-podaffinity-topology-key is wanted");
  EXPECT_EQ(refusal("--exec-start PyTorch --msd-podaffinity-rule never"),
            "--msd-podaffinity-rule: 'never': preferred or required is wanted");
}

// Workers of an elastic training, those that have to be together, and tasks of a trial are alike.
TEST(exec_needs, a_driver_that_cannot_be_apart_is_told_about_and_all_get_the_larger_amounts) {
  for (std::string args : {"--exec-start edtPyTorch",
                           "--exec-start distPyTorch --msd-podaffinity-rule required "
                           "--msd-podaffinity-topology-key kubernetes.io/hostname"}) {
    auto several = request(args +
                           " --numWorker 3 --workerDeviceType cpu --workerMemory 2g "
                           "--driverMemory 4g --driverDeviceNum 4 --model-main m.py");
    EXPECT_TRUE(groups_of(several).empty());
    auto text = line(several);
    EXPECT_NE(text.find("-R 'affinity[core(4)]' -R 'rusage[mem=4096M]'"), text.npos) << text;
    ASSERT_EQ(warnings_of(several, false).size(), 1u);
    EXPECT_TRUE(warnings_of(several, false)[0].starts_with("--driver"))
        << warnings_of(several, false)[0];
  }
  EXPECT_TRUE(groups_of(request("--exec-start distPyTorch --numWorker 2 --driverMemory 4g "
                                "--user-cmd -- deepspeed t.py"))
                  .empty())
      << "it starts all itself";
  auto trial =
      request("--exec-start distPyTorch --numWorker 2 --driverMemory 4g --model-main m.py");
  EXPECT_EQ(groups_of(trial).size(), 2u);
  trial.tasks_alike = true;
  EXPECT_TRUE(groups_of(trial).empty());
  EXPECT_TRUE(warnings_of(request("--exec-start PyTorch --driverMemory 4g"), false).empty());
  EXPECT_TRUE(warnings_of(request("--exec-start PyTorch --numDriver 1"), false).empty());
  EXPECT_EQ(warnings_of(request("--exec-start PyTorch --numDriver 2"), false).size(), 1u);
}

TEST(exec_json, ids_name_cluster_job_and_element) {
  EXPECT_EQ(exec_id("a-b", {7, 0}), "a-b-7");
  EXPECT_EQ(parse_exec_id("a-b", "a-b-7").value(), (JobId{7, 0}));
  EXPECT_EQ(parse_exec_id("a-b", exec_id("a-b", {7, 3})).value(), (JobId{7, 3}));
  EXPECT_EQ(parse_exec_id("a", "12").value(), (JobId{12, 0}));
  EXPECT_EQ(exec_id("a-b", {7, 3}), "a-b-7-3");
  EXPECT_EQ(parse_exec_id("a-b", "a-b-7.3").value(), (JobId{7, 3}));
  EXPECT_EQ(parse_exec_id("a-b", "7-3").value(), (JobId{7, 3}));
  for (auto bad : {"", "a-", "b-1", "a-0", "a-1-0", "a-1-", "a-1-2-3", "a-1-2.3", "a-1.0", "a-1.",
                   "a-1x", "a-1.2.3", "a-99999999999", "-1"})
    EXPECT_FALSE(parse_exec_id("a", bad)) << bad;
}

TEST(exec_json, bytes_that_are_no_text_are_replaced) {
  EXPECT_EQ(json_text("a\xff<"), "\"a\xEF\xBF\xBD<\"");
}

// A log of any length, read in blocks that cut where they cut.
TEST(json_string, is_the_same_however_it_is_cut) {
  std::string text = "a\"b\\c\n\x01 \u00e9\u20ac\U0001F600 end";
  auto whole = json_text(text);
  for (std::size_t size = 1; size <= text.size(); ++size) {
    JsonString made;
    std::string got = "\"";
    for (std::size_t at = 0; at < text.size(); at += size) got += made.piece(text.substr(at, size));
    EXPECT_EQ(got + made.rest() + "\"", whole) << size;
  }
  JsonString cut;
  EXPECT_EQ(cut.piece("x\xe2\x82"), "x");
  EXPECT_NE(cut.rest(), "");  // never whole: replaced, not lost in silence
  JsonString odd;
  EXPECT_EQ(odd.piece("\xff|") + odd.rest(), "\xEF\xBF\xBD|");
}

ArchiveEntry file(std::string path) { return {ArchiveEntry::Kind::File, std::move(path), "", 1}; }
ArchiveEntry link(std::string path, std::string target) {
  return {ArchiveEntry::Kind::SymbolicLink, std::move(path), std::move(target), 0};
}

// Of hardwareSpec: no GPUs, said or unsaid, leave the cores as they are.
TEST(exec_request, gpus_of_a_form_that_are_none_change_nothing) {
  for (auto none : {R"("gpu":{"num_gpu":0})", R"("gpu":{"num_gpu":"0"})", R"("gpu":{})"}) {
    auto r = parse_exec("--exec-start PyTorch").value();
    auto data = std::string(R"({"hardwareSpec":{"nodes":{"cpu":{"units":3},)") + none + "}}}";
    ASSERT_TRUE(add_exec_data(data, r)) << data;
    EXPECT_EQ(r.device, Device::Cpu) << data;
    EXPECT_EQ(r.devices, 3u) << data;
  }
  auto r = parse_exec("--exec-start PyTorch").value();
  ASSERT_TRUE(add_exec_data(R"({"hardwareSpec":{"nodes":{"gpu":{"num_gpu":2}}}})", r));
  EXPECT_EQ(r.device, Device::Gpu);
  EXPECT_EQ(r.devices, 2u);
}

TEST(archive_rules, entries_stay_inside) {
  ArchiveRules rules({}, 100);
  for (auto good : {"a", "./a/b", "a/b/", "a..b/c", "..a"})
    EXPECT_TRUE(rules.admit(file(good))) << good;
  for (auto bad : {"/a", "..", "../a", "a/../b", "a/.."})
    EXPECT_FALSE(rules.admit(file(bad))) << bad;
  EXPECT_TRUE(rules.admit(link("a/b", "../c")));
  EXPECT_TRUE(rules.admit(link("b", "c/d")));
  EXPECT_FALSE(rules.admit(link("a/b", "../../c")));
  EXPECT_FALSE(rules.admit(link("b", "../c")));
  EXPECT_FALSE(rules.admit(link("b", "/etc")));
  EXPECT_FALSE(rules.admit(link("b", "")));
  EXPECT_FALSE(rules.admit({ArchiveEntry::Kind::HardLink, "a", "../b", 0}));
  EXPECT_FALSE(rules.admit({ArchiveEntry::Kind::Other, "dev", "", 0}));
  // The folder itself is nothing but a folder.
  for (const char* itself : {"", ".", "./", ".//."}) {
    EXPECT_FALSE(rules.admit(file(itself))) << itself;
    EXPECT_FALSE(rules.admit(link(itself, "a"))) << itself;
    EXPECT_TRUE(rules.admit({ArchiveEntry::Kind::Folder, itself, "", 0})) << itself;
  }
}

TEST(archive_rules, bombs_are_refused) {
  ArchiveRules many({.entries = 2}, 100);
  EXPECT_TRUE(many.admit(file("a")));
  EXPECT_TRUE(many.admit(file("b")));
  EXPECT_FALSE(many.admit(file("c")));
  ArchiveRules large({.bytes = 1000}, 100);
  EXPECT_TRUE(large.grow(1000));
  EXPECT_FALSE(large.grow(1));
  ArchiveRules steep({.expansion = 10, .small = 500}, 100);
  EXPECT_TRUE(steep.grow(500));
  EXPECT_TRUE(steep.grow(500));
  EXPECT_FALSE(steep.grow(200));
}

TEST(frameworks, older_spellings_are_found_and_what_is_gone_says_why) {
  EXPECT_EQ(find_framework("pytorch-onnx 1.1-py 3.6").value().name, "PyTorch");
  EXPECT_EQ(find_framework("pytorch-onnx_1.3-py3.7").value().name, "PyTorch");
  EXPECT_EQ(find_framework("tensorflow_2.1-py3.7").value().name, "tensorflow");
  EXPECT_EQ(find_framework("EDTKERAS").value().name, "edtTensorflow");
  EXPECT_NE(find_framework("ddlCaffe").error().text.find("not available"), std::string::npos);
  auto r = request("--exec-start pytorch-onnx 1.1-py 3.6 --model-main m.py 3.6");
  EXPECT_EQ(r.framework, "pytorch-onnx 1.1-py 3.6");
  EXPECT_EQ(r.words, Words{"3.6"});
  EXPECT_EQ(request("--exec-start PyTorch 0.1 --model-main m.py").words, Words{"0.1"});
}

TEST(frameworks, code_of_the_other_backend_is_refused_by_name) {
  auto torch = find_framework("PyTorch").value(), tensor = find_framework("tensorflow").value();
  EXPECT_FALSE(check_code(torch, "m.py", "import os\n  from tensorflow.keras import x\n"));
  EXPECT_TRUE(check_code(torch, "m.py", "import tensorflow as tf\nimport torch\n"));
  EXPECT_TRUE(check_code(torch, "m.py", "# import tensorflow\nimport tensorflowish\n"));
  EXPECT_EQ(check_code(tensor, "m.py", "import torch\r\n").error().text,
            "framework tensorflow does not fit the code: m.py imports torch and not tensorflow");
  EXPECT_TRUE(check_code(tensor, "m.py", "print(1)\n"));
}

TEST(frameworks, what_does_not_fit_is_refused_with_the_reason) {
  auto fit = [](std::string_view args, Framework framework, bool gpus = false) {
    auto fits = check_fit(request(args), framework, {"/out", "/data", gpus});
    return fits ? "" : fits.error().text;
  };
  auto own = find_framework("distPyTorch").value();
  own.device = "gpu";
  EXPECT_EQ(fit("--exec-start x --model-main m", own),
            "framework distPyTorch: it runs on GPUs only");
  EXPECT_EQ(fit("--exec-start x --model-main m", own, true), "");
  own.device = "cpu";
  EXPECT_NE(fit("--exec-start x --workerDeviceType gpu", own, true), "");
  own.most_workers = 2;
  EXPECT_EQ(fit("--exec-start x --numWorker 3", own),
            "framework distPyTorch: --numWorker 3: at most 2");
  auto torch = find_framework("PyTorch").value();
  EXPECT_EQ(fit("--exec-start x --pbmodel-name VGG16", torch), "");
  EXPECT_NE(fit("--exec-start x --pbmodel-name VGG", torch).find("AlexNet, VGG16"),
            std::string::npos);
  EXPECT_NE(fit("--exec-start x --numPs 1", torch), "");
}

TEST(frameworks, tasks_begin_in_their_environment) {
  auto framework = find_framework("PyTorch").value();
  auto wanted = request("--exec-start PyTorch --model-main m.py");
  auto command = [&] { return bsub_words(wanted, framework, {"/o", "/d"}).value().back(); };
  framework.venv = "/v e";
  EXPECT_EQ(command(), ". '/v e/bin/activate' && python3 m.py");
  framework.venv.clear();
  framework.env_modules = {"cuda/12"};
  EXPECT_EQ(
      command(),
      ". \"${MODULESHOME:-/usr/share/modules}/init/sh\" && module load cuda/12 && python3 m.py");
  framework.env_modules.clear();
  wanted.conda_env = "e";
  EXPECT_FALSE(bsub_words(wanted, framework, {"/o", "/d"}));
  wanted.conda_home = "/c";
  EXPECT_EQ(command(), ". /c/etc/profile.d/conda.sh && conda activate e && python3 m.py");
  EXPECT_EQ(
      line(request("--exec-start PyTorch --pbmodel-name MNIST --pbmodel-cmd train --epochs 2")),
      "bsub -app training -J SingleNodePytorchTrain -n 1 -o /out python3 -m wm_prebuilt MNIST "
      "--epochs 2");
}

TEST(frameworks, distributed_tensorflow_is_groups_of_tasks) {
  auto wanted = request(
      "--exec-start disttensorflow --numPs 1 --numWorker 2 --workerDeviceType cpu "
      "--workerMemory 1g --model-main m.py");
  auto framework = find_framework("disttensorflow").value();
  auto groups = task_groups(wanted, framework, {"/o", "/d"}).value();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].role, "worker");  // its end is the job's
  EXPECT_EQ(groups[1].role, "ps");
  EXPECT_EQ(groups[0].min_tasks, 2u);
  EXPECT_EQ(groups[0].resreq, "rusage[mem=1024M]");
  EXPECT_EQ(groups[0].command, "python3 m.py");
  auto words = bsub_words(wanted, framework, {"/o", "/d"}).value();
  EXPECT_TRUE(words.back().starts_with("-spec - <<")) << words.back();
  EXPECT_TRUE(task_groups(wanted, find_framework("PyTorch").value(), {"/o", "/d"}).value().empty());
  wanted.parameter_servers = "x";
  EXPECT_FALSE(task_groups(wanted, framework, {"/o", "/d"}));
}

TEST(frameworks,
     servers_of_an_elastic_training_are_tasks_of_their_own_and_its_workers_come_and_go) {
  auto wanted = request("--exec-start edtPyTorch --numPs 2 --numWorker 4 --model-main m.py");
  auto framework = find_framework("edtPyTorch").value();
  EXPECT_TRUE(check_fit(wanted, framework, {"/o", "/d"}));
  auto groups = task_groups(wanted, framework, {"/o", "/d", true}).value();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_TRUE(groups[0].elastic);
  EXPECT_EQ(groups[0].min_tasks, 1u);
  EXPECT_EQ(groups[0].max_tasks, 4u);
  EXPECT_NE(groups[0].gpu, "");
  EXPECT_EQ(groups[1].name, "ps");
  EXPECT_EQ(groups[1].min_tasks, 2u);
  EXPECT_EQ(groups[1].max_tasks, 2u);
  EXPECT_EQ(groups[1].gpu, "");  // on CPUs alone
  EXPECT_EQ(groups[1].restart, Restart::Independent);
  auto words = bsub_words(wanted, framework, {"/o", "/d"}).value();
  EXPECT_EQ(std::ranges::count(words, "-ar"), 0);
  EXPECT_NE(words.back().find(R"("elastic":true)"), std::string::npos);
  for (const char* one : {R"("min":1)", R"("max":4)"})
    EXPECT_NE(words.back().find(one), std::string::npos) << words.back();
  EXPECT_NE(words.back().find(R"("restart":"independent")"), std::string::npos);
  EXPECT_NE(words.back().find(R"("tasks":2)"), std::string::npos);
  auto told = [&] {
    auto job = job_request(wanted, framework, {"/o", "/d"}).value();
    for (const auto& [name, value] : job.environment)
      if (name == "WM_PARAMETER_SERVERS") return value;
    return std::string();
  };
  EXPECT_EQ(told(), "2");
  wanted.parameter_servers = "0";
  EXPECT_EQ(told(), "");
  EXPECT_TRUE(task_groups(wanted, framework, {"/o", "/d"}).value().empty());
  wanted.parameter_servers = "1001";
  EXPECT_FALSE(job_request(wanted, framework, {"/o", "/d"}));
}

TEST(frameworks, a_client_installs_one_of_its_own) {
  auto own = parse_framework(
      R"({"name":"XGboost","desc":["trees"],"appName":"dlicmdXGboost","maxWorkers":4,"execMode":"distributed","exports":{"A":"1"}})",
      frameworks());
  ASSERT_TRUE(own);
  EXPECT_EQ(own->summary, "trees");
  EXPECT_EQ(own->most_workers, 4u);
  EXPECT_TRUE(own->distributed);
  EXPECT_TRUE(own->module.empty());
  EXPECT_EQ(parse_framework(R"({"name":"t","like":"PyTorch"})", frameworks()).value().module,
            "torch");
  for (auto bad : {"[]", "{}", R"({"name":"../x"})", R"({"name":"x","maxWorkers":-1})",
                   R"({"name":"x","desc":1})", R"({"name":"x","like":"none"})",
                   R"({"name":"x","device":"tpu"})", R"({"name":"x","exports":{"A":1}})"})
    EXPECT_FALSE(parse_framework(bad, frameworks())) << bad;
}

TEST(hardware, names_and_slices_become_requests) {
  ExecRequest r = request("--exec-start PyTorch --model-main m.py");
  ASSERT_TRUE(add_exec_data(
      R"({"hardwareSpec":{"nodes":{"gpu":{"num_gpu":1,"kind":"Slice","mig_profile":"1g.10gb"}}},
          "dataSource":[{"type":"fs","location":{"volume":"cpd::digits","paths":"a"}}]})",
      r));
  EXPECT_EQ(r.volume, "digits");
  EXPECT_NE(line(r).find("-gpu num=1:mig=1g.10gb"), std::string::npos) << line(r);
  r.data_root = "/vol";
  EXPECT_NE(line(r).find("DATA_DIR=/vol/a"), std::string::npos);
  ExecRequest open = request("--exec-start PyTorch --model-main m.py");
  EXPECT_FALSE(
      add_exec_data(R"({"hardwareSpec":{"nodes":{"gpu":{"num_gpu":1,"kind":"slice"}}}})", open));
  ExecRequest named = request("--exec-start PyTorch --model-main m.py");
  ASSERT_TRUE(add_exec_data(R"({"hardwareSpec":{"name":"small"}})", named));
  EXPECT_EQ(named.hardware, "small");
  use_hardware({"small", "", 3, "2G", 0}, named);
  EXPECT_NE(line(named, true).find("affinity[core(3)]"), std::string::npos) << line(named, true);
}

}  // namespace
}  // namespace wm::rest
