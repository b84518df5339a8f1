/**
 * The blocking viewers of one stream: how long after a part was complete, by the playlist's own times, the last viewer has
 * the playlist that lists it, and the part. Every part counts, and every viewer gets every part: a late viewer makes the
 * figure large.
 *
 * The viewers need the gateway's cores. The table shows the viewers' share of them, that of the gateway's viewer threads,
 * and how long each waits for a core.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { readPlaylistText } from '../../../test/support/playlist-text.ts';
import { median, percentile, type Row } from '../../report.ts';
import {
  BlockingViewers,
  type DuePart,
  delaysOf,
  errorCount,
  errorText,
} from '../../support/blocking-viewers.ts';
import { hrtimeMs, withChildren } from '../../support/child-module.ts';
import { threadCpuMicros, threadWaitMicros } from '../../support/foreign-process.ts';

/** Before and after the measured time. */
const MARGIN_MS = 3_000;
const PLAYLIST_INTERVAL_MS = 500;
const THREAD_NAME = 'sluice-viewers-';

export interface SwarmTarget {
  readonly gatewayPid: number;
  /** One for each viewer. */
  readonly playlistUrls: readonly string[];
}

export async function measureSwarm(
  { gatewayPid, playlistUrls }: SwarmTarget,
  measureMs: number,
): Promise<{ row: Row; figures: Record<string, number> }> {
  const folders = playlistUrls.map((url) => new URL('.', url).pathname);
  const viewers = new BlockingViewers(Number(new URL(playlistUrls[0]!).port), folders);
  return withChildren([viewers], async () => {
    await viewers.play();
    await delay(MARGIN_MS);
    const dueTimes = new DueTimes(playlistUrls[0]!);
    const threads = viewerThreads(gatewayPid).map((tid) => new ThreadTimes(tid));
    const own = new ThreadTimes(viewers.pid);
    const before = await viewers.responses();
    const fromMs = hrtimeMs();
    const reading = dueTimes.read(fromMs + measureMs + MARGIN_MS);
    await delay(measureMs);
    const toMs = hrtimeMs();
    const responses = (await viewers.responses()) - before;
    const worked = threads.map((thread) => thread.take());
    const taken = own.take();
    await reading;
    const report = await viewers.finish();
    const parts = dueTimes.between(fromMs, toMs);
    const playlists = delaysOf(parts, report, folders.length, 'playlist');
    const media = delaysOf(parts, report, folders.length, 'part');
    const busiest = worked.reduce((most, one) => (one.workMs > most.workMs ? one : most));
    const workMs = worked.reduce((sum, one) => sum + one.workMs, 0);
    const figures = {
      lastViewerP50Ms: median(playlists.last),
      lastViewerP95Ms: percentile(playlists.last, 0.95),
      lastPartP50Ms: median(media.last),
      gatewayMicrosPerResponse: (workMs * 1_000) / responses,
      viewerMicrosPerResponse: (taken.workMs * 1_000) / responses,
      viewerErrors: errorCount(report),
    };
    return {
      row: {
        case: `${folders.length} blocking viewers`,
        parts: parts.length,
        'first p50 ms': median(playlists.first),
        'median p50 ms': median(playlists.median),
        'last p50 ms': figures.lastViewerP50Ms,
        'last p95 ms': figures.lastViewerP95Ms,
        'last part p50 ms': figures.lastPartP50Ms,
        'gateway µs/response': figures.gatewayMicrosPerResponse,
        'viewers µs/response': figures.viewerMicrosPerResponse,
        'thread works ms/part': busiest.workMs / parts.length,
        'thread waits ms/part': busiest.waitMs / parts.length,
        'viewers work ms/part': taken.workMs / parts.length,
        'viewers wait ms/part': taken.waitMs / parts.length,
        errors: errorText(report),
      },
      figures,
    };
  });
}

function viewerThreads(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .filter((tid) => readFileSync(`${tasks}/${tid}/comm`, 'latin1').startsWith(THREAD_NAME))
    .map(Number);
}

/** How long each viewer thread has worked since its start. */
export function viewerThreadMicros(pid: number): number[] {
  return viewerThreads(pid).map(threadCpuMicros);
}

/** How long a thread works, and how long it is ready to work and has no core. */
class ThreadTimes {
  readonly #tid: number;
  readonly #workMicros: number;
  readonly #waitMicros: number;

  constructor(tid: number) {
    this.#tid = tid;
    this.#workMicros = threadCpuMicros(tid);
    this.#waitMicros = threadWaitMicros(tid);
  }

  /** Since it was made. */
  take(): { readonly workMs: number; readonly waitMs: number } {
    return {
      workMs: (threadCpuMicros(this.#tid) - this.#workMicros) / 1_000,
      waitMs: (threadWaitMicros(this.#tid) - this.#waitMicros) / 1_000,
    };
  }
}

/** When each part was complete, as the playlist says, on the clock of `hrtimeMs`. */
class DueTimes {
  readonly #url: string;
  readonly #epochMinusMonoMs = Date.now() - hrtimeMs();
  readonly #due = new Map<string, DuePart>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Parts that were complete within this time. */
  between(fromMs: number, toMs: number): DuePart[] {
    return [...this.#due.values()].filter(({ dueMs }) => dueMs >= fromMs && dueMs < toMs);
  }

  async read(untilMs: number): Promise<void> {
    while (hrtimeMs() < untilMs) {
      await delay(PLAYLIST_INTERVAL_MS);
      const { segments } = readPlaylistText(await (await fetch(this.#url)).text());
      for (const { msn, dateTime, parts } of segments) {
        let dueMs = Date.parse(dateTime ?? '') - this.#epochMinusMonoMs;
        for (const [part, { duration }] of parts.entries()) {
          dueMs += duration * 1_000;
          this.#due.set(`${msn}.${part}`, { msn, part, dueMs });
        }
      }
    }
  }
}
