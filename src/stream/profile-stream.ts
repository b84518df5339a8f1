/**
 * One stream of a camera (main or sub): a supervised source and the packagers that receive its access units. Viewers
 * with and without audio share one connection; each content has its own packager, made on first use.
 */

import type { SigningNews } from '../codec/media-signing/signing-watch.ts';
import type { AccessUnit, Track, VideoTrack } from '../codec/track.ts';
import { GatewayError } from '../core/errors.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import { ClockLog } from './clock-log.ts';
import type { TimedRendition } from './dash/dash-periods.ts';
import { DropLog, OutageLog } from './fault-log.ts';
import { KeyDistance } from './key-distance.ts';
import { STREAM_ERRORS } from './media/errors.ts';
import type { Content, KeyFrame, LiveState } from './media/live-media.ts';
import { type ProfileName, renditionName } from './media/renditions.ts';
import type { Urgency, WorkerWait } from './media/urgency.ts';
import { OpenRenditions } from './open-renditions.ts';
import type { RenditionPackager } from './packaging/packaging.ts';
import type { PackagingHost, SourcePulse } from './packaging/packaging-host.ts';
import { PictureFeed } from './pictures/picture-feed.ts';
import { JpegFrame } from './pictures/still-frames.ts';
import type { ProfileOptions } from './profile-options.ts';
import { isAlarming, SigningMonitor, type SigningState } from './signing-state.ts';
import { SoundMonitor, type SoundState, soundMessage } from './sound-state.ts';
import type { SoundOffer, StillPicture } from './source/source-events.ts';
import { SourceSupervisor, type SupervisorEvents } from './source/supervisor.ts';
import type { UnitFeed, UnitReader } from './source/unit-feed.ts';
import type { OtherRendition } from './window/playlist-texts.ts';

export class ProfileStream implements SupervisorEvents, UnitFeed {
  /** Access units as they arrive, for real-time viewers. */
  readonly pictures: PictureFeed;
  /** Distances between key frames on the current connection. */
  readonly keys = new KeyDistance();
  /** The packaged renditions of this stream. */
  readonly renditions: OpenRenditions;
  /** Frames that the source lost or left out since the gateway started; packagers count theirs. */
  readonly drops = new DropLog();
  /** An ffmpeg worker carries the current connection. Set here alone. */
  hasWorker = false;
  readonly #options: ProfileOptions;
  readonly #supervisor: SourceSupervisor;
  #unitReaders: readonly UnitReader[] = [];
  #tracks: readonly Track[] | null = null;
  #lastVideoCodec: VideoTrack['codec'] | null = null;
  #hasPicture: boolean | null = null;
  #state: LiveState = { state: 'idle' };
  #instances = 0;
  /** The last attempt to reach the camera produced no video. */
  #isDoubtful = false;
  readonly #outages = new OutageLog();
  #lastKeyFrame: KeyFrame | null = null;
  /** The newest still, if the camera sends stills now. */
  #still: JpegFrame | null = null;
  /** When the newest instance began. */
  #publishedBeforeMs = 0;
  readonly #clocks = new ClockLog();
  readonly #signing = new SigningMonitor((state) => this.#signingChanged(state));
  readonly #sound = new SoundMonitor((state) => this.#soundChanged(state));

  constructor(options: ProfileOptions) {
    this.#options = options;
    const { source, clock, limits } = options;
    this.pictures = new PictureFeed(clock, {
      shareNewest: () => this.renditions.sharePicture(),
      onReaders: () => this.#passUnits(),
    });
    this.renditions = new OpenRenditions({
      ...options,
      startMs: limits.startMs,
      nameOf: (content) => renditionName(options.profile, content),
      otherOf: (content) => this.#otherOf(content),
      onOpened: (packager) => this.#onOpened(packager),
      onPlayable: () => this.#becamePlayable(),
      onPublished: () => this.#published(),
    });
    this.#supervisor = new SourceSupervisor({ source, events: this, clock, limits });
  }

  get name(): ProfileName {
    return this.#options.profile;
  }

  /** Connections that streamed video since the gateway started. */
  get instances(): number {
    return this.#instances;
  }

