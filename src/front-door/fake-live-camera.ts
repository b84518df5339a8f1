/** A camera whose parts the test publishes explicitly. */

import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ManifestLatency } from '../dash/manifest-query.ts';
import type { MediaPlaylistName } from '../hls/media-names.ts';
import { STREAM_ERRORS } from '../stream/media/errors.ts';
import type {
  Audience,
  H264Origin,
  Interest,
  KeyFrame,
  LentMedia,
  LiveBody,
  LiveCamera,
  LiveCameras,
  LivePicture,
  LivePictures,
  LiveRendition,
  LiveSound,
  LiveSounds,
  LiveState,
  ManifestVideo,
  PictureReader,
  PlaylistQuery,
  PlaylistText,
  RenditionName,
  SoundReader,
  Unready,
  VideoRequest,
  Waiter,
} from '../stream/media/live-media.ts';
import type { LiveSpeaker } from '../stream/media/live-speaker.ts';
import { RenderedPlaylist } from '../stream/media/rendered-playlist.ts';

export const PARTS_PER_SEGMENT = 4;
/** How many parts ahead a client may request. */
export const ADVANCE_LIMIT = 3;
const INIT_NAME = 'seg_init.mp4';

interface Awaited {
  readonly waiter: Waiter;
  /** Number of parts that must exist. */
  readonly parts: number;
  readonly body: () => LiveBody;
}

