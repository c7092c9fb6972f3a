// nccl_train: elastic data-parallel training in C++ over NCCL and the C ABI of libwmtrainer: a
// linear regression by SGD in float64. Every resize keeps it going without a lost step; the
// parameters equal those of one process, which it checks itself at the end (on rank 0).
//
//   bsub -app training -ar -n 1,4 -gpu num=1 ./nccl_train --steps 2000
//
// Outside WM it trains alone. Rules W-1 to W-12 of libwm/elastic/PROTOCOL.md are named where
// they are kept. Two threads: one hears the agent and builds planned communicators beside the
// one in use, the other trains and swaps them at step boundaries.
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>

#include "test/examples/nccl_group.cuh"

namespace example {
namespace {

constexpr int kWeights = 64, kFlags = 3;  // W-5's three numbers ride along with the gradient
constexpr std::uint64_t kSamples = 1009, kBatch = 64, kSeed = 7;
constexpr double kRate = 0.05;

// Feature j of sample k, in [-1, 1): the same on every device and host.
__host__ __device__ double feature(std::uint64_t k, int j) {
  std::uint64_t x = (k * 64 + static_cast<std::uint64_t>(j) + 1) * 0x9e3779b97f4a7c15ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 32;
  return static_cast<double>(x >> 11) * (1.0 / (1ull << 52)) - 1.0;
}
__host__ __device__ double target(std::uint64_t k) {
  double sum = 0;
  for (int j = 0; j < kWeights; ++j) sum += feature(k, j) * (j % 7 - 3);
  return sum;
}

// One block a weight: the sum of its gradients over this member's samples, in sample order.
__global__ void gradient_of(const double* weights, const std::uint64_t* samples, int count,
                            double* gradient) {
  int j = static_cast<int>(threadIdx.x);
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    double error = -target(samples[i]);
    for (int w = 0; w < kWeights; ++w) error += weights[w] * feature(samples[i], w);
    sum += error * feature(samples[i], j);
  }
  gradient[j] = sum;
}

__global__ void apply(double* weights, const double* gradient, double scale) {
  weights[threadIdx.x] -= scale * gradient[threadIdx.x];
}

// Where a step stands in the passes over the data; follows from its number alone.
struct Take {
  std::uint64_t pass, begin, count;
};
Take take_of(std::uint64_t step) {
  constexpr std::uint64_t kPerPass = (kSamples + kBatch - 1) / kBatch;
  std::uint64_t begin = step % kPerPass * kBatch;
  return {step / kPerPass, begin, std::min(kBatch, kSamples - begin)};
}

class Trainer {
 public:
  Trainer(wm_trainer* link, std::uint32_t task)
      : member_(link, task), weights_(kWeights), sum_(kWeights + kFlags), samples_(kBatch) {
    weights_.fill(std::vector<double>(kWeights, 0.0));
    must(cudaStreamCreate(&stream_), "creating a stream");
  }

  // True: trained to the end. False: this member left.
  bool train(std::uint64_t steps, wm_records* records) {
    while (step_ < steps) {
      if (!group_ && !enter(member_.wait_group(step_))) continue;
      if (member_.leaves() || !member_.stand()) return false;
      if (!step(records)) {
        member_.fault(*group_, step_);
        group_.reset();
      } else if (agreed_ && !swap()) {
        return false;
      }
    }
    member_.done(step_);
    return true;
  }
  bool is_first() const { return !group_ || group_->rank == 0; }

  // The same training in one process on the host: the largest relative difference.
  double difference(std::uint64_t steps) const {
    std::vector<double> w(kWeights, 0.0), mine = weights_.read();
    wm_ledger ledger{kSamples, kSeed, 1};
    for (std::uint64_t s = 0; s < steps; ++s) {
      Take take = take_of(s);
      std::vector<std::uint64_t> ids(take.count);
      wm_ledger_samples(&ledger, take.pass, take.begin, take.count, ids.data(), nullptr);
      std::vector<double> g(kWeights, 0.0);
      for (auto id : ids) {
        double error = -target(id);
        for (int j = 0; j < kWeights; ++j) error += w[j] * feature(id, j);
        for (int j = 0; j < kWeights; ++j) g[j] += error * feature(id, j);
      }
      for (int j = 0; j < kWeights; ++j) w[j] -= kRate / static_cast<double>(take.count) * g[j];
    }
    double worst = 0;
    for (int j = 0; j < kWeights; ++j)
      worst = std::max(worst, std::fabs(w[j] - mine[j]) / std::max(1.0, std::fabs(w[j])));
    return worst;
  }

