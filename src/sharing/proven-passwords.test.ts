import { describe, expect, it } from 'vitest';
import { FakeClock } from '../core/fake-clock.ts';
import { newRuuid } from '../core/ruuid.ts';
import { sampleShare } from '../store/sample-entities-fixture.ts';
import { PROVEN_FOR_MS, ProvenPasswords } from './proven-passwords.ts';

const share = sampleShare(newRuuid(), { passwordHash: '$scrypt$one', accessEpoch: 3 });

describe('ProvenPasswords', () => {
  it('remembers a password for minutes, however it is spelled in Unicode, and no other', () => {
    const clock = new FakeClock();
    const proven = new ProvenPasswords(clock);
    proven.add(share, 'Wörd');
    expect(proven.has(share, 'Wo\u0308rd')).toBe(true);
    for (const other of ['', 'wörd', 'Wörd ', 'Word']) expect(proven.has(share, other)).toBe(false);
    clock.advance(PROVEN_FOR_MS - 1);
    expect(proven.has(share, 'Wörd')).toBe(true);
    clock.advance(1);
    expect(proven.has(share, 'Wörd')).toBe(false);
    expect(proven.size).toBe(0);
  });

  it('knows nothing about another share, or about this one after its password changed', () => {
    const proven = new ProvenPasswords(new FakeClock());
    proven.add(share, 'secret');
    expect(proven.has({ ...share, uuid: newRuuid() }, 'secret')).toBe(false);
    expect(proven.has({ ...share, accessEpoch: 4 }, 'secret')).toBe(false);
    expect(proven.has({ ...share, passwordHash: '$scrypt$two' }, 'secret')).toBe(false);
    const renamed = { ...share, name: 'Renamed' };
    expect(proven.has(renamed, 'secret')).toBe(true);
  });

  it('keeps a limited number, the latest, and never as text', () => {
    const proven = new ProvenPasswords(new FakeClock(), 3);
    for (let i = 0; i < 10; i++) proven.add(share, `secret ${i}`);
    expect(proven.size).toBe(3);
    expect(proven.has(share, 'secret 9')).toBe(true);
    expect(proven.has(share, 'secret 6')).toBe(false);
    expect(JSON.stringify(proven)).not.toContain('secret');
  });
});
