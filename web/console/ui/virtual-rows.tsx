/**
 * A long list of which only the rows near the screen are in the document. Rows have one height, in pixels. Screen readers
 * learn the whole length from `aria-rowcount` of the table around it, and each row's place from `aria-rowindex`.
 */

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond both edges of the screen, so that a quick scroll shows no hole. */
const OVERSCAN_ROWS = 8;

interface Slice {
  readonly from: number;
  readonly to: number;
}

export function VirtualRows({
  count,
  rowPx,
  role,
  render,
}: {
  readonly count: number;
  readonly rowPx: number;
  /** Of the element that contains the rows. */
  readonly role?: 'rowgroup' | 'list';
  /** The row at this index; its root element needs a `key`. */
  readonly render: (index: number) => ComponentChildren;
}) {
  const body = useRef<HTMLDivElement>(null);
  const [{ from, to }, setSlice] = useState<Slice>({ from: 0, to: Math.min(count, 2 * OVERSCAN_ROWS) });
  useLayoutEffect(() => {
    const look = () => {
      const top = body.current!.getBoundingClientRect().top;
      const first = Math.floor(-top / rowPx) - OVERSCAN_ROWS;
      const last = Math.ceil((innerHeight - top) / rowPx) + OVERSCAN_ROWS;
      const next = { from: Math.max(0, Math.min(first, count)), to: Math.max(0, Math.min(last, count)) };
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
  }, [count, rowPx]);
  const end = Math.min(to, count);
  const start = Math.min(from, end);
  return (
    <div ref={body} role={role} style={{ height: `${count * rowPx}px` }}>
      <div class="virtual" style={{ transform: `translateY(${start * rowPx}px)` }}>
        {Array.from({ length: end - start }, (_, i) => render(start + i))}
      </div>
    </div>
  );
}
