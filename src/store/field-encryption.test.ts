import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../test/support/random-runs.ts';
import { anyText } from '../core/any-text-fixture.ts';
import { FieldCipher } from './field-encryption.ts';

const PLACE = { table: 'cameras', uuid: 'AAAAAAAAAAAAAAAAAAAAAA', column: 'rtsp_url_encrypted' };

describe('FieldCipher', () => {
  const cipher = new FieldCipher(Buffer.alloc(32, 1));

  it('returns any text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(cipher.decrypt(PLACE, cipher.encrypt(PLACE, text))).toBe(text);
      }),
      randomRuns(2_000),
    );
  });

  it('never writes the same bytes twice', () => {
    expect(cipher.encrypt(PLACE, 'rtsp://camera')).not.toBe(cipher.encrypt(PLACE, 'rtsp://camera'));
  });

  it.each([
    ['table', { ...PLACE, table: 'nvrs' }],
    ['row', { ...PLACE, uuid: 'BAAAAAAAAAAAAAAAAAAAAA' }],
    ['column', { ...PLACE, column: 'substream_url_encrypted' }],
  ])('refuses a value from another %s', (_name, elsewhere) => {
    const stored = cipher.encrypt(PLACE, 'rtsp://camera');
    expect(() => cipher.decrypt(elsewhere, stored)).toThrow(
      expect.objectContaining({ code: 'STORE_FIELD_DAMAGED' }),
    );
  });

  it('refuses a flipped bit at every byte, every truncation and another key', () => {
    const stored = Buffer.from(cipher.encrypt(PLACE, 'rtsp://camera'), 'base64');
    const refused = expect.objectContaining({ code: 'STORE_FIELD_DAMAGED' });
    for (let i = 0; i < stored.length; i++) {
      const flipped = Buffer.from(stored);
      flipped[i]! ^= 1;
      expect(() => cipher.decrypt(PLACE, flipped.toString('base64'))).toThrow(refused);
      const short = stored.subarray(0, i).toString('base64');
      expect(() => cipher.decrypt(PLACE, short)).toThrow(refused);
    }
    const stranger = new FieldCipher(Buffer.alloc(32, 2));
    expect(() => stranger.decrypt(PLACE, stored.toString('base64'))).toThrow(refused);
  });

  it('takes keys of 32 bytes only', () => {
    expect(() => new FieldCipher(Buffer.alloc(16))).toThrow(RangeError);
  });
});
