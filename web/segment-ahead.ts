/**
 * Requests the next segment one round trip before the current one has arrived, so that a distant network has
 * no pause between them. hls.js requests one after the other: with segments of 2 s, that leaves a tenth of
 * the network unused for each 200 ms of round trip, and a stream that takes four fifths of it never catches
 * up.
 */

import type {
  Fragment,
  FragmentLoaderContext,
  HlsConfig,
  Loader,
  LoaderCallbacks,
  LoaderConfiguration,
  LoaderContext,
} from './hls.js';
import { requestCounts } from './request-counts.ts';

const LOOK_MS = 40;

/** How far a load is. Times are those of `performance.now()`; 0: not yet. */
interface LoadProgress {
  startMs: number;
  firstMs: number;
  endMs: number;
  loadedBytes: number;
  totalBytes: number;
}

interface EarlySegment {
  readonly url: string;
  readonly abort: AbortController;
  readonly progress: LoadProgress;
  /** Null: it failed, and the usual way will say how. */
  readonly data: Promise<ArrayBuffer | null>;
}

/** The one segment that is on its way, or has arrived, before hls.js asks for it. */
export class SegmentAhead {
  readonly #nextUrl: (fragment: Fragment) => string | null;
  #held: EarlySegment | null = null;

  /** `nextUrl`: of the segment after this one, null if there is none yet, or if it would not be loaded as a whole. */
  constructor(nextUrl: (fragment: Fragment) => string | null) {
    this.#nextUrl = nextUrl;
  }

  /** The segment with this URL, if it was requested. Any other one is given up. */
  take(url: string): EarlySegment | null {
    const held = this.#held;
    this.#held = null;
    if (held === null || held.url === url) return held;
    held.abort.abort();
    return null;
  }

  stop(): void {
    this.#held?.abort.abort();
    this.#held = null;
  }

  requestNext(fragment: Fragment): void {
    if (this.#held !== null) return;
    const url = this.#nextUrl(fragment);
    if (url === null) return;
    const abort = new AbortController();
    const startMs = performance.now();
    const progress = { startMs, firstMs: 0, endMs: 0, loadedBytes: 0, totalBytes: 0 };
    requestCounts.requests++;
    this.#held = { url, abort, progress, data: loadSegment(url, abort.signal, progress) };
  }
}

async function loadSegment(
  url: string,
  signal: AbortSignal,
  progress: LoadProgress,
): Promise<ArrayBuffer | null> {
  try {
    const response = await fetch(url, { signal });
    progress.firstMs = performance.now();
    progress.totalBytes = Number(response.headers.get('content-length') ?? 0);
    if (!response.ok || response.body === null) return null;
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    const reader = response.body.getReader();
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      chunks.push(chunk.value);
      progress.loadedBytes += chunk.value.byteLength;
    }
    progress.endMs = performance.now();
    return await new Blob(chunks).arrayBuffer();
  } catch {
    return null;
  }
}

/** `base` for fragments, which takes a segment from `ahead` where it is there. */
export function aheadLoader(
  base: new (config: HlsConfig) => Loader<LoaderContext>,
  ahead: SegmentAhead,
): new (
  config: HlsConfig,
) => Loader<FragmentLoaderContext> {
  return class extends (base as new (config: HlsConfig) => Loader<FragmentLoaderContext>) {
    #timer: ReturnType<typeof setInterval> | undefined;
    /** Not null: a segment that was requested earlier is awaited. */
    #awaited: EarlySegment | null = null;
    #onAbort: (() => void) | null = null;

    override load(
      context: FragmentLoaderContext,
      config: LoaderConfiguration,
      callbacks: LoaderCallbacks<FragmentLoaderContext>,
    ): void {
      const fragment = wholeSegmentOf(context);
      const early = fragment === null ? null : ahead.take(context.url);
      if (fragment !== null) this.#timer = setInterval(() => this.#look(fragment), LOOK_MS);
      if (early === null) super.load(context, config, callbacks);
      else void this.#await(early, context, config, callbacks);
    }

    override abort(): void {
      clearInterval(this.#timer);
      if (this.#awaited === null) {
        super.abort();
        return;
      }
      this.#awaited.abort.abort();
      this.#awaited = null;
      this.stats.aborted = true;
      this.#onAbort?.();
    }

    override destroy(): void {
      clearInterval(this.#timer);
      this.#awaited?.abort.abort();
      this.#awaited = null;
      super.destroy();
    }

    async #await(
      early: EarlySegment,
      context: FragmentLoaderContext,
      config: LoaderConfiguration,
      callbacks: LoaderCallbacks<FragmentLoaderContext>,
    ): Promise<void> {
      const { stats } = this;
      this.#awaited = early;
      this.#onAbort = () => callbacks.onAbort?.(stats, context, null);
      const data = await early.data;
      if (this.#awaited !== early) return;
      this.#awaited = null;
      if (data === null) {
        super.load(context, config, callbacks);
        return;
      }
      const { startMs, firstMs, endMs } = early.progress;
      Object.assign(stats.loading, { start: startMs, first: firstMs, end: endMs });
      stats.loaded = data.byteLength;
      stats.total = data.byteLength;
      callbacks.onProgress?.(stats, context, data, null);
      callbacks.onSuccess({ url: context.url, data, code: 200 }, stats, context, null);
    }

    /** Requests the next segment once the rest of this one takes no longer than a request. */
    #look(fragment: Fragment): void {
      const { startMs, firstMs, loadedBytes, totalBytes } = this.#progress();
      if (firstMs === 0 || loadedBytes === 0) return;
      const leftMs = ((totalBytes - loadedBytes) * (performance.now() - firstMs)) / loadedBytes;
      if (leftMs <= firstMs - startMs) ahead.requestNext(fragment);
    }

    #progress(): LoadProgress {
      if (this.#awaited !== null) return this.#awaited.progress;
      const { loading, loaded, total } = this.stats;
      return {
        startMs: loading.start,
        firstMs: loading.first,
        endMs: loading.end,
        loadedBytes: loaded,
        totalBytes: total,
      };
    }
  };
}

/** Null: it is something else, or a part. */
function wholeSegmentOf({ frag, part }: FragmentLoaderContext): Fragment | null {
  return part === null && frag.sn !== 'initSegment' ? frag : null;
}
