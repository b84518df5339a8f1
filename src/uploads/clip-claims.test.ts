import { describe, expect, it } from 'vitest';
import { newRuuid } from '../core/ruuid.ts';
import { readClipClaims, uploadUuid } from './clip-claims.ts';

const CAMERA = newRuuid();
const GOOD = { clipId: 'ch3-1', cameraUuid: CAMERA, timestampMs: '1774751400000' };

describe('what a recorder says about a clip', () => {
  it('is read', () => {
    const sha256 = 'AB'.repeat(32);
    const claims = readClipClaims({ ...GOOD, title: 'Gate ü', filetype: 'video/mp4', sha256 }, 7);
    expect(claims).toEqual({
      clipId: 'ch3-1',
      cameraUuid: CAMERA,
      startMs: 1_774_751_400_000,
      byteLength: 7,
      title: 'Gate ü',
      fileType: 'video/mp4',
      sha256: 'ab'.repeat(32),
    });
    expect(readClipClaims(GOOD, 7)).toMatchObject({ title: '', fileType: '', sha256: null });
    // A key without a value.
    expect(readClipClaims({ ...GOOD, title: null, sha256: null }, 7)).toMatchObject({
      title: '',
      sha256: null,
    });
    expect(readClipClaims({ ...GOOD, cameraUuid: `${CAMERA}.v0` }, 7).cameraUuid).toBe(CAMERA);
  });

  it.each([
    ['clipId', undefined],
    ['clipId', ''],
    ['clipId', 'x'.repeat(257)],
    ['clipId', 'a\u0000b'],
    ['cameraUuid', undefined],
    ['cameraUuid', '../etc'],
    ['timestampMs', undefined],
    ['timestampMs', '-1'],
    ['timestampMs', '1e12'],
    ['timestampMs', '9'.repeat(16)],
    ['title', 'two\nlines'],
    ['title', 'x'.repeat(257)],
    ['filetype', 'x'.repeat(129)],
    ['sha256', 'ab'],
  ])('must have %s in its format: not %j', (field, value) => {
    const metadata = { ...GOOD, [field]: value } as Record<string, string>;
    expect(() => readClipClaims(metadata, 7)).toThrow(
      expect.objectContaining({ code: 'UPLOAD_METADATA', context: { field } }),
    );
  });
});

it('makes another upload of another key, camera or clip', () => {
  const [key, claims] = [newRuuid(), readClipClaims(GOOD, 7)];
  const uuid = uploadUuid(key, claims);
  expect(uploadUuid(key, { ...claims })).toBe(uuid);
  expect(uploadUuid(newRuuid(), claims)).not.toBe(uuid);
  expect(uploadUuid(key, { ...claims, cameraUuid: newRuuid() })).not.toBe(uuid);
  expect(uploadUuid(key, { ...claims, clipId: 'ch3-2' })).not.toBe(uuid);
});
