// A driver under HDF5 for reading files that may be damaged.
//
// Libhdf5 1.10 believes some numbers of a file. Two of its weak places are kept from such numbers here:
//
//   The accumulator of metadata adds an address and a size of the file without looking for overflow. A driver without
//   H5FD_FEAT_ACCUMULATE_METADATA has none, and each piece is requested from driver_read(), which refuses all that is not in the file.
//   A local heap (names of the links of old groups) is a prefix and a data block,
//
//     "HEAP" version 0 0 0   size of the data block   offset of the first free block   address of the data block      (1)
//
//   whose free blocks are a list inside the data block, each "offset of the next, size". Libhdf5 copies as many bytes as the prefix
//   says if the block follows the prefix, and follows the list without end if it closes on itself. A heap whose block is not in the
//   file, or whose list leaves the block or has more members than fit, is refused when its prefix is read.
//
// A file that is refused here is damaged for libhdf5, which says so. Other errors of libhdf5 remain its own
// (docs/reference/robustness.md lists what was tried).
#define _XOPEN_SOURCE 700

#include "io/wary_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/whole_io.h"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

enum { SUPERBLOCK_START = 16, PREFIX_FIXED = 8, NO_FREE_BLOCK = 1, LARGEST_WORD = 8 };

typedef struct Driver {
  H5FD_t base;  // HDF5's part, first
  int descriptor;
  haddr_t size;  // bytes in the file when it was opened
  haddr_t end_of_addresses;
  int address_bytes, length_bytes;  // of a number in the file
} Driver;

static Driver* of(H5FD_t* file) {
  return (Driver*)(void*)file;
}

static const Driver* const_of(const H5FD_t* file) {
  return (const Driver*)(const void*)file;
}

static uint64_t little_endian(const unsigned char* bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

// The superblock is at 0, 512, 1024, 2048, ... and says how long addresses and lengths are.
static bool find_word_sizes(Driver* driver) {
  unsigned char start[SUPERBLOCK_START];
  for (haddr_t at = 0; at + sizeof start <= driver->size; at = at ? 2 * at : 512) {
    if (!cps_read_whole(driver->descriptor, at, start, sizeof start)) return false;
    if (memcmp(start, "\211HDF\r\n\032\n", 8) != 0) continue;
    bool old = start[8] < 2;
    driver->address_bytes = start[old ? 13 : 9];
    driver->length_bytes = start[old ? 14 : 10];
    return driver->address_bytes > 0 && driver->address_bytes <= LARGEST_WORD && driver->length_bytes > 0 &&
           driver->length_bytes <= LARGEST_WORD;
  }
  return false;
}

static herr_t driver_close(H5FD_t* file) {
  close(of(file)->descriptor);
  free(file);
  return 0;
}

// Hands over what cps_wary_open() has prepared.
static H5FD_t* driver_open(const char* name, unsigned flags, hid_t access, haddr_t largest) {
  (void)name, (void)flags, (void)largest;
  Driver** const* handed = H5Pget_driver_info(access);
  if (!handed || !**handed) return NULL;
  Driver* driver = **handed;
  **handed = NULL;
  return &driver->base;
}

static herr_t driver_query(const H5FD_t* file, unsigned long* flags) {
  (void)file;
  *flags = H5FD_FEAT_DATA_SIEVE;  // for small pieces of large arrays
#ifdef H5FD_FEAT_DEFAULT_VFD_COMPATIBLE
  *flags |= H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
#endif
  return 0;
}

static haddr_t driver_get_eoa(const H5FD_t* file, H5FD_mem_t type) {
  (void)type;
  return const_of(file)->end_of_addresses;
}

static herr_t driver_set_eoa(H5FD_t* file, H5FD_mem_t type, haddr_t address) {
  (void)type;
  of(file)->end_of_addresses = address;
  return 0;
}

static haddr_t driver_get_eof(const H5FD_t* file, H5FD_mem_t type) {
  (void)type;
  return const_of(file)->size;
}

static bool is_inside(const Driver* driver, haddr_t address, uint64_t size) {
  return address <= driver->size && size <= driver->size - address;
}

// The prefix (1) of a local heap, of which `size` bytes were read.
static bool heap_is_sound(const Driver* driver, const unsigned char* prefix, size_t size) {
  int word = driver->length_bytes;
  const int prefix_size = PREFIX_FIXED + 2 * word + driver->address_bytes;
  if (size < (size_t)prefix_size) return true;  // asked for again, whole
  uint64_t block_size = little_endian(prefix + PREFIX_FIXED, word);
  uint64_t next = little_endian(prefix + PREFIX_FIXED + word, word);
  haddr_t block = little_endian(prefix + PREFIX_FIXED + 2 * word, driver->address_bytes);
  haddr_t base = driver->base.base_addr;
  if (block > HADDR_MAX - base || !is_inside(driver, base + block, block_size)) return false;
  uint64_t entry = 2 * (uint64_t)word, most = block_size / entry;
  for (uint64_t count = 0; next != NO_FREE_BLOCK; ++count) {
    unsigned char bytes[2 * LARGEST_WORD];
    if (count == most || next > block_size - entry) return false;
    if (!cps_read_whole(driver->descriptor, base + block + next, bytes, (size_t)entry)) return false;
    if (little_endian(bytes + word, word) > block_size - next) return false;
    next = little_endian(bytes, word);
  }
  return true;
}

static herr_t driver_read(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void* buffer) {
  (void)transfer;
  const Driver* driver = of(file);
  if (!is_inside(driver, address, size)) return -1;
  if (!cps_read_whole(driver->descriptor, address, buffer, size)) return -1;
  if (type == H5FD_MEM_LHEAP && size >= 4 && memcmp(buffer, "HEAP", 4) == 0) {
    return heap_is_sound(driver, buffer, size) ? 0 : -1;
  }
  return 0;
}

static herr_t driver_write(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void* buffer) {
  (void)file, (void)type, (void)transfer, (void)address, (void)size, (void)buffer;
  return -1;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)521,  // of the range for private use
#endif
    .name = "capstan-wary",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(Driver**),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t cps_wary_open(const char* path, bool* out_of_memory) {
  Driver* driver = calloc(1, sizeof *driver);
  Driver** handed = &driver;
  *out_of_memory = !driver;
  if (!driver) return -1;
  driver->descriptor = open(path, O_RDONLY | O_CLOEXEC);
  struct stat facts;
  if (driver->descriptor >= 0 && fstat(driver->descriptor, &facts) == 0) driver->size = (haddr_t)facts.st_size;
  hid_t class = -1, access = -1, file = -1;
  if (driver->size > 0 && find_word_sizes(driver)) {
    class = H5FDregister(&driver_class);
    access = H5Pcreate(H5P_FILE_ACCESS);
    if (class >= 0 && access >= 0 && H5Pset_driver(access, class, &handed) >= 0) {
      file = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
  }
  if (access >= 0) H5Pclose(access);
  if (class >= 0) H5FDunregister(class);
  if (driver) {  // still ours: H5Fopen() did not take it
    if (driver->descriptor >= 0) close(driver->descriptor);
    free(driver);
  }
  return file;
}
