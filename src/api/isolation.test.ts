import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { asJsonSchema } from '../http/fields/json-schema.ts';
import type { Answer, ApiFixture } from './api-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';
import {
  headersFor,
  identifierFor,
  openPopulatedApi,
  type PopulatedApi,
  type PopulatedOrganization,
} from './populated-organization-fixture.ts';
import {
  exampleBody,
  type IdentifierSite,
  identifierSites,
  withIdentifierAt,
} from './schema-samples-fixture.ts';

/** UUIDs, and tokens made from them. */
const UUIDS = /[\w-]{22,}/g;
/** Changes nothing. */
const IS_READING = /\/(?:get|find)\w+$/;

/** Any device can be paused; from then on, its reports are refused. */
const PAUSE_PATH = '/api/policy/pauseAlertPolicyForComponentComposite';

/** To read everything takes a hundred calls. What differs then is the work of one of these endpoints. */
const CALLED_BETWEEN_SNAPSHOTS = 15;

/**
 * `foreign` can give its own things the same names as `own`. So endpoints that only read come first, and reports that
 * name other things come before reports that create them.
 */
const IN_ORDER = ENDPOINTS.toSorted((a, b) => rank(a) - rank(b));

function rank(endpoint: Endpoint): number {
  if (endpoint.path === PAUSE_PATH) return 3 * ENDPOINTS.length;
  if (endpoint.category === 'ingest') return 2 * ENDPOINTS.length - ENDPOINTS.indexOf(endpoint);
  return IS_READING.test(endpoint.path) ? 0 : 1;
}

function bodyOf(endpoint: Endpoint, organization: PopulatedOrganization): Record<string, unknown> {
  return exampleBody(endpoint, (field) => identifierFor(organization, endpoint.path, field));
}

/**
 * A response, in the form in which responses are compared. A known row is compared with the stored one, which earlier calls
 * have changed, so the response's text about that is left out.
 */
function comparable(response: string): string {
  return response
    .replaceAll(UUIDS, 'UUID')
    .replace(/"warningMsg":"[^"]*",(?="acceptedCount")/, '')
    .replace(/,"conflicts":.*,"updates":.*(?=\}$)/, '');
}

describe('an organization', () => {
  let populated: PopulatedApi;
  let fixture: ApiFixture;
  let own: PopulatedOrganization;
  let foreign: PopulatedOrganization;
  let before: Record<string, unknown>;
  /** Values that `foreign` was given to send, and so can receive again. */
  const said = new Set<string>();
  /** Endpoints since everything was last compared with `before`. */
  const called: string[] = [];
  beforeAll(async () => {
    populated = await openPopulatedApi();
    ({ fixture, own, foreign } = populated);
    // A call that reads can try a camera; from then on, its results are shown.
    await snapshot();
    before = await snapshot();
  });
  afterAll(() => populated.close());

  /** By the calls since the last comparison. */
  async function expectUnchanged(): Promise<void> {
    const paths = called.splice(0);
    expect({ after: paths, ...(await snapshot()) }).toEqual({ after: paths, ...before });
  }

  /** Everything that `own` has, as its own key sees it. */
  async function snapshot(): Promise<Record<string, unknown>> {
    const responses: Record<string, unknown> = {};
    for (const endpoint of ENDPOINTS.filter(({ path }) => IS_READING.test(path))) {
      responses[endpoint.path] = await fixture.call(
        endpoint.path,
        bodyOf(endpoint, own),
        headersFor(endpoint, own),
      );
    }
    return responses;
  }

  /** The response to `foreign` when a field names `identifier`. */
  async function responseAt(endpoint: Endpoint, site: IdentifierSite, identifier: string): Promise<string> {
    const schema = asJsonSchema(endpoint.requestSchema);
    const ofForeign = (field: string) => identifierFor(foreign, endpoint.path, field);
    const body = withIdentifierAt(schema, bodyOf(endpoint, foreign), site, identifier, ofForeign);
    if (!IS_READING.test(endpoint.path)) said.add(identifier);
    const response = await fixture.post(endpoint.path, body, headersFor(endpoint, foreign));
    expect(response.statusCode).toBe(200);
    return response.body.replaceAll(identifier, 'UUID');
  }

  function expectNothingOfOwn(text: string, except: ReadonlySet<string>): void {
    for (const each of new Set(Object.values(own.identifiers)).difference(except)) {
      expect(text).not.toContain(each);
    }
  }

  /**
   * Which of `own`'s things a field could name: the kind for which the field is meant, or any kind if the gateway only
   * passes it on.
   */
  function identifiersAt({ path }: Endpoint, site: IdentifierSite): string[] {
    const { locationUuid, scheduleUuid, shareUuid, cameraUuid } = own.identifiers;
    const field = site.findLast((step) => /^\w/.test(step)) ?? '';
    const meant = identifierFor(own, path, field);
    return meant === undefined ? [locationUuid!, scheduleUuid!, shareUuid!, cameraUuid!] : [meant];
  }

  it.each(IN_ORDER.map((endpoint) => [endpoint.path, endpoint] as const))(
    'reveals nothing to another one at %s',
    async (_path, endpoint) => {
      if (IS_READING.test(endpoint.path) || endpoint.file !== null) {
        const requested = await fixture.post(
          endpoint.path,
          bodyOf(endpoint, foreign),
          headersFor(endpoint, foreign),
        );
        expectNothingOfOwn(requested.body, said);
      }
      const sites = identifierSites(asJsonSchema(endpoint.requestSchema));
      for (const site of sites) {
        for (const identifier of identifiersAt(endpoint, site)) {
          const ofNobody = await responseAt(
            endpoint,
            site,
            /^.{22}$/.test(identifier) ? newRuuid() : 'unknown',
          );
          const ofOwn = await responseAt(endpoint, site, identifier);
          expect([site, comparable(ofOwn)]).toEqual([site, comparable(ofNobody)]);
          expectNothingOfOwn(ofOwn, IS_READING.test(endpoint.path) ? new Set([identifier]) : said);
        }
      }
      called.push(endpoint.path);
      if (called.length === CALLED_BETWEEN_SNAPSHOTS) await expectUnchanged();
    },
  );

  it('leaves everything as it was, the calls after the last comparison included', expectUnchanged);

  it('cannot be named by a partner whose client it is not', async () => {
    for (const { path, isOpen } of ENDPOINTS) {
      const responseFor = async (orgUuid: string) => {
        const response = await fixture.post(path, {}, { ...foreign.partnerHeaders, 'x-auth-org': orgUuid });
        return { path, status: response.statusCode, answer: response.json() };
      };
      const ofNobody = await responseFor(newRuuid());
      if (!isOpen) expect(ofNobody).toMatchObject({ path, answer: { error: true } });
      expect(await responseFor(own.org.organization.uuid)).toEqual(ofNobody);
    }
  });
});

