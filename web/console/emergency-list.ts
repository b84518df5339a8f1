/** Emergencies: cameras that are open to a partner for some minutes. Those that are open are known on every page. */

import { signal } from '@preact/signals';
import { type Answer, CallError, call, type Request } from './api.ts';
import { onChange, onLive } from './changes.ts';
import { place } from './places.ts';
import { t } from './words.ts';

export type Emergency = Answer<'emergency/getOpenEmergencies'>['emergencies'][number];
export type EmergencyLink = Answer<'emergency/getEmergencyLinks'>['links'][number];
export type EmergencyReport = Answer<'emergency/getEmergencyReport'>;
export type EmergencyPartner = Answer<'emergency/getEmergencyPartners'>['partners'][number];
export type EmergencyRule = Answer<'emergency/getEmergencyRules'>['emergencyRules'][number];
export type NewEmergency = Request<'emergency/openEmergency'>;
export type PartnerFields = Request<'emergency/setEmergencyPartner'>;
export type RuleFields = Request<'emergency/setEmergencyRule'>;

/** The newest first. */
export const openEmergencies = signal<readonly Emergency[]>([]);

export const EMERGENCIES_PLACE = place('emergencies');
export const MAX_EMERGENCY_CAMERAS = 16;
export const MINUTES = [10, 30, 60, 120, 240] as const;

const GATHER_MS = 200;
const RETRY_MS = 5_000;
const PAGE_SIZE = 100;
const MAX_PAGES = 10;

export const PARTNER_TYPES: Readonly<Record<EmergencyPartner['partnerType'], string>> = {
  RAPIDSOS: t('Emergency dispatch'),
  ALARM_MONITORING: t('Alarm center'),
};

export function emergencyPlace(emergencyUuid: string): string {
  return place(`emergencies/${emergencyUuid}`);
}

/** Watches until the returned function is called: when the person signs out. */
export function watchEmergencies(): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const soon = (delayMs = GATHER_MS): void => {
    timer ??= setTimeout(() => {
      timer = null;
      void read();
    }, delayMs);
  };
  const read = async (): Promise<void> => {
    try {
      const { emergencies } = await call('emergency/getOpenEmergencies', {}, ended.signal);
      openEmergencies.value = emergencies;
    } catch (thrown) {
      if (ended.signal.aborted) return;
      if (!(thrown instanceof CallError)) throw thrown;
      if (!thrown.isSignedOut) soon(RETRY_MS);
    }
  };
  const ends = [
    onLive(() => soon()),
    onChange(({ entity }) => {
      if (entity === 'EMERGENCY') soon();
    }),
  ];
  soon();
  return () => {
    ended.abort();
    if (timer !== null) clearTimeout(timer);
    for (const end of ends) end();
    openEmergencies.value = [];
  };
}

/** Fails with a CallError, like all of these. */
export async function openEmergency(fields: NewEmergency): Promise<Answer<'emergency/openEmergency'>> {
  return call('emergency/openEmergency', fields, undefined, crypto.randomUUID());
}

export async function closeEmergency(emergencyUuid: string): Promise<void> {
  await call('emergency/endEmergency', { emergencyUuid });
  openEmergencies.value = openEmergencies.value.filter((each) => each.emergencyUuid !== emergencyUuid);
}

export async function extendEmergency(emergencyUuid: string, minutes: number): Promise<void> {
  const { emergency } = await call('emergency/extendEmergency', { emergencyUuid, minutes });
  openEmergencies.value = openEmergencies.value.map((each) =>
    each.emergencyUuid === emergencyUuid ? emergency : each,
  );
}

/** The newest first. */
export async function readPastEmergencies(abort: AbortSignal): Promise<readonly Emergency[]> {
  const all: Emergency[] = [];
  let lastEvaluatedKey: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const response = await call(
      'emergency/findEmergencies',
      { maxPageSize: PAGE_SIZE, ...(lastEvaluatedKey === undefined ? {} : { lastEvaluatedKey }) },
      abort,
    );
    all.push(...response.emergencies);
    lastEvaluatedKey = response.lastEvaluatedKey;
    if (lastEvaluatedKey === undefined) break;
  }
  return all;
}

export async function readReport(emergencyUuid: string, abort: AbortSignal): Promise<EmergencyReport> {
  return call('emergency/getEmergencyReport', { emergencyUuid }, abort);
}

export async function readLinks(
  emergencyUuid: string,
  abort: AbortSignal,
): Promise<readonly EmergencyLink[]> {
  return (await call('emergency/getEmergencyLinks', { emergencyUuid }, abort)).links;
}

export async function readPartners(abort: AbortSignal): Promise<readonly EmergencyPartner[]> {
  return (await call('emergency/getEmergencyPartners', {}, abort)).partners;
}

/** Whether it gets the link from the gateway. `sendsMail`: the gateway has a mail server. */
export function isNotified(
  { mailAddresses, webhookUrl }: Pick<EmergencyPartner, 'mailAddresses' | 'webhookUrl'>,
  sendsMail: boolean,
): boolean {
  return webhookUrl !== undefined || (sendsMail && mailAddresses.length > 0);
}

/** The secret of its webhook, if the URL is new. */
export async function savePartner(fields: PartnerFields): Promise<string | null> {
  return (await call('emergency/setEmergencyPartner', fields)).webhookSecret ?? null;
}

export async function deletePartner(emergencyPartnerUuid: string): Promise<void> {
  await call('emergency/deleteEmergencyPartner', { emergencyPartnerUuid });
}

export async function readRules(abort: AbortSignal): Promise<readonly EmergencyRule[]> {
  return (await call('emergency/getEmergencyRules', {}, abort)).emergencyRules;
}

export async function saveRule(fields: RuleFields): Promise<void> {
  await call('emergency/setEmergencyRule', fields);
}

export async function deleteRule(emergencyRuleUuid: string): Promise<void> {
  await call('emergency/deleteEmergencyRule', { emergencyRuleUuid });
}

/** As in "30 minutes". */
export function minutesText(minutes: number): string {
  return t('{count, plural, one {# minute} other {# minutes}}', { count: minutes });
}
