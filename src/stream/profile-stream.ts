/**
 * One stream of a camera (main or sub): a supervised source and the packagers that receive its access units. Viewers
 * with and without audio share one connection; each audience has its own packager, made on first use.
 */

import type { AccessUnit, Track } from '../codec/track.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { STREAM_ERRORS } from './errors.ts';
import type { Audience, KeyFrame, LiveRendition, LiveState, RenditionName } from './live-media.ts';
import { type NumberingStore, RenditionNumbering } from './numbering.ts';
import type { CreatePackager, RenditionPackager, RenditionProperties } from './packaging.ts';
import type { OtherRendition } from './playlist-texts.ts';
import { SoundMonitor, type SoundState, type SoundStateName } from './sound-state.ts';
import type { Source } from './source.ts';
import { JOINING_CODE, type SoundOffer } from './source-events.ts';
import { SourceSupervisor, type SupervisorEvents, type SupervisorLimits } from './supervisor.ts';

export type ProfileName = 'main' | 'sub';

export interface ProfileOptions {
  readonly cameraUuid: Ruuid;
  readonly profile: ProfileName;
  readonly source: Source;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: SupervisorLimits;
  readonly numberingStore: NumberingStore;
  readonly createPackager: CreatePackager;
  /** A rendition became playable, went down, or came back. */
  readonly onStateChange: () => void;
  /** Monotonic time at which the camera was opened. */
  readonly openedMonoMs: () => number;
  /** The camera's other profile; null if it has only this one. */
  readonly other: () => ProfileStream | null;
  /** Whether viewers hear the camera has changed. */
  readonly onSoundChange?: () => void;
}

interface OpenRendition {
  readonly packager: RenditionPackager;
  readonly numbering: RenditionNumbering;
  readonly openedMonoMs: number;
  isPlayable: boolean;
  /** Amount published at the last progress check. */
  seenMs: number;
}

/** Reported together at most this often, so that a bad camera costs one log line, not one per frame. */
const DROP_REPORT_INTERVAL_MS = 10_000;

/** null: nothing to report. */
const SOUND_MESSAGES: Readonly<Record<SoundStateName, string | null>> = {
  unknown: null,
  none: null,
  live: 'camera audio live',
  silent: 'camera audio silent',
  waiting: 'camera audio waiting for a worker',
  unsupported: 'camera audio unsupported',
};

export class ProfileStream implements SupervisorEvents {
  readonly #options: ProfileOptions;
  readonly #supervisor: SourceSupervisor;
  /** `null` while the numbering is being read. */
  readonly #renditions = new Map<Audience, OpenRendition | null>();
  /** Numbers still being written: an audience reopens only after them. */
  readonly #closing = new Map<Audience, Promise<void>>();
  /** The same packagers, for the loop that runs once per frame. */
  #packagers: RenditionPackager[] = [];
  #tracks: readonly Track[] | null = null;
  #state: LiveState = { state: 'idle' };
  #instances = 0;
  /** The last attempt to reach the camera produced no video. */
  #isDoubtful = false;
  #opening = 0;
  #joiningFrames = 0;
  #droppedSinceReport = 0;
  #lastDropReportMonoMs = Number.NEGATIVE_INFINITY;
  #lastKeyFrame: KeyFrame | null = null;
  #publishedMs = 0;
  /** When the newest instance began. */
  #publishedBeforeMs = 0;
  readonly #sound = new SoundMonitor((state) => this.#soundChanged(state));

  constructor(options: ProfileOptions) {
    this.#options = options;
    const { source, clock, limits } = options;
    this.#supervisor = new SourceSupervisor({ source, events: this, clock, limits });
  }

  /** Connections that streamed video since the gateway started. */
  get instances(): number {
    return this.#instances;
  }

  /** Frames that arrived before the first key frame of their connection, since the gateway started. */
  get joiningFrames(): number {
    return this.#joiningFrames;
  }

  state(): LiveState {
    return this.#state;
  }

  /** Whether viewers hear the camera; `unknown` while it is not open. */
  get sound(): SoundState {
    return this.#sound.state;
  }

  rendition(audience: Audience): LiveRendition | null {
    return this.#renditions.get(audience)?.packager.rendition ?? null;
  }

  /** Whether its first part is still expected: it has not arrived, and nothing says that it will not. */
  isExpected(audience: Audience): boolean {
    return !this.isPlayable(audience) && !this.#isDoubtful && this.#state.state !== 'offline';
  }

