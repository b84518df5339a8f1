/**
 * Messages from the thread that packages cameras to the threads that mirror their windows. Plain values: bytes are not in
 * the messages, but in media blocks that both threads read.
 */

import type { LentBytes, SlabEvents } from '../cmaf/block-lender.ts';
import type { PackagedTracks } from '../cmaf/packaged-tracks.ts';
import type { CmafPart } from '../cmaf/part.ts';
import type { Ruuid } from '../core/ruuid.ts';
import type { RenditionName } from '../stream/media/live-media.ts';
import type { LiveWindowState } from '../stream/window/followed-window.ts';

/** Bytes in blocks, which the mirror gives back by the number of their hold, or a copy. */
export type MirroredBytes = LentBytes | Uint8Array;

/** One opening of a rendition: when a camera is opened again, its window is another one. */
export interface WindowAddress {
  readonly cameraUuid: Ruuid;
  readonly rendition: RenditionName;
  /** Never used again. */
  readonly windowId: number;
}

export interface MirroredPart extends Omit<CmafPart, 'bytes' | 'tracks' | 'keySample'> {
  readonly bytes: MirroredBytes;
  /** null: those of the part before. */
  readonly tracks: PackagedTracks | null;
}

/** In the order in which they are called. */
export interface MirrorEvents extends SlabEvents {
  windowOpened(address: WindowAddress, state: LiveWindowState<MirroredBytes>): void;
  partPublished(windowId: number, part: MirroredPart, partTargetMs: number): void;
  /** All waiting requests fail; the camera has to be requested until the next part. `error`: as wireErrorOf makes it. */
  waitsFailed(windowId: number, error: unknown): void;
  windowClosed(windowId: number): void;
}
