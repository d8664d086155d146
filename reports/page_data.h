// The data of index.html as compact JSON, `opbyop-page/1`. reports/web/src/data.ts is the other side: every array
// form below is decoded there, in the same order.
//
//   strings     every text that repeats, by index (-1: none); "{id}" in a text stands for the case id
//   case        [id, op, file, signature, [name, value, ...], flops, bytes, [origin, ...], record or 0], or 0 for a
//               case of which the run chose no row
//   origin      [model, count, framework op, [module, ...], [location, ...]]
//   record      [[stage, status, ms, diagnostic, ...], [comparison, ...], timing or 0, artifact bytes, peak rss kb,
//                attempts, seed text, worker, signal, [stderr line, ...], start, wall ms, repro, batched,
//                second opinion text, [its comparison, ...]]
//   comparison  [output, dtype, elements, mismatches, max abs, max rel, max ulp, pcc, cosine, rmse, nan mismatches,
//                inf mismatches, bound ratio, rule, relaxed, flags (1 constant, 2 accepted),
//                [index text, got, expected, ratio, ...]]
//   row         [case, model, status, stage, ops, diagnostic, baseline or 0], baseline = [reason, issue, since]
//   op          [label, kind, cases, [rows by status], [reached, passed, failed, ... by stage]]
//   blocker     [op label, stage, status, diagnostic, diagnostics, cases, rows, ops, [model, ...], [unlocked, ...]]
#ifndef OPBYOP_REPORTS_PAGE_DATA_H_
#define OPBYOP_REPORTS_PAGE_DATA_H_

#include "reports/profile_links.h"
#include "reports/rows.h"
#include "reports/web_page.h"

namespace opbyop::reports {

// Holds no "<", so it may stand in a <script> element as it is.
void PageData(const View& view, const ProfileLinks& profiles, const TextSink& out);

}  // namespace opbyop::reports

#endif  // OPBYOP_REPORTS_PAGE_DATA_H_
