/// @file problem.h
/// The discrete frictional contact problem (DFCP), its law and its error measure.
///
/// Given W (symmetric positive semi-definite, block-sparse), b and mu, find impulses r and velocities
///
///     u = W r + b          such that  (u_i + shift_i, r_i)  obeys the law of contact i, for every i.
///
/// Contact i is a block of d_i rows (2, 3 or 6), normal component first. With K_mu = { ||x_T|| <= mu x_N }:
///
///     coulomb    take-off  r = 0,  u_N >= 0
///                stick     u = 0,  r in K_mu
///                slide     u_N = 0,  ||r_T|| = mu r_N,  u_T = -alpha r_T,  alpha > 0
///     convex     K_mu  contains  r,   K_{1/mu}  contains  u,   r.u = 0      (the cone without De Saxce's shift)
///     bilateral  u = 0                                                     (ties and joints)
///     free       r = 0
///
/// A contact may have a dashpot d_i and a cohesion c_i: its law then holds for s_i = r_i + d_i u_i + c_i e instead of r_i, e the
/// normal. The dashpot adds a viscous resistance -d_i u_i to what the law allows; the cohesion moves the tip of the cone, so that
/// the contact bears a pull of up to c_i.
///
/// W need not be symmetric (gyroscopic terms make real ones slightly unsymmetric): the problem is solved as given.
#ifndef CAPSTAN_PROBLEM_H
#define CAPSTAN_PROBLEM_H

#include "capstan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Law of one contact; the equations are at the top of this file.
typedef enum CpsLaw { CPS_LAW_COULOMB = 0, CPS_LAW_CONVEX = 1, CPS_LAW_BILATERAL = 2, CPS_LAW_FREE = 3 } CpsLaw;

/// What a contact does at a solution.
typedef enum CpsContactStatus {
  CPS_CONTACT_TAKEOFF = 0,  ///< no impulse
  CPS_CONTACT_STICK = 1,    ///< an impulse and no relative velocity (also: a bilateral block)
  CPS_CONTACT_SLIDE = 2     ///< an impulse on the boundary of the cone and a tangential velocity
} CpsContactStatus;

/// Dimensions 2 to 6 are handled by fixed-size code; this is the largest.
#define CPS_DIM_MAX 6

/// The contacts of a problem: everything but W. Start from cps_contacts_def_default(). The arrays are the caller's
/// and are copied; "rows" is the sum of the dimensions.
typedef struct CpsContactsDef {
  int32_t count;        ///< number of contacts, >= 0
  int32_t dim;          ///< dimension of every contact: 2, 3 or 6; or 0: each has its own in `dims`. Default 3
  const int32_t* dims;  ///< count entries, each 2, 3 or 6; read only if dim is 0
  const CpsLaw* laws;   ///< count entries; NULL: all Coulomb. Default NULL
  const double* mu;     ///< count friction coefficients, finite, >= 0 (not read for bilateral and free blocks); may be
                        ///< NULL if no block reads it
  const double* b;      ///< rows entries, m/s: relative velocity without contact impulses, finite
  const double* shift;  ///< rows entries, m/s, added to u before the law is applied (restitution: e times the normal
                        ///< approach speed, negative; forced surface motion); NULL: zero. Default NULL
  const double*
      compliance;  ///< count entries c_i, finite, >= 0: c_i I is added to W_ii, as if each contact gave way by
                   ///< itself in a spring (u = W r + c r + b). Of a problem that keeps bodies each c_i > 0 is
                   ///< one more body of d_i degrees of freedom. NULL: none. Default NULL
  const double*
      dashpot;  ///< count entries d_i, kg, finite, >= 0: the law holds for r_i + d_i u_i, u without the shift.
                ///< Has no effect on bilateral blocks; a free block becomes a pure damper. Contacts with
                ///< large members only or without any (see cps_problem_from_sparse()). NULL: none. Default NULL
  const double*
      cohesion;       ///< count entries c_i, N·s, finite, >= 0: the law holds for r_i + c_i e. Read for laws with a
                      ///< cone (Coulomb, convex). NULL: none. Default NULL
  int64_t dof_count;  ///< degrees of freedom m behind W, only for the report nu = rows/m; 0: unknown. Default 0
  bool trust_W;       ///< leave out the test (24 products with W) that refuses an indefinite W given as blocks, CSR or
                      ///< CSC: for callers that know how their W was made. Default false
  int cookie;         ///< set by the default function; catches a struct that was never initialised
} CpsContactsDef;

