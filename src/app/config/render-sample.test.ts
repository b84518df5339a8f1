import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeApiKey } from '../../store/api-key-hash.ts';
import { parseConfig } from './load-config.ts';
import { renderConfigReference } from './render-reference.ts';
import { renderSampleConfig } from './render-sample.ts';
import { CONFIG_SCHEMA } from './schema.ts';

describe('renderSampleConfig', () => {
  it('is the file in the guide', () => {
    const file = new URL('../../../docs/guide/sluice.example.yaml', import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(renderSampleConfig());
  });

  it('loads with every commented key switched on', () => {
    const text = renderSampleConfig()
      .replace(/^( *)#(?=[a-zA-Z0-9 ]+(?:: |:$))(?! [A-Z])/gm, '$1')
      .replace(/^#(?= {2}- | {4}\w+:)/gm, '')
      // A camera has this or rtsp.
      .replace(/^ {4}publishKey: .*\n/m, '')
      // Not for the nodes of a cluster.
      .replace(/^ {2}tiers:\n(?: {4}.*\n)+/m, '')
      .replace(/"slc_…"/g, () => makeApiKey().reveal());
    const config = parseConfig(text, 'sample', {});
    expect(config.cameras[0]).toMatchObject({ name: 'Lobby', location: 'HQ', nvr: 'Core' });
    expect(config.nvrs[0]?.serialNumber).toBe('SN-0001');
    expect(config.locations[0]?.latitude).toBe(40.7128);
    expect(config.demo).toBe(true);
    expect(config.tls.media.key).toBe('/etc/sluice/video.example.com.key');
    expect(config.bootstrap.apiKey).not.toBeNull();
  });
});

describe('renderConfigReference', () => {
  const page = renderConfigReference();

  it.each(Object.entries(CONFIG_SCHEMA.children))('describes %s', (key, node) => {
    if (node.node === 'setting') expect(page).toContain(`| \`${key}\` |`);
    else expect(page).toContain(`\n## ${key}\n`);
  });

  it('gives value, default and variable of each key', () => {
    expect(page).toMatch(
      /^\| `hls\.partTarget` \| a duration .* \| `333ms` \| `SLUICE_HLS_PART_TARGET` \| Length of the parts/m,
    );
    expect(page).toMatch(/^\| `tls\.acme\.email` \| .* \| `SLUICE_TLS_ACME_EMAIL` \|/m);
    expect(page).toMatch(/^\| `rtsp` \| .* \| \(with publishKey\) \| Main stream\. .* \|$/m);
  });
});
