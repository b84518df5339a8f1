/** Spans of time, half-open, epoch milliseconds. */

import type { ArchiveSpan } from './recorder-archive.ts';

/** What of `spans`, which are in order, none of `others` covers; pieces up to `ignoredMs` are left out. */
export function withoutSpans(
  spans: readonly ArchiveSpan[],
  others: readonly ArchiveSpan[],
  ignoredMs: number,
): ArchiveSpan[] {
  const taken = others.toSorted((a, b) => a.fromMs - b.fromMs);
  const left: ArchiveSpan[] = [];
  for (const { fromMs, toMs } of spans) {
    let atMs = fromMs;
    for (const other of taken) {
      if (other.toMs <= atMs) continue;
      if (other.fromMs >= toMs) break;
      if (other.fromMs - atMs > ignoredMs) left.push({ fromMs: atMs, toMs: other.fromMs });
      atMs = Math.max(atMs, other.toMs);
    }
    if (toMs - atMs > ignoredMs) left.push({ fromMs: atMs, toMs });
  }
  return left;
}

/** The parts of the spans in a range. */
export function clippedSpans(spans: readonly ArchiveSpan[], fromMs: number, toMs: number): ArchiveSpan[] {
  return spans
    .filter((span) => span.fromMs < toMs && span.toMs > fromMs)
    .map((span) => ({ fromMs: Math.max(span.fromMs, fromMs), toMs: Math.min(span.toMs, toMs) }));
}
