/** Partners to whom cameras are opened in an emergency, and rules that open them. Specific to Sluice. */

import { type Static, Type } from 'typebox';
import { deriveRuuid } from '../../core/ruuid.ts';
import { MAX_EMERGENCY_CAMERAS, MAX_EMERGENCY_MINUTES } from '../../emergency/emergencies.ts';
import { hostOf, MAX_PARTNER_ADDRESSES } from '../../emergency/emergency-partners.ts';
import {
  type EmergencyPartner,
  type EmergencyRule,
  OPENED_CAMERAS,
} from '../../emergency/emergency-records.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  deviceUuid,
  flag,
  int32,
  listOf,
  MAX_NAME_LENGTH,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { MAIL_LANGUAGES } from '../../mail/languages.ts';
import { MAX_EMAIL_CHARS } from '../../mail/mail-address.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../webhooks/webhook-request.ts';
import { EXAMPLE_CAMERA_UUID } from '../types/examples.ts';
import { EXAMPLE_PARTNER_UUID, PARTNER_TYPE } from './emergency-types.ts';

const MAX_TRIGGERS = 50;
const MAX_TRIGGER_CHARS = 64;
const MAX_LOCATIONS = 1_000;
const MAX_LEVEL = 4;
const LANGUAGE = oneOf(MAIL_LANGUAGES, 'The language of its mails.');

const PARTNER_SCHEMA = namedType('EmergencyPartner', {
  emergencyPartnerUuid: ruuid('The partner.'),
  name: plainText('Its name.'),
  partnerType: PARTNER_TYPE,
  mailAddresses: listOf(plainText('An address.'), 'Who gets links by mail.'),
  webhookUrl: nullable(
    plainText(
      'What is called with the links; absent: nothing. Callers who are no administrators get its host.',
    ),
  ),
  language: LANGUAGE,
});

const EXAMPLE_PARTNER: Static<typeof PARTNER_SCHEMA> = {
  emergencyPartnerUuid: EXAMPLE_PARTNER_UUID,
  name: 'County dispatch',
  partnerType: 'RAPIDSOS',
  mailAddresses: ['dispatch@county.example'],
  webhookUrl: null,
  language: 'en',
};

function partnerResponse(
  { uuid: emergencyPartnerUuid, name, body }: EmergencyPartner,
  isAdmin: boolean,
): Static<typeof PARTNER_SCHEMA> {
  const { kind: partnerType, mailAddresses, webhookUrl, ...rest } = body;
  return {
    emergencyPartnerUuid,
    name,
    partnerType,
    mailAddresses: [...mailAddresses],
    webhookUrl: webhookUrl === null || isAdmin ? webhookUrl : hostOf(webhookUrl),
    ...rest,
  };
}

const getEmergencyPartners = defineEndpoint({
  path: '/api/emergency/getEmergencyPartners',
  summary: 'Lists the partners to whom cameras can be opened in an emergency.',
  description: 'In the order in which they were added.',
  isExtension: true,
  request: Type.Object({}),
  response: { partners: listOf(PARTNER_SCHEMA, 'The partners.') },
  example: { request: {}, response: { partners: [EXAMPLE_PARTNER] } },
  async handler({ orgUuid, caller, services: { emergency } }) {
    const isAdmin = caller.role === 'admin';
    const partners = await emergency.partners.list(orgUuid);
    return { partners: partners.map((partner) => partnerResponse(partner, isAdmin)) };
  },
});

