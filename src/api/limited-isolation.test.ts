/**
 * Callers whose rights are limited to one site, at every endpoint: a viewer's key, an operator's key, and a viewer who is signed in. A
 * second site of the same organization has one of everything, and its identifiers are put into every field. No response may name anything
 * of it, or differ from that for an identifier that no one has.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { asJsonSchema } from '../http/fields/json-schema.ts';
import type { AccessScope } from '../store/access-scope.ts';
import { sampleCamera, sampleLocation, sampleNvr } from '../store/sample-entities-fixture.ts';
import { type ApiFixture, addApiKey, type FixtureOrg } from './api-fixture.ts';
import { signedIn } from './console-fixture.ts';
import { ENDPOINTS } from './endpoints.ts';
import {
  identifierFor,
  openPopulatedApi,
  type PopulatedApi,
  type PopulatedOrganization,
  populateSite,
} from './populated-organization-fixture.ts';
import {
  exampleBody,
  type IdentifierSite,
  identifierSites,
  withIdentifierAt,
} from './schema-samples-fixture.ts';

const UUIDS = /[\w-]{22,}/g;
const IS_READING = /\/(?:get|find)\w+$/;
/** In every name at the second site. */
const PLANTED = 'Planted';
/** Of the whole organization, or of nothing that has a place: an unused schedule, for example. */
const NOT_OF_THE_SITE =
  /^(?:orgUuid|tokenUuid|webhookUrl|unused\w*ScheduleUuid|\w+ScheduleUuid|\w*mergencyPartnerUuid)$/;
const PAUSE_PATH = '/api/policy/pauseAlertPolicyForComponentComposite';
const REACHED = ENDPOINTS.filter(
  ({ limited, isOpen, scheme }) => limited !== 'refused' && !isOpen && scheme === 'api',
);
const IN_ORDER = REACHED.toSorted((a, b) => rank(a) - rank(b));

function rank({ path }: Endpoint): number {
  if (path === PAUSE_PATH) return 2;
  return IS_READING.test(path) ? 0 : 1;
}

type Headers = Record<string, string>;

