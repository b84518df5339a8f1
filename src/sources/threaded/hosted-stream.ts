/** A camera that a thread reads: opens it, packages the ordered renditions, and passes the rest to the gateway's thread. */

import type { PackedBytes } from '../../cmaf/part-bytes.ts';
import type { SigningNews } from '../../codec/media-signing/signing-watch.ts';
import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { wireErrorOf } from '../../core/wire-error.ts';
import type { CameraTime, ClockReading } from '../../rtp/camera-clock.ts';
import type { MediaFormat } from '../../rtsp/sdp/session-description.ts';
import type { TrackSelection } from '../../rtsp/track-selection.ts';
import { KeyDistance } from '../../stream/key-distance.ts';
import type { RenditionOrder } from '../../stream/packaging/packaging-host.ts';
import { KeptUnits } from '../../stream/pictures/kept-units.ts';
import type { Source, SourceInstance } from '../../stream/source/source.ts';
import type { SoundOffer, SourceEvents } from '../../stream/source/source-events.ts';
import { SourceSink } from '../../stream/source/source-sink.ts';
import type { DirectRtspOptions } from '../direct/direct-rtsp-source.ts';
import { CameraSoundPaths } from '../sound/camera-sound.ts';
import { codedSoundOf } from '../sound/coded-sound.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from '../sound/sound-path.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import type { CameraOrder, HostEvent, HostedPulse } from './host-messages.ts';
import { HostedRendition } from './hosted-rendition.ts';
import type { HostedPart } from './part-record.ts';
import { RelayedLog } from './relayed-log.ts';
import { UnitGroup } from './unit-group.ts';

/** Pause before the end of a stream is reported again, if the ring had no room for it. */
const TELL_AGAIN_MS = 50;
/** How often the other thread hears what arrived, in place of access units. */
const PULSE_MS = 1_000;

/** Receives a stream's output. Methods return false if there is no room. */
export interface StreamOutput {
  unit(unit: AccessUnit): boolean;
  event(event: HostEvent): boolean;
  /** Takes over the bytes. */
  part(part: Omit<HostedPart, 'bytes'>, bytes: PackedBytes): boolean;
  pulse(pulse: HostedPulse): boolean;
}

/** Makes what reads a camera. */
export type CreateSource = (options: DirectRtspOptions) => Source;

export class HostedStream implements SourceEvents {
  readonly #clock: Clock;
  readonly #output: StreamOutput;
  readonly #sink: SourceSink;
  readonly #instance: SourceInstance;
  readonly #renditions = new Map<number, HostedRendition>();
  /** The same; never changes in place. */
  #packaging: readonly HostedRendition[] = [];
  readonly #group = new UnitGroup();
  readonly #keys = new KeyDistance();
  #tracks: readonly Track[] | null = null;
  #cameraTime: CameraTime | null = null;
  /** The camera's clocks, for the next pulse. */
  #reading: ClockReading | null = null;
  /** Access units cross. */
  #isPassing = true;
  #pulsedMonoMs = Number.NEGATIVE_INFINITY;
  /** Since the last pulse; null: none came. */
  #videoMonoMs: number | null = null;
  #soundMonoMs: number | null = null;
  /** A pulse has reported the first one since the last tracks. */
  #hasHeardVideo = false;
  #hasHeardSound = false;
  #pictures = 0;
  #videoIndex = -1;
  /** The switch that takes place right before the next key frame; null: none. */
  #switch: 'stop' | 'start' | null = null;
  /** The gateway's thread packages. */
  #isStopped = false;
  /** Units from the key frame on with which packaging starts, until it was ordered; null: it does not start. */
  #kept: KeptUnits | null = null;
  /** Since the last one that had room. */
  #lostFrames = 0;
  /** Frames of video are lost, so those up to the next key frame are useless. */
  #awaitsKey = false;
  #isClosed = false;

