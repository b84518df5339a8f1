/** Checks that endpoints do what they declare about calls that are sent twice (test/structure/repetition.test.ts). */

import { expect, it } from 'vitest';
import type { Endpoint } from '../http/endpoint.ts';
import type { ChangeEvent } from '../store/store.ts';
import { ENDPOINTS } from './endpoints.ts';
import { headersFor, identifierFor, openPopulatedApi } from './populated-organization-fixture.ts';
import { exampleBody } from './schema-samples-fixture.ts';

/** By their names (docs/spec/conventions.md), these change nothing. */
const READING = /\/(?:count|find|get|validate)[A-Z]\w*$|^\/api\/export\//;
/** The gateway's notes about a call, and records that carry it out, are not the purpose of the call. */
const NOTES: ReadonlySet<string> = new Set(['auditEvent', 'idempotentRequest', 'mail', 'webhookDelivery']);
const LASTING_SESSIONS: ReadonlySet<string> = new Set(['consoleSession', 'consoleCode', 'federatedSession']);
/** Removes what others of these need, last. */
const LAST = [
  '/api/relay/deleteThirdPartyCameraDiscovery',
  '/api/camera/delete',
  '/api/doorbellcamera/delete',
  '/api/relay/unregister',
  '/api/integrations/org/revokeApiToken',
];
const TAKES_AWAY = /\/(?:cancel|delete|end|remove|revoke|sign|un)\w+$/;

const inOrder = ENDPOINTS.filter(({ path }) => !READING.test(path)).toSorted((a, b) => rank(a) - rank(b));

function rank({ path }: Endpoint): number {
  return LAST.includes(path) ? 2 + LAST.indexOf(path) : Number(TAKES_AWAY.test(path));
}

it('nothing is created by the second of two calls, with an Idempotency-Key where it is honored', async () => {
  const { fixture, own, close } = await openPopulatedApi();
  const created: string[] = [];
  fixture.store.onChange(({ type, entity }: ChangeEvent) => {
    if (type === 'CREATE' && !NOTES.has(entity)) created.push(entity);
  });
  const replayed: string[] = [];
  for (const [index, endpoint] of inOrder.entries()) {
    const { path, repetition } = endpoint;
    const body = exampleBody(endpoint, (field) => identifierFor(own, path, field));
    const key = repetition === 'once' ? { 'idempotency-key': `key-${index}` } : {};
    const headers = { ...headersFor(endpoint, own), ...key };
    const first = await fixture.post(path, body, headers);
    await fixture.accessControl.eventEffects.settled();
    created.length = 0;
    const second = await fixture.post(path, body, headers);
    await fixture.accessControl.eventEffects.settled();
    const lasting =
      repetition === 'expires' ? created.filter((each) => !LASTING_SESSIONS.has(each)) : created;
    expect([path, lasting]).toEqual([path, []]);
    if (repetition !== 'once' || first.json().error) continue;
    expect([path, second.headers['idempotency-replayed']]).toEqual([path, 'true']);
    replayed.push(path);
  }
  await close();
  // Calls whose names are no prefix of a list.
  for (const path of ['video/spliceV3', 'video/generateTimelapseClip', 'console/invitePerson']) {
    expect(replayed).toContain(`/api/${path}`);
  }
  expect(replayed.length).toBeGreaterThan(25);
});
