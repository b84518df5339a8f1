import { readFileSync } from 'node:fs';
import build from 'fast-json-stringify';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { renderApiReference } from '../../scripts/reference/api-reference.ts';
import { failureEnvelope } from '../http/envelope.ts';
import { type ApiFixture, openApiFixture } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';
import { INGEST_ENDPOINTS } from './ingest-endpoints.ts';
import { OAUTH_OPERATIONS } from './oauth/oauth-operations.ts';

type Schema = Readonly<Record<string, unknown>>;
interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface OpenApi {
  readonly openapi: string;
  readonly security: readonly Schema[];
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, { readonly post?: Operation; readonly get?: Operation }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security?: readonly Schema[];
  readonly parameters?: readonly {
    readonly in?: string;
    readonly example?: unknown;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, { readonly content: Readonly<Record<string, Content>> }>>;
  readonly 'x-sluice-extension'?: boolean;
  readonly 'x-sluice-role'?: string;
}

/** `[operationId, tag]` by path, of the operations that the specification's own document names. */
const SPECIFIED_OPERATIONS: Readonly<Record<string, readonly [string, string]>> = JSON.parse(
  readFileSync(new URL('../../test/generated-client/specified-operations.json', import.meta.url), 'utf8'),
);

/** Operations whose answers have the form that a standard gives. */
const STANDARD_SHAPES = /oauth\/(?:token|revoke|register)$/;

let fixture: ApiFixture;
let openApi: OpenApi;
beforeAll(async () => {
  fixture = await openApiFixture();
  openApi = (await fixture.api.inject({ method: 'GET', url: '/api/openapi/public.json' })).json<OpenApi>();
});
afterAll(() => fixture.close());

function operations(): [where: string, Operation][] {
  return Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method} ${path}`,
      operation,
    ]),
  );
}

/** Those that the document must list for the operation. */
function statusesOf(path: string): string[] {
  const refusals = ['400', '401', '429', '503', 'default'];
  if (path === '/oauth/register') return ['201', ...refusals, '403'].sort();
  const isOnce = ENDPOINTS.find((endpoint) => endpoint.path === path)?.repetition === 'once';
  return ['200', ...refusals, ...(isOnce ? ['409', '422'] : [])].sort();
}

/** The value with its references resolved. */
function resolved<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(resolved) as T;
  const { $ref } = value as { readonly $ref?: unknown };
  if (typeof $ref === 'string') {
    const [, , section, name] = $ref.split('/');
    return resolved(openApi.components[section!]![name!]) as T;
  }
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, resolved(field)])) as T;
}

describe('OpenAPI document', () => {
  it('has every endpoint once', () => {
    expect(openApi.openapi).toBe('3.1.0');
    expect(openApi.servers).toEqual([{ url: 'http://api.example' }]);
    expect(Object.keys(openApi.paths).sort()).toEqual(
      [...ENDPOINTS, ...OAUTH_OPERATIONS].map(({ path }) => path).sort(),
    );
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z]\w+$/);
  });

  it('names operations and their groups as the specification does', () => {
    const named = Object.entries(openApi.paths).flatMap(([path, methods]) =>
      Object.values(methods).map(({ operationId, tags }) => [path, [operationId, ...tags]] as const),
    );
    const specified = named.filter(([path]) => SPECIFIED_OPERATIONS[path] !== undefined);
    expect(specified.length).toBeGreaterThan(80);
    for (const [path, names] of specified) expect([path, names]).toEqual([path, SPECIFIED_OPERATIONS[path]]);
  });

  it('names bodies and types as clients that are generated from the specification know them', () => {
    const bodies = (path: string) => {
      const { requestBody, responses } = openApi.paths[path]!.post!;
      const contents = [requestBody!.content, responses['200']!.content];
      return contents.map((content) => content['application/json']!.schema.$ref);
    };
    for (const [path, request, response] of [
      ['/api/camera/getMinimalCameraStateList', 'Camera_GetMinimalCameraStateListWSRequest'],
      ['/api/camera/getUptimeWindows', 'Camera_GetUptimeWindowsWSRequest'],
      ['/api/camera/delete', 'Camera_DeleteCameraWSRequest'],
      ['/api/event/deleteSavedClip', 'Event_DeleteSavedClipWSRequest'],
      ['/api/event/getClipsWithProgress', 'Event_GetClipsWithProgressWSRequest'],
      ['/api/policy/findSchedules', 'Policy_FindSchedulesWSRequest'],
      [
        '/api/camera/findSharedLiveVideoStreams',
        'Camera_FindSharedLiveVideoStreamsForWSRequest',
        'Camera_FindSharedLiveVideoStreamsWSResponse',
      ],
      [
        '/api/camera/deleteSharedLiveVideoStream',
        'Camera_DeleteSharedLiveVideoStreamWSRequest',
        'DeleteSharedLiveVideoStreamForDeviceResponse',
      ],
    ] as const) {
      const names = [request, response ?? request.replace(/Request$/, 'Response')];
      expect(bodies(path)).toEqual(names.map((name) => `#/components/schemas/${name}`));
    }
    const { schemas } = openApi.components;
    const types = [
      'MinimalDeviceStateType',
      'WeeklyRepeatingScheduleType',
      'PolicyAlertV2Type',
      'IWebhooksType',
    ];
    for (const name of types) expect(schemas).toHaveProperty(name);
    // Only where answers have it too, which never have null, does a type of requests need a name of its own.
    expect(schemas).toHaveProperty('WeeklyMinuteIntervalTypeInput');
    expect(schemas).not.toHaveProperty('ExternalLockdownPlanRuleTypeInput');
  });

  it('describes each tag, and has none that no operation uses', () => {
    const used = new Set(operations().flatMap(([, { tags }]) => tags));
    expect(openApi.tags.map(({ name }) => name)).toEqual([...used].sort());
    for (const { name, description } of openApi.tags) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/)]);
    }
  });

  it('requires a body only for operations that have a required field', () => {
    const isRequired = (path: string) => openApi.paths[path]?.post?.requestBody?.required;
    expect(isRequired('/api/location/getLocations')).toBe(false);
    expect(isRequired('/api/event/getSavedClipsV2')).toBe(false);
    expect(isRequired('/api/location/createLocation')).toBe(true);
    expect(isRequired('/api/oauth/token')).toBe(true);
    for (const [where, { requestBody }] of operations()) {
      if (requestBody === undefined) continue;
      const [{ schema }] = Object.values(resolved(requestBody.content)) as [Content];
      const fields = (schema.required as string[] | undefined) ?? [];
      expect([where, requestBody.required]).toEqual([where, fields.length > 0]);
    }
  });

  it('leaves room for a refusal in each 200 response, except for OAuth operations, whose form a standard defines', () => {
    for (const [where, { responses }] of operations()) {
      if (STANDARD_SHAPES.test(where)) continue;
      const { schema } = resolved(responses['200']!).content['application/json']!;
      const refusal = failureEnvelope('No.');
      expect([where, Compile(Type.Unsafe(schema)).Errors(refusal)]).toEqual([where, []]);
    }
  });

  it('says which role an endpoint needs, unless it needs no credentials', () => {
    for (const { path, role, isOpen } of ENDPOINTS) {
      const { security, 'x-sluice-role': documented } = openApi.paths[path]!.post!;
      expect([path, documented]).toEqual([path, isOpen ? undefined : role]);
      expect([path, security!.some((way) => Object.keys(way).length === 0)]).toEqual([path, isOpen]);
    }
  });

  it('marks what is specific to Sluice', () => {
    const extensions = Object.entries(openApi.paths).filter(
      ([, { post }]) => post?.['x-sluice-extension'] === true,
    );
    expect(extensions.map(([path]) => path).sort()).toEqual(
      [
        ...[
          'acceptInvite',
          'changePassword',
          'deletePerson',
          'endSession',
          'getPeople',
          'getSession',
          'getSessions',
          'invitePerson',
          'signIn',
          'signOut',
          'updatePerson',
          'addPasskey',
          'beginAddingPasskey',
          'beginConfirmation',
          'beginInvitePasskey',
          'beginPasskeySignIn',
          'confirmIdentity',
          'deletePasskey',
          'getPasskeys',
          'renamePasskey',
          'signInWithPasskey',
          'addOidcProvider',
          'checkSignInDomain',
          'getSignInDomains',
          'deleteOidcProvider',
          'getOidcProviders',
          'updateOidcProvider',
          'addSamlProvider',
          'deleteSamlProvider',
          'findSignInProvider',
          'finishSamlKeyRenewal',
          'getSamlProviders',
          'getSamlTestReport',
          'beginSamlTest',
          'refreshSamlProvider',
          'renewSamlKey',
          'updateSamlProvider',
        ].map((operation) => `/api/console/${operation}`),
        '/api/camera/endCameraPause',
        '/api/camera/endSharedStreamViewer',
        '/api/camera/bulkUpdateSharedStreams',
        '/api/camera/findSharedStreamCreators',
        '/api/camera/findSharedStreams',
        '/api/report/findAuditEvents',
        '/api/schedule/getScheduleState',
        '/api/schedule/getScheduleUses',
        '/api/camera/getRecordingSettings',
        '/api/camera/getSharedStreamViewers',
        '/api/camera/getSharedStreamVisibility',
        '/api/camera/pauseCamera',
        '/api/camera/getPrivacyMasks',
        '/api/camera/setPrivacyMasks',
        '/api/camera/startRecording',
        '/api/camera/stopRecording',
        '/api/camera/unblockSharedStreamAddress',
        '/api/camera/createCamera',
        '/api/relay/createNvr',
        '/api/camera/createPreviewGrant',
        '/api/camera/getCameraPauses',
        '/api/camera/getCameraSource',
        '/api/camera/getCameraStreamStates',
        '/api/camera/getCameraUrlTemplates',
        '/api/camera/getRecordedSpans',
        '/api/camera/getRecorderFootage',
        '/api/camera/getSnapshot',
        '/api/camera/getStreamCounters',
        '/api/camera/getUptimeHistory',
        '/api/event/acknowledgePolicyAlert',
        '/api/event/acknowledgePolicyAlerts',
        '/api/event/getAlertInbox',
        '/api/console/createScimToken',
        '/api/console/deleteScimMapping',
        '/api/console/getScimProvisioning',
        '/api/console/revokeScimToken',
        '/api/console/setScimMapping',
        '/api/console/addPushSubscription',
        '/api/console/beginPushSubscription',
        '/api/console/deletePushSubscription',
        '/api/console/getPushSubscriptions',
        '/api/event/releasePolicyAlert',
        '/api/event/reopenPolicyAlerts',
        '/api/event/takePolicyAlert',
        '/api/event/createClipDownload',
        '/api/event/getTimelineEvents',
        '/api/camera/inspectOnvifCamera',
        '/api/camera/probeCamera',
        '/api/camera/scanOnvifCameras',
        '/api/camera/updateCameraSource',
        '/api/camera/updateSharedLiveVideoStream',
        '/api/camera/updateSharedVideoWall',
        '/api/console/createPublicUrlCheck',
        '/api/console/createSupportBundle',
        '/api/console/getCounters',
        '/api/console/getEffectiveConfig',
        '/api/console/getLogTail',
        '/api/console/getPublicUrlVisits',
        '/api/console/getServiceHistory',
        '/api/console/getServiceLevels',
        '/api/console/getSystemState',
        '/api/console/reloadConfig',
        '/api/console/getMediaAddresses',
        '/api/console/getSettingsChanges',
        '/api/console/restartGateway',
        '/api/console/revertSettings',
        '/api/console/updateSettings',
        '/api/console/validateSettings',
        '/api/console/updateServiceProbe',
        '/api/console/validateConfig',
        '/api/console/validatePublicUrl',
        '/api/integrations/org/updateApiToken',
        '/api/emergency/deleteEmergencyPartner',
        '/api/emergency/deleteEmergencyRule',
        '/api/emergency/endEmergency',
        '/api/emergency/extendEmergency',
        '/api/emergency/findEmergencies',
        '/api/emergency/getEmergencyLinks',
        '/api/emergency/getEmergencyPartners',
        '/api/emergency/getEmergencyReport',
        '/api/emergency/getEmergencyRules',
        '/api/emergency/getOpenEmergencies',
        '/api/emergency/openEmergency',
        '/api/emergency/setEmergencyPartner',
        '/api/emergency/setEmergencyRule',
        '/api/evidence/addToCase',
        '/api/evidence/createCase',
        '/api/evidence/createCaseDownload',
        '/api/evidence/createCaseLink',
        '/api/evidence/createHold',
        '/api/evidence/deleteCase',
        '/api/evidence/findCaseLinks',
        '/api/evidence/findCases',
        '/api/evidence/findHolds',
        '/api/evidence/getCase',
        '/api/evidence/getSigningCertificates',
        '/api/evidence/releaseHold',
        '/api/evidence/removeFromCase',
        '/api/evidence/reopenCase',
        '/api/evidence/sealCase',
        '/api/evidence/updateCase',
        '/api/evidence/validateRecording',
        '/api/location/getFloorPlan',
        '/api/location/placeCameraOnPlan',
        '/api/location/removeCameraFromPlan',
        '/api/location/removeFloorPlan',
        '/api/location/setFloorPlan',
        '/api/location/updateLocation',
        '/api/policy/getClimatePolicies',
        '/api/proximity/getTags',
        '/api/relay/getPtzStatus',
        '/api/relay/gotoPtzPreset',
        '/api/relay/movePtz',
        '/api/relay/removePtzPreset',
        '/api/relay/setPtzPreset',
        '/api/relay/stopPtz',
        '/api/doorbellcamera/deleteSharedLiveVideoStream',
        ...INGEST_ENDPOINTS.map(({ path }) => path),
        '/api/schedule/updateAbsoluteSchedule',
        '/api/oauth/getAllGrantsForOrg',
        '/api/oauth/revokeGrant',
        '/api/oauth/token',
        '/api/oauth/revoke',
        '/oauth/register',
        '/api/org/updateDetails',
        '/api/org/getCameraNetworks',
        '/api/org/updateCameraNetworks',
        '/api/accesscontrol/lockdownPlan/deleteLockdownRule',
        '/api/accesscontrol/lockdownPlan/findLockdownRulesByLocation',
        '/api/customer/getCurrentUserNotificationSettings',
        '/api/integrations/accessControl/getAlarmVendorIntegration',
        '/api/integrations/accessControl/getBadgeVendorAIntegrationV2',
        '/api/integrations/accessControl/updateAlarmVendorIntegration',
        '/api/integrations/accessControl/updateBadgeVendorBIntegrationV2',
        '/api/webhook/getDeliveries',
        '/api/console/deleteAlarmReceiver',
        '/api/console/getAlarmReceivers',
        '/api/console/sendAlarmTest',
        '/api/console/setAlarmReceiver',
        '/api/console/getMailSettings',
        '/api/console/getMails',
        '/api/console/sendLinkMail',
        '/api/console/sendTestMail',
        '/api/console/updateMailSettings',
        '/api/webhook/sendTestDelivery',
        '/api/relay/addThirdPartyCameraViaRtmp',
        '/api/relay/createThirdPartyCameraPublishKey',
        '/api/relay/deleteThirdPartyCameraPublishKey',
        '/api/schedule/createRealtimeRelativeSchedule',
        '/api/schedule/findRealtimeRelativeSchedule',
        '/api/schedule/createRelativeDateTimeSchedule',
        '/api/schedule/findRelativeDateTimeSchedule',
      ].sort(),
    );
  });

  it('refers only to what it contains', () => {
    const references = [...JSON.stringify(openApi).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(ENDPOINTS.length);
    for (const [, section, name] of references) expect(openApi.components[section!]).toHaveProperty(name!);
  });

  it('allows null for every request field that is not required', () => {
    const { post } = resolved(openApi.paths['/api/doorbellcamera/createSharedLiveVideoStream']!);
    const { properties, required } = JSON.parse(
      JSON.stringify(post?.requestBody?.content['application/json']?.schema),
    );
    expect(required).toEqual(['doorbellCameraUuid', 'streamType', 'vodEnabled']);
    for (const [name, schema] of Object.entries<{ type: unknown }>(properties)) {
      const types = required.includes(name) ? expect.any(String) : expect.arrayContaining(['null']);
      expect([name, schema.type]).toEqual([name, types]);
    }
  });
});

