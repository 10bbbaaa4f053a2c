#include "mpi/comm/gather.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "mpi/comm/check.hpp"

namespace spex::mpi {
namespace {

constexpr int result_tag = 1;

template <class Result, class Visit>
void for_each_array(Result& result, const Visit& visit) {
  visit(result.flux);
  visit(result.ivar);
  visit(result.chi2pix);
  visit(result.pixmask_fraction);
  visit(result.resolution);
  visit(result.model);
}

PatchResult receive_result(const Communicator& comm, int rank, int frame) {
  MPI_Status status;
  SPEX_MPI_CHECK(MPI_Probe(rank, result_tag, comm.get(), &status));
  int count = 0;
  SPEX_MPI_CHECK(MPI_Get_count(&status, MPI_DOUBLE, &count));
  std::vector<double> message(static_cast<std::size_t>(count));
  SPEX_MPI_CHECK(
      MPI_Recv(message.data(), count, MPI_DOUBLE, rank, result_tag, comm.get(), MPI_STATUS_IGNORE));
  if (message.empty() || static_cast<int>(message.back()) != frame)
    throw std::logic_error("a patch result of another frame arrived");
  message.pop_back();
  return unpack(message);
}

}  // namespace

std::vector<double> pack(const PatchResult& result) {
  std::vector<double> message{
      static_cast<double>(result.status), static_cast<double>(result.nspec),
      static_cast<double>(result.nwave),  static_cast<double>(result.ndiagonals),
      static_cast<double>(result.x0),     static_cast<double>(result.x1),
      static_cast<double>(result.y0),     static_cast<double>(result.y1)};
  for_each_array(result, [&](const std::vector<double>& array) {
    message.push_back(static_cast<double>(array.size()));
    message.insert(message.end(), array.begin(), array.end());
  });
  return message;
}

PatchResult unpack(const std::vector<double>& message) {
  auto next = message.begin();
  const auto take = [&](std::ptrdiff_t count) {
    if (message.end() - next < count) throw std::logic_error("a patch result arrived cut short");
    return std::exchange(next, next + count);
  };
  const auto take_int = [&] { return static_cast<int>(*take(1)); };
  PatchResult result;
  result.status = static_cast<PatchStatus>(take_int());
  for (int* field : {&result.nspec, &result.nwave, &result.ndiagonals, &result.x0, &result.x1,
                     &result.y0, &result.y1})
    *field = take_int();
  for_each_array(result, [&](std::vector<double>& array) {
    const auto size = static_cast<std::ptrdiff_t>(*take(1));
    const auto first = take(size);
    array.assign(first, first + size);
  });
  return result;
}

std::vector<PatchResult> gather_results(const Communicator& comm, const std::vector<int>& rank_of,
                                        std::vector<PatchResult>&& mine, int frame) {
  if (!comm.is_root()) {
    for (const PatchResult& result : mine) {
      std::vector<double> message = pack(result);
      message.push_back(frame);
      SPEX_MPI_CHECK(MPI_Send(message.data(), static_cast<int>(message.size()), MPI_DOUBLE, 0,
                              result_tag, comm.get()));
    }
    return {};
  }
  // A rank sends its results in the order of the patches, so receiving in that order meets them.
  std::vector<PatchResult> all;
  all.reserve(rank_of.size());
  auto own = mine.begin();
  for (const int rank : rank_of)
    all.push_back(rank == comm.rank() ? std::move(*own++) : receive_result(comm, rank, frame));
  return all;
}

StageTimes gather_times(const Communicator& comm, const StageTimes& mine) {
  std::array<double, stage_count> seconds{};
  for (std::size_t i = 0; i < stage_count; ++i) seconds[i] = mine.get(static_cast<Stage>(i));
  std::array<double, stage_count> sum = seconds;
  SPEX_MPI_CHECK(MPI_Reduce(seconds.data(), sum.data(), static_cast<int>(stage_count), MPI_DOUBLE,
                            MPI_SUM, 0, comm.get()));
  StageTimes total;
  for (std::size_t i = 0; i < stage_count; ++i) total.add(static_cast<Stage>(i), sum[i]);
  return total;
}

}  // namespace spex::mpi
