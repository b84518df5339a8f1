/**
 * Legal holds: times of a camera, and clips, that nothing deletes. A hold is a resource, which says who holds and why; that of a
 * time has a row in addition, so that the statement that deletes a recording can respect it (docs/design/evidence.md#holds).
 */

import type { Ruuid } from '../core/ruuid.ts';
import { type ResourceStore, resourceKind } from './resource.ts';

/** The time of a camera that is held, half-open, epoch milliseconds. */
export interface HeldTime {
  readonly uuid: Ruuid;
  readonly orgUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly startMs: number;
  readonly endMs: number;
}

/** Of the resource `hold`. */
export interface HoldBody {
  /** What is held: a time of a camera, or a clip. */
  readonly cameraUuid: Ruuid | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly clipUuid: Ruuid | null;
  readonly reason: string;
  /** The name of the person or the key. */
  readonly heldBy: string;
  /** When it ends; null: when someone releases it. */
  readonly untilMs: number | null;
  /** The case that it belongs to; null: none. */
  readonly caseUuid: Ruuid | null;
}

export const HOLDS = resourceKind<HoldBody>('hold');

export interface RecordingHoldRepository {
  /** Adds it, or replaces its record. */
  save(hold: HeldTime): Promise<void>;
  remove(uuid: Ruuid): Promise<boolean>;
  /** All, of every organization. */
  list(): Promise<HeldTime[]>;
  /** Bytes of the organization's recordings that are held, each file once, and of this time as if it were held. */
  byteLength(orgUuid: Ruuid, more: Omit<HeldTime, 'uuid'> | null): Promise<number>;
}

/** The clips of the organization that someone holds. */
export async function heldClips(resources: ResourceStore, orgUuid: Ruuid): Promise<ReadonlySet<Ruuid>> {
  const holds = await resources.of(HOLDS).list(orgUuid);
  return new Set(holds.flatMap(({ body }) => body.clipUuid ?? []));
}
