/**
 * Who may talk to the camera of a view: people and keys by their role, and viewers with a link if its owner allows it. Masks cover the picture
 * alone, so viewers of a masked camera may talk as well; those who cannot hear the camera may not.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { DeviceGate } from './device-gate.ts';
import type { PrincipalActor } from './device-rows.ts';
import type { ShareView } from './share-view.ts';
import type { ViewerSession } from './viewer-session.ts';

/** The link with which someone talks, by the share's UUID and name. */
export interface LinkTalker {
  readonly uuid: Ruuid;
  readonly name: string;
  readonly scheme: 'link';
}

export type TalkActor = PrincipalActor | LinkTalker;

export class TalkRights {
  readonly #gate: Pick<DeviceGate, 'talkerOf'>;
  readonly #shares: { find(shareUuid: Ruuid): ShareView | undefined };

  constructor(gate: Pick<DeviceGate, 'talkerOf'>, shares: { find(shareUuid: Ruuid): ShareView | undefined }) {
    this.#gate = gate;
    this.#shares = shares;
  }

  /** null: it may not talk, or no longer. */
  actorOf({ grant, isProbe }: Pick<ViewerSession, 'grant' | 'isProbe'>): TalkActor | null {
    if (grant.of !== 'share') return this.#gate.talkerOf(grant);
    const view = this.#shares.find(grant.shareUuid);
    return view === undefined || isProbe || !allowsTalk(view) ? null : linkTalker(view);
  }
}

/** Whether viewers of the share may talk to its camera. */
export function allowsTalk({ stored, wallShareUuid }: Pick<ShareView, 'stored' | 'wallShareUuid'>): boolean {
  return wallShareUuid === null && stored.talk && stored.includeAudio;
}

function linkTalker({ stored: { uuid, name } }: ShareView): LinkTalker {
  return { uuid, name, scheme: 'link' };
}
