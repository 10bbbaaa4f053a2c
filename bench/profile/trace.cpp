// A library that records what a GPU does: kernels, copies and allocations, and the NVTX ranges of
// the stages. `bench/profile/profile trace` loads it into spex-gpu, where nsys is not installed.
//
// The CUDA driver calls InitializeInjection (CUDA_INJECTION64_PATH). CUPTI delivers buffers of
// records, and each record becomes a line of the CSV file that SPEX_TRACE names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_map>

#include <cupti.h>
#include <cxxabi.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

constexpr std::size_t buffer_bytes = std::size_t{8} << 20;

// Records of CUDA 12, which are the beginning of the records of later versions.
using Kernel = CUpti_ActivityKernel9;
using Copy = CUpti_ActivityMemcpy5;
using Set = CUpti_ActivityMemset4;
using Allocation = CUpti_ActivityMemory3;
using Marker = CUpti_ActivityMarker2;

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

const char* side(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
      return "device";
    default:
      return "other";
  }
}

/// The CSV file. Times are nanoseconds of CUPTI's clock, sizes are bytes.
class Trace {
 public:
  /// Made by the first call, and never destroyed: records arrive until the exit.
  static Trace& instance() {
    static auto* const trace = new Trace;
    return *trace;
  }

  void add(CUpti_Activity* record) {
    const std::lock_guard guard(mutex_);
    if (!file_) return;
    switch (record->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto* kernel = reinterpret_cast<const Kernel*>(record);
        line("kernel", demangled(kernel->name), kernel->streamId, kernel->start, kernel->end, 0);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto* copy = reinterpret_cast<const Copy*>(record);
        const std::string name = std::string(side(copy->srcKind)) + " to " + side(copy->dstKind);
        line("copy", name, copy->streamId, copy->start, copy->end, copy->bytes);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto* set = reinterpret_cast<const Set*>(record);
        line("memset", side(static_cast<std::uint8_t>(set->memoryKind)), set->streamId, set->start,
             set->end, set->bytes);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMORY2: {
        const auto* memory = reinterpret_cast<const Allocation*>(record);
        const bool allocates =
            memory->memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
        line(allocates ? "allocate" : "free", side(static_cast<std::uint8_t>(memory->memoryKind)),
             memory->streamId, memory->timestamp, memory->timestamp, memory->bytes);
        break;
      }
      case CUPTI_ACTIVITY_KIND_MARKER:
        add_marker(*reinterpret_cast<const Marker*>(record));
        break;
      default:
        break;
    }
  }

  void flush() {
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    const std::lock_guard guard(mutex_);
    if (file_) std::fflush(file_);
  }

 private:
  struct Range {
    std::string name;
    std::uint64_t start = 0;
  };

  Trace() {
    const char* path = std::getenv("SPEX_TRACE");
    file_ = path ? std::fopen(path, "w") : nullptr;
    if (file_)
      std::fputs("kind,name,stream,start_ns,end_ns,bytes\n", file_);
    else
      std::fputs("spex-trace: SPEX_TRACE: cannot write (expected a file name)\n", stderr);
  }

  // The begin and the end of a range are two records with the same number.
  void add_marker(const Marker& marker) {
    if (marker.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) {
      ranges_[marker.id] = {marker.name ? marker.name : "", marker.timestamp};
    } else if (const auto found = ranges_.find(marker.id); found != ranges_.end()) {
      line("stage", found->second.name, marker.objectId.pt.threadId, found->second.start,
           marker.timestamp, 0);
      ranges_.erase(found);
    }
  }

  void line(const char* kind, const std::string& name, std::uint32_t stream, std::uint64_t start,
            std::uint64_t end, std::uint64_t bytes) {
    std::fprintf(file_, "%s,\"%s\",%u,%llu,%llu,%llu\n", kind, name.c_str(), stream,
                 static_cast<unsigned long long>(start), static_cast<unsigned long long>(end),
                 static_cast<unsigned long long>(bytes));
  }

  std::mutex mutex_;
  std::FILE* file_ = nullptr;
  std::unordered_map<std::uint32_t, Range> ranges_;  // ranges that have begun
};

// The process that is recorded; 0 before CUDA starts. Forked processes record nothing.
pid_t& recorded_process() {
  static pid_t process = 0;
  return process;
}

void CUPTIAPI request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_bytes));
  *bytes = *buffer ? buffer_bytes : 0;
  *max_records = 0;  // as many as fit
}

void CUPTIAPI complete(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                       std::size_t /*bytes*/, std::size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS)
    Trace::instance().add(record);
  std::free(buffer);
}

}  // namespace

/// Called by the CUDA driver when it starts. Returns 1 for success.
extern "C" int InitializeInjection() {  // NOLINT(readability-identifier-naming): CUDA's name
  cuptiActivityRegisterCallbacks(request, complete);
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMORY2, CUPTI_ACTIVITY_KIND_MARKER}) {
    if (const CUptiResult result = cuptiActivityEnable(kind); result != CUPTI_SUCCESS) {
      const char* text = "";
      cuptiGetResultString(result, &text);
      std::fprintf(stderr, "spex-trace: %s\n", text);
      return 0;
    }
  }
  recorded_process() = getpid();
  std::atexit([] { Trace::instance().flush(); });
  return 1;
}

/// spex-gpu ends by _exit, which runs no atexit function. LD_PRELOAD puts this one in its place.
extern "C" void _exit(int status) {
  if (getpid() == recorded_process()) Trace::instance().flush();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}
