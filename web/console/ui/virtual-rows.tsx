/**
 * A long list of which only the rows near the screen are in the document. Rows have one height, in pixels. Screen readers
 * learn the whole length from `aria-rowcount` of the table around it, and each row's place from `aria-rowindex`.
 *
 * Each row has a fixed place of its own: while one scrolls, those that stay are neither compared nor laid out again.
 *
 * A short list can have rows as high as their content instead: on a phone, nothing of them is cut off.
 */

import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

/** Beyond both edges of the screen, so that a quick scroll shows no hole. */
const OVERSCAN_PX = 400;
/** As many rows as are all in the document. */
const MAX_WHOLE = 100;

interface Slice {
  readonly from: number;
  readonly to: number;
}

export function VirtualRows({
  count,
  rowPx,
  role,
  isWhole = false,
  render,
}: {
  readonly count: number;
  readonly rowPx: number;
  /** Role of the element that contains the rows. */
  readonly role?: 'rowgroup' | 'list';
  /** Rows of a short list are as high as their content. */
  readonly isWhole?: boolean;
  /** The row at this index, with a `key`. */
  readonly render: (index: number) => VNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const [{ from, to }, setSlice] = useState(() => sliceAt(0, rowPx, count));
  const areWhole = isWhole && count <= MAX_WHOLE;
  useLayoutEffect(() => {
    if (areWhole) return;
    const look = () => {
      const next = sliceAt(body.current!.getBoundingClientRect().top, rowPx, count);
      setSlice((old) => (old.from === next.from && old.to === next.to ? old : next));
    };
    look();
    // Capturing: whichever element scrolls.
    addEventListener('scroll', look, { capture: true, passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
    };
  }, [count, rowPx, areWhole]);
  // The same element again tells Preact that nothing in it has changed.
  const made = useMemo(() => new Map<number, VNode>(), [render, rowPx, areWhole]);
  const [first, end] = areWhole ? [0, count] : [from, Math.min(to, count)];
  for (const index of made.keys()) if (index < first || index >= end) made.delete(index);
  const rows: VNode[] = [];
  for (let index = first; index < end; index++) {
    if (!made.has(index)) made.set(index, placed(render(index), areWhole ? null : index * rowPx));
    rows.push(made.get(index)!);
  }
  // The same elements in both forms: a row that has the focus keeps it when a phone is turned.
  return (
    <div
      class={areWhole ? 'whole-rows' : 'virtual'}
      ref={body}
      role={role}
      style={areWhole ? {} : { height: `${count * rowPx}px` }}
    >
      {rows}
    </div>
  );
}

/** `topPx`: of the list, on the screen. */
function sliceAt(topPx: number, rowPx: number, count: number): Slice {
  const first = Math.floor((-topPx - OVERSCAN_PX) / rowPx);
  const last = Math.ceil((innerHeight - topPx + OVERSCAN_PX) / rowPx);
  return { from: Math.max(0, Math.min(first, count)), to: Math.max(0, Math.min(last, count)) };
}

/** `topPx`: null: below the one before. */
function placed(row: VNode, topPx: number | null): VNode {
  return (
    <div key={row.key} role="presentation" style={topPx === null ? {} : { top: `${topPx}px` }}>
      {row}
    </div>
  );
}