describe('every operation', () => {
  it('says who can call it, by ways that the document describes', () => {
    for (const [where, { security = openApi.security }] of operations()) {
      expect([where, security.length > 1]).toEqual([where, true]);
      for (const name of security.flatMap((way) => Object.keys(way))) {
        expect(openApi.components.securitySchemes).toHaveProperty(name);
      }
    }
  });

  it('has a schema and an example for its request and for each of its responses, and they agree', () => {
    let count = 0;
    for (const [where, { requestBody, responses }] of operations()) {
      expect([where, Object.keys(responses)]).toEqual([where, statusesOf(where.split(' ')[1]!)]);
      const contents = [requestBody, ...Object.values(responses)]
        .filter((part) => part !== undefined)
        .flatMap((part) => Object.values(resolved(part).content));
      for (const { schema, example, examples = { only: { value: example } } } of contents) {
        const validator = Compile(Type.Unsafe(schema));
        for (const { value } of Object.values(examples)) {
          expect([where, validator.Errors(value)]).toEqual([where, []]);
          expect(value).toBeTypeOf(schema.type === 'string' ? 'string' : 'object');
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(6 * ENDPOINTS.length);
  });

  it('has an example value for each query parameter that the example needs', () => {
    const parameters = operations().flatMap(([, { parameters = [] }]) => parameters);
    const shown = parameters.filter(({ example }) => example !== undefined);
    expect(shown.length).toBeGreaterThan(0);
    for (const { schema, example } of shown) expect(Compile(Type.Unsafe(schema)).Errors(example)).toEqual([]);
  });

  it('returns the envelope, except for responses whose form a standard defines', () => {
    for (const [where, { responses }] of operations()) {
      if (STANDARD_SHAPES.test(where)) continue;
      for (const [status, response] of Object.entries(responses)) {
        const { required, properties } = resolved(response).content['application/json']!.schema;
        expect([where, status, required]).toEqual([where, status, expect.arrayContaining(['error'])]);
        const fields = Object.keys(properties as object);
        expect(fields).toEqual(expect.arrayContaining(['error', 'errorMsg', 'warningMsg']));
      }
    }
  });
});

describe('examples', () => {
  it.each(ENDPOINTS.map((endpoint) => [endpoint.path, endpoint] as const))(
    'of %s fit its schemas',
    (_path, endpoint) => {
      expect(Compile(endpoint.requestSchema).Errors(endpoint.example.request)).toEqual([]);
      expect(Compile(endpoint.responseSchema).Errors(endpoint.example.response)).toEqual([]);
      const fields = Object.keys(endpoint.responseSchema.properties).sort();
      expect(Object.keys(endpoint.example.response).sort()).toEqual(fields);
    },
  );
});

describe('API reference page', () => {
  it('has every endpoint and every field', () => {
    const page = renderApiReference();
    for (const endpoint of ENDPOINTS) {
      expect(page).toContain(`### POST ${endpoint.path}\n`);
      for (const field of Object.keys(endpoint.requestSchema.properties))
        expect(page).toContain(`| ${field} | `);
    }
    expect(page).toContain('### WeeklyMinuteInterval\n');
  });
});

it('has response schemas that all compile', () => {
  for (const { path, responseSchema } of ENDPOINTS) expect(() => build(responseSchema), path).not.toThrow();
});
