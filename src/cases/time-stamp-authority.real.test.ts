import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type OpensslTsa,
  opensslTimeMs,
  opensslVerifies,
  opensslVerifiesPss,
  startOpensslTsa,
  type TsaKey,
} from '../../test/support/openssl-tsa.ts';
import { systemClock } from '../core/clock.ts';
import { checkTimeStamp } from '../evidence/time-stamp.ts';
import { verifyArchive } from '../evidence/verify-archive.ts';
import { archiveOf, filesOf, inMemory, sealedCase } from '../front-door/files/archive-fixture.ts';
import { casesBench } from './cases-fixture.ts';
import { TimeStampAuthority } from './time-stamp-authority.ts';

const DATA = Buffer.from('what was sealed');
const OPENED = { title: 'Theft', number: '', notes: '' };

let tsa: OpensslTsa;
afterEach(() => tsa.close());

async function authority(key?: TsaKey): Promise<TimeStampAuthority> {
  tsa = await startOpensslTsa(key);
  return new TimeStampAuthority(tsa.url, systemClock);
}

describe.each(['rsa', 'rsa-pss', 'pss-only', 'p256', 'p384'] as const)(
  'OpenSSL as the authority, with a key of %s',
  (key) => {
    it('confirms a time, which OpenSSL and the check find valid, and no changed byte', async () => {
      const response = await (await authority(key)).stamp(DATA);
      const found = await checkTimeStamp(response, DATA);
      expect(found).toMatchObject({ state: 'whole', authority: 'Test time stamps' });
      const [responseFile, dataFile] = [join(tsa.folder, 'a.tsr'), join(tsa.folder, 'a')];
      await Promise.all([writeFile(responseFile, response), writeFile(dataFile, DATA)]);
      const isPss = key === 'rsa-pss' || key === 'pss-only';
      const judged = isPss ? opensslVerifiesPss(tsa) : opensslVerifies(tsa, responseFile, dataFile);
      expect(await judged).toBe(true);
      expect(found.atMs).toBe(await opensslTimeMs(responseFile));
      expect(await checkTimeStamp(response, Buffer.from('something else'))).toMatchObject({
        state: 'changed',
      });
      const { body } = signedParts(response);
      const states = new Set<string>();
      for (let at = body.from; at < body.to; at++) {
        const changed = Buffer.from(response);
        changed[at]! ^= 1;
        states.add((await checkTimeStamp(changed, DATA)).state);
      }
      expect([...states]).toEqual(['changed']);
      for (let end = 0; end < response.length; end += 7) {
        expect((await checkTimeStamp(response.subarray(0, end), DATA)).state).toBe('changed');
      }
    });
  },
);

/** The TSTInfo, of which each byte is signed. */
function signedParts(response: Buffer): { readonly body: { readonly from: number; readonly to: number } } {
  const policy = response.indexOf(Buffer.from('06042a030401', 'hex'));
  const from = policy - 3;
  return { body: { from, to: from + 60 } };
}

describe('a case that is sealed with an authority', () => {
  it('has its time stamp in the archive, and is not whole without', async () => {
    const bench = await casesBench({ timeStamps: await authority() });
    const files = await filesOf(await archiveOf(bench, await sealedCase(bench, 3)));
    expect(files.has('manifest.tsr')).toBe(true);
    const whole = await verifyArchive(inMemory(files));
    expect(whole).toMatchObject({
      isWhole: true,
      timeStamp: { state: 'whole', authority: 'Test time stamps' },
    });
    const without = new Map(files);
    without.delete('manifest.tsr');
    expect(await verifyArchive(inMemory(without))).toMatchObject({
      isWhole: false,
      timeStamp: { state: 'missing' },
    });
    // Of another archive.
    const other = await filesOf(await archiveOf(bench, await sealedCase(bench, 3)));
    const mixed = new Map(files).set('manifest.tsr', other.get('manifest.tsr')!);
    expect(await verifyArchive(inMemory(mixed))).toMatchObject({
      isWhole: false,
      manifest: 'whole',
      timeStamp: { state: 'changed' },
    });
  });

  it.each([
    ['does not answer with a time stamp', 'TIME_STAMP_INVALID', { status: 200, body: Buffer.from('no') }],
    ['refuses', 'TIME_STAMP_UNAVAILABLE', { status: 503, body: Buffer.alloc(0) }],
  ] as const)('is not sealed if the authority %s, and later it is', async (_how, code, response) => {
    const bench = await casesBench({ timeStamps: await authority() });
    const { cases, orgUuid, sealer, record } = bench;
    const { uuid } = await cases.create(orgUuid, OPENED, 'Ada');
    const { cameraUuid } = await record(3);
    const thing = {
      cameraUuid,
      startMs: bench.clock.epochMs() - 60_000,
      endMs: bench.clock.epochMs() + 60_000,
    };
    await cases.add(orgUuid, uuid, { thing, note: '', by: 'Ada', reader: uuid });
    tsa.answers = () => response;
    await sealer.seal(orgUuid, uuid, 'Ada');
    await sealer.settled();
    expect((await cases.find(orgUuid, uuid)).record.body).toMatchObject({
      state: 'failed',
      failureCode: code,
    });
    tsa.answers = null;
    await sealer.seal(orgUuid, uuid, 'Ada');
    await sealer.settled();
    expect((await cases.find(orgUuid, uuid)).record.body.state).toBe('sealed');
  });

  it('refuses a time stamp that answers another request', async () => {
    const stamps = await authority();
    const earlier = await stamps.stamp(DATA);
    tsa.answers = () => ({ status: 200, body: earlier });
    await expect(stamps.stamp(DATA)).rejects.toMatchObject({ code: 'TIME_STAMP_INVALID' });
  });
});
