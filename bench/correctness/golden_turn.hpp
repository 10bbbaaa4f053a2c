// Whose turn it is with golden frames that several campaigns on one machine share.
#pragma once

#include <string>

namespace spex::bench {

/// Keeps the other campaigns on this machine from the golden frames beside the list of cases while
/// it lives: one that reads them must not look like a program that opens what it is held to. What
/// else opens them does. By a lock of their folder, which nothing need be written for.
class GoldenTurn {
 public:
  /// Waits until no other one has the folder, and says so. Goes on without where the folder has no
  /// locks, after half an hour, and where this program is told to end.
  explicit GoldenTurn(const std::string& cases);
  GoldenTurn(const GoldenTurn&) = delete;
  GoldenTurn& operator=(const GoldenTurn&) = delete;
  ~GoldenTurn();

 private:
  int folder_ = -1;  // a descriptor
};

}  // namespace spex::bench
