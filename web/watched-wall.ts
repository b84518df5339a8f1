/**
 * The page of a wall that the console shows to the people of an organization, in a frame. The console places the cameras, and gives each
 * a grant of a preview; this page plays them with the tiles of shared walls (docs/design/viewer-page.md#watched-walls).
 */

import { element, setText } from './dom.ts';
import { Failures } from './failures.ts';
import { silentMs } from './gateway-silence.ts';
import { openShare, type Refusal } from './open.ts';
import { type PlacedTile, placedTilesOf, type TileReport } from './wall-message.ts';
import type { WallCamera } from './wall-open.ts';
import { WallTile } from './wall-tile.ts';
import { wordPage } from './words/page-words.ts';

const REFRESH_INTERVAL_MS = 250;
/** The console learns how the tiles are when that changes, and otherwise so often, as a sign of life. */
const TELL_INTERVAL_MS = 1_000;
/** Time alone can end these. For others, the console asks for another grant. */
const PASSING_REASONS: ReadonlySet<Refusal['reason']> = new Set(['busy', 'restarting', 'too-many-opens']);

/** A grant that was exchanged for what its camera plays. */
interface Opening {
  readonly grant: string;
  /** null: the response has not come. */
  camera: WallCamera | null;
  retryTimer: number | undefined;
  readonly failures: Failures;
}

