// Which CPUs lie beside which devices of a node, and which rank takes which device.
#pragma once

#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// Numbers of CPUs, ascending, as Linux counts them.
using Cpus = std::vector<int>;

/// "0-2,8" of sysfs as numbers; empty where the text is no such list.
[[nodiscard]] Cpus parse_cpus(const std::string& text);
/// The other way.
[[nodiscard]] std::string to_text(const Cpus& cpus);

/// Those that this thread may run on; empty where the system does not say.
[[nodiscard]] Cpus allowed_cpus();
/// Lets this thread, and those that it makes from now on, run on `cpus` alone. False where the
/// system refuses.
bool bind_to(const Cpus& cpus);

/// CPUs of the NUMA domain of the PCI device `bus_id` ("0000:c1:00.0"), by `sysfs`; empty where it
/// is not known.
[[nodiscard]] Cpus cpus_beside(const std::string& bus_id, const std::string& sysfs = "/sys");

/// `allowed`, as far as it is beside the devices, each of which has the CPUs of an element of
/// `beside`. All of `allowed` where nothing of it is, or where a device's CPUs are not known.
[[nodiscard]] Cpus nearest_cpus(const Cpus& allowed, const std::vector<Cpus>& beside);

/// The devices of every rank of a node, of which rank r may run on `ranks[r]` and device d is
/// beside `devices[d]`. Every rank has one, and where there are more devices than ranks all are
/// dealt out. In their order ranks take, of the devices that the fewest have, the one of whose CPUs
/// they have the largest part, and the first of several: ranks that are not bound take them in
/// turn.
[[nodiscard]] std::vector<std::vector<int>> deal_devices(const std::vector<Cpus>& ranks,
                                                         const std::vector<Cpus>& devices);

/// allowed_cpus of all ranks of `node`, by rank. Collective.
[[nodiscard]] std::vector<Cpus> gather_allowed_cpus(const Communicator& node);

}  // namespace spex::mpi
