/** Areas of privacy masks as a person draws them: corners in ten-thousandths of the picture. */

export interface Corner {
  readonly x: number;
  readonly y: number;
}

export interface Area {
  /** Unique on the page. */
  readonly id: number;
  readonly name: string;
  readonly points: readonly Corner[];
}

export const MAX_AREAS = 16;
export const MAX_CORNERS = 32;
export const MIN_CORNERS = 3;
const WHOLE = 10_000;
const NEW_SIZE = 3_000;
/** From one new area to the next, so that none hides another. */
const NEW_STEP = 400;

/** A rectangle near the middle. */
export function newArea(areas: readonly Area[]): Area {
  const id = Math.max(-1, ...areas.map((area) => area.id)) + 1;
  const left = NEW_SIZE + (areas.length % 5) * NEW_STEP;
  const right = left + NEW_SIZE;
  const points = [
    { x: left, y: left },
    { x: right, y: left },
    { x: right, y: right },
    { x: left, y: right },
  ];
  return { id, name: '', points };
}

export function withCornerAt(area: Area, index: number, corner: Corner): Area {
  const placed = { x: within(corner.x), y: within(corner.y) };
  return { ...area, points: area.points.map((point, at) => (at === index ? placed : point)) };
}

/** As a whole, as far as the picture goes. */
export function movedArea(area: Area, x: number, y: number): Area {
  const dx = shift(
    area.points.map((point) => point.x),
    x,
  );
  const dy = shift(
    area.points.map((point) => point.y),
    y,
  );
  return { ...area, points: area.points.map((point) => ({ x: point.x + dx, y: point.y + dy })) };
}

/** One more, in the middle of the longest side. */
export function withAnotherCorner(area: Area): Area {
  const { points } = area;
  const lengths = points.map((point, at) => {
    const next = points[(at + 1) % points.length]!;
    return Math.hypot(next.x - point.x, next.y - point.y);
  });
  const longest = lengths.indexOf(Math.max(...lengths));
  const [from, to] = [points[longest]!, points[(longest + 1) % points.length]!];
  const middle = { x: Math.round((from.x + to.x) / 2), y: Math.round((from.y + to.y) / 2) };
  return { ...area, points: points.toSpliced(longest + 1, 0, middle) };
}

/** The same if there would be too few. */
export function withoutCorner(area: Area, index: number): Area {
  return area.points.length <= MIN_CORNERS ? area : { ...area, points: area.points.toSpliced(index, 1) };
}

/** For `points` of an SVG whose view box is the picture. */
export function outline({ points }: Area): string {
  return points.map(({ x, y }) => `${x},${y}`).join(' ');
}

export function isSame(areas: readonly Area[], others: readonly Area[]): boolean {
  const text = (all: readonly Area[]) => JSON.stringify(all.map(({ name, points }) => [name, points]));
  return text(areas) === text(others);
}

function within(value: number): number {
  return Math.min(WHOLE, Math.max(0, Math.round(value)));
}

function shift(values: readonly number[], by: number): number {
  return Math.round(Math.min(WHOLE - Math.max(...values), Math.max(-Math.min(...values), by)));
}
