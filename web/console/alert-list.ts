/** Policy alerts, and symptoms of devices in words. */

import { type Answer, call } from './api.ts';
import { t } from './words.ts';

export type PolicyAlert = Answer<'event/getPolicyAlerts'>['policyAlerts'][number];

/** The person who handles an alert. */
export type Acknowledgement = NonNullable<PolicyAlert['acknowledgement']>;

/** The person who looks after an alert that is open. */
export type Taking = NonNullable<PolicyAlert['taking']>;

export interface AlertList {
  /** Newest first. */
  readonly alerts: readonly PolicyAlert[];
  readonly isMore: boolean;
}

export interface NamedDevices {
  /** Names of cameras and NVRs, by UUID. */
  readonly deviceNames: ReadonlyMap<string, string>;
  /** Those that an image can be asked of. */
  readonly cameraUuids: ReadonlySet<string>;
}

const PAGE_SIZE = 500;
/** Rows show small images: 480 pixels of 1080p. */
const IMAGE_DIVISOR = 4;
/** Memory of the gateway reaches so far back, if nothing is recorded. */
const RECENT_MS = 20_000;

const SYMPTOMS: Readonly<Record<string, string>> = {
  DOWN: t('Cannot be reached'),
  SLOW_INTERNET: t('Its connection is slow'),
  POLICY_NOT_ASSIGNED: t('It has no rules for alerts'),
};

/** The newest alerts, at least `wanted` if there are so many. `isOpenOnly`: not the acknowledged ones. Fails with a CallError. */
export async function readAlerts(
  wanted: number,
  isOpenOnly: boolean,
  signal?: AbortSignal,
): Promise<AlertList> {
  const alerts: PolicyAlert[] = [];
  while (alerts.length < wanted) {
    const maxResults = Math.min(PAGE_SIZE, wanted - alerts.length);
    const last = alerts.at(-1);
    const { policyAlerts } = await call(
      'event/getPolicyAlerts',
      {
        maxResults,
        ...(isOpenOnly ? { onlyUnacknowledged: true } : {}),
        ...(last === undefined ? {} : { lastTimestampMs: last.timestampMs, lastUuid: last.uuid }),
      },
      signal,
    );
    alerts.push(...policyAlerts);
    if (policyAlerts.length < maxResults) return { alerts, isMore: false };
  }
  return { alerts, isMore: true };
}

/** Fails with a CallError, of status 404 if it was removed. */
export async function readAlert(policyAlertUuid: string, signal?: AbortSignal): Promise<PolicyAlert> {
  return (await call('event/getPolicyAlert', { policyAlertUuid }, signal)).policyAlert;
}

export async function readDeviceNames(signal?: AbortSignal): Promise<NamedDevices> {
  const [{ cameraStates }, { nvrstates }] = await Promise.all([
    call('camera/getMinimalCameraStateList', {}, signal),
    call('relay/getMinimalNVRStateList', {}, signal),
  ]);
  return {
    deviceNames: new Map([...cameraStates, ...nvrstates].map(({ uuid, name }) => [uuid, name ?? uuid])),
    cameraUuids: new Set(cameraStates.map(({ uuid }) => uuid)),
  };
}

/**
 * The camera's frame at the instant of the alert, as JPEG in Base64. Fails with a CallError, of status 404 if
 * neither the recording nor the gateway's memory has it.
 */
export async function readAlertImage(alert: PolicyAlert, signal: AbortSignal): Promise<string> {
  const { frameData } = await call(
    'video/getExactFrameData',
    { cameraUuid: alert.deviceUuid, timestampMs: alert.timestampMs, downscaleFactor: IMAGE_DIVISOR },
    signal,
  );
  return frameData;
}

/** Whether it makes sense to ask for an image. */
export function mayHaveImage(alert: PolicyAlert, nowEpochMs: number): boolean {
  const { thumbnailLocation, clipLocation, timestampMs } = alert;
  return (
    thumbnailLocation !== undefined || clipLocation !== undefined || nowEpochMs - timestampMs < RECENT_MS
  );
}

/** `note` null: as it is. `isYours` false: someone else was first. Fails with a CallError. */
export function acknowledgeAlert(
  { uuid }: PolicyAlert,
  note: string | null,
): Promise<Answer<'event/acknowledgePolicyAlert'>> {
  return call('event/acknowledgePolicyAlert', { alertUuid: uuid, ...(note === null ? {} : { note }) });
}

/** `isYours` false: someone else has taken it. Fails with a CallError. */
export function takeAlert({ uuid }: PolicyAlert): Promise<Answer<'event/takePolicyAlert'>> {
  return call('event/takePolicyAlert', { alertUuid: uuid });
}

/** Fails with a CallError. */
export async function releaseAlert({ uuid }: PolicyAlert): Promise<void> {
  await call('event/releasePolicyAlert', { alertUuid: uuid });
}

/** Saves it as a clip with a note. A clip that it has already gets the title and the note. Fails with a CallError. */
export async function saveAlert({ uuid }: PolicyAlert, title: string, note: string): Promise<void> {
  await call('event/savePolicyAlertV2', {
    alertUuid: uuid,
    ...(title === '' ? {} : { savedClipTitle: title }),
    ...(note === '' ? {} : { savedClipDescription: note }),
  });
}

/** Describes an alert in words. */
export function alertTitle({ textDescription, policyAlertTriggers = [] }: PolicyAlert): string {
  if (textDescription !== undefined && textDescription !== '') return textDescription;
  return policyAlertTriggers.length === 0 ? t('Alert') : policyAlertTriggers.map(triggerText).join(', ');
}

/** What the gateway and its programs report; others are as their program calls them: `SPILL_FOUND` → `Spill found`. */
const TRIGGERS: Readonly<Record<string, string>> = {
  MOTION: t('Motion'),
  MOTION_HUMAN: t('Person'),
  MOTION_CAR: t('Vehicle'),
  MOTION_ANIMAL: t('Animal'),
  TAMPER: t('Camera tampered with'),
  PANIC_BUTTON: t('Panic button'),
  LOCKDOWN_RULE: t('Lockdown rule'),
};

export function triggerText(trigger: string): string {
  if (Object.hasOwn(TRIGGERS, trigger)) return TRIGGERS[trigger]!;
  const words = trigger.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function symptomText(symptom: string): string {
  return SYMPTOMS[symptom] ?? triggerText(symptom);
}
