#include "libraries/blas.h"

#include <dlfcn.h>

#include <algorithm>
#include <climits>

namespace cuda_simulator {
namespace {

// The interface of Fortran: all arguments are addresses.
template <typename T>
using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                  const int*, const T*, const int*, const T*, T*, const int*);

// Loaded at the first product, so that no other program starts the threads of a BLAS.
struct Blas {
  Blas() {
    // Debian's libblas.so.3 is OpenBLAS too, if that is installed.
    for (const char* const file : {"libopenblas.so.0", "libmkl_rt.so.2", "libblas.so.3"}) {
      void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
      if (!library) continue;
      sgemm = reinterpret_cast<Gemm<float>*>(dlsym(library, "sgemm_"));
      dgemm = reinterpret_cast<Gemm<double>*>(dlsym(library, "dgemm_"));
      const bool is_openblas = dlsym(library, "openblas_get_config") != nullptr;
      name = is_openblas ? "OpenBLAS" : file;
      if (sgemm && dgemm) return;
    }
    sgemm = nullptr;
    dgemm = nullptr;
  }
  static const Blas& get() {
    static const Blas blas;
    return blas;
  }

  Gemm<float>* sgemm = nullptr;
  Gemm<double>* dgemm = nullptr;
  const char* name = "";
};

template <typename T>
bool call(Gemm<T>* gemm, char op_a, char op_b, std::int64_t m, std::int64_t n, std::int64_t k,
          T alpha, const T* a, std::int64_t lda, const T* b, std::int64_t ldb, T beta, T* c,
          std::int64_t ldc) {
  if (!gemm || std::max({m, n, k, lda, ldb, ldc}) > INT_MAX) return false;
  const int int_m = static_cast<int>(m), int_n = static_cast<int>(n), int_k = static_cast<int>(k);
  const int int_lda = static_cast<int>(lda), int_ldb = static_cast<int>(ldb),
            int_ldc = static_cast<int>(ldc);
  gemm(&op_a, &op_b, &int_m, &int_n, &int_k, &alpha, a, &int_lda, b, &int_ldb, &beta, c, &int_ldc);
  return true;
}

}  // namespace

bool blas_gemm(char op_a, char op_b, std::int64_t m, std::int64_t n, std::int64_t k, float alpha,
               const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
               float* c, std::int64_t ldc) {
  return call(Blas::get().sgemm, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

bool blas_gemm(char op_a, char op_b, std::int64_t m, std::int64_t n, std::int64_t k, double alpha,
               const double* a, std::int64_t lda, const double* b, std::int64_t ldb, double beta,
               double* c, std::int64_t ldc) {
  return call(Blas::get().dgemm, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

const char* blas_name() { return Blas::get().name; }

}  // namespace cuda_simulator