const setEmergencyPartner = defineEndpoint({
  path: '/api/emergency/setEmergencyPartner',
  summary: 'Adds a partner, or changes all of one.',
  description:
    'Absent fields have their defaults, also for one that is known. Emergencies that are open keep their links. Calls of the webhook are ' +
    'signed like those of [webhooks](../guide/webhooks.md); the secret is returned once, when the URL is new to the partner.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    emergencyPartnerUuid: Type.Optional(ruuid('The one to change; absent: a new one.')),
    name: text('Its name.', MAX_NAME_LENGTH),
    partnerType: PARTNER_TYPE,
    mailAddresses: Type.Optional(
      listOf(
        text('An address.', MAX_EMAIL_CHARS),
        'Who gets links by mail. Default: no one.',
        MAX_PARTNER_ADDRESSES,
      ),
    ),
    webhookUrl: Type.Optional(
      text('What is called with the links. Default: nothing.', MAX_WEBHOOK_URL_LENGTH),
    ),
    language: Type.Optional(oneOf(MAIL_LANGUAGES, 'The language of its mails. Default `en`.')),
  }),
  response: {
    partner: PARTNER_SCHEMA,
    webhookSecret: nullable(
      plainText('The secret that signs calls; absent: the URL was known, or there is none.'),
    ),
  },
  example: {
    request: {
      name: EXAMPLE_PARTNER.name,
      partnerType: 'RAPIDSOS',
      mailAddresses: ['dispatch@county.example'],
    },
    response: { partner: EXAMPLE_PARTNER, webhookSecret: null },
  },
  async handler({ orgUuid, services: { emergency } }, { emergencyPartnerUuid = null, ...given }) {
    const { partner, newSecret } = await emergency.partners.set(orgUuid, emergencyPartnerUuid, {
      name: given.name,
      kind: given.partnerType,
      mailAddresses: (given.mailAddresses ?? []).map((address) => address.trim()),
      webhookUrl: given.webhookUrl?.trim() || null,
      language: given.language ?? 'en',
    });
    return { partner: partnerResponse(partner, true), webhookSecret: newSecret?.reveal() ?? null };
  },
});

const deleteEmergencyPartner = defineEndpoint({
  path: '/api/emergency/deleteEmergencyPartner',
  summary: 'Removes a partner.',
  description:
    'Emergencies that are open continue. A partner to whom a rule opens cameras cannot be removed.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ emergencyPartnerUuid: ruuid('The partner.') }),
  response: {},
  example: { request: { emergencyPartnerUuid: EXAMPLE_PARTNER_UUID }, response: {} },
  async handler({ orgUuid, services: { emergency } }, { emergencyPartnerUuid }) {
    await emergency.partners.remove(orgUuid, emergencyPartnerUuid);
    return {};
  },
});

const OPENS = oneOf(
  OPENED_CAMERAS,
  '`camera`: that of the alert; `site`: up to 16 at the alert’s location; `chosen`: those of `cameraUuids`.',
);
const MINUTES = int32('For how many minutes; further alerts extend it.', 1, MAX_EMERGENCY_MINUTES);

const RULE_SCHEMA = namedType('EmergencyRule', {
  emergencyRuleUuid: ruuid('The rule.'),
  name: plainText('Its name.'),
  disabled: flag('Whether it opens nothing.'),
  emergencyPartnerUuid: ruuid('To whom.'),
  minutes: MINUTES,
  triggers: listOf(plainText('A trigger.'), 'Only alerts with one of these triggers; empty: all.'),
  locationUuids: listOf(ruuid('A location.'), 'Only alerts of these; empty: all.'),
  minValidationLevel: nullable(int32('Only alerts of this level of AVS-01 or above; absent: all.')),
  opens: OPENS,
  cameraUuids: listOf(ruuid('A camera.'), 'Of `chosen` alone.'),
});

const EXAMPLE_RULE: Static<typeof RULE_SCHEMA> = {
  emergencyRuleUuid: deriveRuuid('example', 'emergency rule'),
  name: 'Panic buttons',
  disabled: false,
  emergencyPartnerUuid: EXAMPLE_PARTNER_UUID,
  minutes: 30,
  triggers: ['PANIC_BUTTON'],
  locationUuids: [],
  minValidationLevel: null,
  opens: 'chosen',
  cameraUuids: [EXAMPLE_CAMERA_UUID],
};

function ruleResponse({ uuid: emergencyRuleUuid, name, body }: EmergencyRule): Static<typeof RULE_SCHEMA> {
  const { minValidation: minValidationLevel, triggers, locationUuids, cameraUuids, ...others } = body;
  const { partnerUuid: emergencyPartnerUuid, ...rest } = others;
  return {
    emergencyRuleUuid,
    emergencyPartnerUuid,
    name,
    minValidationLevel,
    triggers: [...triggers],
    locationUuids: [...locationUuids],
    cameraUuids: [...cameraUuids],
    ...rest,
  };
}

