/** Why a camera does not stream, in a few words, and what repairs it. */

import type { DraftField } from './camera-draft.ts';
import type { StreamState } from './stream-state.ts';
import { t } from './words.ts';

export type FaultReason = NonNullable<StreamState['errorReason']>;

export const FAULT_TITLES: Readonly<Record<FaultReason, string>> = {
  unreachable: t('The camera cannot be reached'),
  'tls-failed': t('Its certificate was not accepted'),
  'wrong-password': t('Wrong user name or password'),
  'login-unsupported': t('It wants a login of an unknown kind'),
  'wrong-path': t('There is no video at this address'),
  busy: t('The camera has no connection left'),
  refused: t('The camera refused'),
  'not-allowed': t('The gateway refused'),
  unsupported: t('It sends nothing that can be played'),
  silent: t('It connects, but sends nothing'),
  frozen: t('Its picture is frozen'),
  flood: t('It sends more than is allowed'),
  disconnected: t('It ended the connection'),
  protocol: t('It sends what the gateway does not understand'),
  'no-worker': t('The gateway has no capacity left for it'),
  gateway: t('The gateway could not try it'),
};

/** A field of the form that describes how the camera is opened. */
export interface FaultRepair {
  readonly text: string;
  readonly field: DraftField;
}

const SIGN_IN: FaultRepair = { text: t('Change sign-in…'), field: 'password' };
const ADDRESS: FaultRepair = { text: t('Change address…'), field: 'host' };

const REPAIRS: Partial<Readonly<Record<FaultReason, FaultRepair>>> = {
  'wrong-password': SIGN_IN,
  'login-unsupported': SIGN_IN,
  unreachable: ADDRESS,
  'wrong-path': ADDRESS,
  'not-allowed': ADDRESS,
  'tls-failed': ADDRESS,
};

/** What the gateway can repair; null: only the camera, or someone at it. */
export function repairOf(reason: FaultReason | undefined): FaultRepair | null {
  return reason === undefined ? null : (REPAIRS[reason] ?? null);
}
