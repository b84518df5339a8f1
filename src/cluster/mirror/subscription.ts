/** One stream of a camera that this node owns, as one other node mirrors it. */

import { copyBytes } from '../../bytes/copy-bytes.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import { SentTracks } from '../../cmaf/sent-tracks.ts';
import type { AccessUnit, CodedTrack, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { type GatewayError, toGatewayError } from '../../core/errors.ts';
import { wireErrorOf } from '../../core/wire-error.ts';
import type { CameraStream } from '../../stream/camera-stream.ts';
import type { PeriodsState } from '../../stream/dash/dash-period.ts';
import type { Audience, ManifestVideo, RenditionName } from '../../stream/media/live-media.ts';
import { interestOf, type ProfileName, RENDITIONS } from '../../stream/media/renditions.ts';
import type { Urgency } from '../../stream/media/urgency.ts';
import type { ProfileStream } from '../../stream/profile-stream.ts';
import type { UnitReader } from '../../stream/source/unit-feed.ts';
import type { FollowedWindow, LiveWindowState, WindowFollower } from '../../stream/window/followed-window.ts';
import type { NodeLink } from '../links/node-link.ts';
import { writeLinkPart } from './link-part.ts';
import {
  type MirrorPulse,
  type PeriodsAttachment,
  packed,
  TO_MIRROR,
  type UnitAttachment,
  type WindowAttachment,
} from './mirror-messages.ts';

/** The first message of a window has its newest segments, as far as they fit. The rest is older than most viewers see. */
const MAX_WINDOW_BYTES = 48 * 1_048_576;

/** The manifests whose main stream a stream is. */
const MANIFESTS: Readonly<Partial<Record<ProfileName, ManifestVideo>>> = {
  main: 'camera',
  h264: 'transcoded',
};

export interface SubscriptionOptions {
  readonly sub: number;
  readonly link: NodeLink;
  readonly camera: CameraStream;
  readonly profile: ProfileStream;
  readonly clock: Clock;
  /** There is a window to begin with: call `beginWindows` when there is room. */
  readonly onWindowWanted: () => void;
  /** It is closed, because something of it could not be sent. */
  readonly onFailed: (error: GatewayError) => void;
}

export class Subscription {
  readonly cameraUuid: CameraStream['uuid'];
  readonly #options: SubscriptionOptions;
  readonly #wanted = new Map<RenditionName, FollowedRendition | null>();
  readonly #sentTracks = new SentTracks<readonly Track[]>();
  /** The error of the outage that the other node knows of. */
  #toldDown: GatewayError | null = null;
  #units: ForwardedUnits | null = null;
  /** The Periods that were sent last, behind the window that sets these Periods. */
  readonly #sentPeriods = new Map<Audience, PeriodsState>();
  #endPeriods: () => void = () => undefined;
  #urgency: Urgency = 'viewer';
  #isClosed = false;

  constructor(options: SubscriptionOptions) {
    this.#options = options;
    this.cameraUuid = options.camera.uuid;
  }

  begin(): void {
    const { camera, profile } = this.#options;
    const video = MANIFESTS[profile.name];
    if (video !== undefined) {
      this.#endPeriods = camera.manifests.follow(video, (audience, state) =>
        this.#tellPeriods(camera.manifests.mainOf(video), audience, state),
      );
    }
    this.look();
  }

  want(rendition: RenditionName, isWanted: boolean): void {
    if (RENDITIONS[rendition]?.[0] !== this.#options.profile.name) return;
    if (isWanted) {
      if (!this.#wanted.has(rendition)) this.#wanted.set(rendition, null);
      this.touch(this.#urgency);
      this.look();
    } else {
      this.#wanted.get(rendition)?.close();
      this.#wanted.delete(rendition);
    }
  }

  /** Someone there watches. */
  touch(urgency: Urgency): void {
    this.#urgency = urgency;
    for (const rendition of this.#wanted.keys()) this.#options.camera.touch(interestOf(rendition), urgency);
  }

  passUnits(isWanted: boolean): void {
    if (isWanted === (this.#units !== null)) return;
    if (isWanted) this.#units = new ForwardedUnits(this.#options, () => this.#tellTracks());
    else this.#endUnits();
  }

  /** Tells what changed, and asks for room for windows that can begin. */
  look(): void {
    if (!this.#isClosed) this.#orFail(() => this.#look());
  }

  /** `onSent`: called when a window has left this node. */
  beginWindows(onSent: () => void): void {
    this.#orFail(() => this.#beginWindows(onSent));
  }

  /** null: the stream does not run. */
  pulse(heir: string | null): MirrorPulse | null {
    const { sub, profile } = this.#options;
    if (profile.state().state !== 'live') return null;
    return { sub, sound: profile.sound, keyDistanceMs: profile.keys.distanceMs, heir };
  }

  /** The number of the stream's windows that the other node has, and of manifests that it can continue. */
  get mirrored(): number {
    let windows = 0;
    for (const followed of this.#wanted.values()) if (followed !== null) windows++;
    return windows + this.#sentPeriods.size;
  }

  /** This node has nothing more to say about the camera. */
  end(): void {
    const { sub, link } = this.#options;
    this.close();
    link.send({ kind: TO_MIRROR.ended, body: { sub } });
  }

  close(): void {
    this.#isClosed = true;
    this.#endPeriods();
    for (const followed of this.#wanted.values()) followed?.close();
    this.#wanted.clear();
    this.#endUnits();
  }

  /** A failure to send ends this subscription alone, no matter who called. The other node shows why, and tries again later. */
  #orFail(act: () => void): void {
    try {
      act();
    } catch (thrown) {
      const error = toGatewayError(thrown);
      this.close();
      this.#options.onFailed(error);
      this.#tellDown(error);
    }
  }

  #look(): void {
    const { profile, onWindowWanted } = this.#options;
    const state = profile.state();
    if (state.state === 'offline') this.#tellDown(state.error);
    else this.#toldDown = null;
    this.#tellTracks();
    const canBegin = [...this.#wanted].some(
      ([name, followed]) => followed === null && this.#window(name) !== null,
    );
    if (canBegin) onWindowWanted();
  }

  #beginWindows(onSent: () => void): void {
    this.#tellTracks();
    for (const [name, followed] of this.#wanted) {
      const window = followed === null ? this.#window(name) : null;
      if (window !== null) this.#wanted.set(name, this.#follow(name, window, onSent));
    }
    // The link may have ended with a window.
    if (this.#isClosed) this.close();
    this.#options.camera.manifests.tell();
  }

  #window(name: RenditionName): FollowedWindow | null {
    return this.#options.camera.published(name);
  }

  #follow(rendition: RenditionName, window: FollowedWindow, onSent: () => void): FollowedRendition {
    const { sub, link } = this.#options;
    this.#sentPeriods.clear();
    return new FollowedRendition({
      sub,
      rendition,
      window,
      link,
      onSent,
      onPart: () => this.#tellTracks(),
      onClosed: () => {
        if (this.#wanted.has(rendition)) this.#wanted.set(rendition, null);
        link.send({ kind: TO_MIRROR.closed, body: { sub, rendition } });
        // It may only have begun again, as when this node takes over: no other event says so.
        queueMicrotask(() => this.look());
      },
    });
  }

  #tellTracks(): void {
    const { sub, link, profile } = this.#options;
    const { tracks } = profile;
    if (tracks === null || this.#sentTracks.newsOf(tracks) === null) return;
    link.send({ kind: TO_MIRROR.tracks, body: { sub }, bytes: [packed(tracks)] });
  }

  #tellPeriods(rendition: RenditionName, audience: Audience, state: PeriodsState): void {
    const sent = this.#sentPeriods.get(audience);
    const isFollowed = (this.#wanted.get(rendition) ?? null) !== null;
    if (state === sent || !isFollowed) return;
    this.#sentPeriods.set(audience, state);
    const { periods, usualSec, nextMsn, hasHole } = state;
    const news: PeriodsAttachment = { periods, usualSec };
    const bytes = periods === sent?.periods ? [] : [packed(news)];
    const { sub, link } = this.#options;
    link.send({ kind: TO_MIRROR.periods, body: { sub, rendition, audience, nextMsn, hasHole }, bytes });
  }

  #tellDown(error: GatewayError): void {
    if (error === this.#toldDown) return;
    this.#toldDown = error;
    this.#sentTracks.forget();
    const { sub, link } = this.#options;
    link.send({ kind: TO_MIRROR.down, body: { sub, error: wireErrorOf(error) } });
  }

  #endUnits(): void {
    this.#units?.close();
    this.#units = null;
  }
}

interface FollowedRenditionOptions {
  readonly sub: number;
  readonly rendition: RenditionName;
  readonly window: FollowedWindow;
  readonly link: NodeLink;
  readonly onSent: () => void;
  /** Before each part is sent. */
  readonly onPart: () => void;
  readonly onClosed: () => void;
}

class FollowedRendition implements WindowFollower {
  readonly #options: FollowedRenditionOptions;
  readonly #tracks: SentTracks<CmafPart['tracks']>;

  /** Fails LINK_FRAME_LIMIT: then it follows nothing. */
  constructor(options: FollowedRenditionOptions) {
    this.#options = options;
    const state = options.window.follow(this);
    this.#tracks = new SentTracks(state.segments.at(-1)?.tracks);
    try {
      this.#sendWindow(state);
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  /** Hot: once per part and mirror. */
  onPart(part: CmafPart, partTargetMs: number): void {
    const { link, window, onPart } = this.#options;
    onPart();
    const progress = window.progress();
    // There is a part, so its time has an end.
    if (progress === null) return;
    const { bytes, tracks } = part;
    const news = this.#tracks.newsOf(tracks);
    const record = writeLinkPart(this.#options, { part, partTargetMs, progress }, news);
    link.sendRecord(record, bytes.again());
  }

  onFailed(error: GatewayError): void {
    const { sub, rendition, link } = this.#options;
    link.send({ kind: TO_MIRROR.failed, body: { sub, rendition, error: wireErrorOf(error) } });
  }

  onClosed(): void {
    this.#options.onClosed();
  }

  close(): void {
    this.#options.window.unfollow(this);
  }

  /** Takes over the bytes. */
  #sendWindow(state: LiveWindowState<Held>): void {
    const { sub, rendition, window, link, onSent } = this.#options;
    const kept = newestWithin(state.segments, MAX_WINDOW_BYTES);
    const dropped = state.segments.length - kept.length;
    const media = joined(kept.flatMap(({ parts }) => parts));
    for (const { parts } of state.segments) for (const part of parts) release(part);
    const attachment: WindowAttachment = {
      state: {
        ...state,
        former: Math.max(0, state.former - dropped),
        listedFrom: Math.max(0, state.listedFrom - dropped),
        inManifestFrom: Math.max(0, state.inManifestFrom - dropped),
        segments: kept.map((segment) => ({
          ...segment,
          parts: segment.parts.map(({ byteLength }) => byteLength),
        })),
      },
      progress: window.progress(),
      keyFrame: window.keyFrame(),
    };
    const body = { sub, rendition };
    link.send({ kind: TO_MIRROR.window, body, bytes: [packed(attachment), media] }, onSent);
  }
}

/** The access units of the stream, for real-time viewers of another node: from the newest key frame on. */
class ForwardedUnits implements UnitReader {
  readonly #options: SubscriptionOptions;
  /** Before units of other tracks. */
  readonly #tellTracks: () => void;

  constructor(options: SubscriptionOptions, tellTracks: () => void) {
    this.#options = options;
    this.#tellTracks = tellTracks;
    const { profile } = options;
    tellTracks();
    for (const unit of profile.pictures.newestUnits()) this.onAccessUnit(unit);
    profile.attach(this);
  }

  onTracks(_tracks: readonly CodedTrack[]): void {
    this.#tellTracks();
  }

  onAccessUnit({ data, arrivalMonoMs, ...unit }: AccessUnit): void {
    const { sub, link, clock } = this.#options;
    const attachment: UnitAttachment = { ...unit, ageMs: clock.monoMs() - arrivalMonoMs };
    link.send({ kind: TO_MIRROR.unit, body: { sub }, bytes: [packed(attachment), Buffer.from(data)] });
  }

  onGone(): void {
    // The stream may come back: then the node that mirrors asks again.
  }

  close(): void {
    this.#options.profile.detach(this);
  }
}

type Held = PackedBytes | Buffer;

function newestWithin<Segment extends { readonly parts: readonly Held[] }>(
  segments: readonly Segment[],
  maxBytes: number,
): Segment[] {
  let bytes = 0;
  const first = segments.findLastIndex(({ parts }) => {
    for (const { byteLength } of parts) bytes += byteLength;
    return bytes > maxBytes;
  });
  return segments.slice(Math.min(first + 1, segments.length - 1));
}

function joined(parts: readonly Held[]): Buffer {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    if (Buffer.isBuffer(part)) copyBytes(part, 0, part.byteLength, bytes, at);
    else part.copyTo(bytes, at);
    at += part.byteLength;
  }
  return bytes;
}

function release(bytes: Held): void {
  if (!Buffer.isBuffer(bytes)) bytes.release();
}
