/** Where the gateway sends events, and the log of these calls. */

import { type Static, Type } from 'typebox';
import { GatewayError } from '../../core/errors.ts';
import { LongList } from '../../core/long-list.ts';
import { deriveRuuid } from '../../core/ruuid.ts';
import { DELIVERY_STATES } from '../../deliveries/delivery.ts';
import { defineEndpoint, type Endpoint } from '../../http/endpoint.ts';
import {
  flag,
  int32,
  int64,
  listOf,
  mapOf,
  namedType,
  nullable,
  oneOf,
  plainText,
  ruuid,
  text,
} from '../../http/fields/field-types.ts';
import { countingWith, yieldingTo } from '../../http/fields/no-effect.ts';
import { NEXT_PAGE_KEY, PAGE_KEY } from '../../http/page-key.ts';
import { invalidField } from '../../http/request-body.ts';
import type { IntegrationBody } from '../../integrations/org-integrations.ts';
import { TOPICS, type WebhookInfo, type WebhookSettings } from '../../integrations/webhook-integration.ts';
import type { Resource } from '../../store/resource.ts';
import type { Delivery } from '../../webhooks/webhook-delivery.ts';
import { secretOf, type Webhook } from '../../webhooks/webhook-registry.ts';
import { MAX_WEBHOOK_URL_LENGTH } from '../../webhooks/webhook-request.ts';
import { maySeeWebhookPaths } from '../types/caller-rights.ts';
import { creationPage, DEFAULT_PAGE_SIZE } from '../types/creation-page.ts';
import { EXAMPLE_ORG_UUID, EXAMPLE_TIME_MS } from '../types/examples.ts';

const AUDIT_EVENT_SCHEMA = namedType('IntegrationAuditEvent', {
  integrationAuditEvent: oneOf(['UPDATE', 'DELETE'], 'What was done.'),
  enabledTimestampMs: int64('The time, epoch milliseconds.'),
  user: plainText('The API key that did it.'),
  userUuid: nullable(ruuid('The user on whose behalf it was done.')),
});

/** Fields that integrations of all kinds return. */
export const ORG_INTEGRATION_PROPERTIES = {
  enabled: flag('Whether it is on.'),
  integration: plainText('Its kind.'),
  integrationAuditMap: mapOf(AUDIT_EVENT_SCHEMA, 'Its latest changes, by the time of each.'),
  orgUuid: ruuid('The organization.'),
  userUuid: nullable(ruuid('The user on whose behalf it acts.')),
};

/** Integrations with other systems, as sent and as returned (integrations/org-integrations.ts). */
export const ORG_INTEGRATION_SCHEMA = namedType('OrgIntegration', ORG_INTEGRATION_PROPERTIES);

/** Fields that turn an integration on and off. */
export const ORG_INTEGRATION_INPUT = {
  enabled: Type.Optional(flag('Whether it is on. Default true for a new one.')),
  userUuid: Type.Optional(ruuid('The user on whose behalf it acts.')),
};

/** Fields of an integration that a response needs. */
type ResponseIntegration = Pick<Resource<IntegrationBody>, 'orgUuid' | 'body'>;

export function orgIntegrationResponse(integration: string, { orgUuid, body }: ResponseIntegration) {
  return {
    enabled: body.enabled,
    integration,
    integrationAuditMap: Object.fromEntries(
      body.audit.map(({ atMs, user, userUuid }) => [
        String(atMs),
        { integrationAuditEvent: 'UPDATE' as const, enabledTimestampMs: atMs, user, userUuid },
      ]),
    ),
    orgUuid,
    userUuid: body.userUuid,
  };
}

// Callers who may not see the path of a webhook see it masked. The path is often the secret by which its host knows the caller.

/** In place of a path, and of a secret. */
const MASK = '…';

/** The address without what may be secret in it. */
function maskedUrl(url: string): string {
  return `${new URL(url).origin}/${MASK}`;
}

/** The same for several, none twice: those of one host are numbered. */
function maskedUrls(urls: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return urls.map((url) => {
    const masked = maskedUrl(url);
    const count = (counts.get(masked) ?? 0) + 1;
    counts.set(masked, count);
    return count === 1 ? masked : `${masked}${count}`;
  });
}

