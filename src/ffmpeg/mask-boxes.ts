/**
 * Polygons as boxes that cover them, for a filter that fills boxes. The picture is cut into strips; in each strip, a box reaches from the
 * leftmost to the rightmost point of each run of polygons. Boxes cover more than the polygons, never less.
 */

/** In ten-thousandths of the picture's width and height. */
export interface PolygonPoint {
  readonly xPermyriad: number;
  readonly yPermyriad: number;
}

/** A polygon; its last point is joined to its first one. */
export type Polygon = readonly PolygonPoint[];

/** A part of the picture, in ten-thousandths. */
export interface PictureBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface Span {
  readonly left: number;
  readonly right: number;
}

const WHOLE = 10_000;
/** Strips of a picture, from fine to coarse. */
const STRIP_COUNTS = [200, 100, 50, 25, 10] as const;
/** Each box is a filter of its own, and one more frame visit. */
export const MAX_MASK_BOXES = 400;

/** At most MAX_MASK_BOXES. */
export function boxesCovering(polygons: readonly Polygon[]): PictureBox[] {
  for (const strips of STRIP_COUNTS) {
    const boxes = boxesIn(polygons, strips);
    if (boxes.length <= MAX_MASK_BOXES) return boxes;
  }
  return [{ left: 0, top: 0, right: WHOLE, bottom: WHOLE }];
}

/** The part of the picture that they cover, 0 to 1; parts under two of them count twice. */
export function coveredShare(polygons: readonly Polygon[]): number {
  const areas = boxesCovering(polygons).map(
    ({ left, top, right, bottom }) => (right - left) * (bottom - top),
  );
  return areas.reduce((sum, area) => sum + area, 0) / (WHOLE * WHOLE);
}

function boxesIn(polygons: readonly Polygon[], strips: number): PictureBox[] {
  const boxes: PictureBox[] = [];
  /** Boxes that end at the strip's top: equal spans below continue them. */
  let open: PictureBox[] = [];
  for (let strip = 0; strip < strips; strip++) {
    const top = (strip * WHOLE) / strips;
    const bottom = ((strip + 1) * WHOLE) / strips;
    const spans = joined(polygons.flatMap((polygon) => spansOf(polygon, top, bottom)));
    const next = spans.map(({ left, right }) => {
      const above = open.find((box) => box.left === left && box.right === right);
      return { left, right, top: above?.top ?? top, bottom };
    });
    boxes.push(
      ...open.filter((box) => !next.some((one) => one.left === box.left && one.right === box.right)),
    );
    open = next;
  }
  return [...boxes, ...open];
}

/**
 * What the polygon covers between two heights. Each edge within them covers its own span. Where an even number of edges is to the
 * left of a point on the middle line, the point is outside; edges that cross the strip only in part cover everything that they reach.
 */
function spansOf(polygon: Polygon, top: number, bottom: number): Span[] {
  const touched: Span[] = [];
  for (const [index, from] of polygon.entries()) {
    const to = polygon[(index + 1) % polygon.length]!;
    const clipped = clippedEdge(from, to, top, bottom);
    if (clipped !== null) touched.push(clipped);
  }
  if (touched.length === 0) return [];
  const spans = [...touched];
  for (const height of [top, (top + bottom) / 2, bottom]) spans.push(...insideAt(polygon, height));
  return spans;
}

/** The part of an edge between two heights, rounded outward; null: none. */
function clippedEdge(from: PolygonPoint, to: PolygonPoint, top: number, bottom: number): Span | null {
  const high = Math.min(from.yPermyriad, to.yPermyriad);
  const low = Math.max(from.yPermyriad, to.yPermyriad);
  if (low < top || high > bottom) return null;
  const xAt = (y: number): number =>
    from.xPermyriad +
    ((to.xPermyriad - from.xPermyriad) * (y - from.yPermyriad)) / (to.yPermyriad - from.yPermyriad);
  const ends =
    high === low ? [from.xPermyriad, to.xPermyriad] : [xAt(Math.max(high, top)), xAt(Math.min(low, bottom))];
  return { left: Math.floor(Math.min(...ends)), right: Math.ceil(Math.max(...ends)) };
}

/** Spans inside at one height, by the even-odd rule. */
function insideAt(polygon: Polygon, height: number): Span[] {
  const crossings: number[] = [];
  for (const [index, from] of polygon.entries()) {
    const to = polygon[(index + 1) % polygon.length]!;
    if (from.yPermyriad > height === to.yPermyriad > height) continue;
    const share = (height - from.yPermyriad) / (to.yPermyriad - from.yPermyriad);
    crossings.push(from.xPermyriad + share * (to.xPermyriad - from.xPermyriad));
  }
  crossings.sort((one, other) => one - other);
  const spans: Span[] = [];
  for (let at = 0; at + 1 < crossings.length; at += 2) {
    spans.push({ left: Math.floor(crossings[at]!), right: Math.ceil(crossings[at + 1]!) });
  }
  return spans;
}

function joined(spans: readonly Span[]): Span[] {
  const sorted = spans.toSorted((one, other) => one.left - other.left);
  const result: Span[] = [];
  for (const span of sorted) {
    const last = result.at(-1);
    if (last === undefined || span.left > last.right) result.push(span);
    else result[result.length - 1] = { left: last.left, right: Math.max(last.right, span.right) };
  }
  return result;
}
