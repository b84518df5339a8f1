import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { randomRuns } from '../../../test/support/random-runs.ts';
import { recordedNalus } from '../../../test/support/signed-recording.ts';
import { MediaVerifier, type MediaVerifierOptions, type VerifiedGroup } from './media-verifier.ts';
import { type SignedCodec, signingSeiOf, UnitHasher, unitKind } from './signed-units.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const ANCHOR = new X509Certificate(readFileSync(join(FIXTURES, 'ca.pem')));

/** The certificates of the recordings were valid then. */
const NOW_MS = Date.UTC(2025, 0, 1);
const CODECS: readonly SignedCodec[] = ['h264', 'h265'];

function verify(
  codec: SignedCodec,
  nalus: readonly Uint8Array[],
  options: Partial<MediaVerifierOptions> = {},
): VerifiedGroup[] {
  const verifier = new MediaVerifier({
    codec,
    anchors: [ANCHOR],
    isRecording: true,
    nowMs: () => NOW_MS,
    ...options,
  });
  return [...nalus.flatMap((nalu, index) => verifier.push(nalu, index)), ...verifier.end()];
}

const verdicts = (groups: readonly VerifiedGroup[]) => groups.map(({ verdict }) => verdict);

/** The same NAL units with one byte of one of them changed. */
function withByte(nalus: readonly Uint8Array[], index: number, at: number): Uint8Array[] {
  return nalus.map((nalu, each) => {
    if (each !== index) return nalu;
    const copy = Uint8Array.from(nalu);
    copy[at < 0 ? copy.length + at : at]! ^= 1;
    return copy;
  });
}

const seisOf = (nalus: readonly Uint8Array[], codec: SignedCodec) =>
  nalus.flatMap((nalu, index) => (unitKind(nalu, codec) === 'sei' ? [index] : []));

describe.each(CODECS)('a recording in %s that the reference implementation signed', (codec) => {
  const nalus = recordedNalus(codec);
  const [firstSei, secondSei] = seisOf(nalus, codec) as [number, number];

  it('is signed from its first to its last frame, by a camera whose certificate leads to the anchor', () => {
    const groups = verify(codec, nalus);
    expect(verdicts(groups)).toEqual(['signed', 'signed', 'signed', 'signed', 'signed']);
    expect(groups.map(({ trust }) => trust)).toEqual(Array(5).fill('trusted'));
    expect(groups.map(({ fromMs, toMs }) => [fromMs, toMs])).toEqual([
      [0, 61],
      [62, 124],
      [125, 187],
      [188, 250],
      [251, nalus.length - 2],
    ]);
    expect(groups[0]!.signer!.subject).toContain('CN=Test camera');
    expect(groups.reduce((sum, { units }) => sum + units, 0)).toBe(nalus.length - 5);
  });

  it('has no trusted signer without its anchor', () => {
    const untrusted = verify(codec, nalus, { anchors: [] });
    expect(new Set(untrusted.map(({ verdict, trust }) => `${verdict} ${trust}`))).toEqual(
      new Set(['signed unknown']),
    );
    const late = verify(codec, nalus, { nowMs: () => Date.UTC(2099) });
    expect(late[0]!.trust).toBe('untrusted');
  });

  it('shows a change of one byte in any frame, in the group of that frame alone', () => {
    for (const index of [1, 30, 61, 100, nalus.length - 2]) {
      const group = Math.min(4, Math.floor(Math.max(0, index - 62) / 63) + (index > 61 ? 1 : 0));
      const groups = verify(codec, withByte(nalus, index, -2));
      expect(groups[group], `NAL unit ${index}`).toMatchObject({
        verdict: 'changed',
        reason: 'units-changed',
        changedUnits: 1,
      });
      expect(verdicts(groups.toSpliced(group, 1))).toEqual(Array(4).fill('signed'));
    }
  });

  it('shows a change of a key frame, on which the hashes of its group depend', () => {
    // A recording can begin with the statement about frames before it, so its first group is only known to be signed.
    const first = verify(codec, withByte(nalus, 0, -2));
    expect(verdicts(first)).toEqual(['unverifiable', 'signed', 'signed', 'signed', 'signed']);
    const later = verify(codec, withByte(nalus, 125, -2));
    expect(verdicts(later)).toEqual(['signed', 'signed', 'changed', 'signed', 'signed']);
    expect(later[2]!.changedUnits).toBe(62);
  });

  it('shows a change of one byte in any part of a statement', () => {
    const statement = nalus[firstSei]!;
    const said = new Set<string>();
    for (let at = 40; at < statement.length; at += 97) {
      const [first] = verify(codec, withByte(nalus, firstSei, at));
      expect(first!.verdict, `byte ${at}`).not.toBe('signed');
      said.add(`${first!.verdict} ${first!.reason}`);
    }
    expect([...said]).toContain('changed signature-wrong');
  });

  it('counts frames that are missing, and those that were added', () => {
    const without = nalus.filter((_, index) => index !== 20 && index !== 21);
    expect(verify(codec, without)[0]).toMatchObject({
      verdict: 'incomplete',
      missingUnits: 2,
      changedUnits: 0,
    });
    const added = [...nalus.slice(0, 20), nalus[3]!, ...nalus.slice(20)];
    expect(verify(codec, added)[0]).toMatchObject({ verdict: 'changed', changedUnits: 1 });
  });

  it('shows that groups changed places, or that one was cut out with its statement', () => {
    const [thirdSei] = seisOf(nalus, codec).slice(2);
    const groupOf = (from: number, to: number) => nalus.slice(from, to);
    const swapped = [
      ...groupOf(0, firstSei + 1),
      ...groupOf(secondSei + 1, thirdSei! + 1),
      ...groupOf(firstSei + 1, secondSei + 1),
      ...nalus.slice(thirdSei! + 1),
    ];
    expect(verdicts(verify(codec, swapped))).not.toEqual(Array(5).fill('signed'));
    const cut = [...groupOf(0, firstSei - 1), ...nalus.slice(secondSei - 1)];
    expect(verdicts(verify(codec, cut))).not.toEqual(Array(4).fill('signed'));
  });

  it('is signed for someone who joins in the middle of a group', () => {
    expect(verdicts(verify(codec, nalus.slice(40)))).toEqual(Array(4).fill('signed'));
    expect(verdicts(verify(codec, nalus.slice(40), { isRecording: false }))).toEqual(Array(3).fill('signed'));
  });

  it('says nothing of frames whose statement is lost, and is signed again afterwards', () => {
    const lost = nalus.filter((_, index) => index !== secondSei);
    expect(verdicts(verify(codec, lost))).toEqual(['signed', 'unverifiable', 'signed', 'signed', 'signed']);
  });

  it('says nothing of the last frames if the recording ends before their statement', () => {
    const groups = verify(codec, nalus.slice(0, -1));
    expect(groups.at(-1)).toMatchObject({ verdict: 'unverifiable', reason: 'statement-lost' });
  });

  it('holds up against cut and random statements', () => {
    for (let length = 1; length < nalus[firstSei]!.length; length += 131) {
      const cut = nalus.map((nalu, index) => (index === firstSei ? nalu.subarray(0, length) : nalu));
      expect(verdicts(verify(codec, cut))[0], `${length} bytes`).not.toBe('signed');
    }
    expect(signingSeiOf(new Uint8Array(0), codec)).toBe('other');
  });
});

