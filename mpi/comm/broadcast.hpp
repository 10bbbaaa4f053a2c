// Broadcasts of the data model from one rank to all other ranks of a communicator.
#pragma once

#include <cstddef>
#include <optional>

#include <mpi.h>

#include "mpi/comm/check.hpp"
#include "mpi/comm/environment.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/model/members.hpp"
#include "reference/model/message.hpp"
#include "reference/model/reals.hpp"

namespace spex::mpi {

/// Broadcasts `bytes` bytes at `data`, in pieces that fit MPI's int counts.
void broadcast_bytes(const Communicator& comm, void* data, std::size_t bytes, int root);

/// Broadcasts a plain value from `root` to all ranks. Collective, as all functions below.
template <message::Plain T>
void broadcast(const Communicator& comm, T& value, int root = 0) {
  broadcast_bytes(comm, &value, sizeof(T), root);
}

/// Broadcasts pixels as float or double, whichever the root has.
void broadcast(const Communicator& comm, Reals& reals, int root = 0);

/// Broadcasts a vector or string, including its size.
template <class Container>
requires requires(Container& values) {
  values.resize(values.size());
}
void broadcast(const Communicator& comm, Container& values, int root = 0) {
  using Value = typename Container::value_type;
  auto size = values.size();
  broadcast(comm, size, root);
  values.resize(size);
  if constexpr (message::Plain<Value>)
    broadcast_bytes(comm, values.data(), size * sizeof(Value), root);
  else
    for (Value& value : values) broadcast(comm, value, root);
}

/// Broadcasts an optional value.
template <class T>
void broadcast(const Communicator& comm, std::optional<T>& value,
               int root = 0) requires(!message::Plain<T>) {
  bool present = value.has_value();
  broadcast(comm, present, root);
  if (!present) value.reset();
  if (present && !value) value.emplace();
  if (value) broadcast(comm, *value, root);
}

/// Broadcasts a struct field by field (model/members.hpp).
template <message::Compound T>
void broadcast(const Communicator& comm, T& object, int root = 0) {
  for_each_field(object, [&](auto& field) { broadcast(comm, field, root); });
}

/// Broadcasts a frame's inputs without pixel values: the data that the writer needs. Collective.
void broadcast_description(const Communicator& comm, FrameInputs& inputs, int root);

}  // namespace spex::mpi
