import { describe, expect, it } from 'vitest';
import { newRuuid } from '../../core/ruuid.ts';
import { parseNode } from './node-info.ts';

describe('parseNode', () => {
  it.each([
    '',
    'x {}',
    `${newRuuid()} null`,
    `${newRuuid()} {`,
    `${newRuuid()} {"nodeId":"a","address":"a:1","version":"1"}`,
    `${newRuuid()} {"nodeId":"a","address":"a:1","version":"1","load":{"ownedCameras":1,"openStreams":-1,"viewers":0,"busyShare":0}}`,
  ])('refuses %j', (text) => {
    expect(parseNode(text)).toBeNull();
  });
});