/// Defaults: no contacts, dimension 3, all Coulomb, no shift.
CPS_API CpsContactsDef cps_contacts_def_default(void);

/// A DFCP. Opaque, immutable, made by one of the cps_problem_from_… functions, freed by cps_problem_destroy().
typedef struct CpsProblem CpsProblem;

/// W from block triplets: block k is W at (rows[k], cols[k]), of size d_row x d_col, row-major.
/// @param block_count  number of triplets; several with the same place are added up
/// @param rows,cols    contact indices, in range
/// @param values       the blocks one after the other, finite
/// @param[out] problem the new problem
/// @param[out] error   an error message if the call fails; may be NULL
CPS_API CpsStatus cps_problem_from_blocks(const CpsContactsDef* contacts, int64_t block_count, const int32_t* rows,
                                          const int32_t* cols, const double* values, CpsProblem** problem,
                                          CpsError* error);

/// W from compressed scalar rows (CSR). Entries may be unsorted and repeated (repeated ones are added).
/// @param row_start  rows + 1 offsets, from 0, not decreasing
/// @param col        scalar column of each entry, in range
CPS_API CpsStatus cps_problem_from_csr(const CpsContactsDef* contacts, const int64_t* row_start, const int32_t* col,
                                       const double* value, CpsProblem** problem, CpsError* error);

/// W from compressed scalar columns (CSC); as cps_problem_from_csr with rows and columns exchanged.
CPS_API CpsStatus cps_problem_from_csc(const CpsContactsDef* contacts, const int64_t* col_start, const int32_t* row,
                                       const double* value, CpsProblem** problem, CpsError* error);

/// How the implicit mass matrix M of a global form is stored.
typedef enum CpsMassKind {
  CPS_MASS_DENSE_BLOCKS = 0,  ///< block-diagonal, one dense block per body
  CPS_MASS_BANDED = 1,        ///< one symmetric banded matrix per body, lower band
  CPS_MASS_SPARSE = 2         ///< one sparse matrix in CSC (needs a build with the direct methods)
} CpsMassKind;

/// The implicit mass matrix M (m x m), regular. Arrays are the caller's and are copied.
typedef struct CpsMass {
  CpsMassKind kind;          ///< which of the fields below are read
  int64_t dof_count;         ///< m >= 0
  int32_t body_count;        ///< dense blocks, banded: number of bodies
  const int32_t* body_dofs;  ///< dense blocks, banded: dofs of each body, summing to m
  const int32_t* bandwidth;  ///< banded: number of sub-diagonals of each body
  const double* value;       ///< dense: the blocks row-major, one after the other. banded: for each dof i of a body
                             ///< of bandwidth k the k + 1 entries M(i, i-k) … M(i, i) (out-of-range ones ignored).
                             ///< sparse: the non-zeros
  const int64_t* col_start;  ///< sparse: m + 1 offsets
  const int32_t* row;        ///< sparse: row of each non-zero; repeated entries are added
} CpsMass;

/// The global form  M v = H^T r + f,  u = H v + w,  to be reduced to  u = W r + b  with W = H M^-1 H^T and
/// b = w + H M^-1 f. Arrays are the caller's and are copied as far as they are needed.
typedef struct CpsGlobalForm {
  CpsMass M;                   ///< implicit mass matrix
  const int64_t* H_row_start;  ///< H (rows x m) in CSR: rows + 1 offsets
  const int32_t* H_col;        ///< degree of freedom of each entry
  const double* H_value;       ///< the entries
  const double* f;             ///< m entries, N·s: external impulses plus M v of the step before
} CpsGlobalForm;

/// Whether a problem made from a global form holds W or keeps what W is made of and never forms it.
typedef enum CpsForm {
  CPS_FORM_W = 0,         ///< explicit block-sparse W
  CPS_FORM_FACTORED = 1,  ///< W = sum over bodies of H_B Y_B^T; memory linear in contacts
  CPS_FORM_SPARSE = 2  ///< M and H themselves and the factor of M, as cps_problem_from_sparse() keeps them, where M is
                       ///< of the kind CPS_MASS_SPARSE, symmetric and positive definite; otherwise W
} CpsForm;

