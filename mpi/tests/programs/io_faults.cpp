// A library to preload: calls of the C library that read and write files fail on demand.
//
//   SPEX_IO_FAULT=CALL:N:ACTION    the Nth CALL (open, read, write, fsync, close, rename; from 1)
//   on
//                                  a file that SPEX_IO_PATH names; N+: the Nth and all later ones
//   ACTION                         EIO, ENOSPC, EDQUOT or EMFILE: the call fails with that error;
//                                  short: half is written, or read, as if that were all there is;
//                                  kill, stop: SIGKILL, SIGSTOP to this process; hang: no return
//   SPEX_IO_PATH=TEXT              files whose path contains TEXT
//   SPEX_IO_RANK=R                 on rank R of the launcher alone
//   SPEX_IO_LOG=FILE               gets a line `CALL N PATH` for each fault

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

constexpr int max_files = 4096;

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Whether this process is the selected rank.
bool is_rank() {
  const std::string_view wanted = environment("SPEX_IO_RANK");
  if (wanted.empty()) return true;
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const std::string_view rank = environment(name); !rank.empty()) return rank == wanted;
  return wanted == "0";
}

struct Fault {
  std::string call;
  long first = 0;
  bool later = false;
  std::string action;
  std::string path;
  std::atomic<long> count{0};

  Fault() {
    const std::string text(environment("SPEX_IO_FAULT"));
    const std::size_t one = text.find(':');
    const std::size_t two = text.find(':', one + 1);
    path = environment("SPEX_IO_PATH");
    if (one == std::string::npos || two == std::string::npos || path.empty() || !is_rank()) return;
    call = text.substr(0, one);
    std::from_chars(text.data() + one + 1, text.data() + two, first);
    later = text[two - 1] == '+';
    action = text.substr(two + 1);
  }
};

Fault& fault() {
  static Fault one;
  return one;
}

// Whether each descriptor's file is selected.
std::array<std::atomic<bool>, max_files>& watched() {
  static std::array<std::atomic<bool>, max_files> all{};
  return all;
}

bool is_watched(int file) {
  return file >= 0 && file < max_files && watched()[static_cast<std::size_t>(file)];
}

void watch(int file, const char* path) {
  if (file < 0 || file >= max_files) return;
  watched()[static_cast<std::size_t>(file)] =
      !fault().path.empty() && std::strstr(path, fault().path.c_str()) != nullptr;
}

void note(long number, const char* path) {
  const std::string log(environment("SPEX_IO_LOG"));
  if (log.empty()) return;
  const std::string line = fault().call + " " + std::to_string(number) + " " + path + "\n";
  const long file = syscall(SYS_openat, AT_FDCWD, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file < 0) return;
  syscall(SYS_write, file, line.data(), line.size());
  syscall(SYS_close, file);
}

enum class Outcome { as_ever, fails, is_short };

// The outcome of a call on a selected file; sets errno if the call fails.
Outcome meet(const char* call, const char* path = "") {
  Fault& one = fault();
  if (one.call != call) return Outcome::as_ever;
  const long number = ++one.count;
  if (number != one.first && !(one.later && number > one.first)) return Outcome::as_ever;
  note(number, path);
  if (one.action == "kill") raise(SIGKILL);
  if (one.action == "stop") raise(SIGSTOP);
  while (one.action == "hang") pause();
  if (one.action == "short") return Outcome::is_short;
  constexpr std::array<std::pair<const char*, int>, 4> errors{
      {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EMFILE", EMFILE}}};
  for (const auto& [name, code] : errors)
    if (one.action == name) {
      errno = code;
      return Outcome::fails;
    }
  return Outcome::as_ever;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_meant(const char* path) {
  return !fault().path.empty() && std::strstr(path, fault().path.c_str()) != nullptr;
}

template <class Open>
int open_file(const char* path, const Open& open) {
  if (is_meant(path) && meet("open", path) == Outcome::fails) return -1;
  const int file = open();
  watch(file, path);
  return file;
}

FILE* open_stream(const char* name, const char* path, const char* mode) {
  static auto* const real = next<FILE*(const char*, const char*)>(name);
  if (is_meant(path) && meet("open", path) == Outcome::fails) return nullptr;
  FILE* const file = real(path, mode);
  if (file != nullptr) watch(fileno(file), path);
  return file;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const real = next<int(const char*, int, ...)>("open");
  return open_file(path, [&] { return real(path, flags, mode); });
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  static auto* const real = next<int(const char*, int, ...)>("open64");
  return open_file(path, [&] { return real(path, flags, mode); });
}

FILE* fopen(const char* path, const char* mode) {
  return open_stream("fopen", path, mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return open_stream("fopen64", path, mode);
}

ssize_t read(int file, void* data, size_t size) {
  static auto* const real = next<ssize_t(int, void*, size_t)>("read");
  if (!is_watched(file)) return real(file, data, size);
  const Outcome outcome = meet("read");
  if (outcome == Outcome::fails) return -1;
  return real(file, data, outcome == Outcome::is_short ? size / 2 : size);
}

ssize_t pread(int file, void* data, size_t size, off_t offset) {
  static auto* const real = next<ssize_t(int, void*, size_t, off_t)>("pread");
  if (!is_watched(file)) return real(file, data, size, offset);
  const Outcome outcome = meet("read");
  if (outcome == Outcome::fails) return -1;
  return real(file, data, outcome == Outcome::is_short ? size / 2 : size, offset);
}

ssize_t pread64(int file, void* data, size_t size, off64_t offset) {
  return pread(file, data, size, offset);
}

size_t fread(void* data, size_t size, size_t count, FILE* file) {
  static auto* const real = next<size_t(void*, size_t, size_t, FILE*)>("fread");
  if (!is_watched(fileno(file))) return real(data, size, count, file);
  const Outcome outcome = meet("read");
  if (outcome == Outcome::fails) return 0;
  return real(data, size, outcome == Outcome::is_short ? count / 2 : count, file);
}

ssize_t write(int file, const void* data, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  if (!is_watched(file)) return real(file, data, size);
  const Outcome outcome = meet("write");
  if (outcome == Outcome::fails) return -1;
  return real(file, data, outcome == Outcome::is_short ? std::max<size_t>(1, size / 2) : size);
}

ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  if (!is_watched(file)) return real(file, data, size, offset);
  const Outcome outcome = meet("write");
  if (outcome == Outcome::fails) return -1;
  const size_t part = outcome == Outcome::is_short ? std::max<size_t>(1, size / 2) : size;
  return real(file, data, part, offset);
}

ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  return pwrite(file, data, size, offset);
}

ssize_t writev(int file, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  if (is_watched(file) && meet("write") == Outcome::fails) return -1;
  return real(file, parts, count);
}

int fsync(int file) {
  static auto* const real = next<int(int)>("fsync");
  if (is_watched(file) && meet("fsync") == Outcome::fails) return -1;
  return real(file);
}

int close(int file) {
  static auto* const real = next<int(int)>("close");
  const bool meant = is_watched(file);
  if (meant) watched()[static_cast<std::size_t>(file)] = false;
  const bool fails = meant && meet("close") == Outcome::fails;
  const int code = errno;
  const int status = real(file);
  if (!fails) return status;
  errno = code;
  return -1;
}

int rename(const char* from, const char* to) {
  static auto* const real = next<int(const char*, const char*)>("rename");
  if (is_meant(to) && meet("rename", to) == Outcome::fails) return -1;
  return real(from, to);
}

}  // extern "C"
