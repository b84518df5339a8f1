/** One stream of a camera that another node owns, as an instance of its source: its windows come as they are there. */

import { blockCopyOf } from '../../cmaf/block-copy.ts';
import type { PackagedContent, PackagedTracks } from '../../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../../cmaf/part.ts';
import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import { receivedBuffer, receivedTracks } from '../../cmaf/sent-tracks.ts';
import type { Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError, toGatewayError } from '../../core/errors.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import { errorOfWire } from '../../core/wire-error.ts';
import type { Audience, Content, RenditionName } from '../../stream/media/live-media.ts';
import { type ProfileName, renditionName } from '../../stream/media/renditions.ts';
import type {
  HostedRendition,
  PackagingHost,
  PartReceiver,
  RenditionOrder,
} from '../../stream/packaging/packaging-host.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import type { SourceInstance } from '../../stream/source/source.ts';
import type { SourceSink } from '../../stream/source/source-sink.ts';
import type { LiveSegmentState } from '../../stream/window/live-segment.ts';
import type { NodeLink, ReceivedMessage } from '../links/node-link.ts';
import { MIRROR_ERRORS } from './errors.ts';
import type { LinkPart } from './link-part.ts';
import {
  type MirrorDown,
  type MirrorFailed,
  type MirrorPeriods,
  type MirrorPulse,
  type MirrorTouch,
  type OfRendition,
  type PeriodsAttachment,
  TO_OWNER,
  type UnitAttachment,
  unpacked,
  type WindowAttachment,
} from './mirror-messages.ts';

const CONTENTS: Readonly<Record<PackagedContent, Content>> = {
  'video-and-audio': 'sound',
  video: 'silent',
  audio: 'audio',
};

/** The subscriptions over a link. */
export interface MirrorSubscriptions {
  /** Returns the function that ends it. */
  add(link: NodeLink, streamOf: (sub: number) => MirroredStream): () => void;
}

export interface MirroredStreamOptions {
  readonly client: MirrorSubscriptions;
  readonly link: NodeLink;
  readonly cameraUuid: Ruuid;
  readonly profile: ProfileName;
  readonly sink: SourceSink;
  readonly clock: Clock;
  /** The other node does not own it, or is gone: who does has to be found out. Called once. */
  readonly onLost: (error: GatewayError) => void;
  /** The run that should own the camera if the owner is lost; null: none that mirrors it. */
  readonly onHeir: (runId: string | null) => void;
}

interface MirroredRendition {
  readonly receiver: PartReceiver;
  /** Tracks of the newest part; null: its window has not come yet. */
  tracks: PackagedTracks | null;
  readonly periods: Map<Audience, PeriodsAttachment>;
}

export class MirroredStream implements SourceInstance, PackagingHost {
  readonly isMirror = true;
  readonly #options: MirroredStreamOptions;
  readonly #sub: number;
  readonly #renditions = new Map<RenditionName, MirroredRendition>();
  readonly #end: () => void;
  #hasTracks = false;
  #soundIndex = -1;
  #shownSound: SoundState['state'] | null = null;
  #isOver = false;

  private constructor(options: MirroredStreamOptions, sub: number, end: () => void) {
    this.#options = options;
    this.#sub = sub;
    this.#end = end;
  }

