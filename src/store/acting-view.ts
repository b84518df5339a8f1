/**
 * What the running code may see. A request of a limited caller says it once, at its beginning. From then on, the store has nothing else for
 * it, however deep in the services it reads (scoped-store.ts). Without a view, code sees everything.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Ruuid } from '../core/ruuid.ts';

/** UUIDs in any text, with or without a facet. */
const UUIDS = /(?<![\w-])[\w-]{22}(?![\w-])/g;

/** The part of an organization that a limited caller sees, at one instant. */
export interface ActingView {
  readonly orgUuid: Ruuid;
  /** Cameras, NVRs, doors, and elevator landings. */
  seesDevice(uuid: Ruuid): boolean;
  /** The location is part of the rights, so everything at it is. */
  seesSite(uuid: Ruuid): boolean;
  /** Also the locations of cameras that are part of the rights without their location. */
  seesLocation(uuid: Ruuid): boolean;
  /** Whether the value names a device or a location of the organization that is not part of the rights. */
  namesHidden(value: unknown): boolean;
  /** Where a camera is, directly or by its NVR. */
  locationOfCamera(uuid: Ruuid): Ruuid | null;
  readonly deviceUuids: readonly Ruuid[];
}

const acting = new AsyncLocalStorage<ActingView | null>();

/** Runs `work`, and everything it starts, with this view; null: it sees everything. */
export function actWithin<T>(view: ActingView | null, work: () => T): T {
  return acting.run(view, work);
}

/** null: the running code sees everything. */
export function actingView(): ActingView | null {
  return acting.getStore() ?? null;
}

/** Runs `work` so that it sees everything: what it reads is for others too. */
export function seeingAll<T>(work: () => T): T {
  return actingView() === null ? work() : acting.run(null, work);
}

/** UUIDs that a value contains anywhere. */
export function uuidsIn(value: unknown): Iterable<string> {
  return (JSON.stringify(value) ?? '').match(UUIDS) ?? [];
}