  state(): LiveState {
    return this.#state;
  }

  /** Whether viewers hear the camera; `unknown` while it is not open. */
  get sound(): SoundState {
    return this.#sound.state;
  }

  /** What the camera's signatures say about its video. */
  get signing(): SigningState {
    return this.#signing.state;
  }

  /** The current connection's tracks; null before they are known. */
  get tracks(): readonly Track[] | null {
    return this.#tracks;
  }

  /** The codec of the newest instance that had tracks; null before the first one. */
  get videoCodec(): VideoTrack['codec'] | null {
    return this.#lastVideoCodec;
  }

  /** False: the newest instance has only sound. null: there was none since the camera was opened. */
  get hasPicture(): boolean | null {
    return this.#hasPicture;
  }

  /** How the camera's clocks run against ours; null while it is not open, and in its first seconds. */
  get clockReading(): ClockReading | null {
    return this.#clocks.reading;
  }

  /** As OpenRenditions.timing. */
  timing(content: Content): TimedRendition | null {
    return this.renditions.timing(content);
  }

  /** Whether its first part is still expected: it has not arrived, and nothing says that it will not. */
  isExpected(content: Content): boolean {
    return !this.renditions.isPlayable(content) && !this.#isDoubtful && this.#state.state !== 'offline';
  }

  /** The camera sends stills now. */
  get hasStill(): boolean {
    return this.#still !== null;
  }

  /** The newest key frame or still; kept across an idle stop. */
  keyFrame(): KeyFrame | null {
    this.#lastKeyFrame = this.renditions.newestFrame(this.#still) ?? this.#lastKeyFrame;
    return this.#lastKeyFrame;
  }

  /** Connects if nothing is open, and packages for `content` from the next key frame on. */
  want(content: Content): void {
    if (this.renditions.want(content)) this.#start();
  }

