// Broadcasts of the data model from one rank to all others of a communicator.
#pragma once

#include <cstddef>
#include <optional>

#include <mpi.h>

#include "mpi/comm/check.hpp"
#include "mpi/comm/environment.hpp"
#include "reference/frame/frame_steps.hpp"
#include "reference/model/fields.hpp"
#include "reference/model/message.hpp"
#include "reference/model/reals.hpp"

namespace spex::mpi {

/// `bytes` bytes at `data`, in pieces that MPI's int counts can hold.
void broadcast_bytes(const Communicator& comm, void* data, std::size_t bytes, int root);

/// A plain value of `root`, which all ranks have afterwards; as all that follows. Collective.
template <message::Plain T>
void broadcast(const Communicator& comm, T& value, int root = 0) {
  broadcast_bytes(comm, &value, sizeof(T), root);
}

/// Pixels, as float or double as the root has them.
void broadcast(const Communicator& comm, Reals& reals, int root = 0);

/// A vector or string; others than `root` get its size too.
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

/// A value that may be absent.
template <class T>
void broadcast(const Communicator& comm, std::optional<T>& value,
               int root = 0) requires(!message::Plain<T>) {
  bool present = value.has_value();
  broadcast(comm, present, root);
  if (!present) value.reset();
  if (present && !value) value.emplace();
  if (value) broadcast(comm, *value, root);
}

/// A struct that is described by its fields (model/fields.hpp), field by field.
template <message::Compound T>
void broadcast(const Communicator& comm, T& object, int root = 0) {
  for_each_field(object, [&](auto& field) { broadcast(comm, field, root); });
}

/// A frame's inputs without the values of its pixels: what it takes to write the output.
/// Collective.
void broadcast_description(const Communicator& comm, FrameInputs& inputs, int root);

}  // namespace spex::mpi
