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
/// A contact may have a dashpot d_i and a cohesion c_i: its law then applies to s_i = r_i + d_i u_i + c_i e instead of
/// r_i, where e is the normal. The dashpot adds a viscous resistance -d_i u_i; the cohesion moves the apex of the cone,
/// so that the contact resists tension up to c_i.
///
/// W need not be symmetric (gyroscopic terms make it slightly unsymmetric in practice): the problem is solved as given.
#ifndef CAPSTAN_PROBLEM_H
#define CAPSTAN_PROBLEM_H

#include "capstan/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Law of one contact; the equations are at the top of this file.
typedef enum CpsLaw { CPS_LAW_COULOMB = 0, CPS_LAW_CONVEX = 1, CPS_LAW_BILATERAL = 2, CPS_LAW_FREE = 3 } CpsLaw;

/// State of a contact at a solution.
typedef enum CpsContactStatus {
  CPS_CONTACT_TAKEOFF = 0,  ///< no impulse
  CPS_CONTACT_STICK = 1,    ///< an impulse and no relative velocity (also: a bilateral block)
  CPS_CONTACT_SLIDE = 2     ///< an impulse on the boundary of the cone and a tangential velocity
} CpsContactStatus;

/// Dimensions 2 to 6 are handled by fixed-size code; this is the largest.
#define CPS_DIM_MAX 6

/// The contacts of a problem: everything except W. Start from cps_contacts_def_default(). Arrays belong to the caller
/// and are copied; "rows" is the sum of the dimensions.
typedef struct CpsContactsDef {
  int32_t count;             ///< number of contacts, >= 0
  int32_t dim;               ///< dimension of every contact: 2, 3 or 6; or 0: given for each contact in `dims`. Default
                             ///< 3
  const int32_t* dims;       ///< count entries, each 2, 3 or 6; read only if dim is 0
  const CpsLaw* laws;        ///< count entries; NULL: all Coulomb. Default NULL
  const double* mu;          ///< count friction coefficients, finite, >= 0 (ignored for bilateral and free blocks); may
                             ///< be NULL if every block ignores it
  const double* b;           ///< rows entries, m/s: relative velocity without contact impulses, finite
  const double* shift;       ///< rows entries, m/s, added to u before the law is applied (restitution: e times the
                             ///< normal approach speed, negative; forced surface motion); NULL: zero. Default NULL
  const double* compliance;  ///< count entries c_i, finite, >= 0: c_i I is added to W_ii, as if each contact were an
                             ///< elastic spring (u = W r + c r + b). In a factored problem each c_i > 0 adds a body
                             ///< with d_i degrees of freedom. NULL: none. Default NULL
  const double* dashpot;     ///< count entries d_i, kg, finite, >= 0: the law applies to r_i + d_i u_i, with u before
                             ///< the shift. No effect on bilateral blocks; a free block becomes a pure damper. Only for
                             ///< contacts that touch large members alone or none (see cps_problem_from_sparse()). NULL:
                             ///< none. Default NULL
  const double* cohesion;    ///< count entries c_i, N·s, finite, >= 0: the law applies to r_i + c_i e. Read for laws
                             ///< with a cone (Coulomb, convex). NULL: none. Default NULL
  int64_t dof_count;         ///< degrees of freedom m behind W, only for the report nu = rows/m; 0: unknown. Default 0
  bool trust_W;              ///< skip the test (24 products with W) that rejects an indefinite W given as blocks, CSR
                             ///< or CSC: for callers who know that their W is valid. Default false
  int cookie;                ///< set by the default function; catches a struct that was never initialised
} CpsContactsDef;

/// Defaults: no contacts, dimension 3, all Coulomb, no shift.
CPS_API CpsContactsDef cps_contacts_def_default(void);

/// A DFCP. Opaque and immutable; created by one of the cps_problem_from_… functions, freed by cps_problem_destroy().
typedef struct CpsProblem CpsProblem;

/// W from block triplets: block k is W at (rows[k], cols[k]), of size d_row x d_col, row-major.
/// @param block_count  number of triplets; triplets at the same position are added
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

