/**
 * One run of the synthetic viewer: it opens the page of a link, follows its playlists as a player of Low-Latency HLS does, and
 * keeps the model of a player's buffer. It never retries faster than it would annoy a gateway in trouble.
 */

import { Backoff } from '../core/backoff.ts';
import type { RequestError } from './measurement.ts';
import { PlayerModel } from './player-model.ts';
import { ProbeConnections } from './probe-connections.ts';
import { type LivePlaylist, type PlaylistChunk, readProbePlaylist } from './probe-playlist.ts';
import {
  FIRST_PICTURE_LIMIT_MS,
  type ProbeOrder,
  type RunOutcome,
  type RunResult,
} from './probe-protocol.ts';
import { probeRequest } from './probe-request.ts';
import type { ProbeResponse } from './probe-response.ts';

/** Waiting requests are answered within three target durations, and those for a cold camera within 25 s. */
const REQUEST_TIMEOUT_MS = 30_000;
/** A request that has waited this long when the run is over counts as failed. */
const PATIENCE_MS = 10_000;
/** Playback begins at the latest after this many times the distance that players keep. */
const MAX_HOLD_BACKS = 2;
/** The rounding of durations in a playlist. */
const ROUNDING_MS = 5;
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 2_000;
/** Reloads of a server that does not hold requests back. */
const MIN_RELOAD_MS = 500;

/** Reasons in refusals that concern the share or its camera, not the gateway. */
const ENDS: Readonly<Record<string, RunOutcome>> = {
  'camera-offline': 'camera-offline',
  'sound-only': 'sound-only',
};
const REFUSALS: ReadonlySet<string> = new Set([
  'unknown',
  'revoked',
  'expired',
  'hidden-by-schedule',
  'viewer-ended',
  'grant-expired',
  'viewer-limit',
  'sign-in-needed',
  'password-needed',
]);

type Fetched = Extract<ProbeResponse, { kind: 'ok' }>;

/** Ends the run. */
class RunEnd extends Error {
  readonly outcome: RunOutcome;

  constructor(outcome: RunOutcome) {
    super(outcome);
    this.outcome = outcome;
  }
}

export class ProbeRun {
  readonly #order: ProbeOrder;
  readonly #request: typeof probeRequest;
  readonly #connections: ProbeConnections;
  readonly #aborted = new AbortController();
  readonly #model = new PlayerModel((monoMs) => Date.now() - (performance.now() - monoMs));
  readonly #startMs = performance.now();
  readonly #errors: Partial<Record<RequestError, number>> = {};
  #requests = 0;
  readonly #backoff = new Backoff({ firstMs: FIRST_RETRY_MS, lastMs: LAST_RETRY_MS });
  #firstPictureMs: number | null = null;
  #reason: string | null = null;
  /** The URI of the last loaded chunk; null: none. */
  #lastUri: string | null = null;
  #lastEpochMs = Number.NEGATIVE_INFINITY;
  #initUri: string | null = null;
  /** Where playback begins; null: not known. */
  #startEpochMs: number | null = null;
  #holdBackMs = 0;
  #hint: { readonly uri: string; readonly response: Promise<ProbeResponse> } | null = null;
  #endsAtMs = performance.now() + FIRST_PICTURE_LIMIT_MS;

  /** `request`: how to request a URL. */
  constructor(order: ProbeOrder, request: typeof probeRequest = probeRequest) {
    this.#order = order;
    this.#request = request;
    this.#connections = new ProbeConnections({ checksCertificates: !order.isLocal });
  }

