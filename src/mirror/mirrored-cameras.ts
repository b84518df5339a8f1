/**
 * The cameras of another thread, as viewers of this one see them: the windows that were asked for, kept by the same code
 * from the same parts, so that playlists are the same text. A camera is here only as long as it streams: all other
 * requests go to the thread that has it.
 */

import { BorrowedBytes, SharedSlabs } from '../cmaf/borrowed-bytes.ts';
import type { PackagedTracks } from '../cmaf/packaged-tracks.ts';
import type { PackedBytes } from '../cmaf/part-bytes.ts';
import { receivedBuffer, receivedTracks } from '../cmaf/sent-tracks.ts';
import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/errors.ts';
import type { Ruuid } from '../core/ruuid.ts';
import { errorOfWire, type WireError } from '../core/wire-error.ts';
import { STREAM_ERRORS } from '../stream/media/errors.ts';
import type { Interest, LiveRendition, RenditionName } from '../stream/media/live-media.ts';
import type { Urgency } from '../stream/media/urgency.ts';
import type { LiveWindowState } from '../stream/window/followed-window.ts';
import { LiveWindow } from '../stream/window/live-window.ts';
import type { LiveWindowLimits } from '../stream/window/live-window-limits.ts';
import type { PathKey } from '../stream/window/path-signer.ts';
import type { OtherRendition } from '../stream/window/playlist-texts.ts';
import type { MirrorEvents, MirroredBytes, MirroredPart, WindowAddress } from './mirror-events.ts';
import { OTHER_RENDITIONS } from './other-renditions.ts';

export interface MirroredCamerasOptions {
  readonly clock: Clock;
  readonly limits: LiveWindowLimits;
  /** Absent: viewers share no paths. */
  readonly sharedPaths?: { readonly key: PathKey; readonly lifeMs: number };
  /** A part's blocks are not read anymore. */
  readonly onReleased: (hold: number) => void;
  readonly onTouch: (cameraUuid: Ruuid, interest: Interest, urgency: Urgency) => void;
}

/** A mirrored window, and whether it is fed. */
interface MirroredWindow {
  readonly address: WindowAddress;
  readonly window: LiveWindow;
  tracks: PackagedTracks | null;
  isFed: boolean;
}

export class MirroredCameras implements MirrorEvents {
  readonly #options: MirroredCamerasOptions;
  readonly #slabs = new SharedSlabs();
  readonly #windows = new Map<number, MirroredWindow>();
  readonly #cameras = new Map<Ruuid, MirroredCamera>();

  constructor(options: MirroredCamerasOptions) {
    this.#options = options;
  }

  /** undefined: nothing of it is mirrored. */
  get(cameraUuid: Ruuid): MirroredCamera | undefined {
    return this.#cameras.get(cameraUuid);
  }

  get windows(): number {
    return this.#windows.size;
  }