  constructor(order: CameraOrder, clock: Clock, output: StreamOutput, createSource: CreateSource) {
    this.#clock = clock;
    this.#output = output;
    const { url, isAuto, hasSoundWorker, ...options } = order;
    const sound = new ThreadSoundPaths(clock, hasSoundWorker && !order.isSilent);
    const source = createSource({
      ...options,
      url: new CredentialUrl(url),
      clock,
      sound,
      log: new RelayedLog((event) => this.#tell(event)),
      skipped: { note: (skipped) => this.#tell({ kind: 'skipped', skipped }) },
      observer: {
        onDescribed: (description, selection) => {
          if (sound.lacksWorker || (isAuto && isJpegAlone(selection))) this.#leave();
          else this.#tell({ kind: 'described', description, selection });
        },
        onUnfit: () => {
          this.#tell({ kind: 'unfit' });
          return isAuto;
        },
      },
    });
    this.#sink = new SourceSink(this);
    this.#instance = source.open(this.#sink);
  }

  /** Packages from the next key frame on. */
  package(id: number, order: RenditionOrder): void {
    // It was ordered before the gateway's thread knew.
    if (this.#isStopped) return;
    const rendition = new HostedRendition(order, {
      part: (part, tracks, partTargetMs, progress) =>
        this.#output.part({ rendition: id, part, tracks, partTargetMs, progress }, part.bytes),
      lost: (frames) => {
        this.#lostFrames += frames;
      },
    });
    if (this.#tracks !== null) rendition.setTracks(this.#tracks);
    rendition.setCameraTime(this.#cameraTime);
    this.#renditions.set(id, rendition);
    this.#packaging = [...this.#renditions.values()];
    for (const unit of this.#kept?.units() ?? []) rendition.push(unit);
  }

  stopPackaging(): void {
    this.#switch = 'stop';
  }

  startPackaging(): void {
    this.#switch = 'start';
  }

  packagingOrdered(): void {
    this.#kept = null;
  }

  unpackage(id: number): void {
    this.#renditions.get(id)?.close();
    this.#renditions.delete(id);
    this.#packaging = [...this.#renditions.values()];
  }

  /** Those who begin to read get the newest group of pictures first. */
  passUnits(isWanted: boolean): void {
    if (isWanted === this.#isPassing) return;
    this.#isPassing = isWanted;
    this.#awaitsKey = false;
    if (isWanted) for (const unit of this.#group.units()) this.#pass(unit, true);
  }

  onTracks(tracks: readonly Track[]): void {
    this.#tracks = tracks;
    this.#videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
    this.#group.clear();
    this.#forgetKept();
    this.#keys.tracks(tracks);
    [this.#hasHeardVideo, this.#hasHeardSound] = [false, false];
    this.#tell({ kind: 'tracks', tracks });
    for (const rendition of this.#packaging) rendition.setTracks(tracks);
  }

  /** Hot: once per frame. */
  onAccessUnit(unit: AccessUnit): void {
    if (this.#switch !== null && this.#isPaceKey(unit)) this.#turn(this.#switch, unit.arrivalMonoMs);
    if (this.#kept !== null) this.#keep(this.#kept, unit);
    const isVideo = unit.trackIndex === this.#videoIndex;
    const { arrivalMonoMs } = unit;
    const packaging = this.#packaging;
    for (let i = 0; i < packaging.length; i++) packaging[i]!.push(unit);
    const isNews = !(isVideo ? this.#hasHeardVideo : this.#hasHeardSound);
    if (isVideo) {
      this.#group.push(unit);
      this.#keys.unit(unit);
      this.#pictures++;
      this.#videoMonoMs = arrivalMonoMs;
    } else this.#soundMonoMs = arrivalMonoMs;
    if (this.#isPassing) this.#pass(unit, isVideo);
    if (!this.#isPulsing) return;
    if (isNews || arrivalMonoMs - this.#pulsedMonoMs >= PULSE_MS) this.#pulse(arrivalMonoMs);
  }

  /** Streams begin with it. */
  #isPaceKey(unit: AccessUnit): boolean {
    return unit.isKey && unit.trackIndex === Math.max(0, this.#videoIndex);
  }

  /** A key frame comes next. */
  #turn(to: 'stop' | 'start', nowMonoMs: number): void {
    this.#switch = null;
    this.#isStopped = to === 'stop';
    if (to === 'start') {
      this.#kept = new KeptUnits();
      this.#tell({ kind: 'packaging-starts' });
      return;
    }
    this.#finish();
    this.#pulse(nowMonoMs);
    for (const rendition of this.#packaging) rendition.close();
    this.#packaging = [];
    this.#renditions.clear();
    [this.#isPassing, this.#awaitsKey] = [true, false];
    this.#tell({ kind: 'packaging-stopped' });
  }

  /** If the gateway's thread does not order in time, packaging begins with a later key frame. */
  #keep(kept: KeptUnits, unit: AccessUnit): void {
    if (kept.isFull) this.#forgetKept();
    else kept.push(unit, kept.isEmpty ? '' : null);
  }

  #forgetKept(): void {
    this.#lostFrames += this.#kept?.units().length ?? 0;
    this.#kept = null;
  }

  /** Not while each access unit crosses, which says the same. */
  get #isPulsing(): boolean {
    return !this.#isPassing || this.#packaging.length > 0;
  }

  #pass(unit: AccessUnit, isVideo: boolean): void {
    if (isVideo && this.#awaitsKey && !unit.isKey) this.#lostFrames++;
    else if (!this.#output.unit(unit)) {
      this.#lostFrames++;
      if (isVideo) this.#awaitsKey = true;
    } else {
      if (isVideo) this.#awaitsKey = false;
      if (this.#lostFrames > 0) this.#tellLost();
    }
  }

  onSound(offer: SoundOffer): void {
    this.#tell({ kind: 'sound', offer });
  }

  onClock(reading: ClockReading): void {
    this.#cameraTime = reading.cameraTime;
    for (const rendition of this.#packaging) rendition.setCameraTime(reading.cameraTime);
    this.#reading = this.#isPulsing ? reading : null;
    if (!this.#isPulsing) this.#tell({ kind: 'clock', reading });
  }

  onSigning(news: SigningNews): void {
    this.#tell({ kind: 'signing', news });
  }

  onDropped(frames: number, code: string): void {
    this.#tell({ kind: 'dropped', frames, code });
  }

  onEnded(error: GatewayError): void {
    this.#finish();
    if (this.#packaging.length > 0) this.#pulse(this.#pulsedMonoMs);
    this.#end({ kind: 'ended', error: wireErrorOf(error) });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sink.close();
    for (const rendition of this.#packaging) rendition.close();
    this.#packaging = [];
    this.#renditions.clear();
    this.#group.clear();
    await this.#instance.close();
  }

  /** The camera has ended: remaining media comes out, or is counted as lost. */
  #finish(): void {
    for (const rendition of this.#packaging) {
      try {
        rendition.end();
      } catch {
        // A defect in packaging has ended the stream, which says why. The thread has other cameras.
      }
    }
  }

  /** The gateway's thread opens the camera itself, once this connection is closed. */
  #leave(): void {
    this.#sink.close();
    this.#end({ kind: 'elsewhere' });
  }

  /** Without room, the next one tells it. */
  #pulse(nowMonoMs: number): void {
    const { distanceMs: keyDistanceMs } = this.#keys;
    const [videoMonoMs, soundMonoMs] = [this.#videoMonoMs, this.#soundMonoMs];
    const lastUnitMonoMs = Math.max(nowMonoMs, videoMonoMs ?? 0, soundMonoMs ?? 0);
    const pulse = { lastUnitMonoMs, pictures: this.#pictures, videoMonoMs, soundMonoMs, keyDistanceMs };
    const counts = [...this.#renditions].map(([id, rendition]) => [id, rendition.counts()] as const);
    if (this.#isClosed || !this.#output.pulse({ pulse, clock: this.#reading, counts })) return;
    this.#reading = null;
    for (const rendition of this.#packaging) rendition.counted();
    this.#pulsedMonoMs = nowMonoMs;
    this.#hasHeardVideo ||= videoMonoMs !== null;
    this.#hasHeardSound ||= soundMonoMs !== null;
    [this.#videoMonoMs, this.#soundMonoMs, this.#pictures] = [null, null, 0];
    if (this.#lostFrames > 0) this.#tellLost();
  }

  #tellLost(): void {
    const lost = this.#lost;
    this.#lostFrames = 0;
    this.#tell(lost);
  }

  get #lost(): HostEvent {
    const { code } = CAMERA_THREAD_ERRORS.CAMERA_THREAD_BEHIND;
    return { kind: 'dropped', frames: this.#lostFrames, code };
  }

  /** Without room for something so small and rare, the stream ends. */
  #tell(event: HostEvent): void {
    if (this.#isClosed || this.#output.event(event)) return;
    this.#sink.close();
    this.#finish();
    this.#end({
      kind: 'ended',
      error: wireErrorOf(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_BEHIND)),
    });
  }

  /** Sends the last event. It must arrive, after a report of lost frames. */
  #end(event: HostEvent): void {
    if (this.#isClosed) return;
    if (this.#lostFrames > 0 && this.#output.event(this.#lost)) this.#lostFrames = 0;
    if (this.#lostFrames === 0 && this.#output.event(event)) return;
    this.#clock.after(TELL_AGAIN_MS, () => this.#end(event));
  }
}

/** The camera's only video is Motion JPEG. */
function isJpegAlone({ video, skipped }: TrackSelection): boolean {
  const isJpeg = ({ kind, encodings }: (typeof skipped)[number]): boolean =>
    kind === 'video' && encodings.includes('jpeg');
  return video === null && skipped.some(isJpeg);
}

/** How a thread that reads cameras carries their audio: formats that need no worker. */
class ThreadSoundPaths implements SoundPaths {
  /** The camera has audio that a worker would carry. */
  lacksWorker = false;
  readonly #paths: CameraSoundPaths;
  readonly #hasWorker: boolean;

  constructor(clock: Clock, hasWorker: boolean) {
    this.#paths = new CameraSoundPaths(clock, null);
    this.#hasWorker = hasWorker;
  }

  carries(format: MediaFormat): boolean {
    if (this.#paths.carries(format)) return true;
    if (this.#hasWorker && codedSoundOf(format) !== null) this.lacksWorker = true;
    return false;
  }

  open(format: MediaFormat, events: SoundPathEvents): SoundPath {
    return this.#paths.open(format, events);
  }
}