  attach(reader: UnitReader): void {
    if (this.#unitReaders.includes(reader)) return;
    this.#unitReaders = [...this.#unitReaders, reader];
    this.#start();
    if (this.#tracks !== null) reader.onTracks(this.#tracks);
    this.#passUnits();
  }

  detach(reader: UnitReader): void {
    this.#unitReaders = this.#unitReaders.filter((one) => one !== reader);
    this.#passUnits();
  }

  /** Does not wait for the end of a pause: the camera was seen streaming. */
  retryNow(): void {
    this.#supervisor.retryNow();
  }

  /** Ends all that waits for what another node makes. */
  cutOff(error: GatewayError): void {
    this.renditions.cutOff(error);
    this.pictures.end(error);
  }

  /** Stops packaging for `content`; the connection stays for the other one. */
  drop(content: Content): void {
    this.keyFrame();
    this.renditions.drop(content);
  }

  /** Frees the window. Resolves when sockets and processes are closed and numbers are saved. */
  async close(): Promise<void> {
    this.keyFrame();
    const saved = this.renditions.close();
    this.#tracks = null;
    this.#still = null;
    this.#hasPicture = null;
    this.hasWorker = false;
    this.keys.restart();
    this.#sound.reset();
    this.#signing.reset();
    this.#readClock(null);
    this.#state = { state: 'idle' };
    const closed = new GatewayError(STREAM_ERRORS.STREAM_CLOSED);
    this.pictures.end(closed);
    this.#endReaders(closed);
    await Promise.all([this.#supervisor.stop(), saved]);
  }

  onInstance(): void {
    this.#instances++;
    this.#isDoubtful = false;
    for (const packager of this.renditions.packagers) packager.discontinuity();
    this.keys.restart();
    this.#readClock(null);
    this.pictures.restart();
    this.#publishedBeforeMs = this.publishedMs() ?? this.renditions.reachedMs;
    this.#options.log.info({ instances: this.#instances }, 'camera streaming');
  }

  onHost(host: PackagingHost | null): void {
    if (host === this.renditions.host) return;
    this.renditions.setHost(host);
    this.#passUnits();
  }

  onTracks(tracks: readonly Track[], host: PackagingHost | null = null): void {
    this.onHost(host);
    this.#tracks = tracks;
    this.keys.tracks(tracks);
    this.#sound.tracks(tracks);
    for (const packager of this.renditions.packagers) packager.setTracks(tracks);
    this.pictures.setTracks(tracks);
    const video = tracks.find((track) => track.kind === 'video');
    if (video !== undefined) this.#lastVideoCodec = video.codec;
    for (const reader of this.#unitReaders) reader.onTracks(tracks);
    this.#noteVideo(video !== undefined);
  }

  /** Hot: once per frame. */
  onAccessUnit(unit: AccessUnit): void {
    const { packagers } = this.renditions;
    for (let i = 0; i < packagers.length; i++) packagers[i]!.push(unit);
    this.pictures.push(unit);
    this.keys.unit(unit);
    const readers = this.#unitReaders;
    for (let i = 0; i < readers.length; i++) readers[i]!.onAccessUnit(unit);
    this.#sound.unit(unit.trackIndex, unit.arrivalMonoMs);
    if (this.#state.state === 'offline') this.#recover();
  }

  onPulse({ videoMonoMs, soundMonoMs, keyDistanceMs }: SourcePulse): void {
    this.keys.note(keyDistanceMs);
    for (const [index, { kind }] of (this.#tracks ?? []).entries()) {
      const arrivalMonoMs = kind === 'video' ? videoMonoMs : soundMonoMs;
      if (arrivalMonoMs !== null) this.#sound.unit(index, arrivalMonoMs);
    }
    if (this.#state.state === 'offline') this.#recover();
  }

  /** Hot for a camera that sends JPEGs: once per picture. */
  onStill(still: StillPicture): void {
    const isFirst = this.#still === null;
    this.#still = new JpegFrame(still, Math.round(still.arrivalMonoMs + this.#options.epochMinusMonoMs()));
    const { state } = this.#state;
    if ((state === 'starting' || state === 'offline') && this.urgency() === 'picture') {
      this.#state = { state: 'live' };
      this.#options.onStateChange();
    } else if (isFirst) this.#options.onPublished();
  }

  onSound(offer: SoundOffer): void {
    this.#sound.offer(offer);
  }

  onClock(reading: ClockReading): void {
    this.#readClock(reading);
    this.#clocks.write(this.#options.log, reading, this.#options.clock.monoMs());
  }

  onSigning(news: SigningNews): void {
    this.#signing.take(news);
  }

  onWaiting(wait: WorkerWait | null): void {
    // Every worker says so when it starts.
    if (wait === null) this.hasWorker = true;
    // Live with stills alone, until someone wants video.
    const isVideoMissing = this.#state.state === 'live' && !this.renditions.isAnyPlayable;
    if (isVideoMissing && wait !== null) this.#state = { state: 'starting' };
    if (this.#state.state !== 'starting' && this.#state.state !== 'offline') return;
    if (wait !== null && this.#state.waiting === undefined) {
      this.#options.log.info({ ...wait, urgency: this.urgency() }, 'camera waiting for a worker');
    }
    this.#state = { ...this.#state, waiting: wait ?? undefined };
    this.#options.onStateChange();
  }

  urgency(): Urgency {
    return this.#options.urgency();
  }

  onDropped(frames: number, code: string): void {
    this.drops.add(this.#options.log, frames, code, this.#options.clock.monoMs());
  }

  /** As OpenRenditions.publishedMs. */
  publishedMs(): number | null {
    return this.renditions.publishedMs();
  }

  onDown(error: GatewayError, retryAtEpochMs: number): void {
    const { clock, log } = this.#options;
    if (this.#tracks === null) this.#isDoubtful = true;
    this.onHost(null);
    this.#tracks = null;
    this.#still = null;
    this.hasWorker = false;
    this.keys.restart();
    this.#sound.reset();
    this.#signing.reset();
    this.#readClock(null);
    this.#state = { state: 'offline', error, retryAtEpochMs };
    const retryInMs = Math.max(0, retryAtEpochMs - clock.epochMs());
    this.#outages.write(log, error, retryInMs, this.#instances, clock.monoMs());
    const retryAfterSec = Math.ceil(retryInMs / 1_000);
    const context = { retryAfterSec, retryAtEpochMs, cause: error.code };
    const offline = new GatewayError(STREAM_ERRORS.STREAM_OFFLINE, context, error);
    for (const packager of this.renditions.packagers) packager.published.failWaiters(offline);
    this.pictures.end(offline);
    this.#endReaders(offline);
    this.#options.onStateChange();
  }

  #start(): void {
    if (this.#state.state !== 'idle') return;
    this.#state = { state: 'starting' };
    this.#supervisor.start();
  }

  #noteVideo(hasPicture: boolean): void {
    if (hasPicture === this.#hasPicture) return;
    this.#hasPicture = hasPicture;
    if (!hasPicture) {
      this.#options.log.info({}, 'camera sends only sound');
      this.pictures.end(new GatewayError(STREAM_ERRORS.STREAM_NO_PICTURE));
    }
    this.#noteUnheard();
    this.#options.onStateChange();
  }

  /** Nothing will be packaged, but the camera is not starting: it streams. */
  #noteUnheard(): void {
    if (this.#state.state === 'starting' && this.#isUnheard) this.#state = { state: 'live' };
  }

  /** It sends only sound, and is open only for those who may not hear it. */
  get #isUnheard(): boolean {
    const { contents } = this.renditions;
    return this.#hasPicture === false && contents.length > 0 && contents.every((one) => one === 'silent');
  }

  /** Access units cross only for those who read them. */
  #passUnits(): void {
    const { host } = this.renditions;
    if (host === null) return;
    const isWanted = this.#unitReaders.length > 0 || this.pictures.readers > 0;
    if (!isWanted) this.pictures.pause();
    host.passUnits(isWanted);
  }

  #published(): void {
    if (this.renditions.host !== null && this.#state.state === 'offline') this.#recover();
    this.#options.onPublished();
  }

  #endReaders(error: GatewayError): void {
    const readers = this.#unitReaders;
    this.#unitReaders = [];
    for (const reader of readers) reader.onGone(error);
  }

  /** One line for each meaningful change. */
  #soundChanged({ state, encoding }: SoundState): void {
    const { log, onSoundChange } = this.#options;
    const message = soundMessage(state);
    if (message !== null) log.info(encoding === null ? {} : { encoding }, message);
    onSoundChange?.();
  }

  #signingChanged(signing: SigningState): void {
    const { log, onSigning } = this.#options;
    const { state, reason, trust, signer } = signing;
    const fields = { state, reason, trust, subject: signer?.subject };
    if (isAlarming(signing)) log.warn(fields, 'camera signature wrong');
    else if (signer !== null) log.info(fields, 'camera signature checked');
    onSigning?.(signing);
  }

  #readClock(reading: ClockReading | null): void {
    if (reading === this.#clocks.reading) return;
    const isNews = this.#clocks.take(reading, this.#options.clock.monoMs());
    const cameraTime = reading?.cameraTime ?? null;
    for (const packager of this.renditions.packagers) packager.setCameraTime(cameraTime);
    if (isNews) this.#options.onClock?.(reading);
  }

  /**
   * After an outage, for every unit until the outage is over. If nothing is playable yet, the camera is starting.
   * Otherwise it is live again with the first published frames: a frozen camera that is reopened again and again is
   * not.
   */
  #recover(): void {
    const { isAnyPlayable } = this.renditions;
    if (isAnyPlayable && (this.publishedMs() ?? 0) <= this.#publishedBeforeMs) return;
    this.#state = { state: isAnyPlayable || this.#isUnheard ? 'live' : 'starting' };
    this.#options.onStateChange();
  }

  #otherOf(content: Content): OtherRendition | null {
    const profile = this.#options.other();
    if (profile === null) return null;
    const folder = this.#options.profile === 'main' ? 'sub/' : '../';
    return { folder, edge: () => profile.rendition(content)?.edge() ?? null };
  }

  #onOpened(packager: RenditionPackager): void {
    if (this.#tracks !== null) packager.setTracks(this.#tracks);
    packager.setCameraTime(this.#clocks.reading?.cameraTime ?? null);
    this.#noteUnheard();
    this.#options.onStateChange();
  }

  #becamePlayable(): void {
    this.#state = { state: 'live' };
    this.#options.onStateChange();
  }
}
