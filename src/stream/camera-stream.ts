/**
 * A camera as viewers see it: opened when someone is interested, closed when no one has been for a while, with one
 * connection per profile whatever the number of viewers.
 */

import type { TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { MediaPlaylistName } from '../hls/media-names.ts';
import { renderMultivariantPlaylist, type VariantStream } from '../hls/multivariant-playlist.ts';
import { type CameraReport, ConnectionRecord, type ProbeVerdict } from './camera-connection.ts';
import type { CameraLog } from './camera-log.ts';
import { STREAM_ERRORS } from './errors.ts';
import type {
  Audience,
  KeyFrame,
  LiveCamera,
  LiveRendition,
  LiveState,
  PlaylistText,
  RenditionName,
  Waiter,
} from './live-media.ts';
import { type ProfileName, type ProfileOptions, ProfileStream } from './profile-stream.ts';
import { RenderedPlaylist } from './rendered-playlist.ts';
import type { SoundState } from './sound-state.ts';
import type { Source } from './source.ts';

export interface CameraStreamOptions
  extends Omit<
    ProfileOptions,
    'profile' | 'source' | 'onStateChange' | 'log' | 'openedMonoMs' | 'other' | 'onSoundChange'
  > {
  /** Carries the camera's uuid and name. */
  readonly log: CameraLog;
  readonly main: Source;
  readonly sub: Source | null;
  /** Time without any viewer after which the camera is closed. */
  readonly idleStopMs: number;
  /** The state that viewers see has changed. */
  readonly onStatusChange: (state: LiveState) => void;
  /** What is known about the connection has changed, with or without the state that viewers see. */
  readonly onReport?: (report: CameraReport) => void;
  /** Whether viewers hear the main stream has changed. */
  readonly onSoundChange?: (sound: SoundState) => void;
}

const AUDIENCES: readonly Audience[] = ['sound', 'silent'];
const NO_TEXT: PlaylistText = new RenderedPlaylist('');
/** Limit on waiting viewers; any more get an error immediately. */
const MAX_PLAYABLE_WAITERS = 10_000;
/**
 * How long the Multivariant Playlist waits for the substream once the main stream plays: with a key frame every 2 s,
 * they begin at most 2 s apart. Players read it once, and do not learn about a stream that it does not name.
 */
export const SUB_WAIT_MS = 3_000;

interface PlayableWait {
  readonly audience: Audience;
  /** For the Multivariant Playlist, which may wait for the substream too. */
  readonly isForVariants: boolean;
}

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
  readonly #waiters = new Map<Waiter, PlayableWait>();
  /** When the main stream had its first part; null before it. */
  readonly #playableSinceMonoMs: Record<Audience, number | null> = { sound: null, silent: null };
  #subTimer: TimerHandle | null = null;
  #openedMonoMs = 0;
  readonly #mainRecord = new ConnectionRecord();
  readonly #subRecord: ConnectionRecord | null;
  #idleTimer: TimerHandle | null = null;
  #isClosed = false;
  #lastState: LiveState['state'] = 'idle';

  constructor(options: CameraStreamOptions) {
    this.uuid = options.cameraUuid;
    this.#options = options;
    this.#main = this.#profile('main', options.main);
    this.#sub = options.sub === null ? null : this.#profile('sub', options.sub);
    this.#subRecord = options.sub === null ? null : new ConnectionRecord();
  }

  /** The camera's current name. */
  get name(): string {
    return this.#options.log.name;
  }

  rename(name: string): void {
    this.#options.log.rename(name);
  }

  touch(audience: Audience): void {
    this.#lastTouchMonoMs[audience] = this.#options.clock.monoMs();
    if (!this.#isOpen[audience] && !this.#isClosed) this.#open(audience);
  }

  status(): LiveState {
    return this.#main.state();
  }

  report(): CameraReport {
    return {
      streamState: this.status().state,
      main: this.#mainRecord.connection,
      sub: this.#subRecord?.connection ?? null,
    };
  }

  /** Takes over the result of a probe of the main stream; if the camera streamed, the pause before a retry ends. */
  probed(verdict: ProbeVerdict): void {
    const changed = this.#mainRecord.probed(verdict, this.#options.clock.epochMs());
    if (changed) this.#options.onReport?.(this.report());
    if (verdict.fault === null) for (const profile of this.profiles()) profile.retryNow();
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

  hasAudio(): boolean | null {
    const main = this.#main.hasAudio();
    return main === null ? null : main || (this.#sub?.hasAudio() ?? false);
  }

  hasSubStream(): boolean {
    return this.#sub !== null;
  }

  multivariantPlaylist(prefix: string, audience: Audience, name: MediaPlaylistName): string | null {
    const main = this.#main.properties(audience);
    if (main === null || !this.#hasVariants(audience)) return null;
    const variants: VariantStream[] = [{ uri: prefix + name, ...main }];
    const sub = this.#sub?.isPlayable(audience) ? this.#sub.properties(audience) : null;
    if (sub !== null) variants.push({ uri: `${prefix}sub/${name}`, ...sub });
    return renderMultivariantPlaylist(variants);
  }

  awaitPlayable(audience: Audience, waiter: Waiter): void {
    this.#await({ audience, isForVariants: false }, waiter);
  }

  awaitMultivariant(audience: Audience, waiter: Waiter): void {
    this.#await({ audience, isForVariants: true }, waiter);
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

  /** Permanently: the camera is no longer configured, or the gateway is stopping. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
  }

  #await(wait: PlayableWait, waiter: Waiter): void {
    const state = this.status();
    if (this.#isClosed || this.#waiters.size >= MAX_PLAYABLE_WAITERS) {
      waiter.onGone(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    } else if (this.#isOver(wait)) waiter.onReady(NO_TEXT);
    else if (state.state === 'offline') waiter.onGone(offlineError(state));
    else {
      this.#waiters.set(waiter, wait);
      this.#armSubTimer();
    }
  }

  #isOver({ audience, isForVariants }: PlayableWait): boolean {
    return isForVariants ? this.#hasVariants(audience) : this.#main.isPlayable(audience);
  }

  /** Whether the main stream plays, and the substream too unless it is offline or late. */
  #hasVariants(audience: Audience): boolean {
    if (!this.#main.isPlayable(audience)) return false;
    return !(this.#sub?.isExpected(audience) ?? false) || this.#subWaitLeftMs(audience) <= 0;
  }

  #subWaitLeftMs(audience: Audience): number {
    const sinceMonoMs = this.#playableSinceMonoMs[audience];
    return sinceMonoMs === null ? SUB_WAIT_MS : sinceMonoMs + SUB_WAIT_MS - this.#options.clock.monoMs();
  }

  /** Notes when the main stream begins to play. */
  #watchPlayable(): void {
    for (const audience of AUDIENCES) {
      if (!this.#main.isPlayable(audience)) this.#playableSinceMonoMs[audience] = null;
      else this.#playableSinceMonoMs[audience] ??= this.#options.clock.monoMs();
    }
  }

  /** Waiters for a late substream get their playlist without it. */
  #armSubTimer(): void {
    let leftMs = Number.POSITIVE_INFINITY;
    for (const { audience, isForVariants } of this.#waiters.values()) {
      if (isForVariants && this.#main.isPlayable(audience)) {
        leftMs = Math.min(leftMs, this.#subWaitLeftMs(audience));
      }
    }
    if (leftMs === Number.POSITIVE_INFINITY || this.#subTimer !== null) return;
    this.#subTimer = this.#options.clock.after(leftMs, () => {
      this.#subTimer = null;
      this.#answerWaiters();
    });
  }

  #profile(profile: ProfileName, source: Source): ProfileStream {
    const log = this.#options.log.child({ profile, engine: source.engine });
    return new ProfileStream({
      ...this.#options,
      log,
      profile,
      source,
      onStateChange: () => this.#onStateChange(),
      openedMonoMs: () => this.#openedMonoMs,
      other: () => (profile === 'main' ? this.#sub : this.#main),
      onSoundChange: () => {
        if (profile === 'main') this.#options.onSoundChange?.(this.sound);
      },
    });
  }

  #open(audience: Audience): void {
    if (!this.#isOpen.sound && !this.#isOpen.silent) this.#openedMonoMs = this.#options.clock.monoMs();
    this.#isOpen[audience] = true;
    for (const profile of this.profiles()) profile.want(audience);
    this.#onStateChange();
    this.#idleTimer ??= this.#armIdleTimer(this.#options.idleStopMs);
  }

  #armIdleTimer(delayMs: number): TimerHandle {
    return this.#options.clock.after(delayMs, () => this.#checkIdle());
  }

  /**
   * Closes what no one has touched for the idle time and no one waits for; checks again when the next audience may
   * become idle.
   */
  #checkIdle(): void {
    this.#idleTimer = null;
    const nowMonoMs = this.#options.clock.monoMs();
    let nextCheckMs = Number.POSITIVE_INFINITY;
    const idle: Audience[] = [];
    const awaited = new Set([...this.#waiters.values()].map(({ audience }) => audience));
    for (const audience of AUDIENCES) {
      if (!this.#isOpen[audience]) continue;
      if (awaited.has(audience)) this.#lastTouchMonoMs[audience] = nowMonoMs;
      this.#noteWaits(audience);
      const leftMs = this.#options.idleStopMs - (nowMonoMs - this.#lastTouchMonoMs[audience]);
      if (leftMs <= 0) idle.push(audience);
      else nextCheckMs = Math.min(nextCheckMs, leftMs);
    }
    if (nextCheckMs === Number.POSITIVE_INFINITY) {
      this.#options.log.info({}, 'no viewers, closing the camera');
      void this.#stop(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
      return;
    }
    for (const audience of idle) {
      this.#isOpen[audience] = false;
      for (const profile of this.profiles()) profile.drop(audience);
    }
    this.#idleTimer = this.#armIdleTimer(nextCheckMs);
  }

  /**
   * A request that waits for a part may wait longer than the idle time; a viewer who just got a response is present,
   * too.
   */
  #noteWaits(audience: Audience): void {
    for (const profile of this.profiles()) {
      const waitedMonoMs = profile.lastWaitMonoMs(audience);
      if (waitedMonoMs > this.#lastTouchMonoMs[audience]) this.#lastTouchMonoMs[audience] = waitedMonoMs;
    }
  }

  async #stop(error: GatewayError): Promise<void> {
    this.#idleTimer?.cancel();
    this.#idleTimer = null;
    this.#subTimer?.cancel();
    this.#subTimer = null;
    for (const audience of AUDIENCES) this.#isOpen[audience] = false;
    this.#failWaiters(error);
    const closing = this.profiles().map((profile) => profile.close());
    this.#onStateChange();
    await Promise.all(closing);
  }

  #onStateChange(): void {
    const state = this.status();
    this.#watchPlayable();
    if (state.state === 'offline') this.#failWaiters(offlineError(state));
    else this.#answerWaiters();
    this.#noteConnections();
    if (state.state === this.#lastState) return;
    this.#lastState = state.state;
    this.#options.onStatusChange(state);
  }

  #noteConnections(): void {
    const nowEpochMs = this.#options.clock.epochMs();
    const hasMainChanged = this.#mainRecord.streamIs(this.#main.state(), nowEpochMs);
    const hasSubChanged = this.#sub !== null && this.#subRecord?.streamIs(this.#sub.state(), nowEpochMs);
    if (hasMainChanged || hasSubChanged === true) this.#options.onReport?.(this.report());
  }

  #answerWaiters(): void {
    for (const [waiter, wait] of this.#waiters) {
      if (!this.#isOver(wait)) continue;
      this.#waiters.delete(waiter);
      this.#lastTouchMonoMs[wait.audience] = this.#options.clock.monoMs();
      waiter.onReady(NO_TEXT);
    }
    this.#armSubTimer();
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
