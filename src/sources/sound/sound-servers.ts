/**
 * The sound servers that all cameras share: one, and another for each MAX_SERVED_STREAMS streams. A server is started when
 * payloads come, replaced with a pause when it ends, and ended when no sound is open any more. If all are full, and no worker
 * is left for another one, the organization with the most streams gives one up to an organization with fewer.
 */

import type { Backoff } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';
import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { SharedWork } from '../../ffmpeg/shared-work.ts';
import {
  type EncodedStream,
  type EncodedStreamEvents,
  type ServedFormat,
  SoundServer,
  type SoundServerOptions,
} from '../../ffmpeg/sound-server.ts';
import { mostUrgent, type Urgency } from '../../stream/media/urgency.ts';
import { soundRestarts } from './restart-pause.ts';

export interface SoundServersOptions extends SoundServerOptions {
  readonly log: Log;
  /** In [0, 1): the jitter. */
  readonly random?: () => number;
}

/** The sound of one camera, as the servers know it: the same object each time that it asks. */
export interface ServedSound extends EncodedStreamEvents {
  readonly organization: string;
  urgency(): Urgency;
}

/** A server that finds a worker has started by then. */
const MAX_START_MS = 1_000;

/** A stream that is open. */
interface Served {
  readonly place: ServerPlace;
  /** Ends the stream in favor of another organization, as if the server had ended. */
  readonly end: () => void;
}

export class SoundServers {
  readonly #options: SoundServersOptions;
  readonly #places: ServerPlace[] = [];
  /** By organization, the oldest first. */
  readonly #served = new Map<string, Set<Served>>();
  #users = 0;

  constructor(options: SoundServersOptions) {
    this.#options = options;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** A sound is open; `leave` must follow. */
  enter(): void {
    this.#users++;
  }

  /** The last one ends the servers; resolves when they are gone. */
  async leave(sound: ServedSound): Promise<void> {
    this.forget(sound);
    this.#users--;
    if (this.#users === 0) await Promise.all(this.#places.map((place) => place.close()));
  }

  /** null: there is no server yet, or none has room. Try again with the next payload. */
  open(format: ServedFormat, sound: ServedSound): EncodedStream | null {
    let place = this.#places.find(({ isFull }) => !isFull);
    if (place === undefined) {
      place = new ServerPlace(this.#options);
      this.#places.push(place);
    }
    if (place.isStuck) place = this.#makeRoom(sound.organization) ?? place;
    for (const other of this.#places) if (other !== place) other.forget(sound);
    return this.#open(place, format, sound);
  }

  /** It has no stream, and does not ask for one now. */
  forget(sound: ServedSound): void {
    for (const place of this.#places) place.forget(sound);
  }

  #open(place: ServerPlace, format: ServedFormat, sound: ServedSound): EncodedStream | null {
    const { organization } = sound;
    const forget = (): void => {
      const own = this.#served.get(organization);
      if (own?.delete(served) === true && own.size === 0) this.#served.delete(organization);
    };
    const onEnded: EncodedStreamEvents['onEnded'] = (reason) => {
      forget();
      sound.onEnded(reason);
    };
    const stream = place.open(format, sound, { onFrame: (frame) => sound.onFrame(frame), onEnded });
    if (stream === null) return null;
    const close = (): void => {
      forget();
      stream.close();
    };
    const end = (): void => {
      close();
      sound.onEnded('server');
    };
    const served: Served = { place, end };
    const own = this.#served.get(organization);
    if (own === undefined) this.#served.set(organization, new Set([served]));
    else own.add(served);
    return { write: (samples, count) => stream.write(samples, count), close };
  }

  /**
   * Ends a stream of the organization that has the most, and returns its server. null: no organization has more streams
   * than this one would have.
   */
  #makeRoom(organization: string): ServerPlace | null {
    const own = this.#served.get(organization)?.size ?? 0;
    let most: ReadonlySet<Served> | null = null;
    for (const each of this.#served.values()) if (each.size > (most?.size ?? own + 1)) most = each;
    const newest = most === null ? undefined : [...most].at(-1);
    newest?.end();
    return newest?.place ?? null;
  }
}

type PlaceState =
  | { readonly name: 'none' }
  | { readonly name: 'starting'; readonly sinceMonoMs: number }
  | { readonly name: 'running'; readonly server: SoundServer }
  | { readonly name: 'pausing'; readonly untilMonoMs: number };

/** One server after the other. */
class ServerPlace {
  readonly #options: SoundServersOptions;
  readonly #restarts: Backoff;
  /** Those with a stream, and those that asked for one. */
  readonly #sounds = new Set<ServedSound>();
  #state: PlaceState = { name: 'none' };
  #abort = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: SoundServersOptions) {
    this.#options = options;
    this.#restarts = soundRestarts(options.random);
  }

  get isFull(): boolean {
    return this.#state.name === 'running' && this.#state.server.isFull;
  }

  /** It has waited for a worker, or has just failed. */
  get isStuck(): boolean {
    const state = this.#state;
    if (state.name !== 'starting') return state.name === 'pausing';
    return this.#options.clock.monoMs() - state.sinceMonoMs >= MAX_START_MS;
  }

  /** `events`: of the stream. */
  open(format: ServedFormat, sound: ServedSound, events: EncodedStreamEvents): EncodedStream | null {
    const state = this.#state;
    const isNew = !this.#sounds.has(sound);
    this.#sounds.add(sound);
    if (state.name === 'running') return state.server.open(format, events, sound.organization);
    if (state.name === 'starting' && isNew) this.#options.pool.reconsider();
    const isPausing = state.name === 'pausing' && this.#options.clock.monoMs() < state.untilMonoMs;
    if (state.name !== 'starting' && !isPausing) {
      this.#state = { name: 'starting', sinceMonoMs: this.#options.clock.monoMs() };
      this.#abort = new AbortController();
      this.#running = this.#run(this.#abort.signal);
    }
    return null;
  }

  forget(sound: ServedSound): void {
    this.#sounds.delete(sound);
  }

  /** A sound that opens later starts another server. */
  async close(): Promise<void> {
    this.#abort.abort();
    if (this.#state.name === 'running') void this.#state.server.close();
    await this.#running;
  }

  /** One server from its start to its end. */
  async #run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let startedMonoMs = Number.POSITIVE_INFINITY;
    let error: GatewayError | null;
    try {
      const server = await SoundServer.start(this.#options, signal, () => this.#work());
      startedMonoMs = clock.monoMs();
      if (signal.aborted) void server.close();
      else this.#state = { name: 'running', server };
      error = await server.ended;
    } catch (thrown) {
      error = toGatewayError(thrown);
    }
    if (error === null || signal.aborted) {
      this.#state = { name: 'none' };
      return;
    }
    const pauseMs = this.#restarts.failed(clock.monoMs() - startedMonoMs);
    log.warn({ err: error, retryInMs: Math.round(pauseMs) }, 'audio worker ended');
    this.#state = { name: 'pausing', untilMonoMs: clock.monoMs() + pauseMs };
  }

  #work(): SharedWork {
    const camerasOf = new Map<string, number>();
    for (const { organization } of this.#sounds) {
      camerasOf.set(organization, (camerasOf.get(organization) ?? 0) + 1);
    }
    return {
      cameras: this.#sounds.size,
      camerasOf,
      urgency: mostUrgent(Iterator.from(this.#sounds).map((sound) => sound.urgency())),
    };
  }
}
