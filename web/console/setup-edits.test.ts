/** What the first steps of the console save is a configuration that the gateway accepts. */

import { expect, it } from 'vitest';
import { parseConfig } from '../../src/app/config/load-config.ts';
import { type PublicSetup, setupEdits } from './setup-edits.ts';

const SETUP: PublicSetup = {
  way: 'proxy',
  mediaHost: 'video.example.com',
  apiHost: 'console.example.com',
  cert: '/etc/sluice/video.pem',
  key: '/etc/sluice/video.key',
  email: 'ada@example.com',
};
/** A file with each of the other ways, from which a person changes. */
const FILES = [
  '',
  'trustProxy: 10.0.0.1\npublic: { mediaUrl: "https://old.example" }\n',
  'tls: { media: { cert: /a.pem, key: /a.key } }\n',
  'tls: { media: { acme: true }, acme: { domains: [old.example], termsAgreed: true } }\n',
];

it.each(['proxy', 'acme', 'files'] as const)('is valid over any file: %s', (way) => {
  for (const text of FILES) {
    const edits = setupEdits({ ...SETUP, way });
    const values = Object.fromEntries(edits.map(({ path, value }) => [path, value ?? null]));
    const config = parseConfig(text, 'sluice.yaml', {}, values);
    expect(config.public.mediaUrl).toBe('https://video.example.com');
    if (way === 'acme') expect(config.tls.media).toMatchObject({ acme: true, cert: null });
    if (way === 'files')
      expect(config.tls.media).toMatchObject({ acme: false, key: '/etc/sluice/video.key' });
    expect(config.listen.media.port).toBe(way === 'proxy' ? 8_081 : 443);
  }
});