/** Whether it is a mask that a caller was shown in place of an address or a secret. */
function isMasked(text: string): boolean {
  return text.includes(MASK);
}

const MAX_SECRET_LENGTH = 256;

const WEBHOOK_INFO_INPUT = namedType('WebhookInfo', {
  webhookDisabled: Type.Optional(flag('Whether it is off. Default false.')),
  webhookSecret: Type.Optional(
    text('The secret that signs its calls; generated if absent.', MAX_SECRET_LENGTH),
  ),
});

/** The webhook integration of an organization: the addresses that it notifies of alerts and of device health. */
const WEBHOOK_SETTINGS_INPUT = namedType('WebhookSettings', {
  orgUuid: Type.Optional(ruuid('The organization; if given, it must be the key’s own.')),
  ...ORG_INTEGRATION_INPUT,
  activityWebhooks: Type.Optional(
    yieldingTo(
      mapOf(text('Its secret.', MAX_SECRET_LENGTH), 'Older form of `activityWebhooksV2`.'),
      'activityWebhooksV2',
    ),
  ),
  activityWebhooksV2: Type.Optional(
    mapOf(WEBHOOK_INFO_INPUT, 'Addresses to notify of alerts; replaces all earlier ones.'),
  ),
  diagnosticWebhooks: Type.Optional(
    yieldingTo(
      mapOf(text('Its secret.', MAX_SECRET_LENGTH), 'Older form of `diagnosticWebhooksV2`.'),
      'diagnosticWebhooksV2',
    ),
  ),
  diagnosticWebhooksV2: Type.Optional(
    mapOf(WEBHOOK_INFO_INPUT, 'Addresses to notify of device health; replaces all earlier ones.'),
  ),
});

type WebhookSettingsInput = Static<typeof WEBHOOK_SETTINGS_INPUT>;

const WEBHOOK_INFO_SCHEMA = namedType('KeptWebhookInfo', {
  webhookDisabled: flag('Whether it is off.'),
  webhookSecret: plainText('The secret that signs its calls.'),
});

const infoMap = (what: string) => mapOf(WEBHOOK_INFO_SCHEMA, `${what}, by address.`);
const secretMap = (what: string) => mapOf(plainText('Its secret.'), `${what}, by address.`);

const WEBHOOK_INTEGRATION_SCHEMA = namedType('WebhookIntegration', {
  ...ORG_INTEGRATION_PROPERTIES,
  activityWebhooks: secretMap('Secrets of those notified of alerts'),
  activityWebhooksV2: infoMap('Those notified of alerts'),
  diagnosticWebhooks: secretMap('Secrets of those notified of device health'),
  diagnosticWebhooksV2: infoMap('Those notified of device health'),
  ruleWebhooks: infoMap('Those that lockdown rules call'),
});

/** `isMasked`: without paths of addresses, and without secrets. */
function webhookIntegrationResponse(
  integration: ResponseIntegration,
  webhooks: readonly Webhook[],
  isMasked = false,
): Static<typeof WEBHOOK_INTEGRATION_SCHEMA> {
  const ofActivity = shown(
    webhooks.filter(({ body }) => body.activity !== null),
    isMasked,
  );
  const ofDiagnostic = shown(
    webhooks.filter(({ body }) => body.diagnostic !== null),
    isMasked,
  );
  const ofRules = shown(
    webhooks.filter(({ body }) => body.isUsedByRules),
    isMasked,
  );
  return {
    ...orgIntegrationResponse('WEBHOOKS', integration),
    activityWebhooks: secrets(ofActivity),
    activityWebhooksV2: infos(ofActivity, ({ body }) => body.activity?.disabled ?? false),
    diagnosticWebhooks: secrets(ofDiagnostic),
    diagnosticWebhooksV2: infos(ofDiagnostic, ({ body }) => body.diagnostic?.disabled ?? false),
    ruleWebhooks: infos(ofRules, () => false),
  };
}

interface ShownWebhook {
  readonly webhook: Webhook;
  readonly url: string;
  readonly secret: string;
}

