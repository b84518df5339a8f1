/** Emergencies as the API returns them. */

import type { Static } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import {
  flag,
  int64,
  listOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
} from '../../http/fields/field-types.ts';
import { type Emergency, PARTNER_KINDS, type PastEmergency } from '../../sharing/emergency-link.ts';
import { EXAMPLE_CAMERA_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

export const PARTNER_TYPE = oneOf(
  PARTNER_KINDS,
  'Who it is, as `streamType` of shares: emergency dispatch, or an alarm center. Viewers of both go first if cameras or workers are scarce.',
);

const CAMERA_SCHEMA = namedType('EmergencyCamera', {
  cameraUuid: ruuid('The camera; it may have been removed since.'),
  name: plainText('Its name when it was opened.'),
  siteName: nullable(plainText('Its location then; absent: none.')),
});

const EXTENSION_SCHEMA = namedType('EmergencyExtension', {
  timestampMs: int64('When, epoch milliseconds.'),
  by: plainText('The name of the person, the key, or the rule.'),
  untilMs: int64('The end that it set, epoch milliseconds.'),
});

export const EMERGENCY_SCHEMA = namedType('Emergency', {
  emergencyUuid: ruuid('The emergency.'),
  title: plainText('What viewers of its links read: the camera or the location.'),
  isOpen: flag('Whether it is open.'),
  emergencyPartnerUuid: ruuid('The partner; it may have been removed since.'),
  partnerName: plainText('Its name when it was opened.'),
  partnerType: PARTNER_TYPE,
  reason: plainText('Why.'),
  openedBy: plainText('The name of the person, the key, or the rule.'),
  isByRule: flag('Whether a rule opened it.'),
  alertUuid: nullable(plainText('The alert; absent: none.')),
  openedAtMs: int64('When, epoch milliseconds.'),
  untilMs: int64('When it ends, epoch milliseconds; of one that has ended, when it would have.'),
  closedAtMs: nullable(int64('When it ended, epoch milliseconds; absent: it is open.')),
  closedBy: nullable(plainText('Who closed it; absent: no one, its time was over.')),
  cameras: listOf(CAMERA_SCHEMA, 'What is open.'),
  extensions: listOf(EXTENSION_SCHEMA, 'When its end was put off, at most the last 100.'),
});

export type EmergencyResponse = Static<typeof EMERGENCY_SCHEMA>;

export function emergencyResponse(emergency: Emergency | PastEmergency): EmergencyResponse {
  const { uuid: emergencyUuid, name: title, createdAtMs: openedAtMs, body } = emergency;
  const { partner, cause, untilMs, cameras, extensions } = body;
  const past = 'closedAtMs' in body ? body : null;
  return {
    emergencyUuid,
    title,
    isOpen: past === null,
    emergencyPartnerUuid: partner.uuid,
    partnerName: partner.name,
    partnerType: partner.kind,
    reason: cause.reason,
    openedBy: cause.by,
    isByRule: cause.isRule,
    alertUuid: cause.alertId,
    openedAtMs,
    untilMs,
    closedAtMs: past?.closedAtMs ?? null,
    closedBy: past?.closedBy ?? null,
    cameras: cameras.map((camera) => ({ ...camera })),
    extensions: extensions.map(({ atMs: timestampMs, ...extension }) => ({ timestampMs, ...extension })),
  };
}

export const EXAMPLE_PARTNER_UUID = deriveRuuid('example', 'emergency partner');
export const EXAMPLE_EMERGENCY: EmergencyResponse = {
  emergencyUuid: deriveRuuid('example', 'emergency'),
  title: 'Loading dock',
  isOpen: true,
  emergencyPartnerUuid: EXAMPLE_PARTNER_UUID,
  partnerName: 'County dispatch',
  partnerType: 'RAPIDSOS',
  reason: 'Panic button at the gate',
  openedBy: 'Ada',
  isByRule: false,
  alertUuid: deriveRuuid('example', 'alert'),
  openedAtMs: EXAMPLE_TIME_MS,
  untilMs: EXAMPLE_TIME_MS + 1_800_000,
  closedAtMs: null,
  closedBy: null,
  cameras: [{ cameraUuid: EXAMPLE_CAMERA_UUID, name: 'Loading dock', siteName: 'Harbor' }],
  extensions: [],
};