 private:
  // W-6: the member with most steps gives its state to those with less.
  bool enter(std::unique_ptr<Group> group) {
    if (!group) return false;
    std::vector<double> own{group->has_state ? static_cast<double>(step_ + 1) : 0.0};
    auto all = gather(*group, own[0], stream_);
    if (all.empty()) {
      member_.fault(*group, step_);
      return false;
    }
    int source = static_cast<int>(std::max_element(all.begin(), all.end()) - all.begin());
    if (group->comm &&
        (ncclBroadcast(weights_.get(), weights_.get(), kWeights, ncclDouble, source, group->comm,
                       stream_) != ncclSuccess ||
         !finish(*group, stream_))) {
      member_.fault(*group, step_);
      return false;
    }
    if (all[static_cast<std::size_t>(source)] > 0)
      step_ = static_cast<std::uint64_t>(all[static_cast<std::size_t>(source)]) - 1;
    group_ = std::move(group);
    member_.entered(*group_, step_);
    return true;
  }

  // One optimizer step; false when the group broke before it was applied here.
  bool step(wm_records* records) {
    std::int64_t from = now_ns();
    Take take = take_of(step_);
    std::uint64_t first = 0, count = 0;
    wm_part(take.count, static_cast<std::uint64_t>(group_->world),
            static_cast<std::uint64_t>(group_->rank), &first, &count);
    wm_ledger ledger{kSamples, kSeed, 1};
    std::vector<std::uint64_t> ids(count);
    wm_ledger_samples(&ledger, take.pass, take.begin + first, count, ids.data(), nullptr);
    samples_.fill(ids);
    gradient_of<<<1, kWeights, 0, stream_>>>(weights_.get(), samples_.get(),
                                             static_cast<int>(count), sum_.get());
    auto offer = member_.offer();
    must(cudaMemcpyAsync(sum_.get() + kWeights, offer.data(), sizeof(double) * kFlags,
                         cudaMemcpyHostToDevice, stream_),
         "copying to the device");
    if (!reduce(*group_, sum_.get(), kWeights + kFlags, stream_)) return false;
    apply<<<1, kWeights, 0, stream_>>>(weights_.get(), sum_.get(),
                                       kRate / static_cast<double>(take.count));
    must(cudaMemcpyAsync(offer.data(), sum_.get() + kWeights, sizeof(double) * kFlags,
                         cudaMemcpyDeviceToHost, stream_),
         "copying from the device");
    must(cudaStreamSynchronize(stream_), "applying the step");
    ++step_;
    agreed_ = offer[0] == group_->world && group_->world * offer[2] == offer[1] * offer[1];
    wm_step record{step_, group_->epoch, static_cast<std::uint32_t>(group_->world), take.count,
                   from, now_ns(), static_cast<std::uint32_t>(take.pass), take.begin,
                   take.begin + take.count, first, count};
    std::int64_t pause = -1;
    wm_records_step(records, &record, &pause);
    if (pause >= 0) member_.paused(*group_, step_, pause);
    return true;
  }

  // W-5, W-6: all agreed in that step. False: this member has left.
  bool swap() {
    agreed_ = false;
    auto next = member_.take();
    if (!next) return true;
    auto old = std::move(group_);
    if (next->leaver) {
      member_.left(*old);
      return false;
    }
    enter(std::move(next));
    return true;
  }

  Member member_;
  DeviceArray<double> weights_, sum_;
  DeviceArray<std::uint64_t> samples_;
  cudaStream_t stream_ = nullptr;
  std::unique_ptr<Group> group_;
  std::uint64_t step_ = 0;
  bool agreed_ = false;
};

int run(std::uint64_t steps) {
  devices_or_skip("nccl_train");
  must(cudaSetDevice(0), "choosing the device");
  const char* task = std::getenv("WM_TASK");
  wm_trainer* link = nullptr;
  if (wm_trainer_open(std::getenv("WM_ELASTIC_SOCKET"), task ? std::atoi(task) : 0, 0, &link) != 0)
    wm::gpu::die("opening the link", wm_trainer_error());
  wm_records* records = nullptr;
  if (wm_records_open(std::getenv("LOG_DIR"), &records) != 0)
    wm::gpu::die("opening the records", wm_trainer_error());
  int status = 0;
  {
    Trainer trainer(link, task ? static_cast<std::uint32_t>(std::atoi(task)) : 0);
    if (trainer.train(steps, records) && trainer.is_first()) {
      double worst = trainer.difference(steps);
      std::printf("nccl_train: %llu steps, differs from one process by %.2e\n",
                  static_cast<unsigned long long>(steps), worst);
      status = worst < 1e-9 ? 0 : wm::gpu::kFailed;
    }
  }
  wm_records_close(records);
  wm_trainer_close(link);
  return status;
}

}  // namespace
}  // namespace example

int main(int argc, char** argv) {
  long steps = 200;
  if (argc == 3 && std::strcmp(argv[1], "--steps") == 0)
    steps = wm::gpu::number_or_usage("nccl_train", "--steps", argv[2]);
  return example::run(static_cast<std::uint64_t>(steps));
}
