/** Estimates the rates of two tracks from their newest sender reports: the line through the places that they name. */

/** Two minutes of reports, as a rule. */
const MAX_POINTS = 24;
const MIN_POINTS = 3;
const MIN_SPAN_MS = 8_000;

export interface ReportEstimate {
  /** By how much the track's time is longer than its timestamps say, as a share. */
  readonly rate: number;
  readonly uncertainty: number;
  /** How much later than its timestamps say it belongs. */
  readonly laterMs: number;
}

export class ReportLine {
  readonly #points: { readonly mediaMs: number; readonly laterMs: number }[] = [];

  /** Another clock: earlier reports say nothing about it. */
  restart(): void {
    this.#points.length = 0;
  }

  /** False for a report that repeats the one before, or is older. */
  isNews(mediaMs: number): boolean {
    const newest = this.#points.at(-1);
    return newest === undefined || mediaMs > newest.mediaMs;
  }

  add(mediaMs: number, laterMs: number): void {
    this.#points.push({ mediaMs, laterMs });
    if (this.#points.length > MAX_POINTS) this.#points.shift();
  }

  /** At `mediaMs`; null: too few reports. By least squares; the point that is furthest from the line says how uncertain. */
  estimate(mediaMs: number): ReportEstimate | null {
    const points = this.#points;
    const count = points.length;
    if (count < MIN_POINTS) return null;
    const spanMs = points[count - 1]!.mediaMs - points[0]!.mediaMs;
    if (spanMs < MIN_SPAN_MS) return null;
    const meanMs = points.reduce((sum, point) => sum + point.mediaMs, 0) / count;
    const meanLaterMs = points.reduce((sum, point) => sum + point.laterMs, 0) / count;
    let [products, squares] = [0, 0];
    for (const point of points) {
      products += (point.mediaMs - meanMs) * (point.laterMs - meanLaterMs);
      squares += (point.mediaMs - meanMs) ** 2;
    }
    const rate = products / squares;
    const laterAtMs = (atMs: number) => meanLaterMs + rate * (atMs - meanMs);
    const spreadMs = Math.max(...points.map((point) => Math.abs(point.laterMs - laterAtMs(point.mediaMs))));
    return { rate, uncertainty: spreadMs / spanMs, laterMs: laterAtMs(mediaMs) };
  }
}
