import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ApiFixture, addApiKey, openApiFixture } from '../api/api-fixture.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { silentLog } from '../core/log.ts';
import { ChangeTopics } from '../realtime/change-topics.ts';
import { sampleOrganization } from '../store/sample-entities.ts';
import { CHANGE_STREAM_PATH } from './change-topic-route.ts';

let fixture: ApiFixture;
let address: string;
beforeEach(async () => {
  const changeTopics = new ChangeTopics({
    ...{ clock: new FakeClock(), log: silentLog },
    onChange: () => () => undefined,
  });
  fixture = await openApiFixture({ overrides: { changeTopics } });
  address = await fixture.api.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => fixture.close());

/** Node's WebSocket sets headers, which its type for pages does not know. */
type WebSocketOfNode = new (url: string, options: { headers: Record<string, string> }) => WebSocket;

/**
 * What the stream answers to the CONNECT frame of the API family's command line, which names no host, and whose
 * credentials are in the handshake.
 */
async function answerTo(query: Record<string, string>, headers: Record<string, string>): Promise<string> {
  const url = `${address.replace('http', 'ws')}${CHANGE_STREAM_PATH}?${new URLSearchParams(query)}`;
  const socket = new (WebSocket as unknown as WebSocketOfNode)(url, { headers });
  await once(socket, 'open');
  const answered = once(socket, 'message');
  socket.send('CONNECT\naccept-version:1.2\nheart-beat:10000,10000\n\n\0');
  const [{ data }] = (await answered) as [MessageEvent];
  socket.close();
  return String(data).split('\n', 1)[0]!;
}

it('lets the command line in, which names its scheme in the address and in the handshake', async () => {
  const { apiKey } = fixture.own;
  expect(await answerTo({ 'x-auth-scheme': 'api-token' }, { 'x-auth-apikey': apiKey })).toBe('CONNECTED');
  const both = { 'x-auth-apikey': apiKey, 'x-auth-scheme': 'api-token' };
  expect(await answerTo({ 'x-auth-scheme': 'api-token' }, both)).toBe('CONNECTED');
  expect(await answerTo({ 'x-auth-scheme': 'partner-api-token' }, both)).toBe('CONNECTED');
  expect(await answerTo({ 'x-auth-apikey': apiKey }, {})).toBe('ERROR');
});

it('lets a partner in that names its scheme and its client in the address alone', async () => {
  const { store, own, foreign } = fixture;
  const partner = sampleOrganization({ name: 'Partner' });
  await store.organizations.save(partner);
  await store.organizations.save({ ...own.organization, partnerUuid: partner.uuid });
  const partnerKey = await addApiKey(store, partner.uuid, { scheme: 'partner-api' });
  const headers = { 'x-auth-apikey': partnerKey };
  const named = { 'x-auth-scheme': 'partner-api-token' };
  expect(await answerTo({}, headers)).toBe('ERROR');
  expect(await answerTo(named, headers)).toBe('CONNECTED');
  expect(await answerTo({ ...named, 'x-auth-org': own.organization.uuid }, headers)).toBe('CONNECTED');
  expect(await answerTo({ ...named, 'x-auth-org': foreign.organization.uuid }, headers)).toBe('ERROR');
});
