// Kernels that are compiled twice, for plain x86-64 and for AVX2, and chosen when the program is loaded.
//
// Contraction into fused operations is off (-ffp-contract=off), so both versions give the same bits.
#ifndef CAPSTAN_CORE_SIMD_H
#define CAPSTAN_CORE_SIMD_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__gnu_linux__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CPS_HOT __attribute__((target_clones("avx2", "default")))
#else
// other processors, and sanitizers, which cannot run the code that chooses
#define CPS_HOT
#endif

// Four doubles; the compiler splits them where the processor has shorter vectors.
typedef double CpsVec4 __attribute__((vector_size(32)));

#endif
