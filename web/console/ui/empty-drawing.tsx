/** A sketch of rows that are yet to come, next to the words of an empty list. It is decoration: words say what appears. */

export type EmptyKind = 'shares' | 'clips' | 'keys' | 'webhooks' | 'schedules';

const WIDTH = 200;
const HEIGHT = 96;
const ROWS = [0, 1, 2];

export function EmptyDrawing({ kind }: { readonly kind: EmptyKind }) {
  return (
    <svg class="empty-drawing" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {ROWS.map((row) => (
        <g key={row} transform={`translate(0 ${row * 34})`} opacity={1 - row * 0.32}>
          <rect class="sheet" x="1" y="1" width="198" height="26" rx="6" />
          <Row kind={kind} row={row} />
        </g>
      ))}
    </svg>
  );
}

function Row({ kind, row }: { readonly kind: EmptyKind; readonly row: number }) {
  const text = 92 - row * 14;
  switch (kind) {
    case 'shares':
      return (
        <>
          <circle class={row === 1 ? 'warn' : 'good'} cx="15" cy="14" r="4" />
          <Line x={28} width={text} />
          <Line x={142} width={26} isFaint />
          <rect class="code" x="178" y="7" width="14" height="14" rx="2" />
        </>
      );
    case 'clips':
      return (
        <>
          <rect class="picture" x="7" y="5" width="32" height="18" rx="3" />
          <path class="mark" d="M20 10l7 4-7 4z" />
          <Line x={50} width={text - 14} />
          <Line x={160} width={28} isFaint />
        </>
      );
    case 'keys':
      return (
        <>
          <circle class="stroke" cx="15" cy="14" r="4.500" />
          <path class="stroke" d="M20 14h14M30 14v4" />
          <Line x={46} width={text - 20} />
          <Line x={146} width={42} isFaint />
        </>
      );
    case 'webhooks':
      return (
        <>
          <Line x={12} width={text} />
          <path class="stroke" d="M138 14h22M155 9.500l5 4.500-5 4.500" />
          <circle class={row === 2 ? 'warn' : 'good'} cx="182" cy="14" r="4" />
        </>
      );
    case 'schedules':
      return (
        <>
          <Line x={12} width={56 - row * 8} />
          {[0, 1, 2, 3, 4, 5, 6].map((day) => (
            <rect
              key={day}
              class={row === 1 ? (day > 4 ? 'on' : 'off') : day < 5 ? 'on' : 'off'}
              x={88 + day * 15}
              y="8"
              width="12"
              height="12"
              rx="2"
            />
          ))}
        </>
      );
  }
}

function Line({
  x,
  width,
  isFaint = false,
}: {
  readonly x: number;
  readonly width: number;
  readonly isFaint?: boolean;
}) {
  return <rect class={isFaint ? 'line faint' : 'line'} x={x} y="11" width={width} height="6" rx="3" />;
}
