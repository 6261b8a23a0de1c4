// A driver under HDF5 whose writes can stop anywhere and leave a file that opens.
//
// The file has the layout of HDF5 1.8: superblock and object headers carry checksums, each inside one piece that is written at
// once, chunks are found by B-trees of version 1, and no flag says that a writer has it open (layouts of 1.10 have one, and
// refuse a file whose writer was killed). A commit writes, in this order,
//
//   0. metadata in fresh space: nothing visible points to it yet                                                   (1)
//   1. the superblock, whose end of addresses now covers the fresh space (the file was made that long before)
//   2. nodes of the B-trees that find the chunks, the highest level first
//   3. everything else: object headers, that is, extents of datasets and roots of trees
//
// Datasets grow along their first dimension only, so that nodes change at their right end only. A node that was split
// has its right part in fresh space; its parent is written before it and sends readers to the fresh part, while the
// node itself still holds all it held. Extents and trees do not depend on each other: a row without a chunk reads as
// zero and a chunk without a row is not seen, and neither is counted. So after each single write all counted rows can
// be read. If space was given back, the superblock comes last. Space that was given back is not used again: the caller
// closes the file after a commit that frees some. A single write is not cut by a kill because no piece of metadata crosses a border of 4096 bytes, and the
// kernel looks for a kill only between pages.
//
// Not guaranteed: after a power failure the disk may have kept later writes without earlier ones.
#define _XOPEN_SOURCE 700  // ftruncate

#include "io/ordered_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/whole_io.h"
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#define PAGE ((haddr_t)4096)
#define WORD ((haddr_t)8)

enum { RANK_FRESH = 0, RANK_SUPERBLOCK = 1, RANK_TREE = 2, RANK_REST = RANK_TREE + 256, RANK_LAST = RANK_REST + 1 };

typedef struct Driver {
  H5FD_t base;  // must be first: the part of HDF5
  CpsOrderedFile* ordered;
} Driver;

static CpsOrderedFile* of(const H5FD_t* file) {
  return ((const Driver*)(const void*)file)->ordered;
}

static herr_t die(CpsOrderedFile* ordered, int reason) {
  if (!ordered->dead) ordered->reason = reason;
  ordered->dead = true;
  return -1;
}

static H5FD_t* driver_open(const char* name, unsigned flags, hid_t access, haddr_t largest) {
  (void)name, (void)flags, (void)largest;
  CpsOrderedFile* const* handed = H5Pget_driver_info(access);
  if (!handed) return NULL;
  Driver* driver = calloc(1, sizeof *driver);
  if (!driver) return NULL;
  driver->ordered = *handed;
  return &driver->base;
}

static herr_t driver_close(H5FD_t* file) {
  free(file);
  return 0;
}

static herr_t driver_query(const H5FD_t* file, unsigned long* flags) {
  (void)file;
  *flags = 0;  // no aggregation and no sieve buffer: each write arrives unchanged
#ifdef H5FD_FEAT_DEFAULT_VFD_COMPATIBLE
  *flags |= H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
#endif
  return 0;
}

static haddr_t driver_alloc(H5FD_t* file, H5FD_mem_t type, hid_t transfer, hsize_t size) {
  (void)transfer;
  CpsOrderedFile* ordered = of(file);
  haddr_t start = (ordered->end_of_addresses + WORD - 1) / WORD * WORD;
  haddr_t next_page = (start / PAGE + 1) * PAGE;
  if (type != H5FD_MEM_DRAW && size <= PAGE && start + size > next_page) start = next_page;
  ordered->end_of_addresses = start + size;
  return start;
}

static haddr_t driver_get_eoa(const H5FD_t* file, H5FD_mem_t type) {
  (void)type;
  return of(file)->end_of_addresses;
}

static herr_t driver_set_eoa(H5FD_t* file, H5FD_mem_t type, haddr_t address) {
  (void)type;
  of(file)->end_of_addresses = address;
  return 0;
}

