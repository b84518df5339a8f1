/**
 * A camera as viewers see it. It is opened when someone is interested, closed after a while without interest, and has one
 * connection per profile regardless of the number of viewers.
 *
 * Longer than 500 lines: one state, from the first viewer to the last.
 */

import type { TimerHandle } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ManifestLatency } from '../dash/manifest-query.ts';
import type { MediaPlaylistName } from '../hls/media-names.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import type { CameraCheck } from './camera-check.ts';
import { type CameraReport, ConnectionRecord, type ProbeVerdict } from './camera-connection.ts';
import { CameraInterests } from './camera-interests.ts';
import type { CameraStreamOptions } from './camera-stream-options.ts';
import { h264Origin, hasCompatible, variantPlaylist } from './compatible-variant.ts';
import { CameraManifests } from './dash/camera-manifests.ts';
import { STREAM_ERRORS } from './media/errors.ts';
import type {
  Audience,
  Content,
  H264Origin,
  Interest,
  KeyFrame,
  LiveCamera,
  LivePictures,
  LiveRendition,
  LiveState,
  ManifestVideo,
  PlaylistText,
  RenditionName,
  VideoRequest,
  Waiter,
} from './media/live-media.ts';
import type { LiveSpeaker } from './media/live-speaker.ts';
import { RenderedPlaylist } from './media/rendered-playlist.ts';
import { PACKAGED_FOR, type ProfileName, RENDITIONS } from './media/renditions.ts';
import { RequestedUrgency, type Urgency } from './media/urgency.ts';
import { fittingKeyFrame } from './pictures/still-frames.ts';
import { absenceOf, interestsOf, isForTranscoded, type PlayableWait } from './playable-wait.ts';
import { ProfileStream } from './profile-stream.ts';
import type { SigningState } from './signing-state.ts';
import type { SoundState } from './sound-state.ts';
import { SoundFeed } from './sounds/sound-feed.ts';
import type { Source } from './source/source.ts';
import type { LiveUnits, UnitFeed, UnitReader } from './source/unit-feed.ts';
import type { FollowedWindow } from './window/followed-window.ts';

const AUDIENCES: readonly Audience[] = ['sound', 'silent'];
const NO_TEXT: PlaylistText = new RenderedPlaylist('');
/**
 * How long the Multivariant Playlist waits for the substream once the main stream plays: with a key frame every 2 s,
 * they begin at most 2 s apart. Players read it once, and do not learn about a stream that it does not name.
 */
export const SUB_WAIT_MS = 3_000;

export class CameraStream implements LiveCamera {
  readonly uuid: Ruuid;
  readonly #options: CameraStreamOptions;
  readonly #main: ProfileStream;
  readonly #sub: ProfileStream | null;
  readonly #compatible: ProfileStream | null;
  readonly #interests: CameraInterests;
  readonly #urgency: RequestedUrgency;
  readonly #waiters = new Map<Waiter, PlayableWait>();
  /** When the main stream had its first part; null before it. */
  readonly #playableSinceMonoMs: Record<Audience, number | null> = { sound: null, silent: null };
  #subTimer: TimerHandle | null = null;
  #openedMonoMs = 0;
  /** Read when the camera was opened: a wall clock that is set later does not move its media. */
  #epochMinusMonoMs: number;
  readonly manifests: CameraManifests;
  /** The main stream's sound, for listeners in real time. */
  readonly sounds: SoundFeed;
  readonly #unitReaders = new Set<UnitReader>();
  readonly #units: LiveUnits;
  readonly #subUnits: LiveUnits | null;
  readonly #mainRecord = new ConnectionRecord();
  readonly #subRecord: ConnectionRecord | null;
  #idleTimer: TimerHandle | null = null;
  #isClosed = false;
  readonly #endCutOffs: (() => void) | null;
  #lastState: LiveState['state'] = 'idle';

