// CPU affinity: local CPUs of devices, and the assignment of devices to ranks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "mpi/comm/environment.hpp"

namespace spex::mpi {

/// CPU numbers, ascending, as Linux counts them.
using Cpus = std::vector<int>;

/// Parses a CPU list of sysfs such as "0-2,8"; empty if the text is not a list.
[[nodiscard]] Cpus parse_cpus(const std::string& text);
/// Formats a CPU list.
[[nodiscard]] std::string to_text(const Cpus& cpus);

/// The CPUs of this thread's affinity mask; empty if unknown.
[[nodiscard]] Cpus allowed_cpus();
/// The number of CPUs for `rank`, at least 1, where rank r may run on `ranks[r]`: ranks that may
/// run on the same CPU share it evenly. 1 if the rank's CPUs are unknown.
[[nodiscard]] int share_of_cpus(const std::vector<Cpus>& ranks, std::size_t rank);
/// This rank's share of the CPUs that the ranks of `node` may use. Collective.
[[nodiscard]] int share_of_cpus(const Communicator& node);
/// Restricts this thread, and threads that it starts later, to `cpus`. Returns false if the system
/// refuses.
bool bind_to(const Cpus& cpus);

/// The CPUs of the NUMA domain of the PCI device `bus_id` ("0000:c1:00.0"), from `sysfs`; empty if
/// unknown.
[[nodiscard]] Cpus cpus_beside(const std::string& bus_id, const std::string& sysfs = "/sys");

/// The CPUs in `allowed` that are local to the devices; element d of `beside` lists the CPUs of
/// device d. Returns `allowed` if the intersection is empty or a device's CPUs are unknown.
[[nodiscard]] Cpus nearest_cpus(const Cpus& allowed, const std::vector<Cpus>& beside);

/// Assigns devices to the ranks of a node; rank r may run on `ranks[r]`, and device d is local to
/// `devices[d]`. Every rank gets one device; surplus devices are dealt out, too. In rank order, a
/// rank takes among the devices with the fewest ranks the device that shares the largest fraction
/// of its CPUs with the rank; ties go to the first device, so that unbound ranks take devices in
/// turn.
[[nodiscard]] std::vector<std::vector<int>> deal_devices(const std::vector<Cpus>& ranks,
                                                         const std::vector<Cpus>& devices);

/// The affinity masks of all ranks of `node`, by rank. Collective.
[[nodiscard]] std::vector<Cpus> gather_allowed_cpus(const Communicator& node);

}  // namespace spex::mpi
