import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, addApiKey, openApiFixture } from '../api/api-fixture.ts';
import { signedIn } from '../api/console-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { ChangeTopics } from '../realtime/change-topics.ts';

import type { Person } from '../store/person.ts';
import { sampleOrganization } from '../store/sample-entities-fixture.ts';
import type { ChangeEvent } from '../store/store.ts';
import { CHANGE_STREAM_PATH } from './change-topic-route.ts';
import { PipedWebSocket } from './piped-websocket-fixture.ts';

/** Where pages of the API itself are, by the Host header. */
const ORIGIN = 'http://localhost';

let fixture: ApiFixture;
let tellTopics: (event: ChangeEvent) => void;
let changeTopics: ChangeTopics;
beforeEach(async () => {
  changeTopics = new ChangeTopics({
    clock: new FakeClock(),
    log: silentLog,
    onChange: (listener) => {
      tellTopics = listener;
      return () => undefined;
    },
  });
  fixture = await openApiFixture({ overrides: { changeTopics } });
  fixture.store.onChange((event) => tellTopics(event));
  await fixture.api.ready();
});
afterEach(() => fixture.close());

/**
 * The stream's response to the CONNECT frame of the API family's command line. That frame names no host, and its credentials are in the
 * handshake.
 */
async function responseTo(query: Record<string, string>, headers: Record<string, string>): Promise<string> {
  const { socket, answer } = await connect(query, headers);
  socket.close();
  return answer;
}

/** A connection that was admitted. */
async function connected(
  query: Record<string, string>,
  headers: Record<string, string>,
): Promise<PipedWebSocket> {
  const { socket, answer } = await connect(query, headers);
  expect(answer).toBe('CONNECTED');
  return socket;
}

async function connect(
  query: Record<string, string>,
  headers: Record<string, string>,
): Promise<{ socket: PipedWebSocket; answer: string }> {
  const socket = await PipedWebSocket.open(
    fixture.api.server,
    `${CHANGE_STREAM_PATH}?${new URLSearchParams(query)}`,
    headers,
  );
  const response = await socket.responseTo('CONNECT\naccept-version:1.2\nheart-beat:10000,10000\n\n\0');
  return { socket, answer: response.split('\n', 1)[0]! };
}

it('lets the command line in, which names its scheme in the address and in the handshake', async () => {
  const { apiKey } = fixture.own;
  expect(await responseTo({ 'x-auth-scheme': 'api-token' }, { 'x-auth-apikey': apiKey })).toBe('CONNECTED');
  const both = { 'x-auth-apikey': apiKey, 'x-auth-scheme': 'api-token' };
  expect(await responseTo({ 'x-auth-scheme': 'api-token' }, both)).toBe('CONNECTED');
  expect(await responseTo({ 'x-auth-scheme': 'partner-api-token' }, both)).toBe('CONNECTED');
  expect(await responseTo({ 'x-auth-apikey': apiKey }, {})).toBe('ERROR');
});

it('lets a partner in that names its scheme and its client in the address alone', async () => {
  const { store, own, foreign } = fixture;
  const partner = sampleOrganization({ name: 'Partner' });
  await store.organizations.save(partner);
  await store.organizations.save({ ...own.organization, partnerUuid: partner.uuid });
  const partnerKey = await addApiKey(store, partner.uuid, { scheme: 'partner-api' });
  const headers = { 'x-auth-apikey': partnerKey };
  const named = { 'x-auth-scheme': 'partner-api-token' };
  expect(await responseTo({}, headers)).toBe('ERROR');
  expect(await responseTo(named, headers)).toBe('CONNECTED');
  expect(await responseTo({ ...named, 'x-auth-org': own.organization.uuid }, headers)).toBe('CONNECTED');
  expect(await responseTo({ ...named, 'x-auth-org': foreign.organization.uuid }, headers)).toBe('ERROR');
});

it('lets the console in by its cookie, if a page of the API opened the WebSocket', async () => {
  const { console } = await signedIn(fixture, fixture.own, 'viewer');
  const cookie = console.cookie!;
  const named = { 'x-auth-scheme': 'console' };
  for (const own of [ORIGIN, 'http://api.example']) {
    expect(await responseTo({}, { cookie, origin: own })).toBe('CONNECTED');
    expect(await responseTo(named, { cookie, origin: own })).toBe('CONNECTED');
  }
  expect(await responseTo(named, { cookie })).toBe('CONNECTED');
  // A browser names the page's origin; without it, a cookie alone is not enough.
  expect(await responseTo({}, { cookie })).toBe('ERROR');
  for (const foreign of ['http://evil.example', `${ORIGIN}.evil.example`, 'null']) {
    expect(await responseTo({}, { cookie, origin: foreign })).toBe('ERROR');
    expect(await responseTo(named, { cookie, origin: foreign })).toBe('ERROR');
  }
  expect(await responseTo({}, { cookie, origin: ORIGIN, 'sec-fetch-site': 'cross-site' })).toBe('ERROR');
  expect(await responseTo({ 'x-auth-scheme': 'api-token' }, { cookie, origin: ORIGIN })).toBe('ERROR');
});

it.each([
  ['the session ends', ({ person }: SignedIn) => endSessions(person)],
  [
    'the person is disabled',
    ({ person }: SignedIn) => fixture.store.people.save({ ...person, disabled: true }),
  ],
  [
    'the person is removed',
    ({ person }: SignedIn) => fixture.store.people.remove(person.orgUuid, person.uuid),
  ],
  [
    'the person is limited to a site',
    ({ person }: SignedIn) =>
      fixture.store.people.save({
        ...person,
        scope: { locationUuids: [fixture.own.locationUuid], cameraUuids: [] },
      }),
  ],
])('ends at once when %s', async (_what, end) => {
  const one = await signedIn(fixture, fixture.own, 'viewer');
  const other = await signedIn(fixture, fixture.own, 'viewer');
  const [socket, others] = await Promise.all(
    [one, other].map(({ console }) => connected({}, { cookie: console.cookie!, origin: ORIGIN })),
  );
  const closed = once(socket!, 'close');
  await end(one);
  await closed;
  expect(others!.isOpen).toBe(true);
  others!.close();
});

type SignedIn = Awaited<ReturnType<typeof signedIn>>;

async function endSessions({ orgUuid, uuid }: Person): Promise<void> {
  for (const session of await fixture.store.consoleSessions.listByPerson(orgUuid, uuid)) {
    await fixture.store.consoleSessions.remove(orgUuid, session.uuid);
  }
}

it('ends connections when changes were missed, and says that there is something to read', async () => {
  const socket = await connected({}, { 'x-auth-apikey': fixture.own.apiKey, 'x-auth-scheme': 'api-token' });
  const ended = once(socket, 'message');
  changeTopics.changesMissed();
  expect((await ended)[0]).toMatch(/^ERROR\n.*code:REALTIME_CHANGES_MISSED\n/s);
});
