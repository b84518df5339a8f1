/** A link for the camera of a phone. Always dark on light: many readers cannot read it the other way around. */

import { encode } from 'uqr';

/** Cells of silence that readers need around it (ISO/IEC 18004). */
const QUIET_CELLS = 4;

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET_CELLS });
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <path d={pathOf(data)} />
    </svg>
  );
}

/** One rectangle for each run of dark cells in a row. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  let path = '';
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const from = x;
      while (row[x + 1]) x += 1;
      path += `M${from} ${y}h${x + 1 - from}v1H${from}z`;
    }
  });
  return path;
}
