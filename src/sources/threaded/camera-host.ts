/** The cameras that a thread reads for the gateway's thread: opens them, and puts what they send into the ring. */

import type { AccessUnit, Track } from '../../codec/track.ts';
import type { Clock } from '../../core/clock.ts';
import { GatewayError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { CredentialUrl } from '../../core/secret.ts';
import { wireErrorOf } from '../../core/wire-error.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { TrackSelection } from '../../rtsp/track-selection.ts';
import type { MediaFormat } from '../../sdp/session-description.ts';
import type { SourceInstance } from '../../stream/source.ts';
import type { SoundOffer, SourceEvents } from '../../stream/source-events.ts';
import { SourceSink } from '../../stream/source-sink.ts';
import { DirectRtspSource } from '../direct/direct-rtsp-source.ts';
import { CameraSoundPaths } from '../sound/camera-sound.ts';
import { codedSoundOf } from '../sound/coded-sound.ts';
import type { SoundPath, SoundPathEvents, SoundPaths } from '../sound/sound-path.ts';
import { CAMERA_THREAD_ERRORS } from './errors.ts';
import type { CameraHostCalls, CameraOrder, HostEvent, LogCall } from './host-messages.ts';
import { type RingMemory, RingWriter } from './unit-ring.ts';

/** How soon the end of a stream is told again for which the ring had no room. */
const TELL_AGAIN_MS = 50;

export interface CameraHostOptions {
  readonly ring: RingMemory;
  /** Its monotonic time is that of the gateway's thread. */
  readonly clock: Clock;
  /** The gateway's thread does not look into the ring by itself. */
  readonly onWake: () => void;
}

export class CameraHost implements CameraHostCalls {
  readonly #options: CameraHostOptions;
  readonly #ring: RingWriter;
  readonly #streams = new Map<number, HostedStream>();

  constructor(options: CameraHostOptions) {
    this.#options = options;
    this.#ring = new RingWriter(options.ring);
  }

  /** Streams that are open, or not released. */
  get size(): number {
    return this.#streams.size;
  }

  open(id: number, order: CameraOrder): void {
    const stream = new HostedStream(order, this.#options.clock, {
      unit: (unit) => this.#told(this.#ring.unit(id, unit)),
      event: (event) => this.#told(this.#ring.event(id, event)),
    });
    this.#streams.set(id, stream);
  }

  async close(id: number): Promise<void> {
    await this.#streams.get(id)?.close();
    this.#streams.delete(id);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#streams.keys()].map((id) => this.close(id)));
  }

  #told(isTold: boolean): boolean {
    if (this.#ring.mustWakeReader()) this.#options.onWake();
    return isTold;
  }
}

/** Where a stream's output goes. False: there is no room. */
interface StreamOutput {
  unit(unit: AccessUnit): boolean;
  event(event: HostEvent): boolean;
}

class HostedStream implements SourceEvents {
  readonly #clock: Clock;
  readonly #output: StreamOutput;
  readonly #sink: SourceSink;
  readonly #instance: SourceInstance;
  #videoIndex = -1;
  /** Since the last one that had room. */
  #lostFrames = 0;
  /** Frames of video are lost, so those up to the next key frame are useless. */
  #awaitsKey = false;
  #isClosed = false;

  constructor(order: CameraOrder, clock: Clock, output: StreamOutput) {
    this.#clock = clock;
    this.#output = output;
    const { url, isAuto, hasSoundWorker, ...options } = order;
    const sound = new ThreadSoundPaths(clock, hasSoundWorker && !order.isSilent);
    const source = new DirectRtspSource({
      ...options,
      url: new CredentialUrl(url),
      ...{ clock, sound, log: new RelayedLog((event) => this.#tell(event)) },
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

  onTracks(tracks: readonly Track[]): void {
    this.#videoIndex = tracks.findIndex(({ kind }) => kind === 'video');
    this.#tell({ kind: 'tracks', tracks });
  }

  /** Hot: once per frame. */
  onAccessUnit(unit: AccessUnit): void {
    const isVideo = unit.trackIndex === this.#videoIndex;
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
    this.#tell({ kind: 'clock', reading });
  }

  onDropped(frames: number, code: string): void {
    this.#tell({ kind: 'dropped', frames, code });
  }

  onEnded(error: GatewayError): void {
    this.#end({ kind: 'ended', error: wireErrorOf(error) });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sink.close();
    await this.#instance.close();
  }

  /** The gateway's thread opens the camera itself, once this connection is closed. */
  #leave(): void {
    this.#sink.close();
    this.#end({ kind: 'elsewhere' });
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
    this.#end({
      kind: 'ended',
      error: wireErrorOf(new GatewayError(CAMERA_THREAD_ERRORS.CAMERA_THREAD_BEHIND)),
    });
  }

  /** The last event must arrive, and what was lost is told before it. */
  #end(event: HostEvent): void {
    if (this.#isClosed) return;
    if (this.#lostFrames > 0 && this.#output.event(this.#lost)) this.#lostFrames = 0;
    if (this.#lostFrames === 0 && this.#output.event(event)) return;
    this.#clock.after(TELL_AGAIN_MS, () => this.#end(event));
  }
}

/** What needs no worker. */
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

/** Its lines are written by the gateway's thread, which knows the camera's name. */
class RelayedLog implements Log {
  readonly #tell: (event: HostEvent) => void;
  readonly #fields: object;

  constructor(tell: (event: HostEvent) => void, fields: object = {}) {
    this.#tell = tell;
    this.#fields = fields;
  }

  debug(fields: object, message: string): void {
    this.#write('debug', fields, message);
  }

  info(fields: object, message: string): void {
    this.#write('info', fields, message);
  }

  warn(fields: object, message: string): void {
    this.#write('warn', fields, message);
  }

  error(fields: object, message: string): void {
    this.#write('error', fields, message);
  }

  child(fields: object): Log {
    return new RelayedLog(this.#tell, { ...this.#fields, ...fields });
  }

  /** As JSON, in which URLs have no passwords. */
  #write(level: LogCall, fields: object, message: string): void {
    const shown = JSON.parse(JSON.stringify({ ...this.#fields, ...fields })) as object;
    this.#tell({ kind: 'log', level, fields: shown, message });
  }
}

/** The camera's only video is Motion JPEG. */
function isJpegAlone({ video, skipped }: TrackSelection): boolean {
  const isJpeg = ({ kind, encodings }: (typeof skipped)[number]): boolean =>
    kind === 'video' && encodings.includes('jpeg');
  return video === null && skipped.some(isJpeg);
}
