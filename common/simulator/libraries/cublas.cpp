// The implementation of <cublas_v2.h>.

#include "libraries/blas.h"
#include "libraries/live_handles.h"
#include "libraries/matrix_loops.h"
#include "simulator/library_work.h"

#include "simulator/findings.h"

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasMath_t math_mode = CUBLAS_DEFAULT_MATH;
};

namespace cuda_simulator {
namespace {

using Handles = LiveHandles<cublasContext>;

// alpha or beta: its value, or its place in device memory.
template <typename T>
struct Scalar {
  T value = 0;
  const T* on_device = nullptr;

  T get() const { return on_device ? *on_device : value; }
};

// One call: it checks the arguments, collects the arrays, and computes. The first invalid argument
// decides the status, and a sentence names it, as NVIDIA's library does.
class BlasCall {
 public:
  BlasCall(const char* function, const void* caller, cublasHandle_t handle)
      : handle_(handle), work_{{function, caller}, {}, {}, {}, false} {
    if (Handles::get().contains(handle)) return;
    status_ = CUBLAS_STATUS_NOT_INITIALIZED;
    explain("its handle was not created with cublasCreate, or was already destroyed.");
  }

  bool is_valid() const { return status_ == CUBLAS_STATUS_SUCCESS; }
  void require(bool is_valid, const std::string& otherwise) {
    if (is_valid || !this->is_valid()) return;
    status_ = CUBLAS_STATUS_INVALID_VALUE;
    explain(otherwise);
  }
  void require_size(const char* name, std::int64_t size) {
    require(size >= 0, std::string(name) + " is " + std::to_string(size) + ".");
  }
  void require_operation(const char* name, cublasOperation_t operation) {
    require(operation >= CUBLAS_OP_N && operation <= CUBLAS_OP_C,
            std::string(name) + " is not a cublasOperation_t.");
  }
  void require_pitch(const char* name, std::int64_t pitch, std::int64_t rows) {
    require(pitch >= std::max<std::int64_t>(rows, 1),
            std::string(name) + " is " + std::to_string(pitch) + "; it must be at least " +
                std::to_string(std::max<std::int64_t>(rows, 1)) + ", the rows of the matrix.");
  }

  template <typename T>
  Scalar<T> scalar(const char* name, const T* pointer) {
    require_scalar(name, pointer, sizeof(T));
    if (!is_valid()) return {};
    if (on_host()) return {*pointer, nullptr};
    work_.reads.push_back({name, pointer, sizeof(T)});
    return {0, pointer};
  }
  // The place of a result. In host memory, the host waits for it.
  template <typename T>
  void result(T* pointer) {
    require_scalar("result", pointer, sizeof(T));
    work_.host_waits = is_valid() && on_host();
    if (is_valid() && !on_host()) work_.writes.push_back({"result", pointer, sizeof(T)});
  }

  template <typename T>
  void reads_vector(const char* name, const T* data, std::int64_t n, std::int64_t stride) {
    add(work_.reads, name, data, sizeof(T), stride == 0 ? 1 : n, std::llabs(stride) * sizeof(T));
  }
  template <typename T>
  void writes_vector(const char* name, const T* data, std::int64_t n, std::int64_t stride) {
    add(work_.writes, name, data, sizeof(T), stride == 0 ? 1 : n, std::llabs(stride) * sizeof(T));
  }
  template <typename T>
  void reads_matrix(const char* name, const T* data, std::int64_t rows, std::int64_t cols,
                    std::int64_t pitch) {
    add(work_.reads, name, data, rows * sizeof(T), cols, pitch * sizeof(T));
  }
  // `beta`: whether the elements are read too.
  template <typename T>
  void updates_matrix(const char* name, T* data, std::int64_t rows, std::int64_t cols,
                      std::int64_t pitch, const Scalar<T>& beta) {
    if (beta.on_device || beta.value != T{0}) reads_matrix(name, data, rows, cols, pitch);
    add(work_.writes, name, data, rows * sizeof(T), cols, pitch * sizeof(T));
  }