  constructor(options: CameraStreamOptions) {
    this.uuid = options.cameraUuid;
    this.#options = options;
    this.#interests = new CameraInterests(options.clock, options.idleStopMs);
    this.#urgency = new RequestedUrgency(options.clock, options.idleStopMs);
    this.#main = this.#profile('main', options.main);
    this.#sub = options.sub === null ? null : this.#profile('sub', options.sub);
    const { compatible = null } = options;
    this.#compatible = compatible === null ? null : this.#profile('h264', compatible.source(this.#main));
    this.#units = this.#unitsFrom(this.#main);
    this.#subUnits = this.#sub === null ? null : this.#unitsFrom(this.#sub);
    this.#subRecord = options.sub === null ? null : new ConnectionRecord();
    this.#epochMinusMonoMs = options.clock.epochMs() - options.clock.monoMs();
    this.#endCutOffs = options.ownership?.onCutOff(() => this.#cutOff()) ?? null;
    this.sounds = new SoundFeed({
      units: this.#units,
      clock: options.clock,
      pictures: this.#main.pictures,
      encoder: options.soundEncoder ?? null,
      urgency: () => this.#urgency.current,
    });
    this.manifests = new CameraManifests({
      clock: options.clock,
      subWaitMs: SUB_WAIT_MS,
      main: this.#main,
      sub: this.#sub,
      compatible: this.#compatible,
    });
  }

  /** The camera's current name. */
  get name(): string {
    return this.#options.log.name;
  }

  rename(name: string): void {
    this.#options.log.rename(name);
  }

  /** null: nothing can be asked while it is closed. */
  get check(): CameraCheck | null {
    return this.#options.check ?? null;
  }

  get speaker(): LiveSpeaker | null {
    return this.#options.speaker ?? null;
  }