static haddr_t driver_get_eof(const H5FD_t* file, H5FD_mem_t type) {
  (void)type;
  return of(file)->end_of_file;
}

// The contents of the file, with zeros beyond its end, before pending pieces are applied.
static herr_t driver_read(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void* buffer) {
  (void)type, (void)transfer;
  CpsOrderedFile* ordered = of(file);
  size_t stored = 0;
  if (address < ordered->end_of_file) {
    haddr_t left = ordered->end_of_file - address;
    stored = left < size ? (size_t)left : size;
  }
  if (stored > 0 && !cps_read_whole(ordered->descriptor, address, buffer, stored)) return -1;
  memset((char*)buffer + stored, 0, size - stored);
  for (size_t i = 0; i < ordered->piece_count; ++i) {
    const CpsPiece* piece = &ordered->pieces[i];
    haddr_t start = address > piece->address ? address : piece->address;
    haddr_t end_of_read = address + size, end_of_piece = piece->address + piece->size;
    haddr_t end = end_of_read < end_of_piece ? end_of_read : end_of_piece;
    if (start >= end) continue;
    memcpy((char*)buffer + (start - address), piece->bytes + (start - piece->address), (size_t)(end - start));
  }
  return 0;
}

static bool overlap(const CpsPiece* piece, haddr_t address, size_t size) {
  return piece->address < address + size && address < piece->address + piece->size;
}

// Drops pending pieces whose space was reallocated.
static void drop_overlapping(CpsOrderedFile* ordered, haddr_t address, size_t size) {
  size_t kept = 0;
  for (size_t i = 0; i < ordered->piece_count; ++i) {
    if (overlap(&ordered->pieces[i], address, size)) {
      free(ordered->pieces[i].bytes);
    } else {
      ordered->pieces[kept++] = ordered->pieces[i];
    }
  }
  ordered->piece_count = kept;
}

// Stores a piece for the next commit.
static herr_t keep(CpsOrderedFile* ordered, haddr_t address, size_t size, const void* bytes) {
  for (size_t i = 0; i < ordered->piece_count; ++i) {
    CpsPiece* piece = &ordered->pieces[i];
    if (piece->address == address && piece->size == size) {
      memcpy(piece->bytes, bytes, size);
      return 0;
    }
  }
  drop_overlapping(ordered, address, size);
  if (ordered->piece_count == ordered->piece_room) {
    size_t room = 2 * ordered->piece_room + 64;
    CpsPiece* grown = realloc(ordered->pieces, room * sizeof *grown);
    if (!grown) return die(ordered, ENOMEM);
    ordered->pieces = grown;
    ordered->piece_room = room;
  }
  CpsPiece piece = {.address = address, .size = size, .bytes = malloc(size)};
  if (!piece.bytes) return die(ordered, ENOMEM);
  memcpy(piece.bytes, bytes, size);
  ordered->pieces[ordered->piece_count++] = piece;
  return 0;
}

static bool write_out(CpsOrderedFile* ordered, haddr_t address, const void* bytes, size_t size) {
  if (!cps_write_whole(ordered->descriptor, address, bytes, size)) {
    die(ordered, errno);
    return false;
  }
  if (ordered->end_of_file < address + size) ordered->end_of_file = address + size;
  return true;
}

static herr_t driver_write(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                           const void* buffer) {
  (void)transfer;
  CpsOrderedFile* ordered = of(file);
  if (ordered->dead) return 0;  // HDF5 can then close without errors
  if (type != H5FD_MEM_DRAW) return keep(ordered, address, size, buffer);
  return write_out(ordered, address, buffer, size) ? 0 : -1;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)520,  // in the range for private use
