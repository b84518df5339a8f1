import { X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { pemOf, selfSignedCertificate } from '../evidence/certificate.ts';
import { signingKey } from '../evidence/signing-key.ts';
import { boxOf, topBoxes } from './boxes.ts';
import { joined } from './cbor.ts';
import { checkInit, checkSegment, type LiveSigner } from './check-live.ts';
import { LiveSession } from './live-session.ts';

const NOW_MS = Date.UTC(2026, 5, 1, 12);
const { key, publicKey } = signingKey(Buffer.alloc(32, 7), 1);
const certificate = selfSignedCertificate({
  commonName: 'Sluice evidence',
  key,
  publicKey,
  nowEpochMs: NOW_MS,
});
const INIT = joined([boxOf('ftyp', Buffer.from('iso6')), boxOf('moov', Buffer.alloc(300, 3))]);

function sessionAt(minSequenceNumber: number): LiveSession {
  const identity = { key, certificate, version: '1.2.3' };
  return new LiveSession({
    identity,
    streamId: 'ab12',
    minSequenceNumber,
    nowEpochMs: NOW_MS,
  });
}

/** `cut`: the parts come in pieces of this size. */
function signed(session: LiveSession, sequenceNumber: number, cut = 1_000): Buffer {
  const box = (type: string, size: number) => boxOf(type, Buffer.alloc(size, sequenceNumber));
  const first = joined([boxOf('styp', Buffer.from('msdh')), box('moof', 90), box('mdat', 500)]);
  const last = joined([box('moof', 80), box('mdat', 40)]);
  const signature = session.segment(sequenceNumber);
  signature.add(pieces(first, cut));
  const facts = { timescaleHz: 90_000, durationTicks: 180_000, nowEpochMs: NOW_MS + 5_000 };
  const { bytes, position } = signature.end(pieces(last, cut), facts);
  expect(position).toBe(0);
  return Buffer.concat([first, bytes, last]);
}

function pieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const all = Array.from({ length: Math.ceil(bytes.length / size) }, (_each, index) => index * size);
  return all.map((at) => bytes.subarray(at, at + size));
}

async function signerOf(init: Uint8Array): Promise<LiveSigner> {
  const finding = await checkInit(init);
  if (finding.state !== 'signed') throw new Error(JSON.stringify(finding));
  return finding.signer;
}