  touch(interest: Interest, urgency: Urgency = 'viewer'): void {
    this.#interests.touch(interest);
    this.#urgency.note(urgency);
    if (!this.#interests.has(interest) && !this.#isClosed) this.#openFor(interest);
  }

  /** A main stream that is not packaged counts as live if its transcoded version plays, or if something is made of its access units. */
  status(): LiveState {
    const main = this.#main.state();
    if (main.state !== 'starting') return main;
    if (this.#unitReaders.size > 0 && this.#main.tracks !== null) return { state: 'live' };
    const compatible = this.#compatible?.state();
    return compatible?.state === 'live' ? compatible : main;
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

  /** How the clocks of the main stream run against ours; null while that is not known. */
  get clockReading(): ClockReading | null {
    return this.#main.clockReading;
  }

  /** The clocks of both streams, as far as they are known. */
  clockReadings(): { profile: ProfileName; reading: ClockReading }[] {
    return this.profiles().flatMap(({ name, clockReading }) =>
      clockReading === null ? [] : [{ profile: name, reading: clockReading }],
    );
  }

  /** Whether viewers hear the main stream. */
  get sound(): SoundState {
    return this.#main.sound;
  }

  /** What the camera's signatures say about the main stream. */
  get signing(): SigningState {
    return this.#main.signing;
  }

  rendition(name: RenditionName): LiveRendition | null {
    const [profile, content] = RENDITIONS[name];
    return this.#profileOf(profile)?.renditions.rendition(content) ?? null;
  }

  get isClustered(): boolean {
    return this.#options.ownership !== undefined;
  }

  get isCutOff(): boolean {
    return this.#options.ownership?.isCutOff === true;
  }

  /** As OpenRenditions.feed. */
  published(name: RenditionName): FollowedWindow | null {
    const [profile, content] = RENDITIONS[name];
    return this.#profileOf(profile)?.renditions.feed(content) ?? null;
  }

  pictures(profile: ProfileName): LivePictures | null {
    return this.#profileOf(profile)?.pictures ?? null;
  }

  hasAudio(): boolean | null {
    const main = this.#main.renditions.hasAudio() ?? this.#announcedAudio();
    return main === null ? null : main || (this.#sub?.renditions.hasAudio() ?? false);
  }

  hasPicture(): boolean | null {
    return this.#main.hasPicture;
  }

  #announcedAudio(): boolean | null {
    return this.#main.tracks?.some(({ kind }) => kind === 'audio') ?? null;
  }

  hasSubStream(): boolean {
    return this.#sub !== null;
  }

  hasCompatibleStream(): boolean | null {
    return hasCompatible(this.#main, this.#sub, this.#compatible !== null);
  }

  multivariantPlaylist(
    prefix: string,
    audience: Audience,
    name: MediaPlaylistName,
    video: VideoRequest = 'all',
  ): string | null {
    const main = this.#main.renditions.properties(audience);
    const isReady =
      video === 'main' ? this.#main.renditions.isPlayable(audience) : this.#hasVariants(audience);
    if (main === null || !isReady) return null;
    const beginningMsn = this.#main.renditions.beginningMsn(audience);
    const subs = this.#sub?.renditions;
    const sub = subs?.isPlayable(audience) ? subs.properties(audience) : null;
    const planned = this.#options.compatible?.propertiesOf(main) ?? null;
    const made = planned === null ? null : (this.#compatible?.renditions.properties(audience) ?? planned);
    return variantPlaylist({ prefix, name, main, beginningMsn, sub, made }, video);
  }

  h264From(): H264Origin | null {
    return h264Origin(this.#main, this.#sub, this.#compatible !== null);
  }

  manifest(
    audience: Audience,
    latency: ManifestLatency,
    video: ManifestVideo = 'camera',
  ): PlaylistText | null {
    return this.#main.renditions.isCutOff ? null : this.manifests.text(audience, latency, video);
  }

  mediaEpochMs(): number {
    return this.#options.clock.monoMs() + this.#epochMinusMonoMs;
  }

  awaitPlayable(audience: Audience, waiter: Waiter): void {
    this.#await({ audience, what: 'video' }, waiter);
  }

  awaitCompatible(audience: Audience, waiter: Waiter): void {
    this.#await({ audience, what: 'compatible' }, waiter);
  }

  awaitPicture(audience: Audience, waiter: Waiter): void {
    this.#await({ audience, what: 'picture' }, waiter);
  }

  awaitMultivariant(audience: Audience, waiter: Waiter): void {
    this.#await({ audience, what: 'variants' }, waiter);
  }

  awaitManifest(audience: Audience, waiter: Waiter, video: ManifestVideo = 'camera'): void {
    this.#await({ audience, what: video === 'camera' ? 'manifest' : 'compatible-manifest' }, waiter);
  }

  cancelWait(waiter: Waiter): void {
    this.#waiters.delete(waiter);
  }

  keyFrame(widthPx = 0): KeyFrame | null {
    return fittingKeyFrame(this.#sub?.keyFrame() ?? null, this.#main.keyFrame(), widthPx);
  }

  /** The existing streams, for metrics; streams made of the camera's streams come last. */
  profiles(): readonly ProfileStream[] {
    return [this.#main, this.#sub, this.#compatible].filter((profile) => profile !== null);
  }

  /** The main stream's access units. A reader keeps the camera open. */
  get units(): UnitFeed {
    return this.#units;
  }

  /** The access units of either stream; null: the camera has no such stream. */
  unitsOf(profile: 'main' | 'sub'): LiveUnits | null {
    return profile === 'main' ? this.#units : this.#subUnits;
  }

  /** Closes permanently: the camera is no longer configured, or the gateway is stopping. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endCutOffs?.();
    await this.#stop(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
  }

  #unitsFrom(profile: ProfileStream): LiveUnits {
    return {
      attach: (reader) => this.#attach(reader, profile),
      detach: (reader) => {
        this.#unitReaders.delete(reader);
        profile.detach(reader);
      },
      newestUnits: () => profile.pictures.newestUnits(),
      get cameraTime() {
        return profile.clockReading?.reportedTime ?? null;
      },
    };
  }

  #attach(reader: UnitReader, profile: ProfileStream): void {
    if (this.#isClosed) {
      queueMicrotask(() => reader.onGone(new GatewayError(STREAM_ERRORS.STREAM_CLOSED)));
      return;
    }
    this.#unitReaders.add(reader);
    this.touch('units');
    profile.attach(reader);
  }

  #cutOff(): void {
    const error = new GatewayError(STREAM_ERRORS.STREAM_OUT_OF_REACH, { camera: this.uuid });
    this.#failWaiters(error);
    for (const profile of this.profiles()) profile.cutOff(error);
  }

  #await(wait: PlayableWait, waiter: Waiter): void {
    const state = this.#stateFor(wait);
    const absence = absenceOf(wait, this.#main.hasPicture);
    // Callers take from the pools that share out waiting requests, before they wait here.
    if (this.#isClosed) {
      waiter.onGone(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    } else if (this.#isOver(wait)) waiter.onReady(NO_TEXT);
    else if (absence !== null) waiter.onGone(new GatewayError(absence));
    else if (state.state === 'offline') waiter.onGone(offlineError(state));
    else {
      this.#waiters.set(waiter, wait);
      this.#armSubTimer();
    }
  }

  /** A transcoded stream can be offline on its own, if it has no worker. */
  #stateFor(wait: PlayableWait): LiveState {
    const state = this.status();
    return isForTranscoded(wait) && state.state !== 'offline' ? (this.#compatible?.state() ?? state) : state;
  }

  #isOver({ audience, what }: PlayableWait): boolean {
    switch (what) {
      case 'compatible':
        return this.#compatible?.renditions.isPlayable(audience) ?? false;
      case 'video':
        return this.#main.renditions.isPlayable(audience);
      case 'picture':
        return this.#main.hasStill || this.#main.renditions.isPlayable(audience);
      case 'variants':
        return this.#hasVariants(audience);
      case 'manifest':
        return this.manifest(audience, 'normal') !== null;
      case 'compatible-manifest':
        return this.manifest(audience, 'normal', 'transcoded') !== null;
    }
  }

  /** Whether the main stream plays, and the substream too unless it is offline or late. */
  #hasVariants(audience: Audience): boolean {
    if (!this.#main.renditions.isPlayable(audience)) return false;
    return !(this.#sub?.isExpected(audience) ?? false) || this.#subWaitLeftMs(audience) <= 0;
  }

  #subWaitLeftMs(audience: Audience): number {
    const sinceMonoMs = this.#playableSinceMonoMs[audience];
    return sinceMonoMs === null ? SUB_WAIT_MS : sinceMonoMs + SUB_WAIT_MS - this.#options.clock.monoMs();
  }

  /** Notes when the main stream begins to play. */
  #watchPlayable(): void {
    for (const audience of AUDIENCES) {
      if (!this.#main.renditions.isPlayable(audience)) this.#playableSinceMonoMs[audience] = null;
      else this.#playableSinceMonoMs[audience] ??= this.#options.clock.monoMs();
    }
  }

  /** Waiters for a late substream get their playlist without it. */
  #armSubTimer(): void {
    let leftMs = Number.POSITIVE_INFINITY;
    for (const { audience, what } of this.#waiters.values()) {
      if (what === 'manifest') leftMs = Math.min(leftMs, this.manifests.subWaitLeftMs(audience));
      else if (what === 'variants' && this.#main.renditions.isPlayable(audience)) {
        leftMs = Math.min(leftMs, this.#subWaitLeftMs(audience));
      }
    }
    if (leftMs === Number.POSITIVE_INFINITY || this.#subTimer !== null) return;
    this.#subTimer = this.#options.clock.after(leftMs, () => {
      this.#subTimer = null;
      this.#responseWaiters();
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
      epochMinusMonoMs: () => this.#epochMinusMonoMs,
      onPublished: () => {
        this.manifests.tell();
        if (this.#waiters.size > 0) this.#responseWaiters();
      },
      other: () => this.#otherOf(profile)?.renditions ?? null,
      urgency: () => this.#urgency.current,
      onSoundChange: () => {
        if (profile === 'main') this.#options.onSoundChange?.(this.sound);
      },
      onSigning: (signing) => {
        if (profile === 'main') this.#options.onSigning?.(signing);
      },
      onClock: (reading) => {
        if (profile === 'main') this.#options.onClock?.(reading);
      },
    });
  }

  /** The stream that players change to from this one, and back. */
  #otherOf(profile: ProfileName): ProfileStream | null {
    if (profile === 'h264') return null;
    return profile === 'main' ? this.#sub : this.#main;
  }

  #openFor(interest: Interest): void {
    const { clock } = this.#options;
    if (this.#interests.isEmpty) {
      this.#openedMonoMs = clock.monoMs();
      this.#epochMinusMonoMs = clock.epochMs() - this.#openedMonoMs;
    }
    this.#interests.add(interest);
    for (const [profile, content] of this.#packagingsOf(interest)) profile.want(content);
    this.#onStateChange();
    this.#idleTimer ??= this.#armIdleTimer(this.#options.idleStopMs);
  }

  #packagingsOf(interest: Interest): readonly (readonly [ProfileStream, Content])[] {
    return PACKAGED_FOR[interest].flatMap(([name, content]) => {
      const profile = this.#profileOf(name);
      return profile === null ? [] : [[profile, content] as const];
    });
  }

  #profileOf(profile: ProfileName): ProfileStream | null {
    if (profile === 'main') return this.#main;
    return profile === 'sub' ? this.#sub : this.#compatible;
  }

  #armIdleTimer(delayMs: number): TimerHandle {
    return this.#options.clock.after(delayMs, () => this.#checkIdle());
  }

  /**
   * Closes every rendition that was unused for the idle time and has no waiting viewer. Checks again when the next audience
   * may become idle.
   */
  #checkIdle(): void {
    this.#idleTimer = null;
    for (const wait of this.#waiters.values()) {
      for (const interest of interestsOf(wait)) this.#interests.touch(interest);
    }
    for (const interest of this.#interests.all()) this.#noteWaits(interest);
    if (this.#unitReaders.size > 0) this.#interests.touch('units');
    const { idle, nextMs } = this.#interests.look();
    if (nextMs === Number.POSITIVE_INFINITY) {
      this.#options.log.info({}, 'no viewers, closing the camera');
      void this.#stop(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
      return;
    }
    for (const interest of idle) {
      this.#interests.delete(interest);
      for (const [profile, content] of this.#packagingsOf(interest)) profile.drop(content);
    }
    this.#stopTranscoding();
    this.#idleTimer = this.#armIdleTimer(nextMs);
  }

  /** Without viewers: the worker is for others. */
  #stopTranscoding(): void {
    if (this.#interests.has('h264') || this.#interests.has('h264-silent')) return;
    if (this.#compatible?.state().state !== 'idle') void this.#compatible?.close();
  }

  /**
   * A request that waits for a part may wait longer than the idle time; a viewer who just got a response is present,
   * too.
   */
  #noteWaits(interest: Interest): void {
    for (const [profile, content] of this.#packagingsOf(interest)) {
      const published = profile.renditions.published(content);
      if (published !== null) this.#interests.touchAt(interest, published.lastWaitMonoMs());
    }
  }

  async #stop(error: GatewayError): Promise<void> {
    this.#idleTimer?.cancel();
    this.#idleTimer = null;
    this.#subTimer?.cancel();
    this.#subTimer = null;
    this.#interests.clear();
    this.#failWaiters(error);
    const closing = this.profiles().map((profile) => profile.close());
    this.#onStateChange();
    await Promise.all(closing);
  }

  #onStateChange(): void {
    const state = this.status();
    this.#watchPlayable();
    if (state.state === 'offline') this.#failWaiters(offlineError(state));
    else {
      const compatible = this.#compatible?.state();
      // The camera streams, but its transcoded stream does not.
      if (compatible?.state === 'offline') {
        this.#failWaiters(offlineError(compatible), isForTranscoded);
      }
      for (const absence of [STREAM_ERRORS.STREAM_SOUND_ONLY, STREAM_ERRORS.STREAM_NO_PICTURE]) {
        const isAbsent = (wait: PlayableWait) => absenceOf(wait, this.#main.hasPicture) === absence;
        this.#failWaiters(new GatewayError(absence), isAbsent);
      }
      this.#responseWaiters();
    }
    this.#noteConnections();
    this.#options.onChange?.();
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

  #responseWaiters(): void {
    for (const [waiter, wait] of this.#waiters) {
      if (!this.#isOver(wait)) continue;
      this.#waiters.delete(waiter);
      for (const interest of interestsOf(wait)) this.#interests.touch(interest);
      waiter.onReady(NO_TEXT);
    }
    this.#armSubTimer();
  }

  /** Those that `isMeant` names; default: all. */
  #failWaiters(error: GatewayError, isMeant: (wait: PlayableWait) => boolean = () => true): void {
    const failed = [...this.#waiters].filter(([, wait]) => isMeant(wait));
    for (const [waiter] of failed) this.#waiters.delete(waiter);
    for (const [waiter] of failed) waiter.onGone(error);
  }
}

function offlineError(state: Extract<LiveState, { state: 'offline' }>): GatewayError {
  const { error, retryAtEpochMs } = state;
  return new GatewayError(STREAM_ERRORS.STREAM_OFFLINE, { cause: error.code, retryAtEpochMs }, error);
}