#endif
    .name = "capstan-ordered",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(CpsOrderedFile*),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .alloc = driver_alloc,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t cps_ordered_open(CpsOrderedFile* ordered, int descriptor, bool create) {
  *ordered = (CpsOrderedFile){.descriptor = descriptor};
  struct stat facts;
  if ((create && ftruncate(descriptor, 0) != 0) || fstat(descriptor, &facts) != 0) {
    ordered->reason = errno;
    return -1;
  }
  ordered->end_of_file = (haddr_t)facts.st_size;
  hid_t driver = H5FDregister(&driver_class), access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
  if (driver >= 0 && access >= 0 && H5Pset_driver(access, driver, &ordered) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0) {
    file = create ? H5Fcreate("result", H5F_ACC_TRUNC, H5P_DEFAULT, access) : H5Fopen("result", H5F_ACC_RDWR, access);
  }
  if (access >= 0) H5Pclose(access);
  if (driver >= 0) H5FDunregister(driver);
  if (file < 0) {
    cps_ordered_release(ordered);
  } else if (!create) {
    ordered->committed = ordered->end_of_addresses;
  }
  return file;
}

void cps_ordered_release(CpsOrderedFile* ordered) {
  for (size_t i = 0; i < ordered->piece_count; ++i) free(ordered->pieces[i].bytes);
  free(ordered->pieces);
  ordered->pieces = NULL;
  ordered->piece_count = ordered->piece_room = 0;
}

static int rank_of(const CpsOrderedFile* ordered, const CpsPiece* piece) {
  if (piece->address >= ordered->committed) return RANK_FRESH;
  if (piece->address == 0) return ordered->end_of_addresses < ordered->committed ? RANK_LAST : RANK_SUPERBLOCK;
  // a node: signature, type, level
  if (piece->size >= 8 && memcmp(piece->bytes, "TREE", 4) == 0) return RANK_TREE + 255 - piece->bytes[5];
  return RANK_REST;
}

static int by_rank(const void* a, const void* b) {
  const CpsPiece *left = a, *right = b;
  if (left->rank != right->rank) return left->rank < right->rank ? -1 : 1;
  return left->address < right->address ? -1 : left->address > right->address;
}

// The record from which the commit is completed if it is interrupted from here on.
static bool record(CpsOrderedFile* ordered, CpsJournal* journal, int64_t frame) {
  cps_journal_begin(journal);
  for (size_t i = 0; i < ordered->piece_count; ++i) {
    const CpsPiece* piece = &ordered->pieces[i];
    if (piece->rank == RANK_FRESH) continue;
    if (!cps_journal_add(journal, piece->address, piece->bytes, piece->size)) return false;
  }
  return cps_journal_seal(journal, frame);
}

bool cps_ordered_commit(CpsOrderedFile* ordered, hid_t file, CpsJournal* journal, int64_t frame) {
  if (ordered->dead) return false;
  if (H5Fflush(file, H5F_SCOPE_LOCAL) < 0) {
    die(ordered, ENOMEM);
    return false;
  }
  for (size_t i = 0; i < ordered->piece_count; ++i) ordered->pieces[i].rank = rank_of(ordered, &ordered->pieces[i]);
  if (ordered->piece_count > 1) qsort(ordered->pieces, ordered->piece_count, sizeof *ordered->pieces, by_rank);
  if (ordered->end_of_file < ordered->end_of_addresses) {
    if (ftruncate(ordered->descriptor, (off_t)ordered->end_of_addresses) != 0) {
      die(ordered, errno);
      return false;
    }
    ordered->end_of_file = ordered->end_of_addresses;
  }
  bool recorded = !journal;
  for (size_t i = 0; i < ordered->piece_count; ++i) {
    const CpsPiece* piece = &ordered->pieces[i];
    if (!recorded && piece->rank != RANK_FRESH) {
      if (!record(ordered, journal, frame)) {
        die(ordered, journal->reason);
        return false;
      }
      recorded = true;
    }
    if (!write_out(ordered, piece->address, piece->bytes, piece->size)) return false;
  }
  for (size_t i = 0; i < ordered->piece_count; ++i) free(ordered->pieces[i].bytes);
  ordered->piece_count = 0;
  if (ordered->committed < ordered->end_of_addresses) ordered->committed = ordered->end_of_addresses;
  return true;
}