class WatchedWall {
  readonly #grid = element('grid', HTMLElement);
  readonly #announce = element('announce', HTMLElement);
  readonly #template = element('tile', HTMLTemplateElement);
  /** By camera; null: the tile is free. Reused, never discarded: a wall stays open for weeks. */
  readonly #tiles = new Map<WallTile, string | null>();
  readonly #openings = new Map<string, Opening>();
  readonly #inView = new Map<Element, boolean>();
  readonly #viewer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) this.#inView.set(target, isIntersecting);
    this.#updateView();
  });
  #placed: readonly PlacedTile[] = [];
  /** Of the page that sent them. */
  #origin = '';
  /** Named by the gateway: only these can steer. */
  #trusted: readonly string[] = [];
  #told = '';
  #toldAtMs = 0;

  run(): void {
    addEventListener('message', (event) => this.#onMessage(event));
    addEventListener('online', () => this.#onReturn());
    document.addEventListener('visibilitychange', () => {
      this.#updateView();
      if (document.visibilityState === 'visible') this.#onReturn();
    });
    setInterval(() => this.#refresh(), REFRESH_INTERVAL_MS);
  }

  #onMessage({ source, origin, data }: MessageEvent): void {
    if (source !== parent || parent === window) return;
    const placed = placedTilesOf(data);
    if (placed === null || (this.#trusted.length > 0 && !this.#trusted.includes(origin))) return;
    this.#placed = placed;
    this.#origin = origin;
    const wanted = new Map(placed.map(({ id, grant }) => [id, grant]));
    for (const [id, opening] of this.#openings) {
      if (wanted.has(id)) continue;
      clearTimeout(opening.retryTimer);
      this.#openings.delete(id);
    }
    for (const { id, grant } of placed) {
      if (this.#openings.get(id)?.grant !== grant) void this.#open(id, grant);
    }
    this.#show();
  }

  /** What plays with an earlier grant continues until that is refused. */
  async #open(id: string, grant: string, failures = new Failures()): Promise<void> {
    const earlier = this.#openings.get(id);
    clearTimeout(earlier?.retryTimer);
    const opening: Opening = { grant, camera: earlier?.camera ?? null, retryTimer: undefined, failures };
    this.#openings.set(id, opening);
    const result = await openShare(null, new URL(`./${grant}`, location.href));
    if (this.#openings.get(id) !== opening) return;
    const common = { id, name: '', message: '' };
    if (result.kind === 'open') {
      failures.forget();
      this.#trusted = result.share.steeredFrom;
      opening.camera = { ...common, share: result.share, refusal: null };
    } else {
      const refusal = result.kind === 'refused' ? result.refusal : null;
      const isPassing = refusal === null || PASSING_REASONS.has(refusal.reason);
      if (!isPassing) opening.camera = { ...common, share: null, refusal };
      const waitMs = failures.nextWaitMs(refusal?.retryAfterSec ?? null);
      if (isPassing) opening.retryTimer = setTimeout(() => void this.#open(id, grant, failures), waitMs);
    }
    this.#show();
  }

  /** Nothing until the gateway has named the page that steers. */
  #show(): void {
    if (!this.#trusted.includes(this.#origin)) return;
    const shown = new Set(this.#placed.map(({ id }) => id));
    for (const [tile, id] of this.#tiles) {
      if (id === null || shown.has(id)) continue;
      this.#tiles.set(tile, null);
      tile.show(null, 0);
    }
    for (const placed of this.#placed) this.#place(placed);
    this.#updateView();
    this.#refresh();
  }

  #place({ id, name, offlineSinceMs, number, isLarge, ...place }: PlacedTile): void {
    const tile = this.#tileOf(id);
    const known = this.#openings.get(id)?.camera ?? null;
    for (const side of ['x', 'y', 'width', 'height'] as const) {
      tile.root.style.setProperty(`--${side}`, String(place[side]));
    }
    tile.show({ ...(known ?? { id, share: null, refusal: null, message: '' }), name }, number);
    tile.setOfflineSince(offlineSinceMs);
    tile.setEnlarged(isLarge);
  }

  #tileOf(id: string): WallTile {
    for (const [tile, shown] of this.#tiles) if (shown === id) return tile;
    for (const [tile, shown] of this.#tiles) {
      if (shown !== null) continue;
      this.#tiles.set(tile, id);
      return tile;
    }
    const copy = this.#template.content.firstElementChild?.cloneNode(true);
    const tile = new WallTile(copy as HTMLElement, {
      onChoose: () => undefined,
      onRefused: (refused) => this.#onRefused(refused),
      announce: (text) => setText(this.#announce, text),
    });
    this.#tiles.set(tile, id);
    this.#grid.append(tile.root);
    this.#viewer.observe(tile.root);
    this.#inView.set(tile.root, true);
    return tile;
  }

  /** Its grant has ended: the console gives it another one. */
  #onRefused(tile: WallTile): void {
    const id = this.#tiles.get(tile) ?? null;
    const opening = id === null ? undefined : this.#openings.get(id);
    if (opening?.camera == null || tile.camera === null) return;
    const refusal: Refusal = { reason: 'grant-expired', untilEpochMs: null, retryAfterSec: null };
    opening.camera = { ...opening.camera, share: null, refusal };
  }

  /** Stops tiles that no one can see soon. */
  #updateView(): void {
    const isPageSeen = document.visibilityState === 'visible';
    for (const tile of this.#tiles.keys()) {
      tile.setInView(isPageSeen && (this.#inView.get(tile.root) ?? true));
    }
  }

  #onReturn(): void {
    for (const tile of this.#tiles.keys()) tile.retryNow();
  }

  #refresh(): void {
    for (const tile of this.#tiles.keys()) tile.refresh();
    const tiles = this.#placed.map(({ id }): TileReport => {
      const tile = [...this.#tiles].find(([, shown]) => shown === id)?.[0];
      const opening = this.#openings.get(id);
      const isRefused = opening?.camera?.refusal != null;
      return { id, state: tile?.state ?? 'loading', isRefused, grant: opening?.grant ?? '' };
    });
    const told = JSON.stringify(tiles);
    const nowMs = performance.now();
    if (told === this.#told && nowMs - this.#toldAtMs < TELL_INTERVAL_MS) return;
    this.#told = told;
    this.#toldAtMs = nowMs;
    // A message for an origin that the parent does not have is not delivered.
    const message = { sluice: 'wall', tiles, silentMs: silentMs() };
    for (const origin of this.#trusted) parent.postMessage(message, origin);
  }
}

void wordPage();
new WatchedWall().run();