function shown(webhooks: readonly Webhook[], isMasked: boolean): ShownWebhook[] {
  const urls = webhooks.map(({ body }) => body.url);
  const shownUrls = isMasked ? maskedUrls(urls) : urls;
  return webhooks.map((webhook, index) => ({
    webhook,
    url: shownUrls[index]!,
    secret: isMasked ? MASK : secretOf(webhook).reveal(),
  }));
}

function secrets(webhooks: readonly ShownWebhook[]): Record<string, string> {
  return Object.fromEntries(webhooks.map(({ url, secret }) => [url, secret]));
}

function infos(webhooks: readonly ShownWebhook[], isDisabled: (webhook: Webhook) => boolean) {
  return Object.fromEntries(
    webhooks.map(({ webhook, url, secret }) => [
      url,
      { webhookDisabled: isDisabled(webhook), webhookSecret: secret },
    ]),
  );
}

const getWebhookIntegration = defineEndpoint({
  path: '/api/integrations/webhooks/getWebhookIntegration',
  summary: 'Reads the webhook integration.',
  description:
    'Absent if there is neither an integration nor a lockdown rule that calls a webhook. The secrets are those that ' +
    'sign the calls. Applications see `…` in place of them and of the paths of addresses.',
  request: Type.Object({}),
  response: { orgIntegrationV2: nullable(WEBHOOK_INTEGRATION_SCHEMA) },
  example: {
    request: {},
    response: {
      orgIntegrationV2: {
        enabled: true,
        integration: 'WEBHOOKS',
        integrationAuditMap: {},
        orgUuid: EXAMPLE_ORG_UUID,
        userUuid: null,
        activityWebhooks: { 'https://hook.example.com/': 'SECRET' },
        activityWebhooksV2: {
          'https://hook.example.com/': { webhookDisabled: false, webhookSecret: 'SECRET' },
        },
        diagnosticWebhooks: {},
        diagnosticWebhooksV2: {},
        ruleWebhooks: {},
      },
    },
  },
  async handler(context) {
    const { orgUuid, services } = context;
    const known = await services.accessControl.webhookIntegration.find(orgUuid);
    if (known === null) return { orgIntegrationV2: null };
    const isMasked = !maySeeWebhookPaths(context);
    const { body, webhooks } = known;
    return { orgIntegrationV2: webhookIntegrationResponse({ orgUuid, body }, webhooks, isMasked) };
  },
});

const updateWebhookIntegrationV2 = defineEndpoint({
  path: '/api/integrations/webhooks/updateWebhookIntegrationV2',
  summary: 'Sets the organization’s webhooks.',
  description:
    '`webhookUrl` adds one address, which is notified of alerts or, with `isDiagnostic`, of device health. ' +
    '`updatedWebhookSettings` replaces all addresses of each map that it contains. Absent maps and fields stay as ' +
    'they are.',
  repetition: 'same-outcome',
  request: Type.Object({
    webhookUrl: Type.Optional(text('The address to add or change.', MAX_WEBHOOK_URL_LENGTH)),
    isDiagnostic: Type.Optional(
      countingWith(flag('Whether it is notified of device health. Default false.'), 'webhookUrl'),
    ),
    disabled: Type.Optional(countingWith(flag('Whether it is off. Default false.'), 'webhookUrl')),
    updatedWebhookSettings: Type.Optional(WEBHOOK_SETTINGS_INPUT),
  }),
  response: {
    webhookSecret: nullable(
      plainText(
        'The secret that signs calls to `webhookUrl`; absent for an application if the address was known.',
      ),
    ),
  },
  example: {
    request: { webhookUrl: 'https://hook.example.com/' },
    response: { webhookSecret: 'SECRET' },
  },
  async handler(context, body) {
    const { orgUuid, caller, services } = context;
    const { webhookUrl: url, isDiagnostic = false, disabled = false, updatedWebhookSettings = {} } = body;
    const namedOrgUuid = updatedWebhookSettings.orgUuid ?? orgUuid;
    if (namedOrgUuid !== orgUuid) {
      throw invalidField('updatedWebhookSettings.orgUuid must be the organization that the key acts for.');
    }
    const topic = isDiagnostic ? 'diagnostic' : 'activity';
    const settings: WebhookSettings = {
      ...updatedWebhookSettings,
      webhooks: topicsOf(updatedWebhookSettings),
      added: url === undefined ? undefined : { url, topic, disabled },
    };
    expectNoMasks(settings);
    const { webhookIntegration } = services.accessControl;
    const isKnown =
      url !== undefined &&
      !maySeeWebhookPaths(context) &&
      (await webhookIntegration.find(orgUuid))?.webhooks.some((webhook) => webhook.body.url === url);
    const secret = await naming(updatedWebhookSettings, () =>
      webhookIntegration.update(orgUuid, settings, caller.actor.name),
    );
    return { webhookSecret: isKnown === true ? null : (secret?.reveal() ?? null) };
  },
});