/// The implicit mass matrix M (m x m), regular. Arrays belong to the caller and are copied.
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

/// The global form  M v = H^T r + f,  u = H v + w,  reduced to u = W r + b with W = H M^-1 H^T and b = w + H M^-1 f.
/// Arrays belong to the caller and are copied as needed.
typedef struct CpsGlobalForm {
  CpsMass M;                   ///< implicit mass matrix
  const int64_t* H_row_start;  ///< H (rows x m) in CSR: rows + 1 offsets
  const int32_t* H_col;        ///< degree of freedom of each entry
  const double* H_value;       ///< the entries
  const double* f;             ///< m entries, N·s: external impulses plus M v of the previous step
} CpsGlobalForm;

/// Whether a problem created from a global form stores W or only its factors, without ever forming W.
typedef enum CpsForm {
  CPS_FORM_W = 0,         ///< explicit block-sparse W
  CPS_FORM_FACTORED = 1,  ///< W = sum over bodies of H_B Y_B^T; memory linear in contacts
  CPS_FORM_SPARSE = 2     ///< M, H and the factor of M, as in cps_problem_from_sparse(), if M is of kind
                          ///< CPS_MASS_SPARSE, symmetric and positive definite; otherwise W
} CpsForm;

/// Eliminates v. In `contacts`, b is w. The degrees of freedom reported are those of M.
CPS_API CpsStatus cps_problem_from_global(const CpsContactsDef* contacts, const CpsGlobalForm* global, CpsForm form,
                                          CpsProblem** problem, CpsError* error);

/// A problem that never forms W. A contact touches few bodies; each pair of contact and body has a term with the
/// Jacobian block H_iB (d_i x m_B) and Y_iB = H_iB M_B^-T (d_i x m_B), that is, (M_B^-1 H_iB^T)^T. Then W_ij = sum over
/// common bodies of H_iB Y_jB^T. Static bodies have no term. In mass-normalised coordinates (H_iB L^-T, with M_B = L
/// L^T) H and Y are equal. Pass the same pointer for both: they are then stored once, which halves the memory and is
/// faster.
typedef struct CpsFactoredForm {
  int32_t body_count;            ///< >= 0
  const int32_t* body_dofs;      ///< body_count entries, m_B >= 1
  const int64_t* contact_start;  ///< count + 1 offsets into `body`: the terms of each contact
  const int32_t* body;           ///< body of each term; a body occurs at most once in a contact
  const double* H;               ///< the d_i x m_B blocks, row-major, in the order of the terms
  const double* Y;               ///< the same layout
} CpsFactoredForm;

/// Creates a matrix-free problem. Methods that need W form it themselves; the time counts as theirs.
CPS_API CpsStatus cps_problem_from_bodies(const CpsContactsDef* contacts, const CpsFactoredForm* factored,
                                          CpsProblem** problem, CpsError* error);

/// Refills a problem created by cps_problem_from_bodies() with the contacts of the next step. Allocates nothing once
/// its memory fits the largest problem. It modifies the problem: no other thread may read it meanwhile.
/// @return CPS_OK, or an error < 0: the problem is then empty, without contacts (a problem that stores W is rejected
/// unchanged)
CPS_API CpsStatus cps_problem_refill_bodies(CpsProblem* problem, const CpsContactsDef* contacts,
                                            const CpsFactoredForm* factored, CpsError* error);

