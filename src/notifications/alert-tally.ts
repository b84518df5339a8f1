/**
 * What happened at a device, as it waits for a mail: equal alerts are one line with a count, so what waits is bounded by devices and kinds,
 * however many alerts there are, and each of them counts. Pure.
 */

import type { Ruuid } from '../core/ruuid.ts';
import type { PolicyAlertBody } from '../events/policy-alerts.ts';
import { type DeviceHealthBody, isHealthNews } from '../events/unhealthy-device.ts';
import type { StoredEvent } from '../store/event.ts';

export interface Tally {
  readonly deviceUuid: Ruuid;
  readonly locationUuid: Ruuid | null;
  /** Triggers of alerts, in order; of health the diagnostic of the last event. */
  readonly kinds: readonly string[];
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  /** When the first of them was queued: the hours of people count then. */
  readonly queuedAtMs: number;
  /** The newest of them. */
  readonly newestId: string;
  /** The newest one's own words; empty: none. */
  readonly text: string;
  /** The highest level of ANSI/TMA-AVS-01, 0 to 4; null: not known. */
  readonly validation: number | null;
}

export const DIGEST_TOPICS = ['ALERTS', 'HEALTH'] as const;
export type DigestTopic = (typeof DIGEST_TOPICS)[number];

/** Diagnostics of devices, as settings name them. */
export const DISCONNECTED = 'CAMERA_DISCONNECTED';
export const CONNECTED = 'CAMERA_CONNECTED';
/** Sets of kinds that are told apart for one device; further ones are one line without kinds. */
const MAX_KINDS_PER_DEVICE = 20;
const MAX_TEXT_CHARS = 200;

/** null: no mail is about it. */
export function digestTopicOf({ kind, body }: StoredEvent): DigestTopic | null {
  if (kind === 'policyAlert') return 'ALERTS';
  return kind === 'deviceHealth' && isHealthNews(body as DeviceHealthBody) ? 'HEALTH' : null;
}

export function tallyOf(event: StoredEvent, queuedAtMs: number): Tally {
  const { deviceUuid, locationUuid = null, atMs, id } = event;
  const rest = {
    deviceUuid,
    locationUuid,
    count: 1,
    firstAtMs: atMs,
    lastAtMs: atMs,
    queuedAtMs,
    newestId: id,
  };
  if (event.kind === 'deviceHealth') {
    return { ...rest, kinds: [diagnosticOf(event.body as DeviceHealthBody)], text: '', validation: null };
  }
  const {
    textDescription = '',
    policyAlertTriggers = [],
    alarmValidationLevel = null,
  } = event.body as PolicyAlertBody;
  return {
    ...rest,
    kinds: [...new Set(policyAlertTriggers)].sort(),
    text: textDescription.slice(0, MAX_TEXT_CHARS),
    validation: alarmValidationLevel,
  };
}

/** In place of equal ones, one with their count. */
export function merged(topic: DigestTopic, tallies: Iterable<Tally>): Tally[] {
  const byKey = new Map<string, Tally>();
  const kindsOf = new Map<Ruuid, number>();
  for (const given of tallies) {
    const { deviceUuid, kinds } = given;
    const key = keyOf(topic, given);
    const known = byKey.get(key);
    if (known !== undefined || topic === 'HEALTH') {
      byKey.set(key, known === undefined ? given : together(known, given));
      continue;
    }
    const others = kindsOf.get(deviceUuid) ?? 0;
    if (others < MAX_KINDS_PER_DEVICE || kinds.length === 0) {
      byKey.set(key, given);
      kindsOf.set(deviceUuid, others + 1);
      continue;
    }
    const vague = { ...given, kinds: [] };
    const rest = byKey.get(keyOf(topic, vague));
    byKey.set(keyOf(topic, vague), rest === undefined ? vague : together(rest, vague));
  }
  return [...byKey.values()];
}

export function totalOf(tallies: readonly Tally[]): number {
  return tallies.reduce((sum, { count }) => sum + count, 0);
}

function keyOf(topic: DigestTopic, { deviceUuid, locationUuid, kinds }: Tally): string {
  return topic === 'HEALTH' ? deviceUuid : `${deviceUuid} ${locationUuid} ${kinds.join()}`;
}

function together(one: Tally, other: Tally): Tally {
  const newest = other.lastAtMs >= one.lastAtMs ? other : one;
  const levels = [one.validation, other.validation].filter((level) => level !== null);
  return {
    ...newest,
    count: one.count + other.count,
    firstAtMs: Math.min(one.firstAtMs, other.firstAtMs),
    lastAtMs: newest.lastAtMs,
    queuedAtMs: Math.min(one.queuedAtMs, other.queuedAtMs),
    validation: levels.length === 0 ? null : Math.max(...levels),
  };
}

function diagnosticOf({ symptom }: DeviceHealthBody): string {
  if (symptom === null) return CONNECTED;
  return symptom === 'DOWN' ? DISCONNECTED : symptom;
}