const getEmergencyRules = defineEndpoint({
  path: '/api/emergency/getEmergencyRules',
  summary: 'Lists the rules that open cameras to a partner when an alert is reported.',
  description: 'In the order in which they were added.',
  isExtension: true,
  request: Type.Object({}),
  response: { emergencyRules: listOf(RULE_SCHEMA, 'The rules.') },
  example: { request: {}, response: { emergencyRules: [EXAMPLE_RULE] } },
  async handler({ orgUuid, services: { emergency } }) {
    return { emergencyRules: (await emergency.rules.list(orgUuid)).map(ruleResponse) };
  },
});

const setEmergencyRule = defineEndpoint({
  path: '/api/emergency/setEmergencyRule',
  summary: 'Adds a rule, or changes all of one.',
  description:
    'A rule has one open emergency at most, which further alerts extend. After a person has closed it, the rule waits for 15 minutes. It opens ' +
    'at most 6 an hour, and none for alerts older than 5 minutes. Absent fields have their defaults, also for a rule that is known.',
  isExtension: true,
  repetition: 'once',
  request: Type.Object({
    emergencyRuleUuid: Type.Optional(ruuid('The one to change; absent: a new one.')),
    name: text('Its name.', MAX_NAME_LENGTH),
    disabled: Type.Optional(flag('Whether it opens nothing. Default false.')),
    emergencyPartnerUuid: ruuid('To whom.'),
    minutes: MINUTES,
    triggers: Type.Optional(
      listOf(
        text('A trigger, such as `PANIC_BUTTON`.', MAX_TRIGGER_CHARS),
        'Only alerts with one of these. Default: all.',
        MAX_TRIGGERS,
      ),
    ),
    locationUuids: Type.Optional(
      listOf(ruuid('A location.'), 'Only alerts of these. Default: all.', MAX_LOCATIONS),
    ),
    minValidationLevel: Type.Optional(
      int32('Only alerts of this level of ANSI/TMA-AVS-01 or above. Default: all.', 0, MAX_LEVEL),
    ),
    opens: Type.Optional(OPENS),
    cameraUuids: Type.Optional(listOf(deviceUuid('A camera.'), 'Of `chosen` alone.', MAX_EMERGENCY_CAMERAS)),
  }),
  response: { emergencyRule: RULE_SCHEMA },
  example: {
    request: {
      name: EXAMPLE_RULE.name,
      emergencyPartnerUuid: EXAMPLE_PARTNER_UUID,
      minutes: 30,
      triggers: ['PANIC_BUTTON'],
      opens: 'chosen',
      cameraUuids: [EXAMPLE_CAMERA_UUID],
    },
    response: { emergencyRule: EXAMPLE_RULE },
  },
  async handler({ orgUuid, services: { emergency } }, { emergencyRuleUuid = null, ...given }) {
    const opens = given.opens ?? 'camera';
    const rule = await emergency.rules.set(orgUuid, emergencyRuleUuid, {
      name: given.name,
      disabled: given.disabled ?? false,
      partnerUuid: given.emergencyPartnerUuid,
      minutes: given.minutes,
      triggers: [...new Set(given.triggers ?? [])],
      locationUuids: [...new Set(given.locationUuids ?? [])],
      minValidation: given.minValidationLevel ?? null,
      opens,
      cameraUuids: opens === 'chosen' ? [...new Set(given.cameraUuids ?? [])] : [],
    });
    return { emergencyRule: ruleResponse(rule) };
  },
});

const deleteEmergencyRule = defineEndpoint({
  path: '/api/emergency/deleteEmergencyRule',
  summary: 'Removes a rule.',
  description: 'What it opened stays open until its time is over, or someone closes it.',
  isExtension: true,
  repetition: 'same-outcome',
  request: Type.Object({ emergencyRuleUuid: ruuid('The rule.') }),
  response: {},
  example: { request: { emergencyRuleUuid: EXAMPLE_RULE.emergencyRuleUuid }, response: {} },
  async handler({ orgUuid, services: { emergency } }, { emergencyRuleUuid }) {
    await emergency.rules.remove(orgUuid, emergencyRuleUuid);
    return {};
  },
});

export const EMERGENCY_SETUP_ENDPOINTS: readonly Endpoint[] = [
  getEmergencyPartners,
  setEmergencyPartner,
  deleteEmergencyPartner,
  getEmergencyRules,
  setEmergencyRule,
  deleteEmergencyRule,
];