/// A problem with large members (sheets, solids: many nodes with three degrees of freedom each and one sparse implicit
/// mass matrix M) and small members (bodies, rods: mass-normalised rows). W is never formed:
///
///     W_ij = sum over common small members of G_iB G_jB^T  +  A_i M^-1 A_j^T
///
/// b of the contacts is the relative velocity without contact impulses, including the effect of M and all forces.
/// Arrays belong to the caller and are copied.
typedef struct CpsSparseForm {
  CpsFactoredForm small;      ///< terms of the small members, with H = Y (G). If body_count is 0, contact_start may be
                              ///< NULL
  int32_t node_count;         ///< nodes of all large members, >= 0. 0: the problem is bit-identical to that of `small`
  const int64_t* M_start;     ///< node_count + 1 offsets into M_column: block rows of the lower triangle of M
  const int32_t* M_column;    ///< block columns of each row, ascending, the last one the diagonal
  const double* M_value;      ///< 3 x 3 blocks, row-major, finite; M is symmetric and positive definite (diagonal
                              ///< blocks are given in full and symmetrised)
  const int64_t* node_start;  ///< count + 1 offsets into `node`: the node terms of each contact
  const int32_t* node;        ///< node of each term; a node occurs at most once in a contact
  const double* A;            ///< d_i x 3 blocks, row-major, in the order of the terms: u_i += A v_node in the contact
                              ///< frame
} CpsSparseForm;

/// Creates a problem from large and small members. Methods that need W form it themselves; the time counts as theirs.
/// @return CPS_OK; CPS_BAD_DATA if M is not positive definite; CPS_UNSUPPORTED for node_count > 0 in a build without
/// the direct methods
CPS_API CpsStatus cps_problem_from_sparse(const CpsContactsDef* contacts, const CpsSparseForm* form,
                                          CpsProblem** problem, CpsError* error);

/// Refills a problem created by cps_problem_from_sparse() or cps_problem_from_bodies() with the contacts and masses of
/// the next step. Once its memory fits the largest problem and the pattern of M is unchanged, it allocates nothing and
/// reuses the symbolic factorisation. No other thread may read the problem meanwhile.
/// @return CPS_OK, or an error < 0: the problem is then empty, without contacts (a problem that stores W is rejected
/// unchanged)
CPS_API CpsStatus cps_problem_refill_sparse(CpsProblem* problem, const CpsContactsDef* contacts,
                                            const CpsSparseForm* form, CpsError* error);

/// Effect of impulses on the members of a problem created by cps_problem_from_sparse() or cps_problem_from_bodies():
/// the change of node velocities v = M^-1 A^T r and of mass-normalised velocities z = G^T r. Allocates nothing.
/// @param v     out: 3 node_count entries; NULL if there are no nodes
/// @param z     out: the dofs of the small members, one after the other; NULL if there are none
/// @param work  scratch space of 3 node_count entries; NULL if there are no nodes
/// @return CPS_OK, or CPS_UNSUPPORTED for a problem that stores W
CPS_API CpsStatus cps_problem_sparse_velocity(const CpsProblem* problem, const double* r, double* v, double* z,
                                              double* work);

/// The form from which a problem with large members was created; the arrays belong to the problem.
/// @return CPS_OK, or CPS_UNSUPPORTED for a problem without large members
CPS_API CpsStatus cps_problem_sparse_form(const CpsProblem* problem, CpsSparseForm* form);

/// Number of nodes of the large members; 0 if there are none.
CPS_API int32_t cps_problem_node_count(const CpsProblem* problem);

/// Sets the law of all contacts with a cone to Coulomb or convex; ties and free blocks are unchanged. No other thread
/// may read the problem meanwhile.
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
/// b plus the shift, the velocity to which the law applies at r = 0: row_count entries owned by the problem.
CPS_API const double* cps_problem_b_shifted(const CpsProblem* problem);
/// Dashpot of each contact (0: none): contact_count entries owned by the problem, or NULL if no contact has one.
CPS_API const double* cps_problem_dashpot(const CpsProblem* problem);
/// Cohesion of each contact (0: none): contact_count entries owned by the problem, or NULL if no contact has any.
CPS_API const double* cps_problem_cohesion(const CpsProblem* problem);
/// Whether W is stored explicitly.
CPS_API bool cps_problem_has_W(const CpsProblem* problem);

/// Number of scalar entries of W in CSR with full blocks; for a matrix-free problem, of the W it represents (which is
/// formed to count them). -1 if out of memory.
CPS_API int64_t cps_problem_W_entry_count(const CpsProblem* problem);
/// Copies W out as scalar CSR with sorted columns.
/// @param[out] row_start  row_count + 1 entries
/// @param[out] col,value  cps_problem_W_entry_count() entries
CPS_API CpsStatus cps_problem_W_csr(const CpsProblem* problem, int64_t* row_start, int32_t* col, double* value);

