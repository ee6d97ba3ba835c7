// Reading a file at an offset, on every system.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <io.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

/// Reads up to `size` bytes at `offset`; returns their number, or -1 with errno. Threads may read one file at the same time.
inline std::int64_t positioned_read(int file, void* to, std::size_t size, std::int64_t offset) {
#ifdef _WIN32
  OVERLAPPED place{};
  place.Offset = static_cast<DWORD>(offset);
  place.OffsetHigh = static_cast<DWORD>(offset >> 32);
  DWORD count = 0;
  const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(file));
  if (ReadFile(handle, to, static_cast<DWORD>(size), &count, &place) || GetLastError() == ERROR_HANDLE_EOF) return count;
  errno = EIO;
  return -1;
#else
  return pread(file, to, size, static_cast<off_t>(offset));
#endif
}
