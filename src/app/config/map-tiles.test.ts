import { describe, expect, it } from 'vitest';
import { parseConfig } from './load-config.ts';

const parse = (url: string) =>
  parseConfig(`console: { mapTiles: ${JSON.stringify(url)} }`, 'sluice.yaml', {});

describe('console.mapTiles', () => {
  it('is off by default, and OpenStreetMap’s words are those of its map', () => {
    const { console } = parseConfig('', 'sluice.yaml', {});
    expect(console).toEqual({
      mapTiles: null,
      mapAttribution: '© OpenStreetMap contributors',
      mapMaxZoom: 19,
    });
  });

  it.each([
    'https://tile.openstreetmap.org/{z}/{x}/{y}.png',
    'http://192.168.1.9:8080/tiles/{z}/{x}/{y}.png',
    'https://tiles.example/?z={z}&x={x}&y={y}&key=abc',
    'https://[2001:db8::1]:8443/{z}/{y}/{x}',
  ])('is %s', (url) => expect(parse(url).console.mapTiles).toBe(url));

  it.each([
    'https://tiles.example/{z}/{x}.png',
    'https://{s}.tiles.example/{z}/{x}/{y}.png',
    'https://{z}.example/{x}/{y}.png',
    'https://*.example/{z}/{x}/{y}.png',
    "https://a;script-src'self'/{z}/{x}/{y}",
    'https://user:password@tiles.example/{z}/{x}/{y}.png',
    'ftp://tiles.example/{z}/{x}/{y}.png',
    'data:{z}{x}{y}',
    '/tiles/{z}/{x}/{y}.png',
  ])('is not %s', (url) => {
    const problems = [expect.objectContaining({ key: 'console.mapTiles' })];
    expect(() => parse(url)).toThrow(expect.objectContaining({ problems }));
  });
});
