/** Where committed changes of what decides about viewers take effect. */

import type { Ruuid } from '../core/ruuid.ts';
import type { EndOutcome, LinkEndRequest } from '../store/access-end.ts';
import type { Camera, Schedule, Share, VideoWall, WallShare } from '../store/entities.ts';
import type { Emergency } from './emergency-link.ts';
import type { SharedGroup } from './shared-group.ts';

interface AccessRecords {
  readonly share: Share;
  readonly schedule: Schedule;
  readonly wall: VideoWall;
  readonly wallShare: WallShare;
  readonly group: SharedGroup;
  readonly emergency: Emergency;
  /** Of a camera. */
  readonly masks: Pick<Camera, 'orgUuid' | 'masks' | 'masksForViewers'>;
}

/** A committed change: the record as it is now; null: it was removed. */
export type AccessChange = {
  [Kind in keyof AccessRecords]: {
    readonly kind: Kind;
    readonly uuid: Ruuid;
    readonly record: AccessRecords[Kind] | null;
  };
}[keyof AccessRecords];

const KINDS: ReadonlySet<string> = new Set<keyof AccessRecords>([
  'share',
  'schedule',
  'wall',
  'wallShare',
  'group',
  'emergency',
  'masks',
]);

/** Whether it is a change of links and what they show, not one of credentials or devices. */
export function isAccessChange(change: { readonly kind: string }): change is AccessChange {
  return KINDS.has(change.kind);
}

/** Asynchronous, because the views may be in a different thread than the change. */
export interface AccessRules {
  /** When this resolves, every running view has been judged by the change. */
  applied(change: AccessChange): Promise<void>;
  /**
   * Ends access that the store could not end: when this resolves, it is in force, and the views that it concerns have ended
   * (docs/design/failure.md#ending-access-without-the-store).
   */
  endAccess(orgUuid: Ruuid, request: LinkEndRequest): EndOutcome | Promise<EndOutcome>;
  /** Writes ends of the record that wait for the store, so that the next change is later than they are. Rejects like the store. */
  storeEnds(uuid: Ruuid): void | Promise<void>;
}