  template <typename Compute>
  cublasStatus_t run(Compute compute) {
    if (!is_valid()) return status_;
    const char* const function = work_.call.function;
    work_.compute = [compute, function] {
      const char* by = "plain loops";
      compute(by);
      say_once(std::string(function) + " was computed by " + by + " on the CPU, without counts.",
               std::string("cuBLAS ") + by);
    };
    const bool succeeded = add_library_work(handle_->stream, work_) == cudaSuccess;
    return succeeded ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
  }

 private:
  bool on_host() const { return handle_->pointer_mode == CUBLAS_POINTER_MODE_HOST; }
  void explain(const std::string& what) const {
    const std::string text =
        std::string(work_.call.function) + " returns " + cublasGetStatusName(status_) + ": " + what;
    say_once(text, text);
  }
  void require_scalar(const char* name, const void* pointer, std::size_t bytes) {
    require(pointer != nullptr, std::string(name) + " is a null pointer.");
    if (!is_valid() || !on_host() || is_host_memory(pointer, bytes)) return;
    report_library_error(
        work_.call, finding_kind::kDevicePointerOnHost,
        std::string(work_.call.function) + " uses its argument " + name +
            " on the host, but that is in device memory. Pass an address in host memory, or call "
            "cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) first.");
    status_ = CUBLAS_STATUS_INVALID_VALUE;
  }
  static void add(std::vector<LibraryArray>& arrays, const char* name, const void* data,
                  std::size_t row_bytes, std::int64_t count, std::size_t pitch) {
    if (count > 0)
      arrays.push_back({name, data, row_bytes, static_cast<std::size_t>(count), pitch});
  }

