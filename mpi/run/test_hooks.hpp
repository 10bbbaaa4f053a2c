// Faults and delays on demand, for tests of how a run bears them. Set by the environment:
//
//   SPEX_FAULT=STAGE:CAMERA[:RANK]   STAGE is read, extract or write (std::runtime_error there),
//                                    memory (std::bad_alloc in the extraction), or gather
//                                    (std::runtime_error where the other ranks already wait for
//                                    this one's results); on every rank that comes there, or on
//                                    RANK of the world alone
//   SPEX_DELAY=STAGE:CAMERA:MS       sleeps MS milliseconds at the start of read, extract or write;
//                                    CAMERA may be `all`
//
// Neither is meant for anything else.
#pragma once

#include <optional>
#include <string>

namespace spex::mpi {

/// Faults and delays that tests ask for by environment variables; see above.
class TestHooks {
 public:
  /// None.
  TestHooks() = default;
  /// Those of the environment, for rank `rank` of the world. Throws Error(usage) where a variable
  /// does not have the form above.
  [[nodiscard]] static TestHooks from_environment(int rank);

  /// Sleeps and throws as asked for at this stage of this camera's frame.
  void at(const std::string& stage, const std::string& camera) const;

 private:
  struct Fault {
    std::string stage;
    std::string camera;
  };
  struct Delay {
    std::string stage;
    std::string camera;
    int milliseconds = 0;
  };
  std::optional<Fault> fault_;
  std::optional<Delay> delay_;
};

}  // namespace spex::mpi