describe('live signatures', () => {
  it('are read back: who signs, for which stream, with which key', async () => {
    const signer = await signerOf(sessionAt(40).introducedIn(INIT));
    expect(signer).toMatchObject({
      streamId: 'ab12',
      session: { minSequenceNumber: 40, validitySec: 90_000 },
    });
    expect(signer.fingerprint).toBe(
      new X509Certificate(pemOf(certificate)).fingerprint256.replaceAll(':', '').toLowerCase(),
    );
  });

  it('hold for segments of the session', async () => {
    const session = sessionAt(40);
    const signer = await signerOf(session.introducedIn(INIT));
    expect(await checkSegment(signed(session, 40), signer, 40)).toEqual({
      state: 'signed',
      sequenceNumber: 40,
      signedAtSec: NOW_MS / 1_000 + 5,
    });
  });

  it.each([1, 7, 8, 9, 100])('are the same if parts come in pieces of %i bytes', async (cut) => {
    const session = sessionAt(40);
    const signer = await signerOf(session.introducedIn(INIT));
    expect(await checkSegment(signed(session, 40, cut), signer, 40)).toMatchObject({ state: 'signed' });
  });

  it('go behind the styp of a segment that is one part', async () => {
    const session = sessionAt(40);
    const signer = await signerOf(session.introducedIn(INIT));
    const whole = joined([boxOf('styp', Buffer.from('msdh')), boxOf('moof', Buffer.alloc(9)), boxOf('mdat')]);
    const facts = { timescaleHz: 90_000, durationTicks: 180_000, nowEpochMs: NOW_MS };
    const { bytes, position } = session.segment(40).end([whole], facts);
    const segment = joined([whole.subarray(0, position), bytes, whole.subarray(position)]);
    expect(topBoxes(segment).map(({ type }) => type)).toEqual(['styp', 'emsg', 'moof', 'mdat']);
    expect(await checkSegment(segment, signer, 40)).toMatchObject({ state: 'signed' });
  });

  it('find every changed byte of an init segment', async () => {
    const init = sessionAt(40).introducedIn(INIT);
    for (let at = 0; at < init.length; at++) {
      const changed = Buffer.from(init);
      changed[at]! ^= 1;
      const finding = await checkInit(changed);
      // Without its type or UUID, it is no manifest.
      expect([at, finding.state]).not.toEqual([at, 'signed']);
    }
  });

  it('find every changed byte of a segment', async () => {
    const session = sessionAt(40);
    const signer = await signerOf(session.introducedIn(INIT));
    const segment = signed(session, 41);
    for (let at = 0; at < segment.length; at++) {
      const changed = Buffer.from(segment);
      changed[at]! ^= 1;
      const finding = await checkSegment(changed, signer, 41);
      expect([at, finding.state]).not.toEqual([at, 'signed']);
    }
  });

  it('find segments in the place of others, and of other sessions', async () => {
    const [session, other] = [sessionAt(40), sessionAt(40)];
    const signer = await signerOf(session.introducedIn(INIT));
    const segment = signed(session, 41);
    expect(await checkSegment(segment, signer, 42)).toEqual({ state: 'broken', problem: 'number' });
    expect(await checkSegment(signed(other, 42), signer, 42)).toEqual({
      state: 'broken',
      problem: 'session',
    });
    expect(await checkSegment(signed(session, 39), signer, 39)).toEqual({
      state: 'broken',
      problem: 'session',
    });
  });

  it('find added, missing, and moved boxes', async () => {
    const session = sessionAt(40);
    const signer = await signerOf(session.introducedIn(INIT));
    const segment = signed(session, 41);
    const parts = topBoxes(segment).map(({ bytes }) => bytes);
    const check = async (bytes: readonly Uint8Array[]) =>
      (await checkSegment(joined(bytes), signer, 41)).state;
    expect(await check(parts)).toBe('signed');
    expect(await check([...parts, boxOf('free')])).toBe('broken');
    expect(await check([...parts, boxOf('emsg', Buffer.alloc(60))])).toBe('broken');
    expect(await check([...parts, parts[3]!])).toBe('broken');
    expect(await check(parts.slice(0, 4))).toBe('broken');
    expect(await check([parts[3]!, ...parts.slice(0, 3), ...parts.slice(4)])).toBe('broken');
    expect(await check(parts.filter((_part, at) => at !== 3))).toBe('unsigned');
  });

  it('find a segment that is signed after the key has expired', async () => {
    const session = sessionAt(40);
    const signer = await signerOf(session.introducedIn(INIT));
    const short = { ...signer, session: { ...signer.session, validitySec: 4 } };
    expect(await checkSegment(signed(session, 41), short, 41)).toEqual({ state: 'broken', problem: 'time' });
  });

  it('are absent where there are none', async () => {
    expect(await checkInit(INIT)).toEqual({ state: 'unsigned' });
    const signer = await signerOf(sessionAt(40).introducedIn(INIT));
    expect(await checkSegment(boxOf('mdat'), signer, 41)).toEqual({ state: 'unsigned' });
  });

  it('never throw, whatever the bytes are', async () => {
    const session = sessionAt(40);
    const init = session.introducedIn(INIT);
    const signer = await signerOf(init);
    const segment = signed(session, 41);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(init.length - 1),
        fc.nat(segment.length - 1),
        fc.uint8Array(),
        async (i, s, bytes) => {
          const cutInit = joined([init.subarray(0, i), bytes]);
          const cutSegment = joined([segment.subarray(0, s), bytes]);
          expect((await checkInit(cutInit)).state).not.toBe('signed');
          expect((await checkSegment(cutSegment, signer, 41)).state).not.toBe('signed');
          expect((await checkSegment(bytes, signer, 41)).state).not.toBe('signed');
        },
      ),
      randomRuns(50),
    );
  });
});