/// Relative velocities u = W r + b (without the shift). r and u have row_count entries and may not overlap.
CPS_API CpsStatus cps_problem_velocity(const CpsProblem* problem, const double* r, double* u);

/// Velocities of the degrees of freedom v = M^-1 (H^T r + f), for problems created by cps_problem_from_global().
/// @param[out] v  dof_count entries
/// @return CPS_OK, or CPS_UNSUPPORTED for any other problem
CPS_API CpsStatus cps_problem_dof_velocity(const CpsProblem* problem, const double* r, double* v);

/// How well r solves a problem.
typedef struct CpsResidual {
  double natural;         ///< the common measure: max_i e_i / (max_i ||r_i|| + max_i xi_i ||b_i + shift_i||), 0/0 = 0,
                          ///< e_i = || r_i - P_K(r_i - xi_i u~_i) ||, xi_i = d_i / tr W_ii (the mean xi where
                          ///< W_ii vanishes, 1 if all do). convex: u instead of u~; bilateral: e_i = xi_i ||u_i||;
                          ///< free: e_i = ||r_i||
  double siconos;         ///< the error measure of Siconos, for comparison: sqrt(sum e_i^2 with xi = 1) / ||b||
  int32_t worst_contact;  ///< contact with the largest e_i, -1 if there is none
} CpsResidual;

/// Computes the residual of r; the same measure for every method.
CPS_API CpsStatus cps_problem_residual(const CpsProblem* problem, const double* r, CpsResidual* residual);

/// State of each contact at r and its violation of the law, as reported by a step of a world and by `capstan solve`.
/// Contacts are measured island by island, so the result does not depend on the impulses in other islands.
/// @param tolerance  relative: impulses and velocities count as zero up to the largest of the tolerance, the island's
///                   residual and 1e-14, times max_j ||r_j|| + max_j xi_j ||b_j + shift_j|| over the island; > 0
/// @param[out] statuses   contact_count entries; may be NULL
/// @param[out] residuals  contact_count entries, e_i over the same sum, 0/0 = 0 (see CpsResidual); may be NULL
CPS_API CpsStatus cps_problem_contacts(const CpsProblem* problem, const double* r, double tolerance,
                                       CpsContactStatus* statuses, double* residuals);
/// The statuses alone, contact_count entries, not NULL.
CPS_API CpsStatus cps_problem_contact_statuses(const CpsProblem* problem, const double* r, double tolerance,
                                               CpsContactStatus* statuses);

/// Largest violations of the identities that a solution satisfies, each relative to the problem's scale (r against the
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
  double nu;                  ///< row_count / dof_count, -1 if unknown; above 1 the problem is over-constrained
  double mu_min, mu_max;      ///< range of mu over Coulomb and convex contacts, -1 if there are none
  double asymmetry;           ///< max |W - W^T| / max |W|
  int32_t island_count;       ///< groups of contacts that no entry of W couples
  int32_t largest_island;     ///< contacts in the largest one
  int64_t rank;               ///< numerical rank of the symmetric part; -1 if an island has more than 2000 rows
  double condition;           ///< ratio of the largest to the smallest non-zero pivot of that factorisation, an
                              ///< estimate; or -1
  int32_t indefinite_island;  ///< an island whose symmetric part has a clearly negative pivot, -1 if none is found
  int64_t bytes;              ///< memory held by the problem
} CpsProblemInfo;

/// Describes a problem. Expensive: computing the rank is cubic in the size of an island.
CPS_API CpsStatus cps_problem_describe(const CpsProblem* problem, CpsProblemInfo* info);

/// Finds the islands: contacts i and j are in one island if a chain of non-zero blocks of W joins them.
/// @param[out] island  contact_count entries, numbered from 0 in the order of their first contact
/// @param[out] count   number of islands
CPS_API CpsStatus cps_problem_islands(const CpsProblem* problem, int32_t* island, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
