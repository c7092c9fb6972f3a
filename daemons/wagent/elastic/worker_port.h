// Role: where the workers of this host connect (PROTOCOL link 2): a unix socket, one connection
// a worker, and a watch on each worker's process, so that its end is known in milliseconds
// whatever wnoded does.
//
// Invariants: only the job's own user is admitted; a task's last words are delivered before its
// end; a reporter (W-13) has no task, and nothing of it is taken but its progress. Called by
// ElasticBody.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "daemons/wagent/frames.h"
#include "libwm/base/result.h"
#include "libwm/model/elastic.h"
#include "libwm/wire/local_door.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's
class WorkerPort {
 public:
  using OnWords = std::function<void(const WorkerSaid&)>;  // of a reporter without a task
  using OnGone = std::function<void(const TaskGone&)>;

  /// `key`: what each worker is told after its hello (model/node/worker_key.h).
  WorkerPort(boost::asio::io_context& loop, std::string key, OnWords on_words, OnGone on_gone);
  ~WorkerPort();

  /// Binds `path`, replacing what is left of a former agent. @errors as proc::listen_unix
  Result<void> listen(const std::string& path);
  /// Passes words on; dropped when the task has no connection.
  void send(TaskNumber task, const ToWorker& words);
  /// Delivers the task's last words now: its process has ended.
  void drain(TaskNumber task);

 private:
  struct Worker {
    std::shared_ptr<frames::Stream> stream;
    std::unique_ptr<boost::asio::posix::stream_descriptor> process;  ///< pidfd
  };
  void admit(std::shared_ptr<frames::Stream> stream);
  void take(std::shared_ptr<frames::Stream> stream, std::string_view payload);
  TaskNumber greet(const std::shared_ptr<frames::Stream>& stream, const WorkerHello& hello);
  void watch(TaskNumber task, int pid);

  boost::asio::io_context& loop_;
  wire::LocalDoor door_;
  const std::string key_;
  OnWords on_words_;
  OnGone on_gone_;
  std::string path_;
  std::map<frames::Stream*, TaskNumber> names_;  ///< connections that have said hello
  std::map<TaskNumber, Worker> workers_;
  std::map<frames::Stream*, std::shared_ptr<frames::Stream>> open_;
};

}  // namespace wm::wagent