  cublasHandle_t handle_;
  LibraryWork work_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

struct Shape {
  std::int64_t rows, cols;
};
Shape stored(cublasOperation_t operation, std::int64_t rows, std::int64_t cols) {
  return operation == CUBLAS_OP_N ? Shape{rows, cols} : Shape{cols, rows};
}

template <typename T>
cublasStatus_t axpy(BlasCall blas, std::int64_t n, const T* alpha, const T* x, std::int64_t incx,
                    T* y, std::int64_t incy) {
  const Scalar<T> factor = blas.scalar("alpha", alpha);
  blas.reads_vector("x", x, n, incx);
  blas.reads_vector("y", y, n, incy);
  blas.writes_vector("y", y, n, incy);
  return blas.run([=](const char*&) {
    const T a = factor.get();
    for (std::int64_t i = 0; i < n; ++i) y[at(i, n, incy)] += a * x[at(i, n, incx)];
  });
}

template <typename T>
cublasStatus_t scal(BlasCall blas, std::int64_t n, const T* alpha, T* x, std::int64_t incx) {
  const Scalar<T> factor = blas.scalar("alpha", alpha);
  blas.reads_vector("x", x, n, incx);
  blas.writes_vector("x", x, n, incx);
  return blas.run([=](const char*&) {
    for (std::int64_t i = 0; i < n; ++i) x[at(i, n, incx)] *= factor.get();
  });
}

template <typename T>
cublasStatus_t copy(BlasCall blas, std::int64_t n, const T* x, std::int64_t incx, T* y,
                    std::int64_t incy) {
  blas.reads_vector("x", x, n, incx);
  blas.writes_vector("y", y, n, incy);
  return blas.run([=](const char*&) {
    for (std::int64_t i = 0; i < n; ++i) y[at(i, n, incy)] = x[at(i, n, incx)];
  });
}

template <typename T>
cublasStatus_t dot(BlasCall blas, std::int64_t n, const T* x, std::int64_t incx, const T* y,
                   std::int64_t incy, T* result) {
  blas.result(result);
  blas.reads_vector("x", x, n, incx);
  blas.reads_vector("y", y, n, incy);
  return blas.run([=](const char*&) {
    T sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += x[at(i, n, incx)] * y[at(i, n, incy)];
    *result = sum;
  });
}

// The sum of `term` over a vector, and a last function of the sum.
template <typename T, typename Term, typename Last>
cublasStatus_t sum(BlasCall blas, std::int64_t n, const T* x, std::int64_t incx, T* result,
                   Term term, Last last) {
  blas.result(result);
  blas.reads_vector("x", x, n, incx);
  return blas.run([=](const char*&) {
    long double sum = 0;  // no square overflows
    for (std::int64_t i = 0; i < n; ++i) sum += term(x[at(i, n, incx)]);
    *result = static_cast<T>(last(sum));
  });
}

// The 1-based position of the first element of the largest magnitude.
template <typename T, typename I>
cublasStatus_t amax(BlasCall blas, I n, const T* x, std::int64_t incx, I* result) {
  blas.result(result);
  blas.reads_vector("x", x, n, incx);
  return blas.run([=](const char*&) {
    I best = 0;
    for (I i = 1; i < n; ++i)
      if (std::abs(x[at(i, n, incx)]) > std::abs(x[at(best, n, incx)])) best = i;
    *result = n > 0 ? best + 1 : 0;
  });
}

template <typename T>
cublasStatus_t gemv(BlasCall blas, cublasOperation_t trans, std::int64_t m, std::int64_t n,
                    const T* alpha, const T* a, std::int64_t lda, const T* x, std::int64_t incx,
                    const T* beta, T* y, std::int64_t incy) {
  blas.require_operation("trans", trans);
  blas.require_size("m", m);
  blas.require_size("n", n);
  blas.require_pitch("lda", lda, m);
  blas.require(incx != 0 && incy != 0, "a stride is 0.");
  const Scalar<T> factor = blas.scalar("alpha", alpha), old = blas.scalar("beta", beta);
  if (!blas.is_valid() || m == 0 || n == 0) return blas.run([](const char*&) {});
  const auto [rows, cols] = stored(trans, m, n);  // of op(A)
  blas.reads_matrix("A", a, m, n, lda);
  blas.reads_vector("x", x, cols, incx);
  if (old.on_device || old.value != T{0}) blas.reads_vector("y", y, rows, incy);
  blas.writes_vector("y", y, rows, incy);
  return blas.run([=, rows = rows, cols = cols](const char*&) {
    const Operand<T> matrix{a, lda, trans != CUBLAS_OP_N};
    for (std::int64_t row = 0; row < rows; ++row) {
      T sum = 0;
      for (std::int64_t col = 0; col < cols; ++col)
        sum += matrix.at(row, col) * x[at(col, cols, incx)];
      T& element = y[at(row, rows, incy)];
      element = factor.get() * sum + scaled(old.get(), element);
    }
  });
}

template <typename T>
cublasStatus_t gemm(BlasCall blas, cublasOperation_t transa, cublasOperation_t transb,
                    std::int64_t m, std::int64_t n, std::int64_t k, const T* alpha, const T* a,
                    std::int64_t lda, long long stride_a, const T* b, std::int64_t ldb,
                    long long stride_b, const T* beta, T* c, std::int64_t ldc, long long stride_c,
                    std::int64_t batches) {
  blas.require_operation("transa", transa);
  blas.require_operation("transb", transb);
  blas.require_size("m", m);
  blas.require_size("n", n);
  blas.require_size("k", k);
  blas.require_size("batchCount", batches);
  const Shape of_a = stored(transa, m, k), of_b = stored(transb, k, n);
  blas.require_pitch("lda", lda, of_a.rows);
  blas.require_pitch("ldb", ldb, of_b.rows);
  blas.require_pitch("ldc", ldc, m);
  const Scalar<T> factor = blas.scalar("alpha", alpha), old = blas.scalar("beta", beta);
  for (std::int64_t batch = 0; m > 0 && n > 0 && batch < batches && blas.is_valid(); ++batch) {
    if (k > 0) {
      blas.reads_matrix("A", a + batch * stride_a, of_a.rows, of_a.cols, lda);
      blas.reads_matrix("B", b + batch * stride_b, of_b.rows, of_b.cols, ldb);
    }
    blas.updates_matrix("C", c + batch * stride_c, m, n, ldc, old);
  }
  return blas.run([=](const char*& by) {
    const Operand<T> first{a, lda, transa != CUBLAS_OP_N}, second{b, ldb, transb != CUBLAS_OP_N};
    for (std::int64_t batch = 0; m > 0 && n > 0 && batch < batches; ++batch) {
      T* const product = c + batch * stride_c;
      Operand<T> left = first, right = second;
      left.data += batch * stride_a;
      right.data += batch * stride_b;
      if (k > 0 &&
          blas_gemm(left.transposed ? 'T' : 'N', right.transposed ? 'T' : 'N', m, n, k,
                    factor.get(), left.data, lda, right.data, ldb, old.get(), product, ldc)) {
        by = blas_name();
      } else {
        multiply(Part::all, m, n, k, factor.get(), left, right, old.get(), product, ldc);
      }
    }
  });
}

template <typename T>
cublasStatus_t geam(BlasCall blas, cublasOperation_t transa, cublasOperation_t transb,
                    std::int64_t m, std::int64_t n, const T* alpha, const T* a, std::int64_t lda,
                    const T* beta, const T* b, std::int64_t ldb, T* c, std::int64_t ldc) {
  blas.require_operation("transa", transa);
  blas.require_operation("transb", transb);
  blas.require_size("m", m);
  blas.require_size("n", n);
  const Shape of_a = stored(transa, m, n), of_b = stored(transb, m, n);
  blas.require_pitch("lda", lda, of_a.rows);
  blas.require_pitch("ldb", ldb, of_b.rows);
  blas.require_pitch("ldc", ldc, m);
  const Scalar<T> of_first = blas.scalar("alpha", alpha), of_second = blas.scalar("beta", beta);
  const bool reads_a = of_first.on_device || of_first.value != T{0};
  const bool reads_b = of_second.on_device || of_second.value != T{0};
  blas.require(c != a || !reads_a || (transa == CUBLAS_OP_N && lda == ldc),
               "C is A, but transa is not CUBLAS_OP_N or ldc is not lda.");
  blas.require(c != b || !reads_b || (transb == CUBLAS_OP_N && ldb == ldc),
               "C is B, but transb is not CUBLAS_OP_N or ldc is not ldb.");
  if (!blas.is_valid() || m == 0 || n == 0) return blas.run([](const char*&) {});
  if (reads_a) blas.reads_matrix("A", a, of_a.rows, of_a.cols, lda);
  if (reads_b) blas.reads_matrix("B", b, of_b.rows, of_b.cols, ldb);
  blas.updates_matrix("C", c, m, n, ldc, Scalar<T>{});
  return blas.run([=](const char*&) {
    const Operand<T> first{a, lda, transa != CUBLAS_OP_N}, second{b, ldb, transb != CUBLAS_OP_N};
    const T factor_a = of_first.get(), factor_b = of_second.get();
    for (std::int64_t col = 0; col < n; ++col) {
      for (std::int64_t row = 0; row < m; ++row) {
        T& element = c[row + col * ldc];
        if (factor_b == T{0}) {  // a sum with 0 would change -0
          element = scaled(factor_a, first, row, col);
        } else if (factor_a == T{0}) {
          element = scaled(factor_b, second, row, col);
        } else {
          element = factor_a * first.at(row, col) + factor_b * second.at(row, col);
        }
      }
    }
  });
}

template <typename T>
cublasStatus_t syrk(BlasCall blas, cublasFillMode_t uplo, cublasOperation_t trans, std::int64_t n,
                    std::int64_t k, const T* alpha, const T* a, std::int64_t lda, const T* beta,
                    T* c, std::int64_t ldc) {
  const bool is_lower = uplo == CUBLAS_FILL_MODE_LOWER;
  blas.require(is_lower || uplo == CUBLAS_FILL_MODE_UPPER, "uplo is neither lower nor upper.");
  blas.require_operation("trans", trans);
  blas.require_size("n", n);
  blas.require_size("k", k);
  const Shape of_a = stored(trans, n, k);
  blas.require_pitch("lda", lda, of_a.rows);
  blas.require_pitch("ldc", ldc, n);
  const Scalar<T> factor = blas.scalar("alpha", alpha), old = blas.scalar("beta", beta);
  if (!blas.is_valid() || n == 0) return blas.run([](const char*&) {});
  if (k > 0) blas.reads_matrix("A", a, of_a.rows, of_a.cols, lda);
  for (std::int64_t col = 0; col < n; ++col) {
    const std::int64_t begin = is_lower ? col : 0, end = is_lower ? n : col + 1;
    blas.updates_matrix("C", c + begin + col * ldc, end - begin, 1, ldc, old);
  }
  return blas.run([=](const char*&) {
    const bool transposed = trans != CUBLAS_OP_N;
    multiply(is_lower ? Part::lower : Part::upper, n, n, k, factor.get(),
             Operand<T>{a, lda, transposed}, Operand<T>{a, lda, !transposed}, old.get(), c, ldc);
  });
}

// Changes or reads a property of a handle.
template <typename Action>
cublasStatus_t with_handle(cublasHandle_t handle, Action action) {
  if (!Handles::get().contains(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  action();
  return CUBLAS_STATUS_SUCCESS;
}

// A column of `rows` elements at a time.
cublasStatus_t copy_matrix(int rows, int cols, int element_bytes, const void* a, int lda, void* b,
                           int ldb, cudaMemcpyKind kind) {
  if (rows < 0 || cols < 0 || element_bytes <= 0 || lda < rows || ldb < rows || lda <= 0 ||
      ldb <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto bytes = static_cast<std::size_t>(element_bytes);
  const auto error = cudaMemcpy2D(b, ldb * bytes, a, lda * bytes, rows * bytes,
                                  static_cast<std::size_t>(cols), kind);
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

}  // namespace
}  // namespace cuda_simulator

using cuda_simulator::copy_matrix;
using cuda_simulator::Handles;
using cuda_simulator::with_handle;

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
#define NAME(status) \
  case status:       \
    return #status;
    NAME(CUBLAS_STATUS_SUCCESS)
    NAME(CUBLAS_STATUS_NOT_INITIALIZED)
    NAME(CUBLAS_STATUS_ALLOC_FAILED)
    NAME(CUBLAS_STATUS_INVALID_VALUE)
    NAME(CUBLAS_STATUS_ARCH_MISMATCH)
    NAME(CUBLAS_STATUS_MAPPING_ERROR)
    NAME(CUBLAS_STATUS_EXECUTION_FAILED)
    NAME(CUBLAS_STATUS_INTERNAL_ERROR)
    NAME(CUBLAS_STATUS_NOT_SUPPORTED)
    NAME(CUBLAS_STATUS_LICENSE_ERROR)
#undef NAME
  }
  return "unknown cuBLAS status";
}

const char* cublasGetStatusString(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "the handle was not created";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "an argument is invalid";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "the work failed on the device";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "a copy failed";
    default:
      return cublasGetStatusName(status);
  }
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  if (!handle) return CUBLAS_STATUS_INVALID_VALUE;
  *handle = Handles::get().add(new cublasContext);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return Handles::get().remove(handle) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int* version) {
  return with_handle(handle, [&] { *version = CUBLAS_VERSION; });
}
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return with_handle(handle, [&] { handle->stream = stream; });
}
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return with_handle(handle, [&] { *stream = handle->stream; });
}
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  return with_handle(handle, [&] { handle->pointer_mode = mode; });
}
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t* mode) {
  return with_handle(handle, [&] { *mode = handle->pointer_mode; });
}
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  return with_handle(handle, [&] { handle->math_mode = mode; });
}
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  return with_handle(handle, [&] { *mode = handle->math_mode; });
}
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, std::size_t) {
  return with_handle(handle, [] {});
}