describe.each(CODECS)('loss of a recording in %s that the caller reports', (codec) => {
  const nalus = recordedNalus(codec);

  /** As over UDP: without the NAL units that `isLost` names. `changeAt`: one byte of this one differs. */
  function verifyLossy(isLost: (index: number) => boolean, changeAt = -1): VerifiedGroup[] {
    const verifier = new MediaVerifier({ codec, anchors: [ANCHOR], nowMs: () => NOW_MS });
    return withByte(nalus, changeAt, -2).flatMap((nalu, index) => {
      if (!isLost(index)) return verifier.push(nalu, index);
      verifier.gap();
      return [];
    });
  }
  const statements = seisOf(nalus, codec);
  /** Of the second group that the verifier knows. */
  const key = statements[2]! - 1;

  it('is incomplete if a frame or a key frame is missing', () => {
    for (const missing of [key + 5, key, key + 62]) {
      const groups = verifyLossy((index) => index === missing);
      expect(groups[1]).toMatchObject({ verdict: 'incomplete', changedUnits: 0, missingUnits: 1 });
      expect(verdicts(groups)).toEqual(groups.map((_, index) => (index === 1 ? 'incomplete' : 'signed')));
    }
  });

  it('still shows a byte that was changed', () => {
    const groups = verifyLossy((index) => index === key, key + 20);
    expect(groups[1]).toMatchObject({ verdict: 'changed', changedUnits: 1 });
  });

  it('is never taken for a change, whatever is missing', () => {
    const loss = fc.array(fc.nat({ max: nalus.length - 1 }), { maxLength: 120 });
    fc.assert(
      fc.property(loss, (missing) => {
        const lost = new Set(missing);
        const groups = verifyLossy((index) => lost.has(index));
        expect(verdicts(groups)).not.toContain('changed');
        for (const { verdict, fromMs, toMs } of groups) {
          if (verdict !== 'signed') continue;
          expect(
            missing.filter((index) => index > fromMs! && index < toMs! && !statements.includes(index)),
          ).toEqual([]);
        }
      }),
      randomRuns(30),
    );
  });
});

it('is nothing and costs nothing if the camera does not sign', () => {
  const nalus = recordedNalus('h264').filter((nalu) => unitKind(nalu, 'h264') !== 'sei');
  const verifier = new MediaVerifier({ codec: 'h264', anchors: [], nowMs: () => NOW_MS });
  expect(nalus.flatMap((nalu) => verifier.push(nalu, 0))).toEqual([]);
  expect([verifier.isSigned, verifier.end()]).toEqual([false, []]);
});

it('looks at few of the groups that wait, if a camera sends only key frames and statements about none of them', () => {
  const all = recordedNalus('h264');
  const key = all[0]!;
  const statement = all.find((nalu) => unitKind(nalu, 'h264') === 'sei')!;
  const verifier = new MediaVerifier({ codec: 'h264', anchors: [], nowMs: () => NOW_MS });
  verifier.push(statement, 0);
  // Small ones, so that hashing them is not what takes time.
  for (let count = 0; count < 2_000; count++) verifier.push(key.subarray(0, 40 + (count % 8)), count);
  const hashed = vi.spyOn(UnitHasher.prototype, 'of');
  verifier.push(statement, 8_000);
  expect(hashed.mock.calls.length).toBeLessThanOrEqual(200);
  hashed.mockRestore();
});

it('keeps no more hashes than it may while a camera sends frames without statements', () => {
  const [key, slice] = recordedNalus('h264') as [Uint8Array, Uint8Array];
  const verifier = new MediaVerifier({ codec: 'h264', anchors: [], isRecording: true, nowMs: () => NOW_MS });
  verifier.push(key, 0);
  for (let count = 0; count < 20_000; count++) verifier.push(slice, count);
  expect(verifier.end()[0]!.units).toBeLessThanOrEqual(8_192);
});