/** A mask that an application was shown must not replace the stored address or secret. */
function expectNoMasks({ webhooks, added }: WebhookSettings): void {
  const infos = TOPICS.flatMap((topic) => Object.entries(webhooks[topic] ?? {}));
  const texts = [added?.url, ...infos.flatMap(([url, { webhookSecret }]) => [url, webhookSecret])];
  if (texts.some((text) => text !== undefined && isMasked(text))) {
    throw invalidField(
      'updatedWebhookSettings must have whole addresses and secrets, and no `…` in place of them.',
    );
  }
}

/** Addresses by topic. The newer of the two forms of a topic takes precedence. */
function topicsOf(settings: WebhookSettingsInput): WebhookSettings['webhooks'] {
  const { activityWebhooksV2, diagnosticWebhooksV2, activityWebhooks, diagnosticWebhooks } = settings;
  const activity = activityWebhooksV2 ?? fromOlderForm(activityWebhooks);
  const diagnostic = diagnosticWebhooksV2 ?? fromOlderForm(diagnosticWebhooks);
  return {
    ...(activity === undefined ? {} : { activity }),
    ...(diagnostic === undefined ? {} : { diagnostic }),
  };
}

function fromOlderForm(
  secrets: Readonly<Record<string, string>> | undefined,
): Record<string, WebhookInfo> | undefined {
  if (secrets === undefined) return undefined;
  return Object.fromEntries(Object.entries(secrets).map(([url, webhookSecret]) => [url, { webhookSecret }]));
}

/** Makes a refusal say which of the two forms of a topic it is about. */
async function naming<T>(settings: WebhookSettingsInput, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || !(thrown.code in SENTENCES)) throw thrown;
    const { topic, limit } = thrown.context;
    const form = topic === 'activity' ? settings.activityWebhooksV2 : settings.diagnosticWebhooksV2;
    const field =
      typeof topic === 'string'
        ? `updatedWebhookSettings.${topic}Webhooks${form === undefined ? '' : 'V2'}`
        : 'webhookUrl';
    throw invalidField(`${field} ${SENTENCES[thrown.code as keyof typeof SENTENCES](limit)}`);
  }
}

const SENTENCES = {
  WEBHOOK_ADDRESS_INVALID: () =>
    'must be an http or https URL without user name, password and fragment, and with a web port.',
  TOO_MANY_WEBHOOKS_OF_TOPIC: (limit: unknown) => `must have at most ${String(limit)} entries.`,
} as const;

const deleteWebhookIntegrationV2 = defineEndpoint({
  path: '/api/integrations/webhooks/deleteWebhookIntegrationV2',
  summary: 'Deletes the webhook integration with its addresses.',
  description: 'Webhooks of lockdown rules stay. Also succeeds if the organization has none.',
  repetition: 'same-outcome',
  request: Type.Object({}),
  response: {},
  example: { request: {}, response: {} },
  async handler({ orgUuid, services }) {
    await services.accessControl.webhookIntegration.remove(orgUuid);
    return {};
  },
});

const MAX_PAGE_SIZE = 500;

const ATTEMPT_SCHEMA = namedType('WebhookAttempt', {
  timestampMs: int64('When it began, epoch milliseconds.'),
  durationMs: int64('How long it took.'),
  httpStatus: nullable(int32('Status of the response; absent if there was none.')),
  errorCode: nullable(plainText('The error code; absent if nothing went wrong.')),
});

