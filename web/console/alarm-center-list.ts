/** Alarm centers that get alerts by mail, a test of each, and the mails to each. */

import { type Answer, call, type Request } from './api.ts';
import { type CameraItem, listCameras, listLocations } from './camera-state.ts';
import type { Mail, MailTestResult } from './mail-list.ts';
import { t } from './words.ts';

export type AlarmCenter = Answer<'console/getAlarmReceivers'>['alarmReceivers'][number];
export type AlarmInput = AlarmCenter['inputs'][number];
export type AlarmFormat = AlarmCenter['format'];
export type AlarmCenterDraft = Omit<AlarmCenter, 'alarmReceiverUuid'>;

const MAX_MAILS = 100;

export const ALARM_FORMATS: readonly { readonly value: AlarmFormat; readonly title: string }[] = [
  { value: 'IMMIX', title: t('Immix') },
  { value: 'SUREVIEW', title: t('SureView') },
  { value: 'PLAIN', title: t('Another (plain text)') },
];

export const FORMAT_HINTS: Readonly<Record<AlarmFormat, string>> = {
  IMMIX: t('In Immix, add a device of the type “Generic Stream”. Its S-number is the address.'),
  SUREVIEW: t('SureView shows an address for each alarm point: give each camera its own below.'),
  PLAIN: t('The facts as lines of text, with the image attached.'),
};

/** Words for the levels of ANSI/TMA-AVS-01. */
export const LEVELS: readonly { readonly value: string; readonly title: string }[] = [
  { value: '', title: t('All alerts') },
  { value: '1', title: t('Level 1 or above: someone may be there') },
  { value: '2', title: t('Level 2 or above: someone is there') },
  { value: '3', title: t('Level 3 or above: a threat to property') },
  { value: '4', title: t('Level 4: a threat to life') },
];

export const NEW_CENTER: AlarmCenterDraft = {
  name: '',
  format: 'IMMIX',
  locationUuids: [],
  inputs: [],
  disabled: false,
};

export interface AlarmCenters {
  readonly centers: readonly AlarmCenter[];
  readonly cameras: readonly CameraItem[];
  readonly siteNames: ReadonlyMap<string, string>;
}

export async function readAlarmCenters(signal: AbortSignal): Promise<AlarmCenters> {
  const [{ alarmReceivers }, cameras, siteNames] = await Promise.all([
    call('console/getAlarmReceivers', {}, signal),
    listCameras(signal),
    listLocations(signal),
  ]);
  return { centers: alarmReceivers, cameras, siteNames };
}

/** `uuid` undefined: a new one. Fails with a CallError. */
export async function saveAlarmCenter(uuid: string | undefined, draft: AlarmCenterDraft): Promise<void> {
  const { address, ...rest } = draft;
  const request: Request<'console/setAlarmReceiver'> = {
    ...rest,
    name: draft.name.trim(),
    ...(address === undefined || address.trim() === '' ? {} : { address: address.trim() }),
    ...(uuid === undefined ? {} : { alarmReceiverUuid: uuid }),
    inputs: draft.inputs.map(({ address: own, ...input }) => ({
      ...input,
      ...(own === undefined || own.trim() === '' ? {} : { address: own.trim() }),
    })),
  };
  await call('console/setAlarmReceiver', request);
}

/** Fails with a CallError. */
export async function removeAlarmCenter({ alarmReceiverUuid }: AlarmCenter): Promise<void> {
  await call('console/deleteAlarmReceiver', { alarmReceiverUuid });
}

/** A mail that the server refuses is a result. Fails with a CallError. */
export function testAlarmCenter(alarmReceiverUuid: string, cameraUuid: string): Promise<MailTestResult> {
  return call('console/sendAlarmTest', {
    alarmReceiverUuid,
    ...(cameraUuid === '' ? {} : { cameraUuid }),
  });
}

/** The newest first. Fails with a CallError. */
export async function readAlarmMails(forUuid: string, signal: AbortSignal): Promise<readonly Mail[]> {
  const { mails } = await call('console/getMails', { forUuid, maxPageSize: MAX_MAILS }, signal);
  return mails;
}

/** The next number that no camera has. */
export function freeInput(inputs: readonly AlarmInput[]): number {
  const used = new Set(inputs.map(({ input }) => input));
  let free = 1;
  while (used.has(free)) free += 1;
  return free;
}