/// Eliminates v. In `contacts`, b is w. The dofs of the report are M's.
CPS_API CpsStatus cps_problem_from_global(const CpsContactsDef* contacts, const CpsGlobalForm* global, CpsForm form,
                                          CpsProblem** problem, CpsError* error);

/// A problem that never forms W. A contact touches few bodies; for each such pair there is a term with the Jacobian
/// block H_iB (d_i x m_B) and Y_iB = H_iB M_B^-T (d_i x m_B), that is, (M_B^-1 H_iB^T)^T. Then
/// W_ij = sum over common bodies of H_iB Y_jB^T. Static bodies have no term. With mass-normalised coordinates, that is
/// with H_iB L^-T for both where M_B = L L^T, H and Y are the same (the same pointer is allowed) and are stored once:
/// half the memory, and faster.
typedef struct CpsFactoredForm {
  int32_t body_count;            ///< >= 0
  const int32_t* body_dofs;      ///< body_count entries, m_B >= 1
  const int64_t* contact_start;  ///< count + 1 offsets into `body`: the terms of each contact
  const int32_t* body;           ///< body of each term; a body occurs at most once in a contact
  const double* H;               ///< the d_i x m_B blocks, row-major, in the order of the terms
  const double* Y;               ///< the same layout
} CpsFactoredForm;

/// Makes a matrix-free problem. Methods that need W form it themselves, inside their time.
CPS_API CpsStatus cps_problem_from_bodies(const CpsContactsDef* contacts, const CpsFactoredForm* factored,
                                          CpsProblem** problem, CpsError* error);

/// Refills a problem made by cps_problem_from_bodies() with the contacts of the next step. Once its memory is as large as
/// the largest problem it held, nothing is allocated. The only call that changes a problem: no other thread may read it
/// meanwhile.
/// @return CPS_OK, or an error < 0: the problem is then empty (no contacts; one that holds W is refused as it is)
CPS_API CpsStatus cps_problem_refill_bodies(CpsProblem* problem, const CpsContactsDef* contacts,
                                            const CpsFactoredForm* factored, CpsError* error);

/// A problem in which large members (sheets, solids: many nodes of three degrees of freedom behind one sparse implicit mass
/// matrix M) take part beside small ones (bodies, rods: mass-normalised rows). W is never formed:
///
///     W_ij = sum over common small members of G_iB G_jB^T  +  A_i M^-1 A_j^T
///
/// b of the contacts is the relative velocity without contact impulses, whatever M and the forces make of it. All arrays
/// are the caller's and are copied.
typedef struct CpsSparseForm {
  CpsFactoredForm small;   ///< terms of the small members, H and Y the same (G). body_count may be 0; contact_start may
                           ///< then be NULL
  int32_t node_count;      ///< nodes of all large members, >= 0. 0: the problem is the one of `small`, bit for bit
  const int64_t* M_start;  ///< node_count + 1 offsets into M_column: block rows of the lower triangle of M
  const int32_t* M_column;  ///< block columns of each row, ascending, the last one the diagonal
  const double* M_value;  ///< 3 x 3 blocks, row-major, finite; M is symmetric and positive definite (of a block on the
                          ///< diagonal both triangles are given and the mean of both is taken)
  const int64_t* node_start;  ///< count + 1 offsets into `node`: the node terms of each contact
  const int32_t* node;        ///< node of each term; a node occurs at most once in a contact
  const double* A;  ///< d_i x 3 blocks, row-major, in the order of the terms: u_i += A v_node in the contact frame
} CpsSparseForm;

/// Makes a problem from large and small members. Methods that need W form it themselves, inside their time.
/// @return CPS_OK; CPS_BAD_DATA also where M is not positive definite; CPS_UNSUPPORTED for node_count > 0 in a build
///         without the direct methods
CPS_API CpsStatus cps_problem_from_sparse(const CpsContactsDef* contacts, const CpsSparseForm* form,
                                          CpsProblem** problem, CpsError* error);

/// Refills a problem made by cps_problem_from_sparse() or cps_problem_from_bodies() with the contacts and masses of the next
/// step. Once its memory is as large as the largest problem it held and the pattern of M is that of the step before, nothing is
/// allocated and the symbolic factorisation is kept. No other thread may read the problem meanwhile.
/// @return CPS_OK, or an error < 0: the problem is then empty (no contacts; one that holds W is refused as it is)
CPS_API CpsStatus cps_problem_refill_sparse(CpsProblem* problem, const CpsContactsDef* contacts,
                                            const CpsSparseForm* form, CpsError* error);

