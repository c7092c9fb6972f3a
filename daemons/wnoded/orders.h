// Role: takes the master's orders about attempts: a new one is authorised, a changed one takes the
// place of the one before, one that is stale or that its user did not sign is refused.
//
// Invariants: orders are declarative, a repeat changes nothing; an attempt older than one known is
// refused; a lower generation than one seen is ignored; what was signed anew holds once it is
// proven.
#pragma once

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/gpu_care.h"
#include "daemons/wnoded/master_session.h"
#include "daemons/wnoded/own_host.h"
#include "daemons/wnoded/steering.h"

namespace wm::node {

/// @thread the loop's
class Orders {
 public:
  /// `host`: what its own files say of folders and scripts is put there whenever a job is
  /// authorised.
  Orders(OwnHost& host, Attempts& attempts, MasterSession& session, GpuCare& gpus,
         Steering& steering)
      : host_(host), attempts_(attempts), session_(session), gpus_(gpus), steering_(steering) {}

  /// What is to run of an attempt.
  void on_order(HostOrder order);
  /// The master does not know these attempts, or none of them any more: what runs ends, and no
  /// facts about them are told. @cost O(attempts)
  void on_forget(const HostForget& words);
  /// A signal for all tasks of an attempt.
  void on_signal(const HostSignal& words);
  /// Says which order a running attempt has, without its script, environment and data.
  void on_recall(const HostRecall& asked);
  /// Asks who the account of an adopted attempt is, so that its order may be followed.
  void authorise_adopted(const LocalAttempt& attempt);

 private:
  void take_up(LocalAttempt& attempt, HostOrder order);
  void on_authorised(LocalAttempt& attempt, const Result<Authorised>& permit);
  void grant(LocalAttempt& attempt, const Authorised& permit);
  void authorise_anew(const LocalAttempt& attempt, HostOrder order);
  void take_over(LocalAttempt& attempt, HostOrder order);

  OwnHost& host_;
  Attempts& attempts_;
  MasterSession& session_;
  GpuCare& gpus_;
  Steering& steering_;
};

}  // namespace wm::node
