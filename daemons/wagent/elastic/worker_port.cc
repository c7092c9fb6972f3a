// The first frame must be a hello, which names the task, or a reporter's progress. A task that
// connects again takes its older connection's place.
#include "daemons/wagent/elastic/worker_port.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/model/worker_key.h"
#include "libwm/proc/channel.h"

namespace wm::wagent {

WorkerPort::WorkerPort(boost::asio::io_context& loop, std::string key, OnWords on_words,
                       OnGone on_gone)
    : loop_(loop),
      door_(loop, [this](auto socket) { admit(std::make_shared<Frames>(std::move(socket))); }),
      key_(std::move(key)),
      on_words_(std::move(on_words)),
      on_gone_(std::move(on_gone)) {}

WorkerPort::~WorkerPort() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Result<void> WorkerPort::listen(const std::string& path) {
  WM_TRY(auto fd, proc::listen_unix(path));
  door_.open(fd.release());
  path_ = path;
  return {};
}

void WorkerPort::admit(std::shared_ptr<Frames> frames) {
  auto uid = frames->peer().uid;
  if (uid != ::geteuid() && uid != 0) {
    log::warn("worker_refused", {{"uid", uid}, {"expected", ::geteuid()}});
    return frames->close();
  }
  Frames* key = frames.get();
  open_[key] = frames;
  frames->start([this, key](std::string_view payload) { take(open_.at(key), payload); },
                [this, key] {
                  names_.erase(key);
                  open_.erase(key);
                });
}

/// `frames` is a copy: the one that called may be forgotten here.
void WorkerPort::take(std::shared_ptr<Frames> frames, std::string_view payload) {
  auto words = codec::decode<FromWorker>(payload);
  auto* hello = words ? std::get_if<WorkerHello>(&*words) : nullptr;
  auto name = names_.find(frames.get());
  bool nameless = name == names_.end();
  if (nameless && words && std::holds_alternative<WorkerProgress>(*words))
    return on_words_({TaskNumber{}, std::move(*words)});
  if (!words || (nameless && (hello == nullptr || !hello->task))) {
    log::warn("worker_closed", {{"reason", words ? "no hello" : words.error().text}});
    names_.erase(frames.get());
    open_.erase(frames.get());
    return frames->close();
  }
  TaskNumber task = hello != nullptr ? greet(frames, *hello) : name->second;
  on_words_({task, std::move(*words)});
}

TaskNumber WorkerPort::greet(const std::shared_ptr<Frames>& frames, const WorkerHello& hello) {
  Worker& worker = workers_[hello.task];
  if (worker.frames && worker.frames != frames) {
    worker.frames->drain();
    names_.erase(worker.frames.get());
    open_.erase(worker.frames.get());
    worker.frames->close();
  }
  names_[frames.get()] = hello.task;
  worker.frames = frames;
  frames->send(codec::encode(WorkerKey{key_}));
  if (!worker.process) watch(hello.task, frames->peer().pid);
  return hello.task;
}

void WorkerPort::watch(TaskNumber task, int pid) {
  int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (fd < 0) return;  // it has ended already: wnoded will say so
  auto& process = workers_[task].process;
  process = std::make_unique<boost::asio::posix::stream_descriptor>(loop_, fd);
  process->async_wait(boost::asio::posix::stream_descriptor::wait_read,
                      [this, task](const auto& error) {
                        if (error) return;
                        drain(task);
                        on_gone_({task, "its process ended"});
                      });
}

void WorkerPort::send(TaskNumber task, const ToWorker& words) {
  auto worker = workers_.find(task);
  if (worker == workers_.end() || !worker->second.frames) return;
  worker->second.frames->send(codec::encode(words));
}

void WorkerPort::drain(TaskNumber task) {
  auto worker = workers_.find(task);
  if (worker == workers_.end() || !worker->second.frames) return;
  auto frames = worker->second.frames;
  frames->drain();
}

}  // namespace wm::wagent