/// What impulses do to the members of a problem made by cps_problem_from_sparse() or cps_problem_from_bodies():
/// the change of node velocities v = M^-1 A^T r and of mass-normalised velocities z = G^T r. Allocates nothing.
/// @param v     out: 3 node_count entries; NULL if there are no nodes
/// @param z     out: the dofs of the small members, one after the other; NULL if there are none
/// @param work  3 node_count entries that are overwritten; NULL if there are no nodes
/// @return CPS_OK, or CPS_UNSUPPORTED for a problem that holds W
CPS_API CpsStatus cps_problem_sparse_velocity(const CpsProblem* problem, const double* r, double* v, double* z,
                                              double* work);

/// What a problem with large members holds, as it was given: arrays owned by the problem.
/// @return CPS_OK, or CPS_UNSUPPORTED for a problem without large members
CPS_API CpsStatus cps_problem_sparse_form(const CpsProblem* problem, CpsSparseForm* form);

/// Nodes of the large members; 0 for a problem without any.
CPS_API int32_t cps_problem_node_count(const CpsProblem* problem);

/// Gives all contacts whose law has a cone (Coulomb, convex) one of these two; ties and free blocks stay. No other thread may
/// read the problem meanwhile.
/// @return CPS_OK, or CPS_BAD_ARGUMENT for another law
CPS_API CpsStatus cps_problem_set_cone_law(CpsProblem* problem, CpsLaw law);

/// Frees a problem. NULL is allowed.
CPS_API void cps_problem_destroy(CpsProblem* problem);

/// Number of contacts.
CPS_API int32_t cps_problem_contact_count(const CpsProblem* problem);
/// Number of scalar rows: the length of r, u and b.
CPS_API int64_t cps_problem_row_count(const CpsProblem* problem);
/// First row of each contact and, at the end, the number of rows: contact_count + 1 entries owned by the problem.
CPS_API const int64_t* cps_problem_offsets(const CpsProblem* problem);
/// Law of each contact, as CpsLaw values: contact_count entries owned by the problem.
CPS_API const uint8_t* cps_problem_laws(const CpsProblem* problem);
/// Friction coefficient of each contact (0 where the law has none): contact_count entries owned by the problem.
CPS_API const double* cps_problem_mu(const CpsProblem* problem);
/// b without the shift: row_count entries owned by the problem.
CPS_API const double* cps_problem_b(const CpsProblem* problem);
/// b plus the shift, what the law sees at r = 0: row_count entries owned by the problem.
CPS_API const double* cps_problem_b_shifted(const CpsProblem* problem);
/// Dashpot of each contact (0: none): contact_count entries owned by the problem, or NULL if no contact has one.
CPS_API const double* cps_problem_dashpot(const CpsProblem* problem);
/// Cohesion of each contact (0: none): contact_count entries owned by the problem, or NULL if no contact has any.
CPS_API const double* cps_problem_cohesion(const CpsProblem* problem);
/// Whether W is held explicitly.
CPS_API bool cps_problem_has_W(const CpsProblem* problem);

/// Number of scalar entries of W in CSR with full blocks; for a matrix-free problem, of the W it represents (which is
/// formed to count them). -1 if memory is short.
CPS_API int64_t cps_problem_W_entry_count(const CpsProblem* problem);
/// Copies W out as scalar CSR with sorted columns.
/// @param[out] row_start  row_count + 1 entries
/// @param[out] col,value  cps_problem_W_entry_count() entries
CPS_API CpsStatus cps_problem_W_csr(const CpsProblem* problem, int64_t* row_start, int32_t* col, double* value);

/// Relative velocities u = W r + b (without the shift). r and u have row_count entries and may not overlap.
CPS_API CpsStatus cps_problem_velocity(const CpsProblem* problem, const double* r, double* u);

/// Velocities of the degrees of freedom v = M^-1 (H^T r + f), for problems made by cps_problem_from_global().
/// @param[out] v  dof_count entries
/// @return CPS_OK, or CPS_UNSUPPORTED for any other problem
CPS_API CpsStatus cps_problem_dof_velocity(const CpsProblem* problem, const double* r, double* v);

