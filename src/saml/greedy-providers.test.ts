/** One organization, or one address, cannot use up what all sign-ins by SAML share. */

import { expect, it } from 'vitest';
import { GatewayError } from '../core/errors.ts';
import { FakeClock } from '../core/fake-clock.ts';
import { LIMITS } from '../core/limits/registry.ts';
import { silentLog } from '../core/log.ts';
import { newRuuid, type Ruuid } from '../core/ruuid.ts';
import { metadataFetch } from './metadata-fetch.ts';
import { SamlClient, type SamlClientOptions } from './saml-client.ts';

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: GatewayError) => thrown.code,
  );
const clock = new FakeClock();

it('reads the metadata of another organization, however many addresses of one are silent', async () => {
  const silent = new Promise<never>(() => undefined);
  const read = metadataFetch({
    clock,
    allowPrivateNetworks: false,
    call: ({ url }) =>
      url.host === 'silent.example'
        ? silent
        : Promise.resolve({ status: 200, retryAfter: null, contentType: null, body: 'x' }),
  });
  const [greedy, other] = [newRuuid(), newRuuid()];
  const most = LIMITS.samlMetadataReads.levels.organization.max;
  for (let count = 0; count < most; count++) void read(greedy, 'https://silent.example/');
  expect(await codeOf(read(greedy, 'https://silent.example/'))).toBe('SAML_METADATA_BUSY');
  expect(await read(other, 'https://login.example/')).toBe('x');
});

it('verifies responses for another organization, and another address', async () => {
  const [greedy, other] = [newRuuid(), newRuuid()];
  const silent = new Promise<never>(() => undefined);
  const client = new SamlClient({
    providers: {
      findWorking: async (uuid: Ruuid) => ({ uuid, orgUuid: uuid, body: { party: {} } }),
    },
    keys: {
      keys: (orgUuid: Ruuid) => (orgUuid === greedy ? silent : Promise.reject(new GatewayError(REACHED))),
    },
    usedIds: {},
    sealingKey: Buffer.alloc(32),
    publicApiUrl: 'http://api.example',
    clock,
    log: silentLog,
  } as unknown as SamlClientOptions);
  const { organization, address } = LIMITS.samlResponses.levels;
  const send = (orgUuid: Ruuid, from: string) => codeOf(client.receive(orgUuid, 'x', null, from));
  for (let count = 0; count < address.max; count++) void send(greedy, '192.0.2.1');
  await Promise.resolve();
  expect(await send(greedy, '192.0.2.1')).toBe('SAML_BUSY');
  for (let count = address.max; count < organization.max; count++) void send(greedy, '192.0.2.2');
  await Promise.resolve();
  expect(await send(greedy, '192.0.2.3')).toBe('SAML_BUSY');
  // It got its turn: the failure is in its ticket.
  expect(await send(other, '192.0.2.4')).toBeNull();
});

const REACHED = { code: 'REACHED', kind: 'peer-protocol', message: '' } as const;
