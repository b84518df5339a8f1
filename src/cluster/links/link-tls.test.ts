import { describe, expect, it } from 'vitest';
import { linkKeyOf } from './link-tls.ts';

const KEY = linkKeyOf(Buffer.from('secret'));

describe('the key of links', () => {
  it('depends on the secret, and is not the secret', () => {
    expect(KEY.length).toBe(32);
    expect(linkKeyOf(Buffer.from('secret'))).toEqual(KEY);
    expect(linkKeyOf(Buffer.from('secret2'))).not.toEqual(KEY);
  });
});