const PASSKEYS_NEED_HTTPS = /^Browsers offer passkeys only to pages over https/;

/** Also refused to the organization itself, because of the state of the named things. */
const OWN_REFUSALS: ReadonlyMap<string, RegExp> = new Map([
  ['/api/relay/assignThirdPartyCameraToNVR', /is assigned to an NVR as the camera/],
  ['/api/console/addOidcProvider', /has the domain/],
  ['/api/console/addSamlProvider', /has the domain/],
  ['/api/org/createPendingRegistration', /already announced or registered/],
  ['/api/camera/delete', /The configuration file declares/],
  ['/api/camera/updateCameraSource', /The configuration file declares/],
  ['/api/doorbellcamera/delete', /The configuration file declares/],
  ['/api/relay/unregister', /Cameras are assigned to the NVR/],
  ['/api/evidence/createCaseDownload', /The case is not sealed/],
  ...[
    'addPasskey',
    'beginAddingPasskey',
    'beginConfirmation',
    'beginInvitePasskey',
    'beginPasskeySignIn',
  ].map((operation) => [`/api/console/${operation}`, PASSKEYS_NEED_HTTPS] as const),
  ['/api/console/signInWithPasskey', PASSKEYS_NEED_HTTPS],
]);

/** Removes what others of these need. */
const LAST = [
  '/api/relay/deleteThirdPartyCameraDiscovery',
  '/api/camera/delete',
  '/api/doorbellcamera/delete',
  '/api/relay/unregister',
  '/api/integrations/org/revokeApiToken',
];
const TAKES_AWAY = /\/(?:cancel|delete|remove|un|revoke|pause)\w+$/;

function endRank({ path }: Endpoint): number {
  return LAST.includes(path) ? 2 + LAST.indexOf(path) : Number(TAKES_AWAY.test(path));
}

it('says yes to the organization itself with the same bodies', async () => {
  const { fixture, own, close } = await openPopulatedApi();
  const refusals: string[] = [];
  for (const endpoint of ENDPOINTS.toSorted((a, b) => endRank(a) - endRank(b))) {
    const response = await fixture.post(endpoint.path, bodyOf(endpoint, own), headersFor(endpoint, own));
    const isFile = response.headers['content-type']?.startsWith('text/csv') === true;
    expect([endpoint.path, isFile]).toEqual([endpoint.path, endpoint.file !== null]);
    if (isFile) continue;
    const body = response.json<Answer>();
    const { rejected = [] } = body as { rejected?: readonly unknown[] };
    if (OWN_REFUSALS.get(endpoint.path)?.test(body.errorMsg ?? '') === true) continue;
    if (body.error || rejected.length > 0) refusals.push(`${endpoint.path}: ${JSON.stringify(body)}`);
  }
  await close();
  expect(refusals).toEqual([]);
});
