/**
 * What the recording shows at the time under the pointer, without any video: JPEGs with the thumbnails of five minutes, loaded when someone
 * points at one of them (docs/design/playback.md#thumbnails). All pages request the same ones.
 */

import { gatewayEpochMs } from './open.ts';

const COLUMNS = 5;
const ROWS = 6;
const THUMBNAIL_MS = 10_000;
const SHEET_MS = COLUMNS * ROWS * THUMBNAIL_MS;
/** One of a time that is being recorded, or that has none yet, is loaded again after this. */
const LOAD_AGAIN_MS = 10_000;
/** What is recorded now has its thumbnails by then. */
const SETTLED_AFTER_MS = 30_000;
/** 150 kB each. */
const MAX_SHEETS = 24;

/** For each place, 1 if there is a thumbnail. */
const PLACES_HEADER = 'x-thumbnails';

interface Loaded {
  /** Of a blob; null: there are no thumbnails of that time. */
  readonly url: string | null;
  readonly places: string;
}

const NOTHING: Loaded = { url: null, places: '' };

interface Sheet extends Loaded {
  /** `performance.now()`; null: it stays as it is. */
  readonly loadAgainAtMs: number | null;
}

export class PastThumbnails {
  readonly #box: HTMLElement;
  readonly #onShown: () => void;
  readonly #sheets = new Map<number, Sheet>();
  #pastUrl: string | null = null;
  #wantedMs: number | null = null;
  #isLoading = false;

  /** `box`: shows one thumbnail. `onShown`: it appeared later than it was asked for. */
  constructor(box: HTMLElement, onShown: () => void = () => undefined) {
    this.#box = box;
    this.#onShown = onShown;
  }

  /** Opens this share's past; null: leaves nothing of it on the page. */
  open(pastUrl: string | null): void {
    if (pastUrl === this.#pastUrl) return;
    this.#pastUrl = pastUrl;
    for (const { url } of this.#sheets.values()) if (url !== null) URL.revokeObjectURL(url);
    this.#sheets.clear();
    this.#box.style.backgroundImage = '';
    this.show(null);
  }

  /** Shows what was recorded at the instant, as soon as it is there; null: nothing. */
  show(epochMs: number | null): void {
    this.#wantedMs = epochMs;
    const sheet = epochMs === null ? undefined : this.#sheets.get(sheetOf(epochMs));
    const place = epochMs === null ? 0 : Math.floor((epochMs - sheetOf(epochMs)) / THUMBNAIL_MS);
    const isThere = sheet?.places[place] === '1';
    this.#box.hidden = !isThere;
    if (epochMs === null) return;
    if (isThere) {
      const [column, row] = [place % COLUMNS, Math.floor(place / COLUMNS)];
      this.#box.style.backgroundImage = `url("${sheet!.url}")`;
      this.#box.style.backgroundSize = `${COLUMNS * 100}% ${ROWS * 100}%`;
      this.#box.style.backgroundPosition = `${(100 * column) / (COLUMNS - 1)}% ${(100 * row) / (ROWS - 1)}%`;
    }
    void this.#load();
  }

  /** The sheet that is wanted now, then those around it, one at a time. */
  async #load(): Promise<void> {
    const wantedMs = this.#wantedMs;
    if (this.#isLoading || wantedMs === null || this.#pastUrl === null) return;
    const startMs = sheetOf(wantedMs);
    const dueMs = [startMs, startMs + SHEET_MS, startMs - SHEET_MS].find((each) => this.#isDue(each));
    if (dueMs === undefined) return;
    this.#isLoading = true;
    const pastUrl = this.#pastUrl;
    const loaded = await loadSheet(pastUrl, dueMs);
    this.#isLoading = false;
    if (pastUrl === this.#pastUrl) this.#keep(dueMs, loaded);
    else if (loaded.url !== null) URL.revokeObjectURL(loaded.url);
    const isSeen = this.#wantedMs !== null && sheetOf(this.#wantedMs) === dueMs;
    if (!isSeen) {
      void this.#load();
      return;
    }
    this.show(this.#wantedMs);
    this.#onShown();
  }

  #isDue(startMs: number): boolean {
    if (startMs > gatewayEpochMs()) return false;
    const known = this.#sheets.get(startMs);
    return known === undefined || (known.loadAgainAtMs ?? Number.POSITIVE_INFINITY) <= performance.now();
  }

  #keep(startMs: number, loaded: Loaded): void {
    const before = this.#sheets.get(startMs)?.url ?? null;
    if (before !== null) URL.revokeObjectURL(before);
    this.#sheets.delete(startMs);
    const isSettled = loaded.url !== null && startMs + SHEET_MS + SETTLED_AFTER_MS < gatewayEpochMs();
    const loadAgainAtMs = isSettled ? null : performance.now() + LOAD_AGAIN_MS;
    this.#sheets.set(startMs, { ...loaded, loadAgainAtMs });
    for (const [oldest, { url: dropped }] of this.#sheets) {
      if (this.#sheets.size <= MAX_SHEETS) return;
      this.#sheets.delete(oldest);
      if (dropped !== null) URL.revokeObjectURL(dropped);
    }
  }
}

function sheetOf(epochMs: number): number {
  return Math.floor(epochMs / SHEET_MS) * SHEET_MS;
}

/** Never rejects. */
async function loadSheet(pastUrl: string, startMs: number): Promise<Loaded> {
  try {
    const range = `${pastUrl}/${startMs / 1_000}/${SHEET_MS / 1_000}`;
    const response = await fetch(`${range}/thumbnails/${startMs}_1.jpg`, { cache: 'no-store' });
    if (!response.ok) return NOTHING;
    const places = response.headers.get(PLACES_HEADER) ?? '';
    return { url: URL.createObjectURL(await response.blob()), places };
  } catch {
    // Without a network, the timeline shows times alone.
    return NOTHING;
  }
}