/// How well r solves a problem.
typedef struct CpsResidual {
  double natural;         ///< the common measure: max_i e_i / (max_i ||r_i|| + max_i xi_i ||b_i + shift_i||), 0/0 = 0,
                          ///< e_i = || r_i - P_K(r_i - xi_i u~_i) ||, xi_i = d_i / tr W_ii (the mean xi where
                          ///< W_ii vanishes, 1 if all do). convex: u instead of u~; bilateral: e_i = xi_i ||u_i||;
                          ///< free: e_i = ||r_i||
  double siconos;         ///< the measure Siconos prints for comparison: sqrt(sum e_i^2 with xi = 1) / ||b||
  int32_t worst_contact;  ///< contact with the largest e_i, -1 if there is none
} CpsResidual;

/// Measures r with the same yardstick for every method.
CPS_API CpsStatus cps_problem_residual(const CpsProblem* problem, const double* r, CpsResidual* residual);

/// What each contact does at r and how far it is from its law, as a step of a world and `capstan solve` report it.
/// Contacts are measured island by island, so that nothing depends on how heavy another island is.
/// @param tolerance  relative: impulses and velocities count as zero up to the largest of the tolerance, the island's
///                   residual and 1e-14, times max_j ||r_j|| + max_j xi_j ||b_j + shift_j|| over the island; > 0
/// @param[out] statuses   contact_count entries; may be NULL
/// @param[out] residuals  contact_count entries, e_i over the same sum, 0/0 = 0 (see CpsResidual); may be NULL
CPS_API CpsStatus cps_problem_contacts(const CpsProblem* problem, const double* r, double tolerance,
                                       CpsContactStatus* statuses, double* residuals);
/// The statuses alone, contact_count entries, not NULL.
CPS_API CpsStatus cps_problem_contact_statuses(const CpsProblem* problem, const double* r, double tolerance,
                                               CpsContactStatus* statuses);

/// Largest violations of the identities that hold at a solution, each relative to the problem's scale (r against the
/// largest impulse, u against the largest free velocity). Coulomb contacts unless noted otherwise.
typedef struct CpsIdentities {
  double normal_impulse;   ///< r_N >= 0
  double normal_velocity;  ///< u_N >= 0
  double complementarity;  ///< r_N u_N = 0
  double cone;             ///< ||r_T|| <= mu r_N (also convex)
  double alignment;        ///< u_T parallel to r_T
  double dissipation;      ///< r.u = -mu r_N ||u_T||
  double orthogonality;    ///< r.u~ = 0 (convex: r.u = 0)
  double energy;           ///< r.(u + b)/2 <= 0 over the whole problem (only without shift)
} CpsIdentities;

/// Evaluates every identity at r; a debugging aid and a test helper.
CPS_API CpsStatus cps_problem_identities(const CpsProblem* problem, const double* r, CpsIdentities* identities);

/// Facts about a problem. Unknown figures are -1.
typedef struct CpsProblemInfo {
  int32_t contact_count;      ///< number of contacts
  int32_t dim;                ///< common dimension, 0 if mixed
  int32_t law_count[4];       ///< contacts of each CpsLaw
  int64_t row_count;          ///< scalar rows
  int64_t block_count;        ///< non-zero blocks of W (of the W it represents)
  int64_t dof_count;          ///< degrees of freedom behind W, 0 if unknown
  double nu;                  ///< row_count / dof_count, -1 if unknown; over 1 the problem is over-constrained
  double mu_min, mu_max;      ///< range of mu over Coulomb and convex contacts, -1 if there are none
  double asymmetry;           ///< max |W - W^T| / max |W|
  int32_t island_count;       ///< groups of contacts that no entry of W couples
  int32_t largest_island;     ///< contacts in the largest one
  int64_t rank;               ///< numerical rank of the symmetric part; -1 where an island has over 2000 rows
  double condition;           ///< largest over smallest non-zero pivot of that factorisation, a hint; or -1
  int32_t indefinite_island;  ///< an island whose symmetric part has a clearly negative pivot, -1 if none is seen
  int64_t bytes;              ///< memory held by the problem
} CpsProblemInfo;

/// Describes a problem; the rank makes it cubic in the size of an island, so it is not free.
CPS_API CpsStatus cps_problem_describe(const CpsProblem* problem, CpsProblemInfo* info);

/// Finds the islands: contacts i and j are in one island if a chain of non-zero blocks of W joins them.
/// @param[out] island  contact_count entries, numbered from 0 in the order of their first contact
/// @param[out] count   number of islands
CPS_API CpsStatus cps_problem_islands(const CpsProblem* problem, int32_t* island, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
