// The first frame must be a hello, which names the task, or a reporter's progress. A task that
// connects again takes its older connection's place.
#include "daemons/wagent/elastic/worker_port.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/model/node/worker_key.h"
#include "libwm/proc/channel.h"

namespace wm::wagent {

WorkerPort::WorkerPort(boost::asio::io_context& loop, std::string key, OnWords on_words,
                       OnGone on_gone)
    : loop_(loop),
      door_(loop,
            [this](auto socket) {
              admit(std::make_shared<frames::Stream>(std::move(socket), kLocalLimits));
            }),
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

void WorkerPort::admit(std::shared_ptr<frames::Stream> stream) {
  if (auto peer = stream->peer(); !is_of_job(peer)) {
    log::warn("worker_refused", {{"uid", peer.uid}, {"expected", ::geteuid()}});
    return stream->close();
  }
  frames::Stream* key = stream.get();
  open_[key] = stream;
  stream->start([this, key](const std::string& payload) { take(open_.at(key), payload); },
                [this, key] {
                  names_.erase(key);
                  open_.erase(key);
                });
}

/// `stream` is a copy: the one that called may be forgotten here.
void WorkerPort::take(std::shared_ptr<frames::Stream> stream, std::string_view payload) {
  auto words = codec::decode<FromWorker>(payload);
  auto* hello = words ? std::get_if<WorkerHello>(&*words) : nullptr;
  auto name = names_.find(stream.get());
  bool nameless = name == names_.end();
  if (nameless && words && std::holds_alternative<WorkerProgress>(*words))
    return on_words_({TaskNumber{}, std::move(*words)});
  if (!words || (nameless && (hello == nullptr || !hello->task))) {
    log::warn("worker_closed", {{"reason", words ? "no hello" : words.error().text}});
    names_.erase(stream.get());
    open_.erase(stream.get());
    return stream->close();
  }
  TaskNumber task = hello != nullptr ? greet(stream, *hello) : name->second;
  on_words_({task, std::move(*words)});
}

TaskNumber WorkerPort::greet(const std::shared_ptr<frames::Stream>& stream,
                             const WorkerHello& hello) {
  Worker& worker = workers_[hello.task];
  if (worker.stream && worker.stream != stream) {
    worker.stream->drain();
    names_.erase(worker.stream.get());
    open_.erase(worker.stream.get());
    worker.stream->close();
  }
  names_[stream.get()] = hello.task;
  worker.stream = stream;
  stream->send(codec::encode(WorkerKey{key_}));
  if (!worker.process) watch(hello.task, stream->peer().pid);
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
  if (worker == workers_.end() || !worker->second.stream) return;
  worker->second.stream->send(codec::encode(words));
}

void WorkerPort::drain(TaskNumber task) {
  auto worker = workers_.find(task);
  if (worker == workers_.end() || !worker->second.stream) return;
  auto stream = worker->second.stream;
  stream->drain();
}

}  // namespace wm::wagent