  async run(): Promise<RunResult> {
    let outcome: RunOutcome;
    try {
      await this.#play();
      outcome = this.#firstPictureMs === null ? 'failed' : 'played';
    } catch (thrown) {
      if (!(thrown instanceof RunEnd)) throw thrown;
      ({ outcome } = thrown);
    } finally {
      this.#aborted.abort();
      this.#connections.close();
    }
    return {
      outcome,
      reason: outcome === 'played' ? null : this.#reason,
      protocol: this.#connections.protocol,
      firstPictureMs: this.#firstPictureMs,
      isWithoutPicture: outcome === 'failed',
      ...this.#model.totals(Math.min(performance.now(), this.#endsAtMs)),
      requests: this.#requests,
      errors: this.#errors,
    };
  }

  async #play(): Promise<void> {
    await this.#untilGot(this.#order.pageUrl, true);
    let url = new URL(this.#order.playlistUrl);
    let requested = url;
    let hasVariant = false;
    while (this.#leftMs() > 0) {
      const response = await this.#get(requested, true);
      const playlist = response.kind === 'ok' ? readProbePlaylist(response.text) : null;
      // A variant leads to media, or nowhere.
      const isLoop = playlist?.kind === 'multivariant' && hasVariant;
      if (response.kind === 'error' || playlist === null || isLoop) {
        this.#failed(response.kind === 'error' ? response : BAD_PLAYLIST);
        requested = url;
        await this.#pause();
        continue;
      }
      if (playlist.kind === 'multivariant') {
        url = new URL(playlist.uri, url);
        requested = url;
        hasVariant = true;
        continue;
      }
      const hasNew = await this.#load(playlist, url);
      requested = await this.#nextRequest(playlist, url, hasNew);
    }
  }

  /** Loads the new chunks of the playlist; false: there were none. */
  async #load(playlist: LivePlaylist, base: URL): Promise<boolean> {
    const chunks = this.#newChunks(playlist);
    for (const chunk of chunks) {
      if (this.#leftMs() <= 0) break;
      if (chunk.initUri !== null && chunk.initUri !== this.#initUri) {
        if ((await this.#untilGot(new URL(chunk.initUri, base), false)) === null) break;
        this.#initUri = chunk.initUri;
      }
      const got = await this.#chunk(chunk, base);
      // The next playlist shows whether it still exists.
      if (got === null) break;
      this.#lastUri = chunk.uri;
      this.#lastEpochMs = chunk.epochMs;
      this.#show(chunk, got.atMonoMs);
    }
    return chunks.length > 0;
  }

  #newChunks({ chunks, holdBackMs }: LivePlaylist): readonly PlaylistChunk[] {
    const last = this.#lastUri === null ? -1 : chunks.findIndex(({ uri }) => uri === this.#lastUri);
    if (last >= 0) return chunks.slice(last + 1);
    // There is no last chunk yet, or its successors are no longer listed: as a player that joins.
    const end = chunks.at(-1);
    // A cached playlist is older than the played chunks.
    if (end === undefined || end.epochMs <= this.#lastEpochMs) return [];
    if (this.#model.hasBegun) this.#model.drop(performance.now());
    const startEpochMs = end.epochMs + end.durationMs - holdBackMs;
    const first = chunks.findLastIndex(
      ({ isIndependent, epochMs }) => isIndependent && epochMs <= startEpochMs,
    );
    const from = first >= 0 ? first : chunks.findIndex(({ isIndependent }) => isIndependent);
    if (from < 0) return [];
    this.#holdBackMs = holdBackMs;
    this.#startEpochMs ??= Math.max(startEpochMs, chunks[from]!.epochMs);
    return chunks.slice(from);
  }

  #show(chunk: PlaylistChunk, atMonoMs: number): void {
    this.#backoff.reset();
    this.#model.load(chunk, atMonoMs);
    if (this.#firstPictureMs === null) {
      this.#firstPictureMs = atMonoMs - this.#startMs;
      this.#endsAtMs = atMonoMs + this.#order.playMs;
    }
    if (this.#model.hasBegun) return;
    const startEpochMs = this.#startEpochMs ?? chunk.epochMs;
    // A camera that was just opened has less than that: players keep the distance before they play at full speed.
    const isFarEnough = chunk.epochMs + chunk.durationMs >= startEpochMs + this.#holdBackMs - ROUNDING_MS;
    const hasWaited = atMonoMs - this.#startMs - this.#firstPictureMs! > MAX_HOLD_BACKS * this.#holdBackMs;
    if (isFarEnough || hasWaited) this.#model.begin(startEpochMs, atMonoMs);
  }

  /** The URL of the next request. An announced part is requested at the same time. */
  async #nextRequest(playlist: LivePlaylist, url: URL, hasNew: boolean): Promise<URL> {
    const { next, hintUri, targetDurationMs } = playlist;
    if (next === null) {
      if (!hasNew) await this.#pauseFor(Math.max(MIN_RELOAD_MS, targetDurationMs / 2));
      else await this.#pauseFor(MIN_RELOAD_MS);
      return url;
    }
    // A response that arrives immediately without news comes from a cache, which gets a pause before the next request.
    if (!hasNew) await this.#pauseFor(FIRST_RETRY_MS);
    if (hintUri !== null && this.#lastUri !== null && this.#hint?.uri !== hintUri) {
      this.#hint = { uri: hintUri, response: this.#get(new URL(hintUri, url), false) };
    }
    const requested = new URL(url);
    requested.searchParams.set('_HLS_msn', String(next.msn));
    requested.searchParams.set('_HLS_part', String(next.part));
    return requested;
  }

  async #chunk({ uri }: PlaylistChunk, base: URL): Promise<Fetched | null> {
    const hint = this.#hint?.uri === uri ? this.#hint : null;
    if (hint !== null) this.#hint = null;
    const response = hint === null ? await this.#get(new URL(uri, base), false) : await hint.response;
    if (response.kind === 'ok') return response;
    this.#failed(response);
    await this.#pause();
    return null;
  }

  /** null: the run is over. */
  async #untilGot(url: string | URL, isText: boolean): Promise<Fetched | null> {
    while (this.#leftMs() > 0) {
      const response = await this.#get(new URL(url), isText);
      if (response.kind === 'ok') return response;
      this.#failed(response);
      await this.#pause();
    }
    return null;
  }

