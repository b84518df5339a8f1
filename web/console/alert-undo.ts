/** Acknowledging alerts, one or many, and undoing it. */

import { signal } from '@preact/signals';
import { forgetAlerts } from './alert-watch.ts';
import { call } from './api.ts';
import { t } from './words.ts';

/** What was acknowledged here last, until the notice of it closes. */
export interface Acknowledged {
  readonly uuids: readonly string[];
  /** Someone else was first for so many. */
  readonly otherCount: number;
  /** Who acknowledged one of these. */
  readonly otherName: string | null;
  readonly isReopened: boolean;
}

/** What its key does. */
export const UNDO_TITLE = t('Undo the acknowledgment');

export function canUndo({ uuids, isReopened }: Acknowledged): boolean {
  return !isReopened && uuids.length > 0;
}

/** null: nothing, or its notice was closed. */
export const lastAcknowledged = signal<Acknowledged | null>(null);

/** The gateway takes no more in one call. */
const MAX_TOGETHER = 200;

/** Acknowledges alerts without a note, and offers to undo it. Fails with a CallError; those before the failure stay acknowledged. */
export async function acknowledgeAlerts(alertUuids: readonly string[]): Promise<void> {
  const uuids: string[] = [];
  const others: { readonly acknowledgement: { readonly actorName: string } }[] = [];
  try {
    for (let start = 0; start < alertUuids.length; start += MAX_TOGETHER) {
      const together = alertUuids.slice(start, start + MAX_TOGETHER);
      const { acknowledgedUuids, ofOthers } = await call('event/acknowledgePolicyAlerts', {
        alertUuids: together,
      });
      uuids.push(...acknowledgedUuids);
      others.push(...ofOthers);
      forgetAlerts(together);
    }
  } finally {
    if (uuids.length + others.length > 0) {
      const otherName = others[0]?.acknowledgement.actorName ?? null;
      lastAcknowledged.value = { uuids, otherCount: others.length, otherName, isReopened: false };
    }
  }
}

/** After an alert was acknowledged with a note, or by a key. */
export function offerUndo(uuid: string): void {
  forgetAlerts([uuid]);
  lastAcknowledged.value = { uuids: [uuid], otherCount: 0, otherName: null, isReopened: false };
}

/** Reopens what was acknowledged last. Fails with a CallError. */
export async function undoAcknowledged({ uuids }: Acknowledged): Promise<void> {
  const reopened: string[] = [];
  for (let start = 0; start < uuids.length; start += MAX_TOGETHER) {
    const alertUuids = uuids.slice(start, start + MAX_TOGETHER);
    const { reopenedUuids } = await call('event/reopenPolicyAlerts', { alertUuids });
    reopened.push(...reopenedUuids);
  }
  lastAcknowledged.value = { uuids: reopened, otherCount: 0, otherName: null, isReopened: true };
}
