/**
 * The real-time stream of listeners whose rights are limited to sites and cameras. A message about a device that they see is theirs; one that
 * leaves their rights is announced as deleted. Walls, schedules, shared groups, cases, and holds belong to no device: their messages say only
 * that the list has changed.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { AccessScope } from '../store/access-scope.ts';
import { type ActingView, actWithin } from '../store/acting-view.ts';
import type { ScopeViews } from '../store/scope-views.ts';
import type { Store } from '../store/store.ts';
import type { ChangeEntity, ChangeMessage } from './change-message.ts';

export interface LimitedChangesOptions {
  readonly views: Pick<ScopeViews, 'viewOf'>;
  readonly store: Pick<Store, 'shares' | 'wallShares'>;
}

/** Their own UUID names them; the device of a door is its owner. */
const DEVICES: ReadonlySet<ChangeEntity> = new Set(['CAMERA', 'NVR', 'ACCESS_CONTROLLED_DOOR']);
/** They can show several cameras, of which the message names one at most. */
const OF_SEVERAL: ReadonlySet<ChangeEntity> = new Set([
  'SAVED_CLIPS',
  'SHARED_CLIPS',
  'TIMELAPSE',
  'VIDEO_WALL',
  'SCHEDULE',
  'EVIDENCE_CASE',
  'LEGAL_HOLD',
  'EMERGENCY',
]);

export class LimitedChanges {
  readonly #options: LimitedChangesOptions;

  constructor(options: LimitedChangesOptions) {
    this.#options = options;
  }

  /** `send`: gets the messages of one listener, in their order. `onFailed`: nothing more can be judged. */
  listener(
    orgUuid: Ruuid,
    scope: AccessScope,
    send: (message: ChangeMessage) => void,
    onFailed: () => void,
  ): (message: ChangeMessage) => void {
    const { views } = this.#options;
    let before: ActingView | null = null;
    const look = async (): Promise<ActingView> => views.viewOf(orgUuid, scope);
    let line: Promise<void> = look().then((view) => {
      before = view;
    }, onFailed);
    return (message) => {
      line = line
        .then(async () => {
          const view = await look();
          const shown = await this.#shown(orgUuid, message, before, view);
          before = view;
          if (shown !== null) send(shown);
        })
        .catch(onFailed);
    };
  }

  async #shown(
    orgUuid: Ruuid,
    message: ChangeMessage,
    before: ActingView | null,
    view: ActingView,
  ): Promise<ChangeMessage | null> {
    const shown = limitedMessage(message, before, view);
    if (shown?.entity !== 'VIEWER' || shown.update === null) return shown;
    // Viewers of a wall with other cameras watch one of these too.
    const share = shown.update.sharedLiveVideoStreamUuid as Ruuid;
    const { shares, wallShares } = this.#options.store;
    const isSeen = await actWithin(
      view,
      async () =>
        (await shares.find(orgUuid, share)) !== null || (await wallShares.find(orgUuid, share)) !== null,
    );
    return isSeen ? shown : null;
  }
}

/** null: the listener gets nothing. `before`: what they saw when the previous message came. */
export function limitedMessage(
  message: ChangeMessage,
  before: ActingView | null,
  view: ActingView,
): ChangeMessage | null {
  const { entity, entityUuid, deviceUuid } = message;
  // Their rights never include people.
  if (entity === 'PEOPLE') return null;
  if (entity === 'LOCATION') {
    const uuid = entityUuid as Ruuid;
    if (view.seesLocation(uuid)) return message;
    return before?.seesLocation(uuid) === true ? gone(message) : null;
  }
  if (entity === 'LOCKDOWN_RULE') {
    const isSeen = deviceUuid !== null && view.seesSite(deviceUuid);
    return isSeen ? nameless(message) : null;
  }
  if (OF_SEVERAL.has(entity) || deviceUuid === null) return nameless(message);
  const device = DEVICES.has(entity) ? (entityUuid as Ruuid) : deviceUuid;
  if (view.seesDevice(device)) return withoutHidden(message, view);
  return before?.seesDevice(device) === true ? gone(message) : null;
}

function withoutHidden(message: ChangeMessage, view: ActingView): ChangeMessage {
  const { deviceUuid, update } = message;
  return {
    ...message,
    deviceUuid: view.namesHidden(deviceUuid) ? null : deviceUuid,
    update: view.namesHidden(update) ? null : update,
  };
}

function gone({ entity, entityUuid }: ChangeMessage): ChangeMessage {
  return { entity, entityUuid, type: 'DELETE', deviceUuid: null, update: null };
}

function nameless({ entity }: ChangeMessage): ChangeMessage {
  return { entity, entityUuid: '', type: 'UPDATE', deviceUuid: null, update: null };
}