cublasStatus_t cublasSetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy) {
  return copy_matrix(1, n, element_bytes, x, incx, y, incy, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetVector(int n, int element_bytes, const void* x, int incx, void* y,
                               int incy) {
  return copy_matrix(1, n, element_bytes, x, incx, y, incy, cudaMemcpyDeviceToHost);
}
cublasStatus_t cublasSetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyHostToDevice);
}
cublasStatus_t cublasGetMatrix(int rows, int cols, int element_bytes, const void* a, int lda,
                               void* b, int ldb) {
  return copy_matrix(rows, cols, element_bytes, a, lda, b, ldb, cudaMemcpyDeviceToHost);
}

#define BLAS(function) cuda_simulator::BlasCall(#function, __builtin_return_address(0), handle)
#define CALLS(L, LOWER, T, I, SUFFIX)                                                              \
  cublasStatus_t cublas##L##axpy##SUFFIX(cublasHandle_t handle, I n, const T* alpha, const T* x,   \
                                         I incx, T* y, I incy) {                                   \
    return cuda_simulator::axpy<T>(BLAS(cublas##L##axpy##SUFFIX), n, alpha, x, incx, y, incy);     \
  }                                                                                                \
  cublasStatus_t cublas##L##scal##SUFFIX(cublasHandle_t handle, I n, const T* alpha, T* x,         \
                                         I incx) {                                                 \
    return cuda_simulator::scal<T>(BLAS(cublas##L##scal##SUFFIX), n, alpha, x, incx);              \
  }                                                                                                \
  cublasStatus_t cublas##L##copy##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx, T* y,     \
                                         I incy) {                                                 \
    return cuda_simulator::copy<T>(BLAS(cublas##L##copy##SUFFIX), n, x, incx, y, incy);            \
  }                                                                                                \
  cublasStatus_t cublas##L##dot##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,            \
                                        const T* y, I incy, T* result) {                           \
    return cuda_simulator::dot<T>(BLAS(cublas##L##dot##SUFFIX), n, x, incx, y, incy, result);      \
  }                                                                                                \
  cublasStatus_t cublas##L##nrm2##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,           \
                                         T* result) {                                              \
    return cuda_simulator::sum<T>(                                                                 \
        BLAS(cublas##L##nrm2##SUFFIX), n, x, incx, result, [](long double x) { return x * x; },    \
        [](long double sum) { return std::sqrt(sum); });                                           \
  }                                                                                                \
  cublasStatus_t cublas##L##asum##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,           \
                                         T* result) {                                              \
    return cuda_simulator::sum<T>(                                                                 \
        BLAS(cublas##L##asum##SUFFIX), n, x, incx, result,                                         \
        [](long double x) { return std::abs(x); }, [](long double sum) { return sum; });           \
  }                                                                                                \
  cublasStatus_t cublasI##LOWER##amax##SUFFIX(cublasHandle_t handle, I n, const T* x, I incx,      \
                                              I* result) {                                         \
    return cuda_simulator::amax<T, I>(BLAS(cublasI##LOWER##amax##SUFFIX), n, x, incx, result);     \
  }                                                                                                \
  cublasStatus_t cublas##L##gemv##SUFFIX(cublasHandle_t handle, cublasOperation_t trans, I m, I n, \
                                         const T* alpha, const T* a, I lda, const T* x, I incx,    \
                                         const T* beta, T* y, I incy) {                            \
    return cuda_simulator::gemv<T>(BLAS(cublas##L##gemv##SUFFIX), trans, m, n, alpha, a, lda, x,   \
                                   incx, beta, y, incy);                                           \
  }                                                                                                \
  cublasStatus_t cublas##L##gemm##SUFFIX(                                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,    \
      const T* alpha, const T* a, I lda, const T* b, I ldb, const T* beta, T* c, I ldc) {          \
    return cuda_simulator::gemm<T>(BLAS(cublas##L##gemm##SUFFIX), transa, transb, m, n, k, alpha,  \
                                   a, lda, 0, b, ldb, 0, beta, c, ldc, 0, 1);                      \
  }                                                                                                \
  cublasStatus_t cublas##L##gemmStridedBatched##SUFFIX(                                            \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n, I k,    \
      const T* alpha, const T* a, I lda, long long stride_a, const T* b, I ldb,                    \
      long long stride_b, const T* beta, T* c, I ldc, long long stride_c, I batches) {             \
    return cuda_simulator::gemm<T>(BLAS(cublas##L##gemmStridedBatched##SUFFIX), transa, transb, m, \
                                   n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,  \
                                   stride_c, batches);                                             \
  }                                                                                                \
  cublasStatus_t cublas##L##geam##SUFFIX(                                                          \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, I m, I n,         \
      const T* alpha, const T* a, I lda, const T* beta, const T* b, I ldb, T* c, I ldc) {          \
    return cuda_simulator::geam<T>(BLAS(cublas##L##geam##SUFFIX), transa, transb, m, n, alpha, a,  \
                                   lda, beta, b, ldb, c, ldc);                                     \
  }                                                                                                \
  cublasStatus_t cublas##L##syrk##SUFFIX(cublasHandle_t handle, cublasFillMode_t uplo,             \
                                         cublasOperation_t trans, I n, I k, const T* alpha,        \
                                         const T* a, I lda, const T* beta, T* c, I ldc) {          \
    return cuda_simulator::syrk<T>(BLAS(cublas##L##syrk##SUFFIX), uplo, trans, n, k, alpha, a,     \
                                   lda, beta, c, ldc);                                             \
  }
CUDA_SIMULATOR_CUBLAS_TYPES(CALLS)
