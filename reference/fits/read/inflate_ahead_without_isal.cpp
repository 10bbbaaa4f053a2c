// Builds without ISA-L inflate with one thread.
#include "reference/fits/read/inflate_ahead.hpp"

namespace spex {

std::unique_ptr<InflateAhead> inflate_ahead(const ReadAt& /*read_at*/, std::size_t /*size*/,
                                            const InflateThreads& /*threads*/) {
  return nullptr;
}

}  // namespace spex