const DELIVERY_SCHEMA = namedType('WebhookDelivery', {
  uuid: ruuid('The delivery, as in `x-sluice-delivery`.'),
  causeUuid: nullable(ruuid('The lockdown rule or the webhook that caused it.')),
  event: plainText('lockdownRule, activity, diagnostic or test.'),
  url: plainText('The URL called, without the query. Applications see `…` in place of its path.'),
  state: oneOf(DELIVERY_STATES, 'Its state.'),
  attempts: listOf(ATTEMPT_SCHEMA, 'The attempts, the first one first.'),
  nextAttemptAtMs: nullable(int64('When the next attempt is, epoch milliseconds; absent if there is none.')),
  createdAtMillis: int64('When it was created, epoch milliseconds.'),
});

const getDeliveries = defineEndpoint({
  path: '/api/webhook/getDeliveries',
  summary: 'Lists webhook calls and their results.',
  description:
    'The oldest first, unless you ask for the newest. A key leads on in the order of its page. The newest 2,000 of the organization are kept. A call that fails for a temporary reason is ' +
    'tried up to six times, with growing pauses.',
  isExtension: true,
  request: Type.Object({
    isNewestFirst: Type.Optional(flag('Whether the newest are first. Default false.')),
    causeUuid: Type.Optional(ruuid('Only calls caused by this lockdown rule or webhook.')),
    lastEvaluatedKey: PAGE_KEY,
    maxPageSize: Type.Optional(int32(`Entries per page. Default ${DEFAULT_PAGE_SIZE}.`, 1, MAX_PAGE_SIZE)),
  }),
  response: {
    deliveries: listOf(DELIVERY_SCHEMA, 'The calls.'),
    lastEvaluatedKey: NEXT_PAGE_KEY,
  },
  example: {
    request: {},
    response: {
      deliveries: [
        {
          uuid: deriveRuuid('example', 'webhook delivery'),
          causeUuid: deriveRuuid('example', 'lockdown rule'),
          event: 'lockdownRule',
          url: 'https://dispatch.example.com/lockdown',
          state: 'DELIVERED',
          attempts: [{ timestampMs: EXAMPLE_TIME_MS, durationMs: 80, httpStatus: 204, errorCode: null }],
          nextAttemptAtMs: null,
          createdAtMillis: EXAMPLE_TIME_MS,
        },
      ],
      lastEvaluatedKey: null,
    },
  },
  async handler(context, { causeUuid, isNewestFirst = false, ...page }) {
    const { orgUuid, services } = context;
    const list = isNewestFirst ? 'newestWebhookDeliveries' : 'webhookDeliveries';
    const order = isNewestFirst ? 'newest-first' : 'oldest-first';
    const { items, lastEvaluatedKey } = await creationPage(list, page, (query) =>
      services.accessControl.deliveryLog.page(orgUuid, { causeUuid, order, ...query }),
    );
    return {
      deliveries: LongList.of(items).map(maySeeWebhookPaths(context) ? deliveryResponse : redactedResponse),
      lastEvaluatedKey,
    };
  },
});

function redactedResponse(delivery: Delivery): Static<typeof DELIVERY_SCHEMA> {
  return { ...deliveryResponse(delivery), url: maskedUrl(delivery.body.url) };
}

function deliveryResponse({ uuid, parentUuid, body, createdAtMs }: Delivery): Static<typeof DELIVERY_SCHEMA> {
  return {
    uuid,
    causeUuid: parentUuid,
    event: body.event,
    url: body.url,
    state: body.state,
    attempts: body.attempts.map(({ atMs, ...attempt }) => ({ timestampMs: atMs, ...attempt })),
    nextAttemptAtMs: body.nextAttemptAtMs,
    createdAtMillis: createdAtMs,
  };
}

export const WEBHOOK_ENDPOINTS: readonly Endpoint[] = [
  getWebhookIntegration,
  updateWebhookIntegrationV2,
  deleteWebhookIntegrationV2,
  getDeliveries,
];
