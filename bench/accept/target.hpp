// The speed that a machine must reach to be accepted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine/machine.hpp"
#include "bench/plan/plan.hpp"
#include "bench/result/thresholds.hpp"

namespace spex::bench {

/// A machine whose speeds are shipped in bench/peers.json.
struct Peer {
  std::string name;   ///< as --against names it: h100
  std::string about;  ///< machine, commit and date of the measurement
  std::string gpu;    ///< part of the model's name; empty: a peer without GPUs
  std::string cpu;    ///< part of the model's name, of a peer without GPUs
  int gpus = 0, cpus = 0;
  Thresholds entries;  ///< required of a machine of this kind, by entry of the shipped plan
};

/// All shipped peers; `path` is that of bench/peers.json. Throws Error(usage) if the file is wrong.
[[nodiscard]] std::vector<Peer> read_peers(const std::string& path);

/// The peer with this machine's GPUs, otherwise one with a single GPU of the same model; the peer
/// with its CPUs if it has no GPU. Nothing if there is none.
[[nodiscard]] std::optional<Peer> peer_of(const Machine& machine, const std::vector<Peer>& peers);

struct Target {
  std::string text;  ///< "an exposure of 30 frames within 900 s", one line
  Thresholds thresholds;
};

/// A target as typed: the time of an exposure of 30 frames ("15min", "900s", "0.25h"), or frames
/// per node-hour ("20000FPNH"). A long run must reach the same rate over all of its frames. Throws
/// Error(usage) for anything else, also for a number without a unit.
[[nodiscard]] Target target_of_words(const std::string& words, const Plan& plan);

/// The speeds of a shipped peer, of a result file, or of a folder of results, by the entries' ids.
/// An exposure must also be done within 15 minutes. Throws Error(usage) if `against` is neither, or
/// has no speed for any entry of the plan.
[[nodiscard]] Target target_against(const std::string& against, const std::vector<Peer>& peers,
                                    const Plan& plan);

/// The target without --target and --against: the peer of this machine, otherwise 15 minutes.
[[nodiscard]] Target default_target(const Machine& machine, const std::vector<Peer>& peers,
                                    const Plan& plan);

}  // namespace spex::bench
