/**
 * A camera as viewers see it: opened when somebody is interested, closed when nobody has been for a while, one
 * connection per profile whatever the number of viewers.
 */

import type { TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { renderMultivariantPlaylist, type VariantStream } from '../hls/multivariant-playlist.ts';
import { STREAM_ERRORS } from './errors.ts';
import type {
  Audience,
  KeyFrame,
  LiveCamera,
  LiveRendition,
  LiveState,
  MediaPlaylistName,
  PlaylistText,
  RenditionName,
  Waiter,
} from './live-media.ts';
import { type ProfileName, type ProfileOptions, ProfileStream } from './profile-stream.ts';
import type { SoundState } from './sound-state.ts';
import type { Source } from './source.ts';

export interface CameraStreamOptions
  extends Omit<ProfileOptions, 'profile' | 'source' | 'onStateChange' | 'onSoundChange'> {
  readonly main: Source;
  readonly sub: Source | null;
  /** Time without any viewer after which the camera is closed. */
  readonly idleStopMs: number;
  /** The state viewers see changed. */
  readonly onStatusChange: (state: LiveState) => void;
  /** Whether viewers hear the main stream changed. */
  readonly onSoundChange?: (sound: SoundState) => void;
}

const AUDIENCES: readonly Audience[] = ['sound', 'silent'];
const NO_TEXT: PlaylistText = { text: '' };
/** More waiting viewers than this get an error at once instead of a place. */
const MAX_PLAYABLE_WAITERS = 10_000;

export class CameraStream implements LiveCamera {
  readonly uuid: Ruuid;
  readonly #options: CameraStreamOptions;
  readonly #main: ProfileStream;
  readonly #sub: ProfileStream | null;
  readonly #lastTouchMonoMs: Record<Audience, number> = {
    sound: Number.NEGATIVE_INFINITY,
    silent: Number.NEGATIVE_INFINITY,
  };
  readonly #isOpen: Record<Audience, boolean> = { sound: false, silent: false };
  readonly #waiters = new Map<Waiter, Audience>();
  #idleTimer: TimerHandle | null = null;
  #isClosed = false;
  #lastState: LiveState['state'] = 'idle';

  constructor(options: CameraStreamOptions) {
    this.uuid = options.cameraUuid;
    this.#options = options;
    this.#main = this.#profile('main', options.main);
    this.#sub = options.sub === null ? null : this.#profile('sub', options.sub);
  }

  touch(audience: Audience): void {
    this.#lastTouchMonoMs[audience] = this.#options.clock.monoMs();
    if (!this.#isOpen[audience] && !this.#isClosed) this.#open(audience);
  }

  status(): LiveState {
    return this.#main.state();
  }

  /** Whether viewers hear the main stream. */
  get sound(): SoundState {
    return this.#main.sound;
  }

  rendition(name: RenditionName): LiveRendition | null {
    switch (name) {
      case 'main':
        return this.#main.rendition('sound');
      case 'main-silent':
        return this.#main.rendition('silent');
      case 'sub':
        return this.#sub?.rendition('sound') ?? null;
      case 'sub-silent':
        return this.#sub?.rendition('silent') ?? null;
    }
  }

  hasSubStream(): boolean {
    return this.#sub !== null;
  }

  multivariantPlaylist(prefix: string, audience: Audience, name: MediaPlaylistName): string | null {
    const main = this.#main.properties(audience);
    if (main === null || !this.#main.isPlayable(audience)) return null;
    const variants: VariantStream[] = [{ uri: prefix + name, ...main }];
    const sub = this.#sub?.isPlayable(audience) ? this.#sub.properties(audience) : null;
    if (sub !== null) variants.push({ uri: `${prefix}sub/${name}`, ...sub });
    return renderMultivariantPlaylist(variants);
  }

  awaitPlayable(audience: Audience, waiter: Waiter): void {
    const state = this.status();
    if (this.#isClosed || this.#waiters.size >= MAX_PLAYABLE_WAITERS) {
      waiter.onGone(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    } else if (this.#main.isPlayable(audience)) waiter.onReady(NO_TEXT);
    else if (state.state === 'offline') waiter.onGone(offlineError(state));
    else this.#waiters.set(waiter, audience);
  }

  cancelWait(waiter: Waiter): void {
    this.#waiters.delete(waiter);
  }

  keyFrame(): KeyFrame | null {
    return this.#sub?.keyFrame() ?? this.#main.keyFrame();
  }

  /** Both profiles that exist, for metrics. */
  profiles(): readonly ProfileStream[] {
    return this.#sub === null ? [this.#main] : [this.#main, this.#sub];
  }

  /** For good: the camera is no longer configured, or the gateway stops. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
  }

  #profile(profile: ProfileName, source: Source): ProfileStream {
    const log = this.#options.log.child({ camera: this.uuid, profile, engine: source.engine });
    return new ProfileStream({
      ...this.#options,
      log,
      profile,
      source,
      onStateChange: () => this.#onStateChange(),
      onSoundChange: () => {
        if (profile === 'main') this.#options.onSoundChange?.(this.sound);
      },
    });
  }

  #open(audience: Audience): void {
    this.#isOpen[audience] = true;
    for (const profile of this.profiles()) profile.want(audience);
    this.#onStateChange();
    this.#idleTimer ??= this.#armIdleTimer(this.#options.idleStopMs);
  }

  #armIdleTimer(delayMs: number): TimerHandle {
    return this.#options.clock.after(delayMs, () => this.#checkIdle());
  }

  /** Closes what nobody touched for the idle time, and nobody waits for; looks again when the next audience may fall idle. */
  #checkIdle(): void {
    this.#idleTimer = null;
    const nowMonoMs = this.#options.clock.monoMs();
    let nextCheckMs = Number.POSITIVE_INFINITY;
    const idle: Audience[] = [];
    const awaited = new Set(this.#waiters.values());
    for (const audience of AUDIENCES) {
      if (!this.#isOpen[audience]) continue;
      if (awaited.has(audience)) this.#lastTouchMonoMs[audience] = nowMonoMs;
      const leftMs = this.#options.idleStopMs - (nowMonoMs - this.#lastTouchMonoMs[audience]);
      if (leftMs <= 0) idle.push(audience);
      else nextCheckMs = Math.min(nextCheckMs, leftMs);
    }
    if (nextCheckMs === Number.POSITIVE_INFINITY) {
      this.#options.log.info({ camera: this.uuid }, 'nobody watches, closing the camera');
      void this.#stop(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
      return;
    }
    for (const audience of idle) {
      this.#isOpen[audience] = false;
      for (const profile of this.profiles()) profile.drop(audience);
    }
    this.#idleTimer = this.#armIdleTimer(nextCheckMs);
  }

  async #stop(error: GatewayError): Promise<void> {
    this.#idleTimer?.cancel();
    this.#idleTimer = null;
    for (const audience of AUDIENCES) this.#isOpen[audience] = false;
    this.#failWaiters(error);
    const closing = this.profiles().map((profile) => profile.close());
    this.#onStateChange();
    await Promise.all(closing);
  }

  #onStateChange(): void {
    const state = this.status();
    if (state.state === 'offline') this.#failWaiters(offlineError(state));
    else this.#answerWaiters();
    if (state.state === this.#lastState) return;
    this.#lastState = state.state;
    this.#options.onStatusChange(state);
  }

  #answerWaiters(): void {
    for (const [waiter, audience] of this.#waiters) {
      if (!this.#main.isPlayable(audience)) continue;
      this.#waiters.delete(waiter);
      waiter.onReady(NO_TEXT);
    }
  }

  #failWaiters(error: GatewayError): void {
    const waiters = [...this.#waiters.keys()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.onGone(error);
  }
}

function offlineError(state: Extract<LiveState, { state: 'offline' }>): GatewayError {
  return new GatewayError(STREAM_ERRORS.STREAM_OFFLINE, { cause: state.error.code }, state.error);
}
