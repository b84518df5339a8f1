/**
 * All live cameras, by uuid. Cameras are added and removed with the configuration; viewers of unchanged ones notice
 * nothing.
 */

import { GatewayError, toGatewayError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { ClockReading } from '../rtp/camera-clock.ts';
import type { CameraCheck } from './camera-check.ts';
import type { CameraReport } from './camera-connection.ts';
import { CameraLog } from './camera-log.ts';
import { CameraStream } from './camera-stream.ts';
import type { CameraStreamOptions } from './camera-stream-options.ts';
import type { CompatibleEncoder } from './compatible-variant.ts';
import { STREAM_ERRORS } from './media/errors.ts';
import type { LiveCameras, LiveState } from './media/live-media.ts';
import type { LiveSpeaker } from './media/live-speaker.ts';
import type { CameraOwnership } from './numbering/camera-ownership.ts';
import type { SigningState } from './signing-state.ts';
import type { SoundState } from './sound-state.ts';
import type { SoundEncoder } from './sounds/sound-feed.ts';
import type { Source } from './source/source.ts';
import type { UnitFeed, UnitReader } from './source/unit-feed.ts';

/** The camera with its masks, as a camera of its own (docs/design/privacy.md). It ends with the camera, or when the masks change. */
export interface MaskedCamera {
  readonly uuid: Ruuid;
  /** Its only stream, of the camera's main stream. */
  source(main: UnitFeed): Source;
  /** Absent: it is this gateway's. */
  readonly ownership?: CameraOwnership;
}

/** The hub's view of a camera. */
export interface HubCamera {
  readonly uuid: Ruuid;
  /** Its display name; absent: its uuid. */
  readonly name?: string;
  /** Changes exactly when the camera must be reopened: addresses, credentials, engine, transport. */
  readonly fingerprint: string;
  readonly main: Source;
  readonly sub: Source | null;
  /** Transcodes other formats to H.264; absent: the gateway has no encoder. */
  readonly compatible?: CompatibleEncoder | null;
  /** Encodes the sound of the camera, and of its masked one, as Opus. Absent or null: there is no encoder. */
  readonly soundEncoder?: SoundEncoder | null;
  /** Of the camera, and of its masked one. Absent or null: there is no way to it. */
  readonly speaker?: LiveSpeaker | null;
  /** Absent or null: it has no masks. */
  readonly masked?: MaskedCamera | null;
  /** Absent: nothing can be asked. */
  readonly check?: CameraCheck | null;
  /** Absent: it is this gateway's. */
  readonly ownership?: CameraOwnership;
  /** The log that its sources write to; absent: they have their own. It follows when the camera is renamed. */
  readonly log?: CameraLog;
  /**
   * Called when the camera replaces another with this uuid: conclusions from the earlier one's failures no longer hold.
   */
  readonly onReplacing?: () => void;
}

type PerCamera =
  | 'cameraUuid'
  | 'main'
  | 'sub'
  | 'compatible'
  | 'soundEncoder'
  | 'speaker'
  | 'check'
  | 'log'
  | 'ownership'
  | 'onChange'
  | 'onStatusChange'
  | 'onReport'
  | 'onSoundChange'
  | 'onClock'
  | 'onSigning';

export interface HubOptions extends Omit<CameraStreamOptions, PerCamera> {
  readonly log: Log;
  readonly onStatusChange: (camera: CameraStream, state: LiveState) => void;
  /** See CameraStreamOptions. */
  readonly onChange?: (cameraUuid: Ruuid) => void;
  readonly onReport?: (cameraUuid: Ruuid, report: CameraReport) => void;
  readonly onSoundChange?: (cameraUuid: Ruuid, sound: SoundState) => void;
  readonly onSigning?: (cameraUuid: Ruuid, signing: SigningState) => void;
  /** null: the camera is closed, or gone. */
  readonly onClock?: (cameraUuid: Ruuid, reading: ClockReading | null) => void;
  /** A camera was added, and is idle, or it was removed. */
  readonly onCamera?: (cameraUuid: Ruuid, change: 'put' | 'removed') => void;
  /** The same for a camera with its masks, of which nothing else is reported. */
  readonly onMasked?: (maskedUuid: Ruuid) => void;
}

interface Entry {
  readonly fingerprint: string;
  readonly stream: CameraStream;
}

export class StreamHub implements LiveCameras {
  readonly #options: HubOptions;
  readonly #cameras = new Map<Ruuid, Entry>();
  /** Cameras with masks, by their own UUIDs. */
  readonly #masked = new Map<Ruuid, CameraStream>();
  /** Their UUIDs, by the camera's. */
  readonly #maskedOf = new Map<Ruuid, Ruuid>();

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get(cameraUuid: Ruuid): CameraStream | undefined {
    return this.#cameras.get(cameraUuid)?.stream ?? this.#masked.get(cameraUuid);
  }

  /** Whether it is a camera with its masks. */
  isMasked(cameraUuid: Ruuid): boolean {
    return this.#masked.has(cameraUuid);
  }

  /** Without the cameras with masks. */
  all(): Iterable<CameraStream> {
    return this.#cameras.values().map((entry) => entry.stream);
  }

  /** Adds the camera, or replaces it if its fingerprint changed. */
  put(camera: HubCamera): void {
    const known = this.#cameras.get(camera.uuid);
    if (known?.fingerprint === camera.fingerprint) {
      if (camera.name !== undefined) known.stream.rename(camera.name);
      this.#putMasked(camera);
      return;
    }
    if (known !== undefined) {
      this.#close(known);
      camera.onReplacing?.();
    }
    this.#cameras.set(camera.uuid, { fingerprint: camera.fingerprint, stream: this.#streamOf(camera) });
    this.#options.onCamera?.(camera.uuid, 'put');
    this.#putMasked(camera);
  }

  /** A camera that is reopened keeps its masked one, which waits for it. */
  #putMasked({ uuid, name = uuid, masked = null, soundEncoder = null, speaker = null }: HubCamera): void {
    const before = this.#maskedOf.get(uuid);
    if (before !== undefined && before === masked?.uuid) {
      this.#masked.get(before)?.rename(name);
      return;
    }
    this.#removeMasked(uuid);
    if (masked === null) return;
    const { ownership } = masked;
    const log = new CameraLog(this.#options.log, masked.uuid, name);
    const { onChange } = this.#options;
    const stream = new CameraStream({
      ...this.#options,
      cameraUuid: masked.uuid,
      main: masked.source(new CurrentUnits(() => this.#cameras.get(uuid)?.stream.units ?? null)),
      sub: null,
      compatible: null,
      soundEncoder,
      speaker,
      check: null,
      log,
      ...(ownership === undefined ? {} : { ownership }),
      onChange: () => onChange?.(masked.uuid),
      onStatusChange: () => undefined,
      onReport: () => undefined,
      onSoundChange: () => undefined,
      onSigning: () => undefined,
      onClock: () => undefined,
    });
    this.#masked.set(masked.uuid, stream);
    this.#maskedOf.set(uuid, masked.uuid);
    this.#options.onMasked?.(masked.uuid);
  }

  #removeMasked(cameraUuid: Ruuid): void {
    const maskedUuid = this.#maskedOf.get(cameraUuid);
    if (maskedUuid === undefined) return;
    const stream = this.#masked.get(maskedUuid)!;
    this.#maskedOf.delete(cameraUuid);
    this.#masked.delete(maskedUuid);
    this.#closeStream(stream);
    this.#options.onMasked?.(maskedUuid);
  }

  #streamOf(camera: HubCamera): CameraStream {
    const { uuid, name = uuid, main, sub, compatible = null, soundEncoder = null } = camera;
    const { check = null, speaker = null, log, ownership } = camera;
    const { onStatusChange, onReport, onSoundChange, onSigning, onClock, onChange } = this.#options;
    const stream: CameraStream = new CameraStream({
      ...this.#options,
      cameraUuid: uuid,
      main,
      sub,
      compatible,
      soundEncoder,
      speaker,
      check,
      log: log ?? new CameraLog(this.#options.log, uuid, name),
      ...(ownership === undefined ? {} : { ownership }),
      onChange: () => onChange?.(uuid),
      onStatusChange: (state) => onStatusChange(stream, state),
      onReport: (report) => onReport?.(uuid, report),
      onSoundChange: (sound) => onSoundChange?.(uuid, sound),
      onSigning: (signing) => onSigning?.(uuid, signing),
      onClock: (reading) => onClock?.(uuid, reading),
    });
    return stream;
  }

  remove(cameraUuid: Ruuid): void {
    const known = this.#cameras.get(cameraUuid);
    if (known === undefined) return;
    this.#removeMasked(cameraUuid);
    this.#cameras.delete(cameraUuid);
    this.#close(known);
    this.#options.onCamera?.(cameraUuid, 'removed');
  }

  /** Resolves when every connection is closed and all numbers are saved. */
  async close(): Promise<void> {
    const own = Array.from(this.#cameras.values(), (entry) => entry.stream);
    const closing = [...this.#masked.values(), ...own].map((stream) => stream.close());
    this.#masked.clear();
    this.#maskedOf.clear();
    this.#cameras.clear();
    await Promise.all(closing);
  }

  #close(entry: Entry): void {
    this.#closeStream(entry.stream);
  }

  #closeStream(stream: CameraStream): void {
    stream.close().catch((thrown) => {
      this.#options.log.error(
        { camera: stream.uuid, name: stream.name, err: toGatewayError(thrown) },
        'camera did not close',
      );
    });
  }
}

/** The access units of the camera that runs now. */
class CurrentUnits implements UnitFeed {
  readonly #current: () => UnitFeed | null;
  readonly #attached = new Map<UnitReader, UnitFeed>();

  constructor(current: () => UnitFeed | null) {
    this.#current = current;
  }

  attach(reader: UnitReader): void {
    const feed = this.#current();
    if (feed === null) {
      queueMicrotask(() => reader.onGone(new GatewayError(STREAM_ERRORS.STREAM_CLOSED)));
      return;
    }
    this.#attached.set(reader, feed);
    feed.attach(reader);
  }

  detach(reader: UnitReader): void {
    this.#attached.get(reader)?.detach(reader);
    this.#attached.delete(reader);
  }
}
