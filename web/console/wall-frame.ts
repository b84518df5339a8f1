/**
 * The frame that plays a watched wall (web/watched-wall.ts). It always gets the whole wall, so nothing is lost if it loads later, or again.
 */

import { signal } from '@preact/signals';
import type { PlacedTile, TileReport } from '../wall-message.ts';
import { momentText } from '../words/formats.ts';
import { gatewayNowMs } from './gateway-clock.ts';
import { t } from './words.ts';

export class WallFrame {
  readonly reports = signal<readonly TileReport[]>([]);
  /** When the frame said something last, of `performance.now`; null: nothing since it was loaded. */
  heardAtMs: number | null = null;
  readonly #frame: HTMLIFrameElement;
  readonly #origin: string;
  readonly #onReports: (reports: readonly TileReport[]) => void;
  #tiles: readonly PlacedTile[] = [];

  /** `onReports`: called with each report. */
  constructor(frame: HTMLIFrameElement, onReports: (reports: readonly TileReport[]) => void) {
    this.#frame = frame;
    this.#origin = new URL(frame.src).origin;
    this.#onReports = onReports;
    frame.addEventListener('load', this.#send);
    addEventListener('message', this.#onMessage);
  }

  close(): void {
    this.#frame.removeEventListener('load', this.#send);
    removeEventListener('message', this.#onMessage);
  }

  show(tiles: readonly PlacedTile[]): void {
    this.#tiles = tiles;
    this.#send();
  }

  readonly #send = (): void => {
    this.#frame.contentWindow?.postMessage({ kind: 'wall', tiles: this.#tiles }, this.#origin);
  };

  readonly #onMessage = ({ source, origin, data }: MessageEvent): void => {
    if (source !== this.#frame.contentWindow || origin !== this.#origin) return;
    const reports = reportsOf(data);
    if (reports === null) return;
    this.heardAtMs = performance.now();
    if (JSON.stringify(reports) !== JSON.stringify(this.reports.value)) this.reports.value = reports;
    this.#onReports(reports);
  };
}

/** Null: not a report of a wall. */
function reportsOf(data: unknown): readonly TileReport[] | null {
  const { sluice, tiles } = (data ?? {}) as Record<string, unknown>;
  return sluice === 'wall' && Array.isArray(tiles) && tiles.every(isReport) ? tiles : null;
}

function isReport(value: unknown): value is TileReport {
  const { id, state, isRefused, grant } = (value ?? {}) as Record<string, unknown>;
  const isText = typeof id === 'string' && typeof grant === 'string' && typeof isRefused === 'boolean';
  return isText && typeof state === 'string' && Object.hasOwn(STATE_WORDS, state);
}

/** By state, in web/tile-text.ts. */
const STATE_WORDS: Readonly<Record<string, string>> = {
  loading: t('Connecting'),
  live: t('Live'),
  behind: t('Behind live'),
  frozen: t('The video is frozen'),
  lost: t('No video'),
  blocked: t('Paused by the browser'),
  empty: t('Not available right now'),
  'no-picture': t('No picture'),
  past: t('Recorded video'),
};

/** What screen readers get about a tile. `offlineSinceMs`: undefined if the gateway can reach the camera. */
export function stateWords(state: string | undefined, offlineSinceMs: number | undefined): string {
  if (state === 'lost' && offlineSinceMs !== undefined) {
    return t('Offline since {time}', { time: momentText(offlineSinceMs, gatewayNowMs()) });
  }
  return STATE_WORDS[state ?? 'loading'] ?? t('Connecting');
}

/** Cameras of which people see no live video. */
export function withoutVideo(reports: readonly TileReport[]): number {
  return reports.filter(({ state }) => state === 'frozen' || state === 'lost').length;
}
