#include "libwm/kernel/wmserve.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/clock.h"
#include "libwm/kernel/routers.h"

using wm::kernel::Handed;
using wm::kernel::Routers;

/// See wmserve.h.
struct wm_kernel {
  std::unique_ptr<Routers> routers;
};

/// See wmserve.h.
struct wm_batch {
  Handed handed;
  wm::serve::Answers answers;
  std::vector<bool> sent;
};

namespace {

thread_local std::string last_error;
Routers* volatile leaves_on_term = nullptr;

void on_term(int) {
  if (Routers* routers = leaves_on_term) routers->leave();
}

void set_answer(wm_batch& batch, std::size_t task, bool fine, std::string data) {
  auto id = batch.handed.batch.tasks[task].id;
  for (auto& answer : batch.answers.tasks)
    if (answer.id == id) {
      answer.fine = fine;
      answer.data = std::move(data);
      return;
    }
  batch.answers.tasks.push_back({id, fine, std::move(data)});
}

// What runs the kernel (serve::kernel_runner) ends it where it never comes so far.
void tell_it_reports() {
  const char* told = std::getenv("WM_KERNEL_REPORTS");
  int fd = told == nullptr ? -1 : std::atoi(told);
  if (fd < 3) return;
  [[maybe_unused]] auto n = ::write(fd, "1", 1);
  ::close(fd);
  ::unsetenv("WM_KERNEL_REPORTS");
}

}  // namespace

wm_kernel* wm_kernel_open(const char* folder, const char* instance, double patience) {
  auto limit = wm::Duration(static_cast<std::int64_t>(patience * 1e6));
  auto routers = Routers::open({folder, instance, limit});
  if (routers) {
    tell_it_reports();
    return new wm_kernel{std::move(*routers)};
  }
  last_error = routers.error().text;
  return nullptr;
}

const char* wm_kernel_error(void) { return last_error.c_str(); }

void wm_kernel_leave_on_term(wm_kernel* kernel) {
  leaves_on_term = kernel->routers.get();
  struct sigaction action {};
  action.sa_handler = on_term;
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);  // the first of what ends a job
}

void wm_kernel_leave(wm_kernel* kernel) { kernel->routers->leave(); }

void wm_kernel_close(wm_kernel* kernel) {
  if (kernel != nullptr && leaves_on_term == kernel->routers.get()) leaves_on_term = nullptr;
  delete kernel;
}

uint32_t wm_kernel_workers(const wm_kernel* kernel) { return kernel->routers->workers(); }

int wm_kernel_next(wm_kernel* kernel, wm_batch** batch) {
  auto handed = kernel->routers->next();
  if (!handed) {
    last_error = handed.error().text;
    return -1;
  }
  if (!*handed) return 0;
  auto size = (*handed)->batch.tasks.size();
  auto id = (*handed)->batch.id;
  *batch = new wm_batch{std::move(**handed), {id, true, 0, {}}, std::vector<bool>(size)};
  return 1;
}

size_t wm_batch_size(const wm_batch* batch) { return batch->handed.batch.tasks.size(); }

uint64_t wm_batch_task(const wm_batch* batch, size_t task) {
  return batch->handed.batch.tasks[task].id;
}

const char* wm_batch_data(const wm_batch* batch, size_t task, size_t* size) {
  const auto& data = batch->handed.batch.tasks[task].data;
  *size = data.size();
  return data.data();
}

void wm_batch_answer(wm_batch* batch, size_t task, int fine, const char* data, size_t size) {
  if (!batch->sent[task]) set_answer(*batch, task, fine != 0, std::string(data, size));
}

void wm_batch_ready(wm_batch* batch, size_t task, const char* data, size_t size) {
  if (batch->sent[task]) return;
  auto id = batch->handed.batch.tasks[task].id;
  std::erase_if(batch->answers.tasks, [id](const auto& answer) { return answer.id == id; });
  batch->sent[task] = true;
  batch->handed.link->say(batch->handed.connection,
                          {batch->answers.batch, false, 0, {{id, true, std::string(data, size)}}});
}

void wm_batch_done(wm_batch* batch) {
  auto now = wm::steady_now();
  auto busy = std::chrono::duration_cast<wm::Duration>(now - batch->handed.at).count();
  batch->answers.busy_us = static_cast<std::uint64_t>(busy);
  batch->handed.link->say(batch->handed.connection, batch->answers);
  delete batch;
}
