/** Messages between the gateway's thread and the threads that read cameras. Plain values: they are copied. */

import type { FrameCounts } from '../../cmaf/segmenter-progress.ts';
import type { SigningNews } from '../../codec/media-signing/signing-watch.ts';
import type { Track } from '../../codec/track.ts';
import type { WireError } from '../../core/wire-error.ts';
import type { ClockReading } from '../../rtp/camera-clock.ts';
import type { SessionDescription } from '../../rtsp/sdp/session-description.ts';
import type { SkippedTrack, TrackSelection } from '../../rtsp/track-selection.ts';
import type { RenditionOrder, SourcePulse } from '../../stream/packaging/packaging-host.ts';
import type { SoundOffer } from '../../stream/source/source-events.ts';
import type { DirectTimeouts } from '../direct/timeouts.ts';
import type { AddressRule } from '../network/camera-address.ts';
import type { TransportPreference } from '../network/camera-route.ts';
import type { TlsTrust } from '../network/tls-trust.ts';

/** A connection that a thread is to open: as DirectRtspOptions. */
export interface CameraOrder {
  /** With credentials: it is passed between threads of this process, and kept nowhere. */
  readonly url: string;
  readonly transport: TransportPreference;
  readonly tls: TlsTrust;
  readonly addressRule: AddressRule;
  readonly timeouts: Partial<DirectTimeouts>;
  readonly mayUseCameraTime: boolean;
  readonly signingAnchors: string | null;
  readonly isSilent: boolean;
  /** The gateway's thread carries what the thread cannot, in other ways: Motion JPEG, and video that players cannot follow. */
  readonly isAuto: boolean;
  /** It also carries audio that browsers do not play. */
  readonly hasSoundWorker: boolean;
}

/** A report on the access units that did not cross, and on their packaging, since the last report. */
export interface HostedPulse {
  readonly pulse: SourcePulse;
  /** null: the reading of the camera's clocks has not changed since the last report. */
  readonly clock: ClockReading | null;
  readonly counts: readonly (readonly [rendition: number, counts: FrameCounts])[];
}

/** Between access units, parts and pulses, in order. */
export type HostEvent =
  | { readonly kind: 'tracks'; readonly tracks: readonly Track[] }
  | { readonly kind: 'sound'; readonly offer: SoundOffer }
  | { readonly kind: 'clock'; readonly reading: ClockReading }
  | { readonly kind: 'signing'; readonly news: SigningNews }
  | { readonly kind: 'dropped'; readonly frames: number; readonly code: string }
  | {
      readonly kind: 'described';
      readonly description: SessionDescription;
      readonly selection: TrackSelection;
    }
  | { readonly kind: 'skipped'; readonly skipped: readonly SkippedTrack[] }
  /** See PackagingSwitch. */
  | { readonly kind: 'packaging-stopped' }
  | { readonly kind: 'packaging-starts' }
  /** Players cannot follow the video as it is. */
  | { readonly kind: 'unfit' }
  /** The thread cannot carry what the camera offers, and the gateway's thread can. Nothing follows. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'log'; readonly level: LogCall; readonly fields: object; readonly message: string }
  /** Nothing follows. */
  | { readonly kind: 'ended'; readonly error: WireError };

/** A slab that a thread lends bytes from. `memory` null: nothing in it is lent, nor will be. */
export interface SlabNotice {
  readonly slabId: number;
  readonly memory: SharedArrayBuffer | null;
}

export type LogCall = 'debug' | 'info' | 'warn' | 'error';

/** Calls to a thread that reads cameras. */
export interface CameraHostCalls {
  open(stream: number, order: CameraOrder): void;
  /** Resolves when everything is released. */
  close(stream: number): Promise<void>;
  /** Packages a rendition of the stream, from the next key frame on, until `unpackage` or the stream's end. */
  package(stream: number, rendition: number, order: RenditionOrder): void;
  unpackage(stream: number, rendition: number): void;
  /** Whether access units cross: see PackagingHost. */
  passUnits(stream: number, isWanted: boolean): void;
  /** See PackagingSwitch. */
  stopPackaging(stream: number): void;
  startPackaging(stream: number): void;
  /** All renditions that start at the key frame have been ordered. */
  packagingOrdered(stream: number): void;
  /** Bytes of parts that nothing reads anymore. */
  release(holds: readonly number[]): void;
}
