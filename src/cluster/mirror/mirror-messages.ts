/**
 * Messages between a node that mirrors a camera's stream and the node that owns it (docs/design/mirrors.md#mirrors). The node
 * that mirrors opens the link and numbers its subscriptions. Values with bytes in them, such as tracks, are attachments in V8's
 * format: both ends are nodes of one cluster.
 */

import { deserialize, serialize } from 'node:v8';
import type { SegmenterProgress } from '../../cmaf/segmenter-progress.ts';
import type { AccessUnit } from '../../codec/track.ts';
import type { Ruuid } from '../../core/ruuid.ts';
import type { WireError } from '../../core/wire-error.ts';
import type { PeriodsState } from '../../stream/dash/dash-period.ts';
import type { Audience, KeyFrame, RenditionName } from '../../stream/media/live-media.ts';
import type { ProfileName } from '../../stream/media/renditions.ts';
import type { Urgency } from '../../stream/media/urgency.ts';
import type { SoundState } from '../../stream/sound-state.ts';
import type { LiveWindowState } from '../../stream/window/followed-window.ts';
import type { Beat } from '../nodes/store-reliance.ts';

/** Messages from the node that mirrors. */
export const TO_OWNER = {
  /** A request, MirrorOpening: answered when the owner has the camera. */
  open: 'mirror.open',
  want: 'mirror.want',
  touches: 'mirror.touches',
  units: 'mirror.units',
  close: 'mirror.close',
} as const;

/** Messages from the owner; parts come as records (link-part.ts). */
export const TO_MIRROR = {
  tracks: 'mirror.tracks',
  window: 'mirror.window',
  unit: 'mirror.unit',
  periods: 'mirror.periods',
  failed: 'mirror.failed',
  closed: 'mirror.closed',
  pulses: 'mirror.pulses',
  down: 'mirror.down',
  ended: 'mirror.ended',
} as const;

/** A subscription's number on its link: never used again. */
export interface Subscribed {
  readonly sub: number;
}

export interface MirrorOpening extends Subscribed {
  readonly camera: Ruuid;
  readonly profile: ProfileName;
}

export interface MirrorWant extends Subscribed {
  readonly rendition: RenditionName;
  readonly isWanted: boolean;
}

export interface MirrorTouch extends Subscribed {
  readonly urgency: Urgency;
}

export interface MirrorUnits extends Subscribed {
  readonly isWanted: boolean;
}

export interface OfRendition extends Subscribed {
  readonly rendition: RenditionName;
}

/** Behind each part that it is true of. `rendition`: the one that sets the Periods of the manifest. */
export interface MirrorPeriods extends OfRendition {
  readonly audience: Audience;
  readonly nextMsn: number;
  readonly hasHole: boolean;
}

/** Attached if a Period has begun or ended since. */
export type PeriodsAttachment = Pick<PeriodsState, 'periods' | 'usualSec'>;

export interface MirrorFailed extends OfRendition {
  readonly error: WireError;
}

export interface MirrorTouches {
  readonly touches: readonly MirrorTouch[];
}

export interface MirrorPulse extends Subscribed {
  readonly sound: SoundState;
  readonly keyDistanceMs: number | null;
  /** The run that should own the camera if this owner is lost: it mirrors the most of it. null: none that takes cameras does. */
  readonly heir: string | null;
}

/** Once a second, of the streams that run. */
export interface MirrorPulses {
  readonly pulses: readonly MirrorPulse[];
  /** The beat of an owner that relies on the store. */
  readonly beat: Beat | null;
}

/** In one message about many streams: its header stays far below the limit of a link. */
const MAX_TOGETHER = 1_000;

/** `all` in pieces that fit into a message each. */
export function* together<T>(all: readonly T[]): Iterable<readonly T[]> {
  for (let at = 0; at < all.length; at += MAX_TOGETHER) yield all.slice(at, at + MAX_TOGETHER);
}

export interface MirrorDown extends Subscribed {
  readonly error: WireError;
}

/** Attached first; the bytes of all parts follow, in order, as one attachment: a window has more parts than a frame can have. */
export interface WindowAttachment {
  readonly state: LiveWindowState<number>;
  readonly progress: SegmenterProgress | null;
  readonly keyFrame: KeyFrame | null;
}

/** Attached first; its data follow. `ageMs`: since it arrived. */
export type UnitAttachment = Omit<AccessUnit, 'data' | 'arrivalMonoMs'> & { readonly ageMs: number };

export function packed(value: unknown): Uint8Array {
  return serialize(value);
}

export function unpacked<T>(bytes: Uint8Array | undefined): T {
  return deserialize(bytes ?? new Uint8Array()) as T;
}
