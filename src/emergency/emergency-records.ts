/** What the store has of emergencies, in addition to the emergencies themselves (sharing/emergency-link.ts). */

import type { Ruuid } from '../core/ruuid.ts';
import type { PartnerKind } from '../sharing/emergency-link.ts';
import { type Resource, type ResourceKind, resourceKind } from '../store/resource.ts';

export interface EmergencyPartnerBody {
  readonly kind: PartnerKind;
  readonly mailAddresses: readonly string[];
  /** Called with the links; null: none. The secret of the resource signs the calls. */
  readonly webhookUrl: string | null;
  readonly language: 'en' | 'de' | 'es';
}

export type EmergencyPartner = Resource<EmergencyPartnerBody>;

/** `camera`: that of the alert; `site`: all at its location; `chosen`: those that the rule names. */
export const OPENED_CAMERAS = ['camera', 'site', 'chosen'] as const;
export type OpenedCameras = (typeof OPENED_CAMERAS)[number];

export interface EmergencyRuleBody {
  readonly disabled: boolean;
  readonly partnerUuid: Ruuid;
  readonly minutes: number;
  /** Only alerts of one of these triggers, such as `PANIC_BUTTON`; empty: of any. */
  readonly triggers: readonly string[];
  /** Only alerts of these locations; empty: of all. */
  readonly locationUuids: readonly Ruuid[];
  /** Only alerts of this level of ANSI/TMA-AVS-01 or above; null: also those without. */
  readonly minValidation: number | null;
  readonly opens: OpenedCameras;
  /** Of `chosen` alone. */
  readonly cameraUuids: readonly Ruuid[];
}

export type EmergencyRule = Resource<EmergencyRuleBody>;

/** One viewer of one camera, by a recipient's link. The parent is the emergency. */
export interface EmergencyViewBody {
  readonly recipientUuid: Ruuid;
  readonly cameraUuid: Ruuid;
  readonly address: string;
  readonly userAgent: string;
  readonly fromMs: number;
  /** null: it is running, or its gateway ended in the meantime. */
  readonly untilMs: number | null;
}

/** Rows of one emergency: further views are served, and lack in the report. */
export const MAX_VIEWS_PER_EMERGENCY = 2_000;

export type EmergencyView = Resource<EmergencyViewBody>;

export const EMERGENCY_PARTNERS: ResourceKind<EmergencyPartnerBody> = resourceKind('emergencyPartner');
export const EMERGENCY_RULES: ResourceKind<EmergencyRuleBody> = resourceKind('emergencyRule');
export const EMERGENCY_VIEWS: ResourceKind<EmergencyViewBody> = resourceKind('emergencyView');