/** Segments of four parts; the bytes of a part identify it. */
export class FakeRendition implements LiveRendition {
  readonly name: string;
  /** Loans that were taken and not returned. */
  loans = 0;
  /** Whether it recalls everything that is on loan. */
  isRecalled = false;
  /** How long shared paths remain valid. */
  sharedMs = 30_000;
  /** Another node makes it. */
  isFollowing = false;
  /** The last query for a playlist. */
  requested: PlaylistQuery | null = null;
  readonly #parts: Buffer[] = [];
  #waiting: Awaited[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Adds one part and calls everyone who waited for it. `sizeBytes`: filled up to this size. */
  publish(sizeBytes = 0): void {
    const msn = Math.floor(this.#parts.length / PARTS_PER_SEGMENT);
    const text = `${this.name} part ${msn}.${this.#parts.length % PARTS_PER_SEGMENT};`;
    this.#parts.push(Buffer.from(text.padEnd(sizeBytes, '.')));
    const due = this.#waiting.filter(({ parts }) => parts <= this.#parts.length);
    this.#waiting = this.#waiting.filter(({ parts }) => parts > this.#parts.length);
    for (const { waiter, body } of due) waiter.onReady(body());
  }

  /** Publishes whole segments. */
  publishSegments(count: number, partSizeBytes = 0): void {
    for (let i = 0; i < count * PARTS_PER_SEGMENT; i++) this.publish(partSizeBytes);
  }

  fail(error: GatewayError): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { waiter } of waiting) waiter.onGone(error);
  }

  playlist(query: PlaylistQuery): PlaylistText | Unready {
    this.requested = query;
    const requested = partsNeeded(query);
    if (requested > this.#parts.length + ADVANCE_LIMIT) return 'rejected';
    if (this.#parts.length === 0 || requested > this.#parts.length) return 'wait';
    return this.#playlistText(query);
  }

  part(msn: number, part: number): LentMedia | Unready {
    const index = msn * PARTS_PER_SEGMENT + part;
    if (part >= PARTS_PER_SEGMENT || index > this.#parts.length) return 'unknown';
    const bytes = this.#parts[index];
    return bytes === undefined ? 'wait' : this.#lend(bytes);
  }

  isBehind(msn: number): boolean {
    return this.isFollowing && msn >= Math.floor(this.#parts.length / PARTS_PER_SEGMENT);
  }

  segment(msn: number): LentMedia | null {
    const first = msn * PARTS_PER_SEGMENT;
    const parts = this.#parts.slice(first, first + PARTS_PER_SEGMENT);
    return parts.length === PARTS_PER_SEGMENT ? this.#lend(Buffer.concat(parts)) : null;
  }

  isSegmentComing(msn: number): boolean {
    return this.isBehind(msn) && msn <= Math.floor(this.#parts.length / PARTS_PER_SEGMENT) + 1;
  }

  /** Its signatures are `signed`, until `sharedMs` is 0. */
  sharedForMs(_msn: number, signature: string): number {
    return signature === 'signed' ? this.sharedMs : 0;
  }

  segmentAt(): null {
    return null;
  }

  heldSpans(): [] {
    return [];
  }

  init(name: string): Buffer | null {
    return name === INIT_NAME ? Buffer.from(`${this.name} init`) : null;
  }

  edge(): null {
    return null;
  }

  awaitPlaylist(query: PlaylistQuery, waiter: Waiter): void {
    const parts = Math.max(1, partsNeeded(query));
    this.#waiting.push({ waiter, parts, body: () => this.#playlistText(query) });
  }

  awaitPart(msn: number, part: number, waiter: Waiter): void {
    if (part < 0) {
      const parts = (msn + 1) * PARTS_PER_SEGMENT;
      this.#waiting.push({ waiter, parts, body: () => this.segment(msn)! });
      return;
    }
    const index = msn * PARTS_PER_SEGMENT + part;
    this.#waiting.push({ waiter, parts: index + 1, body: () => this.#lend(this.#parts[index]!) });
  }

  cancelWait(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((awaited) => awaited.waiter !== waiter);
  }

  #lend(bytes: Buffer): LentMedia {
    this.loans++;
    return { bytes, release: () => void this.loans--, isRecalled: () => this.isRecalled };
  }

  #playlistText({ skip, extension = 'm4v' }: PlaylistQuery): PlaylistText {
    const kind = skip ? 'delta' : 'full';
    const text = `#EXTM3U\n# ${this.name} ${kind} ${extension} parts=${this.#parts.length}\n`;
    return new RenderedPlaylist(text);
  }
}

/** Access units that the test publishes explicitly; it keeps no group of pictures. */
export class FakePictures implements LivePictures {
  readonly readers = new Set<PictureReader>();

  attach(reader: PictureReader): void {
    this.readers.add(reader);
  }

  detach(reader: PictureReader): void {
    this.readers.delete(reader);
  }

  publish(picture: LivePicture): void {
    for (const reader of this.readers) reader.onPicture(picture);
  }

  fail(error: GatewayError): void {
    const readers = [...this.readers];
    this.readers.clear();
    for (const reader of readers) reader.onGone(error);
  }
}

/** Sound that the test publishes explicitly. */
export class FakeSounds implements LiveSounds {
  readonly readers = new Set<SoundReader>();

  attach(reader: SoundReader): void {
    this.readers.add(reader);
  }

  detach(reader: SoundReader): void {
    this.readers.delete(reader);
  }

  publish(sound: LiveSound): void {
    for (const reader of this.readers) reader.onSound(sound);
  }

  fail(error: GatewayError): void {
    const readers = [...this.readers];
    this.readers.clear();
    for (const reader of readers) reader.onGone(error);
  }
}

export class FakeLiveCamera implements LiveCamera {
  readonly sounds = new FakeSounds();
  speaker: LiveSpeaker | null = null;
  readonly name = 'Fake';
  readonly uuid: Ruuid;
  /** As hasCompatibleStream. */
  needsCompatible: boolean | null = false;
  /** As h264From. */
  h264Origin: H264Origin | null = 'camera';
  /** The codec in its manifests; '' leaves it out. */
  manifestCodec = '';
  /** It is open and sends no video. */
  isSoundOnly = false;
  readonly touches: Interest[] = [];
  readonly mainPictures = new FakePictures();
  readonly subPictures = new FakePictures();
  readonly #renditions = new Map<RenditionName, FakeRendition>();
  readonly #hasSubStream: boolean;
  #state: LiveState = { state: 'idle' };
  #waiting: { waiter: Waiter; audience: Audience }[] = [];

  constructor(uuid: Ruuid, { hasSubStream = false } = {}) {
    this.uuid = uuid;
    this.#hasSubStream = hasSubStream;
  }

  /** Makes the camera play: every rendition has a first part. Returns the main one. */
  start(): FakeRendition {
    const names: RenditionName[] = this.#hasSubStream
      ? ['main', 'sub', 'main-silent', 'sub-silent', 'main-audio']
      : ['main', 'main-silent', 'main-audio'];
    for (const name of names) {
      const rendition = new FakeRendition(name);
      rendition.publish();
      this.#renditions.set(name, rendition);
    }
    this.#state = { state: 'live' };
    this.#responseWaiters();
    return this.fake('main');
  }

  /** The transcoder has its first part, and the main stream's audio too. Returns the transcoded video. */
  startTranscoder(): FakeRendition {
    for (const name of ['h264-silent', 'main-audio'] as const) {
      const rendition = new FakeRendition(name);
      rendition.publish();
      this.#renditions.set(name, rendition);
    }
    this.#responseWaiters();
    return this.fake('h264-silent');
  }

  /** Fails all waiters; published media stay. */
  goOffline(retryAtEpochMs: number): void {
    const error = new GatewayError(STREAM_ERRORS.STREAM_OFFLINE);
    this.#state = { state: 'offline', error, retryAtEpochMs };
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { waiter } of waiting) waiter.onGone(error);
    for (const rendition of this.#renditions.values()) rendition.fail(error);
    this.mainPictures.fail(error);
    this.subPictures.fail(error);
    this.sounds.fail(error);
  }

  fake(name: RenditionName): FakeRendition {
    const rendition = this.#renditions.get(name);
    if (rendition === undefined) throw new Error(`the fake camera has no ${name}`);
    return rendition;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  isClustered = false;
  isCutOff = false;

  touch(interest: Interest): void {
    this.touches.push(interest);
    if (this.#state.state === 'idle') this.#state = { state: 'starting' };
  }

  status(): LiveState {
    return this.#state;
  }

  hasPicture(): boolean | null {
    return this.isSoundOnly ? false : this.#renditions.size === 0 ? null : true;
  }

  hasAudio(): boolean | null {
    return this.#renditions.size === 0 ? null : true;
  }

  hasSubStream(): boolean {
    return this.#hasSubStream;
  }

  /** The `video` of each requested Multivariant Playlist. */
  readonly videoRequests: VideoRequest[] = [];

  hasCompatibleStream(): boolean | null {
    return this.needsCompatible;
  }

  h264From(): H264Origin | null {
    return this.h264Origin;
  }

  rendition(name: RenditionName): LiveRendition | null {
    return this.#renditions.get(name) ?? null;
  }

  pictures(profile: 'main' | 'sub'): LivePictures | null {
    if (profile === 'main') return this.mainPictures;
    return this.#hasSubStream ? this.subPictures : null;
  }

  multivariantPlaylist(
    prefix: string,
    audience: Audience,
    _name: MediaPlaylistName,
    video: VideoRequest = 'all',
  ): string | null {
    this.videoRequests.push(video);
    if (this.#renditions.size === 0) return null;
    const codecs = audience === 'sound' ? 'avc1.64001f,mp4a.40.2' : 'avc1.64001f';
    const variant = (uri: string) => `#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="${codecs}"\n${uri}\n`;
    const sub = this.#hasSubStream ? variant(`${prefix}sub/stream.m3u8`) : '';
    return `#EXTM3U\n${variant(`${prefix}stream.m3u8`)}${sub}`;
  }

  manifest(
    audience: Audience,
    latency: ManifestLatency,
    video: ManifestVideo = 'camera',
  ): PlaylistText | null {
    if (video === 'transcoded') {
      if (!this.#renditions.has('h264-silent')) return null;
      return new RenderedPlaylist(`<MPD audience="${audience}" video="h264" codecs="avc1.4d402a"/>`);
    }
    if (this.#renditions.size === 0) return null;
    const codecs = this.manifestCodec === '' ? '' : ` codecs="${this.manifestCodec}"`;
    return new RenderedPlaylist(`<MPD audience="${audience}" latency="${latency}"${codecs}/>`);
  }

  awaitManifest(audience: Audience, waiter: Waiter): void {
    this.awaitPlayable(audience, waiter);
  }

  mediaEpochMs(): number {
    return Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  }

  awaitPlayable(audience: Audience, waiter: Waiter): void {
    this.#waiting.push({ waiter, audience });
  }

  awaitCompatible(audience: Audience, waiter: Waiter): void {
    this.awaitPlayable(audience, waiter);
  }

  awaitPicture(audience: Audience, waiter: Waiter): void {
    this.awaitPlayable(audience, waiter);
  }

  awaitMultivariant(audience: Audience, waiter: Waiter): void {
    this.awaitPlayable(audience, waiter);
  }

  cancelWait(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.waiter !== waiter);
  }

  keyFrame(): KeyFrame | null {
    return null;
  }

  #responseWaiters(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { waiter } of waiting) waiter.onReady(new RenderedPlaylist(''));
  }
}

export class FakeLiveCameras implements LiveCameras {
  readonly cameras = new Map<Ruuid, FakeLiveCamera>();

  add(camera: FakeLiveCamera): FakeLiveCamera {
    this.cameras.set(camera.uuid, camera);
    return camera;
  }

  get(cameraUuid: Ruuid): FakeLiveCamera | undefined {
    return this.cameras.get(cameraUuid);
  }
}

/** Number of parts that a playlist for `query` contains at least. */
function partsNeeded({ msn, part }: PlaylistQuery): number {
  if (msn < 0) return 0;
  return part < 0 ? (msn + 1) * PARTS_PER_SEGMENT : msn * PARTS_PER_SEGMENT + part + 1;
}
