import { describe, expect, it } from 'vitest';
import { parseConfig } from './load-config.ts';

const parse = (text: string) => parseConfig(text, 'sluice.yaml', {});

describe('security', () => {
  it('is absent by default', () => {
    expect(parse('').security).toEqual({ contact: [], expiresEpochMs: null, policy: null });
  });

  it('names contacts and the day on which they expire', () => {
    const text =
      'security: { contact: ["mailto:a@example.com", "tel:+1-201-555-0123"], expires: 2027-06-30 }';
    expect(parse(text).security).toMatchObject({
      contact: ['mailto:a@example.com', 'tel:+1-201-555-0123'],
      expiresEpochMs: Date.UTC(2027, 5, 30),
    });
  });

  it.each([
    ['contact: [security@example.com], expires: 2027-06-30', 'security.contact'],
    ['contact: ["http://example.com"], expires: 2027-06-30', 'security.contact'],
    ['contact: ["mailto:a@example.com"]', 'security.expires'],
    ['contact: ["mailto:a@example.com"], expires: 2027-02-30', 'security.expires'],
    ['contact: ["mailto:a@example.com"], expires: soon', 'security.expires'],
  ])('refuses %s', (text, key) => {
    const problems = [expect.objectContaining({ key })];
    expect(() => parse(`security: { ${text} }`)).toThrow(expect.objectContaining({ problems }));
  });
});