  isPlayable(audience: Audience): boolean {
    return this.#renditions.get(audience)?.isPlayable ?? false;
  }

  properties(audience: Audience): RenditionProperties | null {
    return this.#renditions.get(audience)?.packager.properties() ?? null;
  }

  /** Whether viewers who may hear it get an audio track; null while that is unknown. */
  hasAudio(): boolean | null {
    return this.#renditions.get('sound')?.packager.hasAudio() ?? null;
  }

  /** The newest key frame; kept across an idle stop. */
  keyFrame(): KeyFrame | null {
    for (const packager of this.#packagers) {
      const frame = packager.keyFrame();
      if (frame !== null) this.#lastKeyFrame = frame;
    }
    return this.#lastKeyFrame;
  }

  /** Open renditions with their packagers, for metrics. */
  *openRenditions(): Iterable<{ name: RenditionName; packager: RenditionPackager }> {
    for (const [audience, open] of this.#renditions) {
      if (open !== null)
        yield { name: renditionName(this.#options.profile, audience), packager: open.packager };
    }
  }

  /** Connects if nothing is open, and packages for `audience` from the next key frame on. */
  want(audience: Audience): void {
    if (this.#renditions.has(audience)) return;
    this.#renditions.set(audience, null);
    if (this.#state.state === 'idle') {
      this.#state = { state: 'starting' };
      this.#supervisor.start();
    }
    void this.#openRendition(audience, this.#opening);
  }

  /** Does not wait for the end of a pause: the camera was seen streaming. */
  retryNow(): void {
    this.#supervisor.retryNow();
  }

  /** When a request last waited for a part of `audience`, monotonic; now while one does. */
  lastWaitMonoMs(audience: Audience): number {
    return this.#renditions.get(audience)?.packager.lastWaitMonoMs() ?? Number.NEGATIVE_INFINITY;
  }

  /** Stops packaging for `audience`; the connection stays for the other one. */
  drop(audience: Audience): void {
    const open = this.#renditions.get(audience);
    this.#renditions.delete(audience);
    if (open === undefined || open === null) return;
    this.keyFrame();
    this.#packagers = this.#packagers.filter((packager) => packager !== open.packager);
    this.#end(audience, open);
  }

  /**
   * Closes the connection and frees the window. Resolves when sockets and processes are closed and numbers are saved.
   */
  async close(): Promise<void> {
    this.#opening++;
    this.keyFrame();
    for (const [audience, open] of this.#renditions) if (open !== null) this.#end(audience, open);
    this.#renditions.clear();
    this.#packagers = [];
    this.#tracks = null;
    this.#sound.reset();
    this.#state = { state: 'idle' };
    await Promise.all([this.#supervisor.stop(), ...this.#closing.values()]);
  }

  onInstance(): void {
    this.#instances++;
    this.#isDoubtful = false;
    for (const packager of this.#packagers) packager.discontinuity();
    this.#publishedBeforeMs = this.publishedMs() ?? this.#publishedMs;
    this.#options.log.info({ instances: this.#instances }, 'camera streaming');
  }

  onTracks(tracks: readonly Track[]): void {
    this.#tracks = tracks;
    this.#sound.tracks(tracks);
    for (const packager of this.#packagers) packager.setTracks(tracks);
  }

  /** Hot: once per frame. */
  onAccessUnit(unit: AccessUnit): void {
    for (let i = 0; i < this.#packagers.length; i++) this.#packagers[i]!.push(unit);
    this.#sound.unit(unit.trackIndex, unit.arrivalMonoMs);
    if (this.#state.state === 'offline') this.#recover();
  }

  onSound(offer: SoundOffer): void {
    this.#sound.offer(offer);
  }

  onDropped(frames: number, code: string): void {
    if (code === JOINING_CODE) {
      this.#joiningFrames += frames;
      return;
    }
    this.#droppedSinceReport += frames;
    const nowMonoMs = this.#options.clock.monoMs();
    if (nowMonoMs - this.#lastDropReportMonoMs < DROP_REPORT_INTERVAL_MS) return;
    this.#lastDropReportMonoMs = nowMonoMs;
    this.#options.log.warn({ frames: this.#droppedSinceReport, code }, 'frames dropped');
    this.#droppedSinceReport = 0;
  }

  /**
   * The audiences' packagers publish the same frames, so the most advanced one shows how far the stream is. An audience
   * opened in the middle of a long group of pictures gets the time that a camera has to start.
   */
  publishedMs(): number | null {
    const { clock, limits } = this.#options;
    const longAgoMonoMs = clock.monoMs() - limits.startMs;
    let advancedMs = -1;
    for (const open of this.#renditions.values()) {
      if (open === null) continue;
      const publishedMs = open.packager.publishedMs();
      if (publishedMs === 0 && open.openedMonoMs > longAgoMonoMs) continue;
      advancedMs = Math.max(advancedMs, publishedMs - open.seenMs);
      open.seenMs = publishedMs;
    }
    if (advancedMs < 0) return null;
    this.#publishedMs += advancedMs;
    return this.#publishedMs;
  }

  onDown(error: GatewayError, retryAtEpochMs: number): void {
    const { clock, log } = this.#options;
    if (this.#tracks === null) this.#isDoubtful = true;
    this.#tracks = null;
    this.#sound.reset();
    this.#state = { state: 'offline', error, retryAtEpochMs };
    const retryInMs = Math.max(0, retryAtEpochMs - clock.epochMs());
    log.warn({ err: error, retryInMs }, 'camera offline');
    const context = { retryAfterSec: Math.ceil(retryInMs / 1_000), cause: error.code };
    const offline = new GatewayError(STREAM_ERRORS.STREAM_OFFLINE, context, error);
    for (const packager of this.#packagers) packager.failWaiters(offline);
    this.#options.onStateChange();
  }

  /** One line for each meaningful change. */
  #soundChanged({ state, encoding }: SoundState): void {
    const { log, onSoundChange } = this.#options;
    const message = SOUND_MESSAGES[state];
    if (message !== null) log.info(encoding === null ? {} : { encoding }, message);
    onSoundChange?.();
  }

  #end(audience: Audience, open: OpenRendition): void {
    open.packager.failWaiters(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    open.packager.close();
    this.#closing.set(audience, open.numbering.close());
  }

  /**
   * After an outage, for every unit until the outage is over. If nothing is playable yet, the camera is starting.
   * Otherwise it is live again with the first published frames: a frozen camera that is reopened again and again is
   * not.
   */
  #recover(): void {
    const isAnyPlayable = [...this.#renditions.values()].some((open) => open?.isPlayable ?? false);
    if (isAnyPlayable && (this.publishedMs() ?? 0) <= this.#publishedBeforeMs) return;
    this.#state = { state: isAnyPlayable ? 'live' : 'starting' };
    this.#options.onStateChange();
  }

  async #openRendition(audience: Audience, opening: number): Promise<void> {
    const { cameraUuid, profile, numberingStore, log, createPackager } = this.#options;
    const name = renditionName(profile, audience);
    await this.#closing.get(audience);
    const numbering = await RenditionNumbering.open(numberingStore, { cameraUuid, rendition: name }, log);
    if (opening !== this.#opening || this.#renditions.get(audience) !== null) {
      this.#closing.set(audience, numbering.close());
      return;
    }
    const other = this.#other(audience);
    const packager = createPackager({
      ...(other === null ? {} : { other }),
      originMonoMs: this.#options.openedMonoMs(),
      rendition: name,
      withAudio: audience === 'sound',
      numbering: numbering.current,
      isContinuation: numbering.isContinuation,
      onNumbering: (to) => numbering.advance(to),
      onPlayable: () => this.#becamePlayable(audience),
    });
    const openedMonoMs = this.#options.clock.monoMs();
    this.#renditions.set(audience, { packager, numbering, openedMonoMs, isPlayable: false, seenMs: 0 });
    if (this.#tracks !== null) packager.setTracks(this.#tracks);
    this.#packagers = [...this.#packagers, packager];
    this.#options.onStateChange();
  }

  #other(audience: Audience): OtherRendition | null {
    const profile = this.#options.other();
    if (profile === null) return null;
    const folder = this.#options.profile === 'main' ? 'sub/' : '../';
    return { folder, edge: () => profile.rendition(audience)?.edge() ?? null };
  }

  #becamePlayable(audience: Audience): void {
    const open = this.#renditions.get(audience);
    if (open === undefined || open === null) return;
    open.isPlayable = true;
    this.#state = { state: 'live' };
    this.#options.onStateChange();
  }
}

export function renditionName(profile: ProfileName, audience: Audience): RenditionName {
  if (audience === 'sound') return profile;
  return profile === 'main' ? 'main-silent' : 'sub-silent';
}
