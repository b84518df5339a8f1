import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { recordedNalus } from '../../../test/support/signed-recording.ts';
import { MediaSigner } from './media-signer.ts';
import { type SignedCodec, unitKind } from './signed-units.ts';
import { type SigningNews, SigningWatch } from './signing-watch.ts';

const ANCHORS = readFileSync(join(import.meta.dirname, 'fixtures/ca.pem'), 'utf8');
const CODECS: readonly SignedCodec[] = ['h264', 'h265'];
const FRAME_MS = 40;
const EPOCH_MS = Date.UTC(2025, 0, 1);

/** Pictures of one NAL unit, with the SEIs that come with them. */
function picturesOf(codec: SignedCodec): Uint8Array[] {
  const pictures: Uint8Array[][] = [];
  for (const nalu of recordedNalus(codec)) {
    if (unitKind(nalu, codec) === 'sei') pictures.at(-1)!.push(nalu);
    else pictures.push([nalu]);
  }
  return pictures.map((nalus) => Buffer.concat(nalus.flatMap((nalu) => [lengthOf(nalu), nalu])));
}

function lengthOf({ length }: Uint8Array): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

function watched(codec: SignedCodec): { readonly watch: SigningWatch; readonly news: SigningNews[] } {
  const news: SigningNews[] = [];
  const watch = new SigningWatch({
    codec,
    anchors: ANCHORS,
    epochMinusMonoMs: EPOCH_MS,
    onNews: (each) => news.push(each),
  });
  return { watch, news };
}

/** null: the picture is lost. */
function newsOf(codec: SignedCodec, pictures: readonly (Uint8Array | null)[]): SigningNews[] {
  const { watch, news } = watched(codec);
  for (const [index, picture] of pictures.entries()) {
    if (picture === null) {
      watch.gap();
      continue;
    }
    // The buffer is that of the next picture, too.
    const borrowed = Uint8Array.from(picture);
    watch.picture(borrowed, index * FRAME_MS);
    borrowed.fill(0xff);
  }
  return news;
}

function without<T>(pictures: readonly T[], lost: number): (T | null)[] {
  return pictures.map((picture, index) => (index === lost ? null : picture));
}

function withByte(pictures: readonly Uint8Array[], at: number): Uint8Array[] {
  return pictures.map((picture, index) => {
    if (index !== at) return picture;
    const copy = Uint8Array.from(picture);
    copy[copy.length - 2]! ^= 1;
    return copy;
  });
}

const verdictsOf = (news: readonly SigningNews[]) => [...new Set(news.map(({ verdict }) => verdict))];

describe.each(CODECS)('live video in %s', (codec) => {
  const pictures = picturesOf(codec);
  const unsigned = recordedNalus(codec)
    .filter((nalu) => unitKind(nalu, codec) !== 'sei')
    .map((nalu) => Buffer.concat([lengthOf(nalu), nalu]));

  it('is signed by the camera that its certificate names', () => {
    const news = newsOf(codec, pictures);
    expect(verdictsOf(news)).toEqual(['signed']);
    expect(news[0]).toMatchObject({
      trust: 'trusted',
      reason: null,
      signer: { subject: expect.stringContaining('CN=Test camera'), issuer: expect.stringContaining('CN=') },
      vendor: { manufacturer: expect.any(String), serialNumber: expect.any(String) },
    });
    expect(news[0]!.atEpochMs).toBeGreaterThan(EPOCH_MS);
  });

  it('is changed if one byte differs', () => {
    expect(verdictsOf(newsOf(codec, withByte(pictures, 150)))).toContain('changed');
  });

  it('is incomplete, and not changed, if a frame or a key frame is lost', () => {
    const isKey = (index: number) => unitKind(pictures[index]!.subarray(4), codec) === 'begins';
    const key = pictures.findIndex((_, index) => index > 150 && isKey(index));
    for (const lost of [150, 200]) {
      expect(verdictsOf(newsOf(codec, without(pictures, lost)))).toContain('incomplete');
    }
    for (const lost of [150, 200, key]) {
      expect(verdictsOf(newsOf(codec, without(pictures, lost)))).not.toContain('changed');
    }
  });

  it('says once that the camera does not sign, and reports when it begins to', () => {
    const { watch, news } = watched(codec);
    const lasting = Array.from({ length: 4 }, () => unsigned).flat();
    for (const [index, picture] of lasting.entries()) watch.picture(picture, index * FRAME_MS);
    expect(news.map(({ verdict, signer }) => [verdict, signer])).toEqual([['none', null]]);
    for (const [index, picture] of pictures.entries()) {
      watch.picture(picture, (lasting.length + index) * FRAME_MS);
    }
    expect(verdictsOf(news)).toEqual(['none', 'signed']);
  });

  it('says that the camera stopped signing, after half a minute', () => {
    const { watch, news } = watched(codec);
    const lasting = [...pictures, ...Array.from({ length: 5 }, () => unsigned).flat()];
    for (const [index, picture] of lasting.entries()) watch.picture(picture, index * FRAME_MS);
    const last = news.at(-1)!;
    expect(last.verdict).toBe('stopped');
    expect(last.atEpochMs - EPOCH_MS).toBeGreaterThan(30_000);
    expect(verdictsOf(news)).not.toContain('changed');
  });

  it('checks no more statements than a camera needs, however many one sends', () => {
    const { watch, news } = watched(codec);
    const [statement] = recordedNalus(codec).filter((nalu) => unitKind(nalu, codec) === 'sei');
    const many = Buffer.concat(
      Array.from({ length: 2_000 }, () => [lengthOf(statement!), statement!]).flat(),
    );
    const verified = vi.spyOn(MediaSigner.prototype, 'hasSigned');
    for (let second = 0; second < 3; second++) watch.picture(many, second * 1_000);
    expect(verified.mock.calls.length).toBeLessThanOrEqual(3 * 30);
    verified.mockRestore();
    for (const [index, picture] of pictures.entries()) watch.picture(picture, 4_000 + index * FRAME_MS);
    expect(news.at(-1)).toMatchObject({ verdict: 'signed' });
  });

  it('repeats what does not change every ten seconds, and a change no more than once a second', () => {
    const many = Array.from({ length: 8 }, () => pictures).flat();
    const steady = newsOf(codec, many);
    const lastMs = many.length * FRAME_MS;
    expect(steady.length).toBeLessThanOrEqual(2 + (2 * lastMs) / 10_000);
    const flapping = many.map((picture, index) => (index % 3 === 0 ? withByte([picture], 0)[0]! : picture));
    const news = newsOf(codec, flapping);
    for (const [index, { atEpochMs }] of news.slice(1).entries()) {
      expect(atEpochMs - news[index]!.atEpochMs).toBeGreaterThanOrEqual(1_000);
    }
  });
});