describe('a caller who is limited to one site', () => {
  let populated: PopulatedApi;
  let fixture: ApiFixture;
  let own: PopulatedOrganization;
  let second: PopulatedOrganization;
  let hidden: readonly string[];
  let callers: readonly Headers[];
  let before: Readonly<Record<string, string[]>>;
  beforeAll(async () => {
    populated = await openPopulatedApi();
    ({ fixture, own } = populated);
    second = await populateSite(fixture, await addSite(fixture));
    const of = Object.entries(second.identifiers).filter(([name]) => !NOT_OF_THE_SITE.test(name));
    const ofForeign = Object.values(populated.foreign.identifiers).filter((each) => each.length > 20);
    hidden = [...new Set([...of.map(([, identifier]) => identifier), ...ofForeign, PLANTED])];
    const scope = { locationUuids: [own.org.locationUuid], cameraUuids: [] };
    const orgUuid = own.org.organization.uuid;
    const { console } = await signedIn(fixture, own.org, 'viewer', { scope });
    const ofPerson = { 'x-auth-apikey': '', 'x-auth-scheme': 'console', cookie: console.cookie! };
    const ofCamera = { locationUuids: [], cameraUuids: [own.org.camera.uuid] };
    const keyOf = async (role: 'viewer' | 'operator', limits: AccessScope = scope) => ({
      'x-auth-apikey': await addApiKey(fixture.store, orgUuid, { role, scope: limits }),
    });
    callers = [await keyOf('operator'), await keyOf('viewer', ofCamera), ofPerson];
    await snapshot();
    before = await snapshot();
  });
  afterAll(() => populated.close());

  function bodyOf(endpoint: Endpoint): Record<string, unknown> {
    return exampleBody(endpoint, (field) => identifierFor(own, endpoint.path, field));
  }

  /** The records of the second site, as the organization's own key sees them. */
  async function snapshot(): Promise<Record<string, string[]>> {
    const responses: Record<string, string[]> = {};
    for (const endpoint of ENDPOINTS.filter(({ path, isOpen }) => IS_READING.test(path) && !isOpen)) {
      const body = exampleBody(endpoint, (field) => identifierFor(second, endpoint.path, field));
      const { body: text } = await fixture.post(endpoint.path, body, second.headers);
      responses[endpoint.path] = hidden.filter((each) => text.includes(each));
    }
    return responses;
  }

  function expectNothingHidden(endpoint: Endpoint, text: string, except: string | null = null): void {
    const found = hidden.filter((each) => each !== except && text.includes(each));
    expect([endpoint.path, found]).toEqual([endpoint.path, []]);
  }

  async function responseAt(
    endpoint: Endpoint,
    site: IdentifierSite,
    identifier: string,
    headers: Headers,
  ): Promise<string> {
    const schema = asJsonSchema(endpoint.requestSchema);
    const ofOwn = (field: string) => identifierFor(own, endpoint.path, field);
    const body = withIdentifierAt(schema, bodyOf(endpoint), site, identifier, ofOwn);
    const response = await fixture.post(endpoint.path, body, headers);
    return response.body.replaceAll(identifier, 'IDENTIFIER');
  }

  function identifiersAt({ path }: Endpoint, site: IdentifierSite): string[] {
    const { locationUuid, scheduleUuid, shareUuid, cameraUuid } = second.identifiers;
    const field = site.findLast((step) => /^\w/.test(step)) ?? '';
    const meant = identifierFor(second, path, field);
    return meant === undefined ? [locationUuid!, scheduleUuid!, shareUuid!, cameraUuid!] : [meant];
  }

  it.each(IN_ORDER.map((endpoint) => [endpoint.path, endpoint] as const))(
    'learns nothing of another site at %s',
    async (_path, endpoint) => {
      for (const headers of callers) {
        const requested = await fixture.post(endpoint.path, bodyOf(endpoint), headers);
        expectNothingHidden(endpoint, requested.body);
        for (const site of identifierSites(asJsonSchema(endpoint.requestSchema))) {
          for (const identifier of identifiersAt(endpoint, site)) {
            if (NOT_OF_THE_SITE.test(nameOf(second, identifier))) continue;
            const ofNobody = await responseAt(endpoint, site, newRuuid(), headers);
            const ofSecond = await responseAt(endpoint, site, identifier, headers);
            expectNothingHidden(endpoint, ofSecond);
            expect([site, comparable(ofSecond)]).toEqual([site, comparable(ofNobody)]);
          }
        }
      }
    },
  );

  it('has taken nothing from the other site', async () => {
    const now = await snapshot();
    const missing = Object.entries(before).flatMap(([path, seen]) =>
      seen.filter((each) => !now[path]!.includes(each)).map((each) => [path, each]),
    );
    expect(missing).toEqual([]);
  });
});

function nameOf({ identifiers }: PopulatedOrganization, identifier: string): string {
  return Object.keys(identifiers).find((name) => identifiers[name] === identifier) ?? '';
}

function comparable(response: string): string {
  return response.replaceAll(UUIDS, 'UUID').replaceAll('IDENTIFIER', 'UUID');
}

/** Another site of the first organization, with devices of its own. */
async function addSite({ store, own }: ApiFixture): Promise<FixtureOrg> {
  const orgUuid = own.organization.uuid;
  const location = sampleLocation(orgUuid, { name: `${PLANTED} site` });
  const nvr = sampleNvr(orgUuid, { name: `${PLANTED} recorder`, locationUuid: location.uuid });
  const place = { locationUuid: location.uuid, nvrUuid: nvr.uuid };
  const camera = sampleCamera(orgUuid, { name: `${PLANTED} camera`, ...place });
  const doorbell = sampleCamera(orgUuid, { name: `${PLANTED} doorbell`, kind: 'doorbell', ...place });
  await store.locations.save(location);
  await store.nvrs.save(nvr);
  await store.cameras.save(camera);
  await store.cameras.save(doorbell);
  return { ...own, locationUuid: location.uuid, nvrUuid: nvr.uuid, camera, doorbell };
}