  async #get(url: URL, isText: boolean): Promise<ProbeResponse> {
    const timeoutMs = Math.max(1, Math.min(REQUEST_TIMEOUT_MS, this.#leftMs()));
    this.#requests++;
    const { signal } = this.#aborted;
    const connections = this.#connections;
    const response = await this.#request({ url, connections, isText, timeoutMs, signal });
    const isLate = response.kind === 'error' && response.error === 'timeout';
    if (!isLate || timeoutMs >= PATIENCE_MS) return response;
    this.#requests--;
    return RUN_IS_OVER;
  }

  /** Counts the failure. Throws RunEnd if the response says that the share cannot be played now. */
  #failed(failure: Extract<ProbeResponse, { kind: 'error' }>): void {
    if (failure === RUN_IS_OVER) return;
    const { error, reason } = failure;
    const end =
      reason === null ? undefined : (ENDS[reason] ?? (REFUSALS.has(reason) ? 'refused' : undefined));
    this.#reason = reason ?? error;
    if (end !== undefined) {
      this.#requests--;
      throw new RunEnd(end);
    }
    this.#errors[error] = (this.#errors[error] ?? 0) + 1;
  }

  async #pause(): Promise<void> {
    await this.#pauseFor(this.#backoff.failed());
  }

  async #pauseFor(ms: number): Promise<void> {
    const pauseMs = Math.min(ms, Math.max(0, this.#leftMs()));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }

  #leftMs(): number {
    return this.#endsAtMs - performance.now();
  }
}

/** It was waiting for its response when the run was over, and not for long: it did not fail. */
const RUN_IS_OVER = { kind: 'error', error: 'timeout', reason: null } as const;
const BAD_PLAYLIST = { kind: 'error', error: 'bad-playlist', reason: null } as const;