  static open(options: MirroredStreamOptions): MirroredStream {
    const { client, link, cameraUuid, profile, sink } = options;
    let opened: MirroredStream | null = null;
    const end = client.add(link, (sub) => {
      opened = new MirroredStream(options, sub, () => end());
      return opened;
    });
    const stream: MirroredStream = opened!;
    const opening = { sub: stream.#sub, camera: cameraUuid, profile };
    link.request(TO_OWNER.open, opening).then(
      () => {
        if (!stream.#isOver) sink.onHost(stream);
      },
      (thrown) => stream.lost(toGatewayError(thrown)),
    );
    return stream;
  }

  package(order: RenditionOrder, receiver: PartReceiver): HostedRendition {
    const rendition = renditionName(this.#options.profile, CONTENTS[order.content]);
    const entry = { receiver, tracks: null, periods: new Map() };
    this.#renditions.set(rendition, entry);
    this.#tell(TO_OWNER.want, { rendition, isWanted: true });
    return {
      close: () => {
        if (this.#renditions.get(rendition) !== entry) return;
        this.#renditions.delete(rendition);
        this.#tell(TO_OWNER.want, { rendition, isWanted: false });
      },
    };
  }

  get packagingSwitch(): null {
    return null;
  }

  passUnits(isWanted: boolean): void {
    this.#tell(TO_OWNER.units, { isWanted });
  }

  /** The owner sends what a mirror follows as it comes. */

  /** The touch that the owner gets now and then, as long as a viewer here watches. */
  touch(): MirrorTouch {
    return { sub: this.#sub, urgency: this.#options.sink.urgency() };
  }

  onTracks({ bytes }: ReceivedMessage): void {
    const tracks = unpacked<Track[]>(bytes[0]);
    this.#hasTracks = true;
    this.#soundIndex = tracks.findIndex(({ kind }) => kind === 'audio');
    this.#options.sink.onTracks(tracks, this);
  }

  onWindow({ body, bytes: [first, media = new Uint8Array()] }: ReceivedMessage): void {
    const rendition = this.#renditions.get((body as OfRendition).rendition);
    if (rendition === undefined) return;
    const { state, progress, keyFrame } = unpacked<WindowAttachment>(first);
    let at = 0;
    const taken = (byteLength: number): PackedBytes => {
      at += byteLength;
      return blockCopyOf(media.subarray(at - byteLength, at));
    };
    const segments = state.segments.map((segment): LiveSegmentState<PackedBytes> => {
      return { ...segment, tracks: receivedTracks(segment.tracks), parts: segment.parts.map(taken) };
    });
    rendition.tracks = segments.at(-1)?.tracks ?? null;
    const key = keyFrame === null ? null : { ...keyFrame, fmp4: keyFrame.fmp4.map(receivedBuffer) };
    rendition.receiver.onWindow({ ...state, segments }, progress, key);
  }

  /** Takes over `bytes`. Hot: once per part. */
  onPart({ rendition: name, part, tracks, partTargetMs, progress }: LinkPart, bytes: PackedBytes): void {
    const rendition = this.#renditions.get(name);
    if (rendition !== undefined && tracks !== null) rendition.tracks = receivedTracks(tracks);
    if (rendition === undefined || rendition.tracks === null) {
      bytes.release();
      return;
    }
    const whole: CmafPart = { ...part, tracks: rendition.tracks, bytes };
    rendition.receiver.onPart(whole, partTargetMs, progress);
  }

  onPeriods({ body, bytes: [news] }: ReceivedMessage): void {
    const { rendition: name, audience, nextMsn, hasHole } = body as MirrorPeriods;
    const rendition = this.#renditions.get(name);
    if (rendition === undefined) return;
    if (news !== undefined) rendition.periods.set(audience, unpacked<PeriodsAttachment>(news));
    const known = rendition.periods.get(audience);
    if (known !== undefined) rendition.receiver.onPeriods(audience, { ...known, nextMsn, hasHole });
  }

  onUnit({ bytes: [first, data] }: ReceivedMessage): void {
    if (data === undefined || !this.#hasTracks) return;
    const { ageMs, ...unit } = unpacked<UnitAttachment>(first);
    this.#options.sink.onAccessUnit({ ...unit, data, arrivalMonoMs: this.#options.clock.monoMs() - ageMs });
  }

  onFailed({ body }: ReceivedMessage): void {
    const { rendition, error } = body as MirrorFailed;
    this.#renditions.get(rendition)?.receiver.onFailure(errorOfWire(error));
  }

  /** It was closed there, and may be opened again: then its window comes again. */
  onWindowClosed({ body }: ReceivedMessage): void {
    const rendition = this.#renditions.get((body as OfRendition).rendition);
    if (rendition !== undefined) rendition.tracks = null;
  }

  onPulse({ sound, keyDistanceMs, heir }: MirrorPulse): void {
    this.#options.onHeir(heir);
    if (!this.#hasTracks) return;
    const nowMonoMs = this.#options.clock.monoMs();
    this.#showSound(sound);
    const hasSound = this.#soundIndex >= 0 && sound.state === 'live';
    this.#options.sink.onPulse({
      lastUnitMonoMs: nowMonoMs,
      pictures: 1,
      videoMonoMs: nowMonoMs,
      keyDistanceMs,
      soundMonoMs: hasSound ? nowMonoMs : null,
    });
  }

  /** The camera is down there. */
  onDown({ body }: ReceivedMessage): void {
    if (this.#isOver) return;
    this.#finish();
    this.#options.sink.onEnded(errorOfWire((body as MirrorDown).error));
  }

  onOwnerEnded(): void {
    this.lost(new GatewayError(MIRROR_ERRORS.MIRROR_OWNER_LOST, { nodeId: this.#options.link.peer.nodeId }));
  }

  lost(error: GatewayError): void {
    if (this.#isOver) return;
    this.#finish();
    this.#options.sink.close();
    this.#options.onLost(error);
  }

  async close(): Promise<void> {
    this.#finish();
    this.#options.sink.close();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#end();
  }

  #showSound({ state, encoding }: SoundState): void {
    if (state === this.#shownSound) return;
    this.#shownSound = state;
    const { sink } = this.#options;
    if (state === 'unsupported') sink.onSound({ kind: 'unsupported', encoding: encoding ?? '' });
    else if (state === 'none' || state === 'waiting') sink.onSound({ kind: state });
    else if (state === 'live' || state === 'silent') sink.onSound({ kind: 'announced' });
  }

  #tell(kind: string, fields: object): void {
    if (!this.#isOver) this.#options.link.send({ kind, body: { sub: this.#sub, ...fields } });
  }
}