  /** Forgets the cameras without interest since then. Returns the windows. */
  closeUnused(sinceMonoMs: number): number[] {
    const unused = [...this.#windows.values()].filter(({ address }) => {
      const touchedMonoMs = this.#cameras.get(address.cameraUuid)?.touchedMonoMs ?? 0;
      return touchedMonoMs < sinceMonoMs;
    });
    const windowIds = unused.map(({ address }) => address.windowId);
    for (const windowId of windowIds) this.windowClosed(windowId);
    return windowIds;
  }

  slabShared(slabId: number, memory: SharedArrayBuffer): void {
    this.#slabs.slabShared(slabId, memory);
  }

  slabForgotten(slabId: number): void {
    this.#slabs.slabForgotten(slabId);
  }

  windowOpened(address: WindowAddress, state: LiveWindowState<MirroredBytes>): void {
    const { cameraUuid, rendition, windowId } = address;
    const camera = this.#cameraOf(cameraUuid);
    const segments = state.segments.map((segment) => ({
      ...segment,
      tracks: receivedTracks(segment.tracks),
      parts: segment.parts.map((bytes) => this.#bytesOf(bytes)),
    }));
    const { clock, limits, sharedPaths } = this.#options;
    const signer = sharedPaths?.key.signerOf(cameraUuid, rendition);
    const other = camera.otherOf(rendition);
    const window = LiveWindow.of(
      {
        clock,
        limits,
        numbering: state.numbering,
        isContinuation: true,
        onNumbering: () => undefined,
        ...(other === null ? {} : { other }),
        ...(signer === undefined ? {} : { shared: { signer, lifeMs: sharedPaths!.lifeMs } }),
      },
      { ...state, segments },
    );
    const tracks = segments.at(-1)?.tracks ?? null;
    const mirrored = { address, window, tracks, isFed: true };
    this.#windows.set(windowId, mirrored);
    camera.put(rendition, mirrored);
  }

  partPublished(windowId: number, part: MirroredPart, partTargetMs: number): void {
    const mirrored = this.#windows.get(windowId);
    const bytes = this.#bytesOf(part.bytes);
    if (part.tracks !== null && mirrored !== undefined) mirrored.tracks = receivedTracks(part.tracks);
    const tracks = mirrored?.tracks ?? null;
    if (mirrored === undefined || tracks === null || Buffer.isBuffer(bytes)) {
      if (!Buffer.isBuffer(bytes)) bytes.release();
      return;
    }
    mirrored.isFed = true;
    mirrored.window.publish({ ...part, bytes, tracks, keySample: null }, partTargetMs);
  }

  waitsFailed(windowId: number, error: unknown): void {
    const mirrored = this.#windows.get(windowId);
    if (mirrored === undefined) return;
    mirrored.isFed = false;
    mirrored.window.failWaiters(errorOfWire(error as WireError));
  }

  windowClosed(windowId: number): void {
    const mirrored = this.#windows.get(windowId);
    if (mirrored === undefined) return;
    this.#windows.delete(windowId);
    const { cameraUuid, rendition } = mirrored.address;
    const camera = this.#cameras.get(cameraUuid);
    camera?.drop(rendition, mirrored);
    if (camera?.isEmpty === true) this.#cameras.delete(cameraUuid);
    mirrored.window.failWaiters(new GatewayError(STREAM_ERRORS.STREAM_CLOSED));
    mirrored.window.close();
  }

  #cameraOf(cameraUuid: Ruuid): MirroredCamera {
    let camera = this.#cameras.get(cameraUuid);
    if (camera === undefined) {
      camera = new MirroredCamera(cameraUuid, this.#options);
      this.#cameras.set(cameraUuid, camera);
    }
    return camera;
  }

  #bytesOf(bytes: MirroredBytes): PackedBytes | Buffer {
    if (bytes instanceof Uint8Array) return receivedBuffer(bytes);
    return BorrowedBytes.of(bytes, this.#slabs, this.#options.onReleased);
  }
}

/** As far as its live HLS needs it: see LiveCamera. */
export class MirroredCamera {
  readonly uuid: Ruuid;
  readonly #options: MirroredCamerasOptions;
  readonly #windows = new Map<RenditionName, MirroredWindow>();

  touchedMonoMs: number;

  constructor(uuid: Ruuid, options: MirroredCamerasOptions) {
    this.uuid = uuid;
    this.#options = options;
    this.touchedMonoMs = options.clock.monoMs();
  }

  get isEmpty(): boolean {
    return this.#windows.size === 0;
  }

  /** Whether its playlists and parts can be served here. */
  hasFed(rendition: RenditionName): boolean {
    return this.#windows.get(rendition)?.isFed ?? false;
  }

  touch(interest: Interest, urgency: Urgency = 'viewer'): void {
    this.touchedMonoMs = this.#options.clock.monoMs();
    this.#options.onTouch(this.uuid, interest, urgency);
  }

  rendition(name: RenditionName): LiveRendition | null {
    return this.#windows.get(name)?.window ?? null;
  }

  otherOf(rendition: RenditionName): OtherRendition | null {
    const other = OTHER_RENDITIONS[rendition];
    if (other === undefined) return null;
    return { folder: other.folder, edge: () => this.rendition(other.name)?.edge() ?? null };
  }

  put(rendition: RenditionName, window: MirroredWindow): void {
    this.#windows.set(rendition, window);
  }

  drop(rendition: RenditionName, window: MirroredWindow): void {
    if (this.#windows.get(rendition) === window) this.#windows.delete(rendition);
  }
}
