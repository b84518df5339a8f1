import { scryptSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MAX_PASSWORD_CHARS, Passwords } from './password.ts';

const cheap = { log2N: 4, r: 8, p: 1 };
const passwords = new Passwords(cheap);
const TURN = { group: 'share', member: '192.0.2.1' };

describe('Passwords', () => {
  it('makes PHC strings that anyone can check', async () => {
    const phc = await passwords.hash('open sesame');
    const [, name, params, salt, hash] = phc.split('$');
    expect([name, params]).toEqual(['scrypt', 'ln=4,r=8,p=1']);
    const expected = scryptSync('open sesame', Buffer.from(salt!, 'base64'), 32, { N: 16, r: 8, p: 1 });
    expect(Buffer.from(hash!, 'base64')).toEqual(expected);
    expect(phc).not.toContain('=$');
  });

  it('salts: the same password hashes differently each time', async () => {
    expect(await passwords.hash('a')).not.toBe(await passwords.hash('a'));
  });

  it('accepts the correct password and rejects others', async () => {
    const phc = await passwords.hash('Übergang 7');
    expect(await passwords.verify(phc, 'Übergang 7', TURN)).toBe(true);
    expect(await passwords.verify(phc, 'Übergang 7'.normalize('NFD'), TURN)).toBe(true);
    for (const wrong of [
      '',
      ' ',
      'übergang 7',
      'Übergang 7 ',
      'Übergang',
      'x'.repeat(MAX_PASSWORD_CHARS + 1),
    ]) {
      expect(await passwords.verify(phc, wrong, TURN)).toBe(false);
    }
  });

  it('checks with the cost that a hash was made with', async () => {
    const phc = await new Passwords({ log2N: 5, r: 4, p: 2 }).hash('secret');
    expect(await passwords.verify(phc, 'secret', TURN)).toBe(true);
  });

  it('uses 32 MiB and three passes unless told otherwise', async () => {
    expect(await new Passwords().hash('secret')).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$/);
  });

  it('matches nothing against what is not one of its hashes', async () => {
    const phc = await passwords.hash('secret');
    for (const broken of [
      '',
      'secret',
      phc.slice(1),
      phc.slice(0, 40),
      phc.replace('ln=4', 'ln=30'),
      `${phc}$x`,
    ]) {
      expect(await passwords.verify(broken, 'secret', TURN)).toBe(false);
    }
  });

  it('queues a limited number, serves them all, and has room again', async () => {
    const phc = await passwords.hash('secret');
    const guess = (member: string) => passwords.verify(phc, 'secret', { ...TURN, member });
    const requested = Array.from({ length: 80 }, (_, index) => guess(`192.0.2.${index}`));
    const settled = await Promise.allSettled(requested);
    const served = settled.filter((one) => one.status === 'fulfilled');
    expect(served).toHaveLength(65);
    expect(settled.find((one) => one.status === 'rejected')).toMatchObject({
      reason: { code: 'PASSWORD_QUEUE_FULL', kind: 'unavailable' },
    });
    expect(await guess('192.0.2.1')).toBe(true);
  });

  it('checks another share’s password before the guesses that wait at this one', async () => {
    const phc = await passwords.hash('secret');
    const done: string[] = [];
    const guesses = Array.from({ length: 120 }, async (_, index) => {
      const turn = { group: 'guessed', member: `192.0.2.${index % 12}` };
      await passwords.verify(phc, 'guess', turn).catch(() => undefined);
      done.push('guess');
    });
    await passwords.verify(phc, 'secret', { group: 'other', member: '192.0.2.99' });
    // Rejected immediately, and at most those in progress.
    const dropped = 120 - 1 - 64;
    expect(done.length - dropped).toBeLessThanOrEqual(3);
    await Promise.all(guesses);
  });
});
